#pragma once

#include "base/error.hpp"
#include "engine/outage.hpp"
#include "engine/schedule_state.hpp"
#include "ports/query_store.hpp"
#include "ports/schedule_store.hpp"
#include "stores/postgres/transaction.hpp"

#include <map>
#include <span>
#include <vector>

namespace carillon::postgres {

/// Schedules as they are handed out, in the order of the uids; those that do not exist are left out. One round trip.
[[nodiscard]] Result<std::vector<ScheduleView>> read_views(Transaction& transaction, std::span<const Uid> uids);

/// The newest outages, ascending.
inline constexpr const char* newest_outages_query =
    "SELECT seq, first, last, cause FROM outage ORDER BY seq DESC LIMIT $1";
/// Of rows that stand newest first.
[[nodiscard]] std::vector<Outage> read_outage_rows(const ResultRows& rows, int first = 0);

[[nodiscard]] Backfill read_backfill_row(const Row& row, int first);
inline constexpr const char* backfill_columns =
    "uid, number, id, first, last, direction, reprocess, concurrency, is_exclusive, state, cursor, done, total, "
    "started, overlap";

/// A schedule's name, and which of those that had it this one is.
struct StoredName {
  ScheduleKey key;
  std::int64_t incarnation = 0;
  Instant created_at;
};
/// Names of schedules; those that do not exist are left out.
[[nodiscard]] Result<std::map<Uid, StoredName>> read_names(Transaction& transaction, const std::vector<Uid>& uids);
[[nodiscard]] Result<StoredName> read_name_row(const Row& row, int first);

/// The newest bearer of a name, living or not.
inline constexpr const char* bearer_query =
    "SELECT uid FROM schedule WHERE namespace = $1 AND lower(id) = $2 ORDER BY incarnation DESC LIMIT 1";

/// Asks for the record of a request, and refuses one that was carried out (at the time `now`).
void send_find_request(Transaction& transaction, const std::string& key);
[[nodiscard]] std::optional<IdempotencyRecord> read_request(const ResultRows& rows, Instant now);
[[nodiscard]] Result<> refuse_repeated(const ResultRows& rows, Instant now);

/// Rows that one may ask for: what a caller can mean by "all".
[[nodiscard]] std::int64_t row_limit(std::size_t count_max);

}  // namespace carillon::postgres
