#pragma once

#include "ports/log_store.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/open_chunks.hpp"
#include "stores/postgres/store_url.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

namespace carillon {

struct PostgresLogOptions {
  postgres::ChunkLimits chunks{};
  std::size_t memory_max = 64 * 1024 * 1024;       // for all that waits to be written
  std::chrono::milliseconds write_interval{250};   // what is printed meanwhile is written together
  std::chrono::milliseconds tail_interval{2'000};  // the same, beyond the head of a log
  std::chrono::milliseconds close_patience{5'000};
  postgres::TimeLimits limits{};
};

/// Logs in the tables of a shared store, so that every server can show them, also while they are written. Output waits
/// in memory for a moment and is written by a thread of its own, over connections of its own: a command that prints
/// much delays no decision. Beyond the head of a log only its end is kept, in the database too. What comes faster than
/// it can be written is left out, and the log says how much.
///
/// While the database is away output waits in memory, as far as that goes. The schema must exist (PostgresStore).
class PostgresLogStore final : public LogStore {
 public:
  explicit PostgresLogStore(const postgres::StoreUrl& url, const PostgresLogOptions& options = {});
  PostgresLogStore(const PostgresLogStore&) = delete;
  PostgresLogStore& operator=(const PostgresLogStore&) = delete;
  /// Tries once more to write what waits.
  ~PostgresLogStore() override;

  void append(Uid uid, const AttemptKey& key, OutputStream stream, std::string_view bytes) override;
  /// An error if it could not be written within a few seconds; it is tried on in the background.
  Result<> close(Uid uid, const AttemptKey& key) override;
  /// What was printed within the last moment may not be there yet. A log whose writer has died has ended.
  [[nodiscard]] Result<LogPage> read(Uid uid, const AttemptKey& key, std::int64_t offset,
                                     std::size_t count_max) override;
  Result<> remove(Uid uid, const std::vector<Seq>& runs) override;
  Result<> trim(Uid uid, Seq newest, std::int64_t size_max) override;

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace carillon
