#pragma once

#include "simulation/actor.hpp"
#include "simulation/fault_board.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/world.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace carillon::simulation {

/// The store as one actor reaches it: slow, out of reach, full, without answers, answering long after it was given up,
/// or the last thing it ever called.
class FaultyStore final : public PassingStore {
 public:
  /// `id_of` names the schedule of a uid, for faults that are about one.
  FaultyStore(Ports below, World& world, FaultBoard& board, Actor& actor, std::function<std::string(Uid)> id_of);

  Result<DueSchedules> read_due(const DueRequest& request) override;
  Result<CommitResult> commit(const Batch& batch) override;
  Result<ScheduleLookup> find(const ScheduleKey& key) override;
  Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) override;
  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(std::span<const DefinitionName> names) override;
  Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) override;
  Result<std::optional<WrittenRequest>> find_written(std::int64_t request) override;
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override;
  Result<std::optional<std::string>> read_quarantine(Uid uid) override;
  Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) override;
  Result<> settle_zone_edition(ZoneEdition edition) override;
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override;

  Result<SessionId> open_session(const std::string& worker, Duration lease) override;
  Result<ClaimResult> claim(const ClaimRequest& request) override;
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override;
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override;
  Result<> close_session(SessionId session) override;
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override;
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override;
  Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) override;
  Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) override;
  Result<std::optional<std::string>> read_result(Seq run) override;
  Result<Instant> store_now() override;

 private:
  template <typename Call>
  auto pass(const CallInfo& info, Call call) -> decltype(call());
  /// `call` owns all that it writes: it may be made when who asked has long given it up, or is dead.
  template <typename Call>
  auto pass_write(const CallInfo& info, Call call) -> decltype(call());
  [[nodiscard]] Fate next_fate(const CallInfo& info);
  template <typename Call>
  auto pass_on(const Fate& fate, Call call) -> decltype(call());
  void stand_still(Duration length);
  [[nodiscard]] bool is_poisoned(const Batch& batch) const;

  World& world_;
  FaultBoard& board_;
  Actor& actor_;
  std::function<std::string(Uid)> id_of_;
  std::int64_t calls_ = 0;
};

}  // namespace carillon::simulation
