#pragma once

#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"

#include <optional>
#include <string>
#include <utility>

namespace carillon::simulation {

/// Both ports of one store.
struct Ports {
  ScheduleStore& schedules;
  RunQueue& runs;
};

/// Passes every call on unchanged; what decorates a store overrides the calls it cares for.
class PassingStore : public ScheduleStore, public RunQueue {
 public:
  explicit PassingStore(Ports below) : below_{below} {}

  [[nodiscard]] Ports ports() { return {*this, *this}; }

  Result<DueSchedules> read_due(const DueRequest& request) override { return below_->schedules.read_due(request); }
  Result<CommitResult> commit(const Batch& batch) override { return below_->schedules.commit(batch); }
  Result<ScheduleLookup> find(const ScheduleKey& key) override { return below_->schedules.find(key); }
  Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) override {
    return below_->schedules.read_page(after, count_max);
  }
  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) override {
    return below_->schedules.read_definitions(names);
  }
  Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) override {
    return below_->schedules.read_past_runs(uid, from, to);
  }
  Result<std::optional<WrittenRequest>> find_written(std::int64_t request) override {
    return below_->schedules.find_written(request);
  }
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override {
    return below_->schedules.quarantine(uid, version, error, retry_at);
  }
  Result<std::optional<std::string>> read_quarantine(Uid uid) override {
    return below_->schedules.read_quarantine(uid);
  }
  Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) override {
    return below_->schedules.adopt_zone_edition(expected, next);
  }
  Result<> settle_zone_edition(ZoneEdition edition) override { return below_->schedules.settle_zone_edition(edition); }
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override {
    return below_->schedules.note_deciding(presence);
  }
  Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) override {
    return below_->schedules.read_ledger(after, count_max);
  }

  Result<SessionId> open_session(const std::string& worker, Duration lease) override {
    return below_->runs.open_session(worker, lease);
  }
  Result<ClaimResult> claim(const ClaimRequest& request) override { return below_->runs.claim(request); }
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    return below_->runs.write(updates);
  }
  Result<bool> has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) override {
    return below_->runs.has_claimable(queues, skills);
  }
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override { return below_->runs.heartbeat(heartbeat); }
  Result<> close_session(SessionId session) override { return below_->runs.close_session(session); }
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override { return below_->runs.read_held(session); }
  Result<std::vector<ClaimedRun>> adopt(const ClaimRequest& request) override { return below_->runs.adopt(request); }
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override { return below_->runs.read_lost(count_max); }
  Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) override {
    return below_->runs.read_expired(count_max);
  }
  Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) override {
    return below_->runs.read_runs(seqs);
  }
  Result<std::optional<std::string>> read_result(Seq run) override { return below_->runs.read_result(run); }
  Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) override {
    return below_->runs.enqueue(jobs, attached);
  }
  Result<RunWritten> write_command(const RunUpdate& update, const CommandMetadata& attached) override {
    return below_->runs.write_command(update, attached);
  }
  Result<bool> limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                           const CommandMetadata& attached) override {
    return below_->runs.limit_queue(queue, limit, attached);
  }
  Result<bool> keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) override {
    return below_->runs.keep_failed(queue, is_kept, attached);
  }
  Result<bool> unpark(Seq run, const CommandMetadata& attached) override { return below_->runs.unpark(run, attached); }
  Result<bool> pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) override {
    return below_->runs.pause_queue(queue, is_paused, attached);
  }
  Result<Instant> store_now() override { return below_->runs.store_now(); }

 protected:
  std::optional<Ports> below_;  // always has a value; optional so that it can be exchanged
};

}  // namespace carillon::simulation
