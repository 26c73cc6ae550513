#pragma once

#include "stores/sqlite/sqlite_store.hpp"

#include <atomic>
#include <variant>

namespace carillon::bench {

/// Passes everything on to the store and counts what has become durable.
class WatchedStore final : public ScheduleStore, public RunQueue {
 public:
  explicit WatchedStore(SqliteStore& store) : store_{store} {}

  [[nodiscard]] std::size_t started() const { return started_; }    // decisions to start
  [[nodiscard]] std::size_t finished() const { return finished_; }  // runs that have ended
  [[nodiscard]] std::size_t looks() const { return looks_; }        // for what is due

  Result<DueSchedules> read_due(const DueRequest& request) override {
    auto due = store_.read_due(request);
    ++looks_;
    return due;
  }
  Result<CommitResult> commit(const Batch& batch) override {
    auto committed = store_.commit(batch);
    if (committed) count_starts(batch, *committed);
    return committed;
  }
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    auto written = store_.write(updates);
    for (std::size_t i = 0; written && i < updates.size(); ++i)
      finished_ += (*written)[i] == RunWritten::written && is_terminal(updates[i].next.state);
    return written;
  }

  Result<ScheduleLookup> find(const ScheduleKey& key) override { return store_.find(key); }
  Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) override {
    return store_.read_page(after, count_max);
  }
  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) override {
    return store_.read_definitions(names);
  }
  Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) override {
    return store_.read_past_runs(uid, from, to);
  }
  Result<std::optional<WrittenRequest>> find_written(std::int64_t request) override {
    return store_.find_written(request);
  }
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override {
    return store_.quarantine(uid, version, error, retry_at);
  }
  Result<std::optional<std::string>> read_quarantine(Uid uid) override { return store_.read_quarantine(uid); }
  Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) override {
    return store_.adopt_zone_edition(expected, next);
  }
  Result<> settle_zone_edition(ZoneEdition edition) override { return store_.settle_zone_edition(edition); }
  Result<std::optional<Outage>> note_deciding(const Presence& presence) override {
    return store_.note_deciding(presence);
  }
  Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) override {
    return store_.read_ledger(after, count_max);
  }

  Result<SessionId> open_session(const std::string& worker, Duration lease) override {
    return store_.open_session(worker, lease);
  }
  Result<ClaimResult> claim(const ClaimRequest& request) override { return store_.claim(request); }
  Result<bool> has_claimable(std::span<const std::string> queues, const WorkerSkills& skills) override {
    return store_.has_claimable(queues, skills);
  }
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override { return store_.heartbeat(heartbeat); }
  Result<> close_session(SessionId session) override { return store_.close_session(session); }
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override { return store_.read_held(session); }
  Result<std::vector<ClaimedRun>> adopt(const ClaimRequest& request) override { return store_.adopt(request); }
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override { return store_.read_lost(count_max); }
  Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) override { return store_.read_expired(count_max); }
  Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) override {
    return store_.read_runs(seqs);
  }
  Result<std::optional<std::string>> read_result(Seq run) override { return store_.read_result(run); }
  Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs, const CommandMetadata& attached) override {
    return store_.enqueue(jobs, attached);
  }
  Result<RunWritten> write_command(const RunUpdate& update, const CommandMetadata& attached) override {
    return store_.write_command(update, attached);
  }
  Result<bool> limit_queue(const std::string& queue, std::optional<std::int64_t> limit,
                           const CommandMetadata& attached) override {
    return store_.limit_queue(queue, limit, attached);
  }
  Result<bool> keep_failed(const std::string& queue, bool is_kept, const CommandMetadata& attached) override {
    return store_.keep_failed(queue, is_kept, attached);
  }
  Result<bool> unpark(Seq run, const CommandMetadata& attached) override { return store_.unpark(run, attached); }
  Result<bool> pause_queue(const std::string& queue, bool is_paused, const CommandMetadata& attached) override {
    return store_.pause_queue(queue, is_paused, attached);
  }
  Result<Instant> store_now() override { return store_.store_now(); }

 private:
  void count_starts(const Batch& batch, const CommitResult& committed) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch.transitions.size(); ++i) {
      if (committed.items[i].outcome != WriteOutcome::Outcome::written) continue;
      for (const Decision& decision : batch.transitions[i].decisions)
        count += std::holds_alternative<Starts>(decision.verdict);
    }
    started_ += count;
  }

  SqliteStore& store_;
  std::atomic<std::size_t> started_ = 0;
  std::atomic<std::size_t> finished_ = 0;
  std::atomic<std::size_t> looks_ = 0;
};

}  // namespace carillon::bench
