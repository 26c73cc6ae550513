#pragma once

#include "executors/temporal/cluster_calls.hpp"
#include "executors/temporal/workflow_messages.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace carillon::workflows {

struct FollowOptions {
  std::size_t poll_count_max = 190;  // runs that are waited for one by one; the others are looked for in lists
  std::size_t call_count_max = 64;   // of all other calls, at a time
  Duration call_timeout = std::chrono::seconds{10};
  Duration poll_timeout = std::chrono::seconds{40};  // clusters answer after 20 s
  Duration retry_min = std::chrono::seconds{1};
  Duration retry_max = std::chrono::seconds{60};  // of starts
  Duration follow_retry_max = std::chrono::seconds{10};
  Duration list_period = std::chrono::seconds{2};
  Duration check_period = std::chrono::minutes{5};  // each of the others is asked for by itself as often
};

/// The attempts that one cluster performs: starts each, follows it to its end, and ends what is to end. Used by one
/// thread; times are since boot.
///
/// A start is repeated with the same request id until the cluster has answered it, so that a lost answer starts nothing
/// twice. An attempt that is not followed any more (its server stops, or has lost its lease) goes on on the cluster,
/// and can be resumed by any server.
class WorkflowRuns {
 public:
  WorkflowRuns(ClusterCalls& calls, AttemptEvents& events, Clock& clock, CallContext context,
               FollowOptions options = {});

  void launch(const Assignment& assignment);
  /// Goes on with an attempt of an earlier server. If it was launched, it is looked for and never started.
  void resume(const Assignment& assignment);
  void stop(const AttemptKey& key, Stop how);
  void forget(const AttemptKey& key);
  /// The cluster says that it has ended, which is looked at and not believed.
  void look_at(const AttemptKey& key);
  /// Nothing is started after this time.
  void extend_until(Duration since_boot) { starts_until_ = since_boot; }

  /// Makes the calls that are due. When to call again at the latest.
  Duration tick();

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] std::size_t poll_count() const { return poll_count_; }
  /// Why the cluster does not call back; empty: it does, or nobody has asked it to.
  [[nodiscard]] const std::string& callback_refusal() const { return callback_refusal_; }

 private:
  enum class Phase {
    start,   // to be started, or to be started again since the answer was lost
    check,   // whose workflow it is that has its id
    follow,  // it runs
  };
  struct FollowedRun {
    std::uint64_t serial = 0;  // tells an answer to this from one to an earlier run of the same key
    StartName name;
    std::string start_message;
    Phase phase = Phase::start;
    bool is_launched = false;  // the store has been told, or is about to be
    bool is_blocked = false;   // a workflow that may be another's has its id
    bool was_sent = false;     // the cluster may have got the start
    std::string refusal{};     // of a start that asked for a call back: it is tried without
    std::string run_id;        // of the chain's newest run, as far as known
    std::string first_run_id;
    std::string page_token;
    bool has_place = false;   // among those that are waited for one by one
    bool is_calling = false;  // its main call is under way
    Stop asked = Stop::none;
    Stop sent = Stop::none;
    bool is_stopping = false;  // a call that ends it is under way
    int failure_count = 0;
    std::optional<Duration> next_call{};
    std::optional<Duration> next_stop{};
  };

  FollowedRun& add(const Assignment& assignment);
  [[nodiscard]] FollowedRun* find(const AttemptKey& key, std::uint64_t serial);
  void schedule(const AttemptKey& key, FollowedRun& run, Duration at);
  void schedule_stop(const AttemptKey& key, FollowedRun& run, Duration at);
  void call_again_later(const AttemptKey& key, FollowedRun& run, Duration longest);
  void perform(const AttemptKey& key, FollowedRun& run);
  template <typename Response, typename Request, typename Handler>
  void call(const AttemptKey& key, FollowedRun& run, std::string_view method, const Request& request, Duration timeout,
            Handler handler);

  [[nodiscard]] bool drop_callback(FollowedRun& run);
  void send_start(const AttemptKey& key, FollowedRun& run);
  void take_start(const AttemptKey& key, FollowedRun& run, const grpc::Status& status,
                  const service_pb::StartWorkflowExecutionResponse& answer);
  void send_check(const AttemptKey& key, FollowedRun& run);
  void take_check(const AttemptKey& key, FollowedRun& run, const grpc::Status& status,
                  const service_pb::DescribeWorkflowExecutionResponse& answer);
  void begin_following(const AttemptKey& key, FollowedRun& run, const std::string& run_id,
                       const std::string& first_run_id);
  void send_poll(const AttemptKey& key, FollowedRun& run);
  void take_poll(const AttemptKey& key, FollowedRun& run, const grpc::Status& status,
                 const service_pb::GetWorkflowExecutionHistoryResponse& answer);
  void send_stop(const AttemptKey& key, FollowedRun& run);
  void take_stop(const AttemptKey& key, FollowedRun& run, Stop how, const grpc::Status& status);
  void send_list(const std::string& page_token);
  void take_list(const grpc::Status& status, const service_pb::ListWorkflowExecutionsResponse& answer);

  void end(const AttemptKey& key, AttemptEnd end);
  void leave_place(FollowedRun& run);
  void remove(const AttemptKey& key);
  void tell(const AttemptKey& key, const std::string& line);

  ClusterCalls& calls_;
  AttemptEvents& events_;
  Clock& clock_;
  const CallContext context_;
  const FollowOptions options_;
  std::map<AttemptKey, FollowedRun> runs_;
  std::map<std::string, AttemptKey, std::less<>> unplaced_;  // by workflow id: those that are looked for in lists
  std::set<std::pair<Duration, AttemptKey>> due_;            // may hold more than there is to do
  std::deque<std::pair<AttemptKey, std::uint64_t>> waiting_calls_;
  std::uint64_t serial_count_ = 0;
  std::size_t poll_count_ = 0;
  std::size_t call_count_ = 0;
  Duration starts_until_ = Duration::max();
  std::string callback_refusal_;
  Duration next_list_{};
  bool is_listing_ = false;
  std::string list_query_;                 // of the list under way, the same for all its pages
  std::optional<Instant> closed_until_{};  // by the cluster's clock: what closed before was seen
};

}  // namespace carillon::workflows
