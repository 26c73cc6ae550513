#pragma once

#include "conformance/store_under_test.hpp"
#include "conformance/transition_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carillon::conformance {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;
using testing::UnorderedElementsAre;

inline constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::hours{12}};
inline constexpr Seq no_such_run{999'999'999};

/// The value of a call that a conforming store cannot refuse.
template <typename T>
T must(Result<T> result) {
  if (!result)
    throw std::runtime_error{"the store answered " + std::string{to_text(result.error().code)} + ": " +
                             result.error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// A write of a run that is still as `row` has it.
[[nodiscard]] RunUpdate update_of(const QueuedRun& row, const Run& next, AttemptEnd end = {});

/// The attempt of a claimed run has ended, and there are no more.
[[nodiscard]] Run ended(Run run, RunState state, Instant now);
/// It has failed and is tried again.
[[nodiscard]] Run retried(Run run, Instant claimable_from);

/// What each topic's tests begin with: a fresh store at noon, and the steps that most of them take.
class StoreTest : public testing::TestWithParam<StoreKind> {
 protected:
  using Run = carillon::Run;  // not the member of testing::Test

  StoreTest();

  ScheduleStore& schedules() { return store_->ports().schedules; }
  RunQueue& runs() { return store_->ports().runs; }
  Retention& retention() { return store_->ports().retention; }
  QueryStore& query_store() { return store_->ports().queries; }
  EventFeed& feed() { return store_->ports().events; }
  AuditLog& audit() { return store_->ports().audit; }
  TokenStore& tokens() { return store_->ports().tokens; }
  IdempotencyStore& idempotency() { return store_->ports().idempotency; }
  LockStore& locks() { return *store_->ports().locks; }
  Notifier& notifier() { return store_->ports().notifier; }
  [[nodiscard]] Instant now() const { return now_; }
  void set_time(Instant now);
  void advance(Duration by) { set_time(now_ + by); }
  void step_clock(Duration by) {
    now_ += by;
    store_->step_clock(by);
  }

  CommitResult commit(std::span<const Transition> transitions, std::optional<ClaimRequest> claim = {});
  WriteOutcome commit(const TransitionBuilder& builder);
  /// A user's command.
  Result<CommitResult> commit(const TransitionBuilder& builder, const CommandMetadata& attached);
  /// The same, which must be written.
  WriteOutcome write(const TransitionBuilder& builder);

  /// A schedule that sleeps.
  Uid create(std::string_view id) { return create(key_of(id)); }
  Uid create(const ScheduleKey& key);
  ScheduleView view(std::string_view id) { return view(key_of(id)); }
  ScheduleView view(const ScheduleKey& key);
  Seq enqueue(std::string name, std::string queue = "default");
  /// A transition from the schedule's present state.
  TransitionBuilder next(std::string_view id) { return after(view(id).state, now()); }
  /// Writes one decision; its row.
  Seq decide(std::string_view id, const DecisionBuilder& decision);
  Seq start(std::string_view id) { return decide(id, starting(now())); }
  std::optional<LiveRun> live(std::string_view id, Seq run);

  /// As a server that has the zone rules in force.
  DueSchedules read_due(std::size_t count_max = 100, ServerShare share = {});
  std::vector<Uid> due(std::size_t count_max = 100, ServerShare share = {});
  bool is_due(Uid uid);

  SessionId open_session(Duration lease = 30s) { return must(runs().open_session("worker-1", lease)); }
  std::vector<ClaimedRun> claim(SessionId session, std::size_t count_max = 100,
                                std::vector<std::string> queues = {"default"});
  /// The one run that can be claimed.
  ClaimedRun claim_one(SessionId session);
  RunWritten write(const RunUpdate& update);
  RunWritten finish(const QueuedRun& row, RunState state, AttemptEnd end = {});
  std::optional<QueuedRun> run(Seq seq);
  std::vector<Seq> lost();
  std::vector<Seq> expired();
  std::vector<Seq> held(SessionId session);

  std::vector<LedgerRecord> ledger();
  template <typename Line>
  std::vector<Line> lines() {
    std::vector<Line> found;
    for (const LedgerRecord& record : ledger()) {
      if (const auto* line = std::get_if<Line>(&record)) found.push_back(*line);
    }
    return found;
  }
  DecisionLine decision_line(Seq seq);

 private:
  std::unique_ptr<StoreUnderTest> store_;
  Instant now_ = noon;
  std::int64_t batch_ = 0;
};

/// A user's change, named for the audit log and for who asks again.
[[nodiscard]] CommandMetadata attached(std::string operation, std::optional<std::string> key = {});

[[nodiscard]] std::vector<Seq> seqs_of(const std::vector<ClaimedRun>& runs);
[[nodiscard]] std::vector<Seq> seqs_of(const std::vector<QueuedRun>& runs);

[[nodiscard]] inline std::string name_of_store(const testing::TestParamInfo<StoreKind>& parameter) {
  return parameter.param.name;
}

/// Makes the tests of a topic run once for each registered store.
#define CARILLON_RUN_FOR_EVERY_STORE(suite) \
  INSTANTIATE_TEST_SUITE_P(stores, suite, testing::ValuesIn(registered_stores()), name_of_store)

/// The same for a topic that needs nothing but what all need.
#define CARILLON_CONFORMANCE_SUITE(suite) \
  class suite : public StoreTest {};      \
  CARILLON_RUN_FOR_EVERY_STORE(suite)

}  // namespace carillon::conformance
