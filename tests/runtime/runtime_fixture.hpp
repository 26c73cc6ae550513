#pragma once

#include "runtime/decider.hpp"
#include "runtime/lost_run_rescuer.hpp"
#include "runtime/running_attempts.hpp"
#include "runtime/worker.hpp"
#include "scheduling/schedule_commands.hpp"
#include "simulation/passing_store.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"
#include "support/schedule_builder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {

inline CommandAction bin_true() {
  CommandAction command;
  command.argv = {"/bin/true"};
  return command;
}

/// Performs nothing: the test says how each attempt goes.
class ScriptedExecutor final : public Executor {
 public:
  void launch(Assignment assignment) override { launches.push_back(std::move(assignment)); }
  void stop(const AttemptKey& key, Stop how) override { stops.emplace_back(key, how); }
  void extend_until(Duration since_boot) override { lease_end = since_boot; }
  void resume(Assignment assignment) override { resumed.push_back(assignment.key); }
  void recorded(const AttemptKey& key) override { recorded_ends.push_back(key); }

  std::vector<Assignment> launches;
  std::vector<std::pair<AttemptKey, Stop>> stops;
  std::vector<AttemptKey> resumed;
  std::vector<AttemptKey> recorded_ends;
  Duration lease_end{};
};

/// Keeps what it hears.
class ListedNews final : public RunObserver {
 public:
  void attempt_began(const AttemptNews&) override {}
  void attempt_ended(const AttemptNews& news) override { retries.push_back(news.will_retry); }

  std::vector<bool> retries;  // whether each attempt that ended is followed by another
};

/// Keeps the words of events.
class ListedLog final : public Log {
 public:
  void write(LogLevel, std::string_view event, std::initializer_list<LogField>) override {
    const std::scoped_lock lock{mutex_};
    events_.emplace(event);
  }
  [[nodiscard]] bool has(const std::string& event) {
    const std::scoped_lock lock{mutex_};
    return events_.contains(event);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> events_;
};

/// Keeps output in memory.
class ListedLogs final : public LogStore {
 public:
  void append(Uid, const AttemptKey& key, OutputStream, std::string_view bytes) override { text[key] += bytes; }
  Result<> close(Uid, const AttemptKey& key) override {
    closed.insert(key);
    return {};
  }
  Result<LogPage> read(Uid, const AttemptKey&, std::int64_t, std::size_t) override {
    return fail(ErrorCode::not_found, "nothing is read here");
  }
  Result<> remove(Uid, const std::vector<Seq>& runs) override {
    removed.insert(runs.begin(), runs.end());
    return {};
  }
  Result<> trim(Uid, Seq, std::int64_t size_max) override {
    trimmed.insert(size_max);
    return {};
  }

  std::map<AttemptKey, std::string> text;
  std::set<AttemptKey> closed;
  std::set<Seq> removed;
  std::set<std::int64_t> trimmed;
};

/// A store whose answers can be lost.
class UnreachableStore final : public simulation::PassingStore {
 public:
  using simulation::PassingStore::PassingStore;
  bool is_gone = false;            // nothing reaches it
  bool is_read_only = false;       // a standby: that a server decides cannot be noted
  bool loses_next_commit = false;  // written, and nobody hears of it
  int commit_count = 0;
  int claim_count = 0;
  int read_count = 0;  // questions of what is due, and of the time alone
  bool loses_next_claim = false;
  bool is_next_claim_late = false;         // it is given up, and what it takes is locked until it is carried out
  std::optional<ClaimRequest> late_claim;  // that one
  bool loses_next_finish = false;
  bool refuses_ends = false;
  Duration pulse_delay{};         // how long the answer to a heartbeat takes, which the worker does not know
  Duration lease_shortened_by{};  // what a claim says of the lease, as a store whose clock was set forward
  std::optional<Uid> unreadable;  // its definition cannot be read

  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) override {
    auto definitions = PassingStore::read_definitions(names);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (definitions && names[i].uid == unreadable) definitions->at(i)->document = "{}";
    return definitions;
  }
  Result<Instant> store_now() override {
    ++read_count;
    return PassingStore::store_now();
  }
  Result<DueSchedules> read_due(const DueRequest& request) override {
    ++read_count;
    return PassingStore::read_due(request);
  }
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override {
    if (is_read_only) return gone();
    return PassingStore::note_deciding(presence);
  }
  Result<CommitResult> commit(const Batch& batch) override {
    if (is_gone) return gone();
    ++commit_count;
    auto committed = PassingStore::commit(batch);
    if (std::exchange(loses_next_commit, false)) return gone();
    return committed;
  }
  Result<ClaimResult> claim(const ClaimRequest& request) override {
    if (is_gone) return gone();
    ++claim_count;
    if (std::exchange(is_next_claim_late, false)) {
      late_claim = request;
      return gone();
    }
    ClaimRequest asked = request;
    if (late_claim) asked.count_max = 0;
    auto claimed = PassingStore::claim(asked);
    if (std::exchange(loses_next_claim, false)) return gone();
    if (claimed)
      for (ClaimedRun& run : claimed->runs) run.lease_until -= lease_shortened_by;
    return claimed;
  }
  void carry_out_late_claim() { PassingStore::claim(*std::exchange(late_claim, std::nullopt)).value(); }
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    if (is_gone || refuses_ends) return gone();
    auto written = PassingStore::write(updates);
    if (std::exchange(loses_next_finish, false)) return gone();
    return written;
  }
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override {
    if (is_gone) return gone();
    auto pulse = PassingStore::heartbeat(heartbeat);
    if (pulse) pulse->store_now -= pulse_delay;
    return pulse;
  }
  Result<SessionId> open_session(const std::string& worker, Duration lease) override {
    if (is_gone) return gone();
    return PassingStore::open_session(worker, lease);
  }

 private:
  static std::unexpected<Error> gone() { return fail(ErrorCode::unavailable, "the connection is gone"); }
};

/// One server, at nine o'clock: its loop and its worker, ticked by the test.
class RuntimeTest : public ::testing::Test {
 protected:
  static ScheduleKey key(const std::string& id = "tower") {
    return {NamespaceId::parse("default").value(), ScheduleId::parse(id).value()};
  }
  static ScheduleBuilder a_command() { return a_schedule().every(std::chrono::minutes{5}).action(bin_true()); }

  void create(const ScheduleBuilder& builder) { ASSERT_TRUE(commands.create(builder.document(), "anna")); }
  /// The loop, the rescuer and the worker, until none has anything to do.
  void tick() {
    for (int i = 0; i < 4; ++i) {
      (void)decider.tick();
      (void)rescuer.tick();
      (void)worker.tick();
    }
  }
  void pass(Duration length) {
    // As a loop that reads the clock at least once a second.
    for (; length > std::chrono::seconds{1}; length -= std::chrono::seconds{1}) {
      clock.advance(std::chrono::seconds{1});
      tick();
    }
    clock.advance(length);
    tick();
  }
  void end_newest(AttemptEnd end) {
    const AttemptKey newest = executor.launches.back().key;
    attempts.launched(newest);
    attempts.ended(newest, std::move(end));
    tick();
  }
  std::vector<std::string> ledger() {
    std::vector<std::string> lines;
    const auto records = memory.read_ledger(Seq{}, 10'000).value();
    for (const LedgerRecord& record : records) {
      if (const auto* line = std::get_if<AttemptLine>(&record))
        lines.push_back(fmt::format("attempt {} {}", line->attempt, to_text(line->state)));
      if (const auto* line = std::get_if<DecisionLine>(&record)) lines.push_back(std::string{to_text(line->outcome)});
    }
    return lines;
  }

  const Instant nine = at("2027-03-01T09:00:00Z");
  ManualClock clock{nine, std::chrono::hours{1}};
  MemoryStore memory{clock};
  UnreachableStore store{simulation::Ports{memory, memory}};
  FixedZoneSource zones;
  ListedLog log;
  ListedLogs logs;
  ScriptedExecutor executor;
  ListedNews heard;
  int wake_count = 0;  // how often the store told that a schedule is to be looked at earlier
  NotifierSubscription wakes =
      memory.ports().notifier.subscribe([this](const StoreChange& change) { wake_count += change.has_wake ? 1 : 0; });
  SharedDefinitions definitions{store, zones};
  RunningAttempts attempts{clock, log, {.logs = &logs, .observer = &heard}};
  const WorkerParts worker_parts{.store = store,
                                 .queue = store,
                                 .definitions = definitions,
                                 .clock = clock,
                                 .log = log,
                                 .attempts = attempts,
                                 .executors = {{ActionKind::command, executor}}};
  Worker worker{worker_parts, {.session = {.name = "w1", .queues = {"@command"}, .capacity = 3}}};
  NotifierSubscription work = memory.ports().notifier.subscribe([this](const StoreChange& change) {
    if (change.has_claimable) worker.session().look_for_runs();
  });
  Decider decider{store, store, definitions, clock, log, &worker.session(), {}};
  LostRunRescuer rescuer{store, store, definitions, decider.clock_watch(), clock, log};
  ScheduleCommands commands{store, store, definitions, [] {}};
};

}  // namespace carillon::testing
