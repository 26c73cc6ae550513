#include "stores/sqlite/queue_records.hpp"

#include "definitions/words.hpp"

#include <algorithm>
#include <utility>

namespace carillon::sqlite {

QueueRecords::QueueRecords(Connection& connection)
    : queues_{connection, "SELECT id, name, is_paused FROM queue"},
      ready_{connection,
             "SELECT queue, count(*), min(iif(claimable_from <= ?1, claimable_from, NULL)) FROM ready GROUP BY queue"},
      later_{connection,
             "SELECT queue, count(*), min(iif(claimable_from <= ?1, claimable_from, NULL)) FROM later GROUP BY queue"},
      running_{connection,
               "SELECT queue, count(*) FROM ledger INDEXED BY ledger_running WHERE state = 2 GROUP BY queue"},
      totals_{connection,
              "SELECT (SELECT count(*) FROM ready) + (SELECT count(*) FROM later), "
              "(SELECT count(*) FROM ledger INDEXED BY ledger_running WHERE state = 2), (SELECT min(at) FROM wake)"},
      paused_{connection, "SELECT name FROM queue WHERE is_paused ORDER BY name"} {
  static_assert(static_cast<int>(RunState::running) == 2);
}

Result<> QueueRecords::add_depth(Cursor rows, std::map<std::int64_t, QueueRecord>& queues) {
  while (TRY(rows.next())) {
    QueueRecord& queue = queues[rows.number(0)];
    queue.depth += rows.number(1);
    const auto since = rows.instant_if(2);
    if (since) queue.oldest = std::min(*since, queue.oldest.value_or(*since));
  }
  return {};
}

Result<std::vector<QueueRecord>> QueueRecords::read(Instant now) {
  std::map<std::int64_t, QueueRecord> queues;
  {
    Cursor row = queues_.query();
    while (TRY(row.next())) queues[row.number(0)] = {.name = std::string{row.text(1)}, .is_paused = row.flag(2)};
  }
  TRY(add_depth(ready_.query(now), queues));
  TRY(add_depth(later_.query(now), queues));
  {
    Cursor row = running_.query();
    while (TRY(row.next())) queues[row.number(0)].running = row.number(1);
  }
  std::vector<QueueRecord> records;
  for (auto& [number, queue] : queues) records.push_back(std::move(queue));
  std::ranges::sort(records, {}, &QueueRecord::name);
  return records;
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
