#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

using sqlite::Names;
using sqlite::Tables;

Result<std::optional<ScheduleRecord>> SqliteStore::read_schedule(const ScheduleKey& key) {
  using Record = std::optional<ScheduleRecord>;
  return read<Record>([&](Tables& tables, Instant) -> Result<Record> {
    const auto bearer = TRY(tables.definitions.find(key));
    return bearer ? tables.schedule_records.read(bearer->uid) : Record{};
  });
}

Result<std::optional<ScheduleRecord>> SqliteStore::read_schedule(Uid uid) {
  return read<std::optional<ScheduleRecord>>(
      [&](Tables& tables, Instant) { return tables.schedule_records.read(uid); });
}

Result<ScheduleList> SqliteStore::list_schedules(const ScheduleListRequest& request) {
  return read<ScheduleList>([&](Tables& tables, Instant now) -> Result<ScheduleList> {
    const auto listed = TRY(tables.listing.list(request));
    ScheduleList list{.store_now = now, .items = {}, .total = listed.total, .has_more = listed.has_more};
    list.items.reserve(listed.uids.size());
    for (const Uid uid : listed.uids)
      if (auto record = TRY(tables.schedule_records.read(uid))) list.items.push_back(*std::move(record));
    if (request.recent_count_max == 0) return list;
    Names names{tables.definitions};
    for (ScheduleRecord& record : list.items) {
      // One that has started nothing and has nothing waiting or open has no run to look for.
      if (counted(record.view).runs == 0 && record.view.live.empty()) continue;
      record.recent = TRY(tables.run_records.recent(record.view.state.uid, request.recent_count_max, names));
    }
    return list;
  });
}

Result<RunList> SqliteStore::list_runs(const RunListRequest& request) {
  return read<RunList>([&](Tables& tables, Instant now) -> Result<RunList> {
    Names names{tables.definitions};
    RunList list = TRY(tables.run_records.list(request, names));
    list.store_now = now;
    return list;
  });
}

Result<std::vector<std::optional<RunRecordRow>>> SqliteStore::read_run_records(std::span<const Seq> seqs) {
  using Records = std::vector<std::optional<RunRecordRow>>;
  return read<Records>([&](Tables& tables, Instant) -> Result<Records> {
    Names names{tables.definitions};
    Records records;
    records.reserve(seqs.size());
    for (const Seq seq : seqs) records.push_back(TRY(tables.run_records.read_with_attempts(seq, names)));
    return records;
  });
}

Result<std::optional<Seq>> SqliteStore::find_run(const std::string& name_space, const std::string& name) {
  return read<std::optional<Seq>>([&](Tables& tables, Instant) { return tables.search.find_run(name_space, name); });
}

Result<PastDecisions> SqliteStore::read_decisions(Uid uid, Instant from, Instant to, std::size_t count_max) {
  return read<PastDecisions>([&](Tables& tables, Instant) {
    Names names{tables.definitions};
    return tables.search.read(uid, from, to, count_max, names);
  });
}

Result<std::vector<ChangeLine>> SqliteStore::read_revisions(Uid uid, const RevisionListRequest& request) {
  return read<std::vector<ChangeLine>>([&](Tables& tables, Instant) {
    Names names{tables.definitions};
    return tables.search.read_revisions(uid, request, names);
  });
}

Result<std::vector<Backfill>> SqliteStore::read_backfills(Uid uid) {
  return read<std::vector<Backfill>>([&](Tables& tables, Instant) { return tables.views.backfills(uid); });
}

Result<BackfillList> SqliteStore::list_backfills(const BackfillListRequest& request) {
  return read<BackfillList>([&](Tables& tables, Instant) { return tables.views.list_backfills(request); });
}

Result<std::vector<ScheduleRecord>> SqliteStore::read_waking(const std::optional<std::string>& name_space,
                                                             Instant before, std::size_t count_max) {
  return read<std::vector<ScheduleRecord>>(
      [&](Tables& tables, Instant) { return tables.schedule_records.waking(name_space, before, count_max); });
}

Result<std::vector<Outage>> SqliteStore::read_outages(Instant from, Instant to, std::size_t count_max) {
  return read<std::vector<Outage>>([&](Tables& tables, Instant) { return tables.outages.read(from, to, count_max); });
}

Result<std::vector<QueueRecord>> SqliteStore::read_queues() {
  return read<std::vector<QueueRecord>>([](Tables& tables, Instant now) { return tables.queue_records.read(now); });
}

Result<std::vector<Seq>> SqliteStore::read_dead_letters(std::optional<Seq> before, std::size_t count_max) {
  return read<std::vector<Seq>>(
      [&](Tables& tables, Instant) { return tables.queue_records.dead_letters(before, count_max); });
}

Result<std::vector<std::string>> SqliteStore::read_paused_queues() {
  return read<std::vector<std::string>>([](Tables& tables, Instant) { return tables.queue_records.paused(); });
}

Result<std::vector<WorkerRecord>> SqliteStore::read_workers(std::size_t count_max) {
  return read<std::vector<WorkerRecord>>(
      [&](Tables& tables, Instant now) { return tables.queue_records.workers(now, count_max); });
}

Result<Totals> SqliteStore::read_totals() {
  return read<Totals>([](Tables& tables, Instant) -> Result<Totals> {
    Totals totals = TRY(tables.queue_records.totals());
    totals.schedules = TRY(tables.listing.count(std::nullopt));
    return totals;
  });
}

}  // namespace carillon
