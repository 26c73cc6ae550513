#include "stores/sqlite/queue_records.hpp"

#include "definitions/words.hpp"
#include "engine/lane.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace carillon::sqlite {

QueueRecords::QueueRecords(Connection& connection)
    : queues_{connection, "SELECT id, name, is_paused, run_limit, keeps_failed FROM queue"},
      ready_{connection,
             "SELECT queue, count(*), min(iif(claimable_from <= ?1, claimable_from, NULL)) FROM ready GROUP BY queue"},
      later_{connection,
             "SELECT queue, count(*), min(iif(claimable_from <= ?1, claimable_from, NULL)) FROM later GROUP BY queue"},
      running_{connection,
               "SELECT queue, count(*) FROM ledger INDEXED BY ledger_running WHERE state = 2 GROUP BY queue"},
      dead_{connection, "SELECT queue, count(*) FROM ledger WHERE flags & 32 <> 0 GROUP BY queue"},
      dead_letters_{connection, "SELECT seq FROM ledger WHERE flags & 32 <> 0 AND seq < ?1 ORDER BY seq DESC LIMIT ?2"},
      totals_{connection,
              "SELECT (SELECT count(*) FROM ready) + (SELECT count(*) FROM later), "
              "(SELECT count(*) FROM ledger INDEXED BY ledger_running WHERE state = 2), (SELECT min(at) FROM wake)"},
      workers_{connection,
               "SELECT s.worker, s.lease_until, (SELECT count(*) FROM ledger g INDEXED BY ledger_running WHERE "
               "g.session = s.id AND g.state = 2) FROM session s WHERE s.phase = 0 AND s.lease_until > ?1 ORDER BY "
               "s.worker, s.id LIMIT ?2"},
      paused_{connection, "SELECT name FROM queue WHERE is_paused ORDER BY name"} {
  static_assert(static_cast<int>(RunState::running) == 2);
}

Result<> QueueRecords::add_depth(Cursor rows, const Lanes& lanes) {
  while (TRY(rows.next())) {
    const auto queue = lanes.find(rows.number(0));
    if (queue == lanes.end()) continue;
    queue->second->depth += rows.number(1);
    const auto since = rows.instant_if(2);
    if (since) queue->second->oldest = std::min(*since, queue->second->oldest.value_or(*since));
  }
  return {};
}

Result<std::map<std::int64_t, std::int64_t>> QueueRecords::running() {
  std::map<std::int64_t, std::int64_t> counts;
  Cursor row = running_.query();
  while (TRY(row.next())) counts[row.number(0)] = row.number(1);
  return counts;
}

Result<std::vector<WorkerRecord>> QueueRecords::workers(Instant now, std::size_t count_max) {
  std::vector<WorkerRecord> workers;
  Cursor row = workers_.query(now, limit_of(count_max));
  while (TRY(row.next()))
    workers.push_back({.name = row.free_text(0), .lease_until = row.instant(1), .running = row.count(2)});
  return workers;
}

Result<std::vector<QueueRecord>> QueueRecords::read(Instant now) {
  std::map<std::string, QueueRecord> queues;
  Lanes lanes;
  {
    Cursor row = queues_.query();
    while (TRY(row.next())) {
      const std::string queue{queue_of_lane(row.text(1))};
      QueueRecord& record = queues[queue];
      record.name = queue;
      lanes[row.number(0)] = &record;
      if (row.text(1) != queue) continue;
      record.is_paused = row.flag(2);
      record.limit = row.number_if(3);
      record.keeps_failed = row.flag(4);
    }
  }
  TRY(add_depth(ready_.query(now), lanes));
  TRY(add_depth(later_.query(now), lanes));
  for (const auto& [lane, count] : TRY(running()))
    if (const auto queue = lanes.find(lane); queue != lanes.end()) queue->second->running += count;
  {
    Cursor row = dead_.query();
    while (TRY(row.next()))
      if (const auto queue = lanes.find(row.number(0)); queue != lanes.end()) queue->second->dead += row.number(1);
  }
  std::vector<QueueRecord> records;
  for (auto& [name, queue] : queues) records.push_back(std::move(queue));
  return records;
}

Result<std::vector<Seq>> QueueRecords::dead_letters(std::optional<Seq> before, std::size_t count_max) {
  std::vector<Seq> found;
  Cursor row = dead_letters_.query(before.value_or(Seq{std::numeric_limits<std::int64_t>::max()}),
                                   static_cast<std::int64_t>(std::min<std::size_t>(count_max, 1'000'000)));
  while (TRY(row.next())) found.push_back(row.as<Seq>(0));
  return found;
}

Result<std::vector<std::string>> QueueRecords::paused() {
  std::vector<std::string> names;
  Cursor row = paused_.query();
  while (TRY(row.next())) names.emplace_back(row.text(0));
  return names;
}

Result<Totals> QueueRecords::totals() {
  Cursor row = totals_.query();
  TRY(row.next());
  return Totals{.schedules = 0, .ready = row.number(0), .running = row.number(1), .next_wake = row.instant_if(2)};
}

}  // namespace carillon::sqlite
