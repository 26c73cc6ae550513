#include "stores/sqlite/ready_rows.hpp"

#include <algorithm>
#include <limits>

namespace carillon::sqlite {
namespace {

/// What one claim brings over from `later` per queue; the rest comes with the next, which is due at once.
constexpr std::int64_t let_in_max = 10'000;

}  // namespace

ReadyRows::ReadyRows(Connection& connection, StoreChange& change)
    : connection_{connection},
      change_{change},
      add_{connection, "INSERT INTO ready VALUES (?1, ?2, ?3, ?4, ?5)"},
      drop_{connection, "DELETE FROM ready WHERE queue = ?1 AND rank = ?2 AND seq = ?3"},
      first_{connection, "SELECT rank, seq, claimable_from, expires_at FROM ready WHERE queue = ?1 ORDER BY rank, seq"},
      add_later_{connection, "INSERT INTO later VALUES (?1, ?2, ?3, ?4, ?5)"},
      drop_later_{connection, "DELETE FROM later WHERE queue = ?1 AND claimable_from = ?2 AND seq = ?3"},
      due_{connection,
           "SELECT rank, seq, claimable_from, expires_at FROM later WHERE queue = ?1 AND claimable_from <= ?2 "
           "ORDER BY claimable_from LIMIT ?3"},
      next_{connection, "SELECT claimable_from FROM later WHERE queue = ?1 ORDER BY claimable_from LIMIT 1"},
      any_{connection,
           "SELECT EXISTS (SELECT 1 FROM ready WHERE queue = ?1 AND claimable_from <= ?2 AND "
           "(expires_at IS NULL OR expires_at >= ?2)) OR EXISTS (SELECT 1 FROM later WHERE queue = ?1 AND "
           "claimable_from <= ?2)"},
      expired_{connection,
               "SELECT seq FROM (SELECT seq, expires_at FROM ready WHERE expires_at < ?1 "
               "UNION ALL SELECT seq, expires_at FROM later WHERE expires_at < ?1) ORDER BY expires_at, seq LIMIT ?2"},
      ready_lane_{connection, "SELECT min(queue) FROM ready WHERE queue > ?1"},
      later_lane_{connection, "SELECT min(queue) FROM later WHERE queue > ?1"} {}

ReadyRun ready_run_of(const StoredRun& run) {
  const Run& state = run.row.run;
  return {.queue = run.queue,
          .rank = rank_of(run.row.priority, state.claimable_from),
          .seq = run.row.seq,
          .claimable_from = state.claimable_from,
          // Only a first attempt can expire.
          .expires_at = state.state == RunState::queued ? state.expires_at : std::nullopt};
}

Result<> ReadyRows::put(const StoredRun& run, Instant now) {
  const ReadyRun entry = ready_run_of(run);
  change_.has_claimable = true;
  if (entry.claimable_from <= now)
    return add_.run(entry.queue, entry.rank, entry.seq, entry.claimable_from, entry.expires_at);
  return add_later_.run(entry.queue, entry.claimable_from, entry.seq, entry.rank, entry.expires_at);
}

Result<> ReadyRows::drop(const StoredRun& run) {
  const ReadyRun entry = ready_run_of(run);
  TRY(drop(entry));
  if (connection_.change_count() > 0) return {};
  return drop_later_.run(entry.queue, entry.claimable_from, entry.seq);
}

Result<> ReadyRows::drop(const ReadyRun& entry) { return drop_.run(entry.queue, entry.rank, entry.seq); }

// One look into each index per lane, however many runs wait in it.
Result<std::vector<std::int64_t>> ReadyRows::lanes(LaneSelection& selection) {
  std::vector<std::int64_t> found;
  for (Statement* statement : {&ready_lane_, &later_lane_}) {
    for (std::int64_t lane = 0;;) {
      Cursor row = statement->query(lane);
      if (!TRY(row.next()) || row.is_null(0)) break;
      lane = row.number(0);
      if (TRY(selection.contains(lane))) found.push_back(lane);
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

Result<std::vector<ReadyRun>> ReadyRows::first(std::span<const std::int64_t> queues, Instant now,
                                               std::size_t count_max) {
  std::vector<ReadyRun> found;
  for (const std::int64_t queue : queues) {
    TRY(let_in(queue, now));
    TRY(collect(queue, now, count_max, found));
  }
  if (queues.size() > 1)
    std::ranges::sort(found, {}, [](const ReadyRun& entry) { return std::pair{entry.rank, entry.seq}; });
  return found;
}

Result<> ReadyRows::let_in(std::int64_t queue, Instant now) {
  std::vector<ReadyRun> due;
  {
    Cursor row = due_.query(queue, now, let_in_max);
    while (TRY(row.next()))
      due.push_back({.queue = queue,
                     .rank = row.instant(0),
                     .seq = row.as<Seq>(1),
                     .claimable_from = row.instant(2),
                     .expires_at = row.instant_if(3)});
  }
  for (const ReadyRun& entry : due) {
    TRY(drop_later_.run(queue, entry.claimable_from, entry.seq));
    TRY(add_.run(queue, entry.rank, entry.seq, entry.claimable_from, entry.expires_at));
  }
  return {};
}

Result<> ReadyRows::collect(std::int64_t queue, Instant now, std::size_t count_max, std::vector<ReadyRun>& found) {
  const std::size_t full = found.size() + count_max;
  std::vector<ReadyRun> early;
  {
    Cursor row = first_.query(queue);
    while (found.size() < full && TRY(row.next())) {
      const ReadyRun entry{.queue = queue,
                           .rank = row.instant(0),
                           .seq = row.as<Seq>(1),
                           .claimable_from = row.instant(2),
                           .expires_at = row.instant_if(3)};
      if (entry.claimable_from > now) {
        early.push_back(entry);
      } else if (entry.may_be_claimed(now)) {
        found.push_back(entry);
      }
    }
  }
  // The clock was set back since these were let in.
  for (const ReadyRun& entry : early) {
    TRY(drop_.run(queue, entry.rank, entry.seq));
    TRY(add_later_.run(queue, entry.claimable_from, entry.seq, entry.rank, entry.expires_at));
  }
  return {};
}

Result<std::optional<Instant>> ReadyRows::next_claimable(std::span<const std::int64_t> queues) {
  std::optional<Instant> earliest;
  for (const std::int64_t queue : queues) {
    Cursor row = next_.query(queue);
    if (!TRY(row.next())) continue;
    earliest = earliest ? std::min(*earliest, row.instant(0)) : row.instant(0);
  }
  return earliest;
}

Result<bool> ReadyRows::has_claimable(std::span<const std::int64_t> queues, Instant now) {
  for (const std::int64_t queue : queues) {
    Cursor row = any_.query(queue, now);
    if (TRY(row.next()) && row.flag(0)) return true;
  }
  return false;
}

Result<std::vector<Seq>> ReadyRows::expired(Instant now, std::size_t count_max) {
  std::vector<Seq> seqs;
  Cursor row = expired_.query(now, std::min<std::size_t>(count_max, std::numeric_limits<std::int64_t>::max()));
  while (TRY(row.next())) seqs.push_back(row.as<Seq>(0));
  return seqs;
}

}  // namespace carillon::sqlite
