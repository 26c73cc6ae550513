#pragma once

#include "base/error.hpp"
#include "base/loop_monitor.hpp"
#include "executors/temporal/cluster_settings.hpp"
#include "executors/temporal/workflow_runs.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::workflows {

struct TemporalOptions {
  std::vector<ClusterSettings> clusters;
  /// What a reference to a secret stands for: API keys.
  std::function<Result<std::string>(std::string_view reference)> read_secret{};
  /// What a call of a cluster proves itself with.
  std::function<std::string(std::string_view attempt)> callback_key{};
  std::string version{};  // of carillon, that clusters are told
  LoopMonitor* loops = nullptr;
  FollowOptions follow{};
};

/// Starts workflows on Temporal clusters and follows them. One thread and one connection per cluster.
///
/// Its attempts go on without it: after a crash, a stop or a lost lease they are resumed, by this server or another.
class TemporalExecutor final : public Executor {
 public:
  /// Reads certificates; connects when there is something to start.
  [[nodiscard]] static Result<std::unique_ptr<TemporalExecutor>> open(TemporalOptions options, Clock& clock,
                                                                      AttemptEvents& events, Log& log);
  TemporalExecutor(const TemporalExecutor&) = delete;
  TemporalExecutor& operator=(const TemporalExecutor&) = delete;
  ~TemporalExecutor() override;

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;
  void resume(Assignment assignment) override;
  /// Also for one that is given up here and goes on elsewhere.
  void recorded(const AttemptKey& key) override;
  /// A cluster says that the workflow of an attempt has ended. From any thread.
  void look_at(const AttemptKey& key);

 private:
  class ClusterLoop;
  TemporalExecutor(TemporalOptions options, AttemptEvents& events);
  [[nodiscard]] ClusterLoop* loop_for(const Assignment& assignment);

  const TemporalOptions options_;
  AttemptEvents& events_;
  std::vector<std::string> names_;                   // of the clusters, as in the options
  std::vector<std::unique_ptr<ClusterLoop>> loops_;  // the same
};

}  // namespace carillon::workflows
