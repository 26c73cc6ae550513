#pragma once

#include "ports/clock.hpp"
#include "ports/retention.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

namespace memory {
struct Tables;
}

/// The reference store: everything in maps, gone with the object. Calls may come from several threads.
class MemoryStore final : public ScheduleStore, public RunQueue, public Retention {
 public:
  /// All times come from `clock`.
  explicit MemoryStore(Clock& clock);
  ~MemoryStore() override;

  Result<Due> read_due(const DueRequest& request) override;
  Result<Committed> commit(const Batch& batch) override;
  Result<Found> find(const ScheduleKey& key) override;
  Result<Page> read_page(Uid after, std::size_t count_max) override;
  Result<std::vector<std::optional<StoredDefinition>>> read_definitions(std::span<const DefinitionName> names) override;
  Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) override;
  Result<bool> was_written(std::int64_t request) override;
  Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) override;
  Result<std::optional<std::string>> read_quarantine(Uid uid) override;
  Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) override;
  Result<> settle_zone_edition(ZoneEdition edition) override;
  Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) override;

  Result<SessionId> open_session(const std::string& worker, Duration lease) override;
  Result<Claimed> claim(const ClaimRequest& request) override;
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override;
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override;
  Result<> close_session(SessionId session) override;
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override;
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override;
  Result<std::vector<QueuedRun>> read_expired(std::size_t count_max) override;
  Result<std::vector<std::optional<QueuedRun>>> read_runs(std::span<const Seq> seqs) override;
  Result<std::optional<std::string>> read_result(Seq run) override;
  Result<std::vector<Seq>> enqueue(std::span<const AdhocRun> jobs) override;
  Result<Instant> store_now() override;

  Result<std::vector<SweptLine>> read_lines(Seq after, std::size_t count_max) override;
  Result<BeyondKept> read_beyond(Uid uid, std::int64_t keep) override;
  Result<> forget_details(Uid uid, const BeyondKept& beyond) override;
  Result<> forget_lines(std::span<const Seq> lines) override;

  /// Lines of the ledger.
  [[nodiscard]] std::size_t ledger_size();

 private:
  /// The present moment, with everything done that only its coming does.
  [[nodiscard]] Instant now();
  /// The same for something that is written.
  [[nodiscard]] Instant time_of_writing();

  Clock& clock_;
  std::mutex mutex_;
  std::unique_ptr<memory::Tables> tables_;
};

}  // namespace carillon
