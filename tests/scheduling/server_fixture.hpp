#pragma once

#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"
#include "scheduling/scheduling.hpp"
#include "simulation/passing_store.hpp"
#include "stores/memory/memory_store.hpp"
#include "support/fixed_zone_source.hpp"
#include "support/manual_clock.hpp"
#include "support/schedule_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {

inline constexpr ZoneEdition rules_2026b{2026 * 32 + 2};
inline constexpr ZoneEdition rules_2027a{2027 * 32 + 1};

/// A store on which something happens at the worst moment.
class TroubledStore final : public simulation::PassingStore {
 public:
  using simulation::PassingStore::PassingStore;

  std::function<void()> before_commit;                   // once, then forgotten
  std::function<void()> before_write;                    // the same for runs
  bool loses_next_answer = false;                        // it is written, and the caller hears nothing
  bool loses_next_commit = false;                        // it is not written, and the caller hears nothing
  std::function<bool(const Transition&)> is_unwritable;  // a batch with such a one cannot be written
  std::optional<Error> disk_error;                       // nothing can be written
  int commit_count = 0;

  Result<CommitResult> commit(const Batch& batch) override {
    ++commit_count;
    if (auto happens = std::exchange(before_commit, nullptr)) happens();
    if (is_unwritable && std::ranges::any_of(batch.transitions, is_unwritable))
      return fail(ErrorCode::corrupt, "the row is too long");
    if (disk_error) return std::unexpected(*disk_error);
    if (std::exchange(loses_next_commit, false)) return fail(ErrorCode::unavailable, "the connection is gone");
    auto committed = PassingStore::commit(batch);
    if (std::exchange(loses_next_answer, false)) return fail(ErrorCode::unavailable, "the connection is gone");
    return committed;
  }
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    if (auto happens = std::exchange(before_write, nullptr)) happens();
    return PassingStore::write(updates);
  }
};

/// One server over a store of its own, at nine o'clock.
class ServerTest : public ::testing::Test {
 protected:
  static ScheduleKey key(const std::string& id) {
    return {NamespaceId::parse("default").value(), ScheduleId::parse(id).value()};
  }
  ScheduleState state_of(const std::string& id) { return memory.find(key(id)).value().view.value().state; }
  std::vector<LedgerRecord> ledger() { return memory.read_ledger(Seq{}, 10'000).value(); }
  std::vector<DecisionLine> decisions() {
    std::vector<DecisionLine> lines;
    for (const LedgerRecord& record : ledger())
      if (const auto* line = std::get_if<DecisionLine>(&record)) lines.push_back(*line);
    return lines;
  }
  Round look() { return server.decide_due({}).value(); }
  std::vector<ClaimedRun> claim_all() {
    return store.claim({.session = session, .queues = {"@command", "default"}, .count_max = 100}).value().runs;
  }

  static constexpr std::int64_t request = 77;
  const Instant nine = at("2027-03-01T09:00:00Z");
  ManualClock clock{nine};
  MemoryStore memory{clock};
  TroubledStore store{simulation::Ports{memory, memory}};
  FixedZoneSource zones;
  DefinitionCache definitions{store, zones, rules_2026b};
  Scheduling server{store, definitions, 1};
  RunFinisher finisher{store, definitions};
  SessionId session = memory.open_session("worker", std::chrono::seconds{30}).value();
};

}  // namespace carillon::testing
