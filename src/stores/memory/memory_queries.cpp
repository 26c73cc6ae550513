#include "definitions/schedule_filter.hpp"
#include "stores/memory/memory_store.hpp"
#include "stores/memory/records.hpp"
#include "stores/memory/tables.hpp"

#include <algorithm>
#include <functional>
#include <ranges>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

using memory::StoredSchedule;

bool passes(const StoredSchedule& schedule, const ScheduleFilter& filter, const ScheduleMatcher& matcher) {
  const std::string_view document =
      schedule.documents.empty() ? "" : std::string_view{schedule.documents.rbegin()->second};
  const ScheduleFacts facts = facts_of(document);
  if (filter.next_before && (!schedule.state.wake || *schedule.state.wake >= *filter.next_before)) return false;
  return matcher.matches({.name_space = schedule.key.name_space.text(),
                          .id = schedule.key.id.text(),
                          .status = schedule.state.status,
                          .name = facts.name,
                          .action = facts.action,
                          .labels = facts.labels,
                          .workflow = facts.workflow,
                          .timezone = timezone_of(document)});
}

}  // namespace

Result<std::optional<ScheduleRecord>> MemoryStore::read_schedule(const ScheduleKey& key) {
  const std::scoped_lock lock{mutex_};
  const auto bearers = tables_->names.find(memory::name_key_of(key));
  if (bearers == tables_->names.end()) return std::nullopt;
  const StoredSchedule& newest = tables_->schedules.at(bearers->second.back());
  return newest.state.deleted_at ? std::nullopt : std::optional{record_of(newest)};
}

Result<std::optional<ScheduleRecord>> MemoryStore::read_schedule(Uid uid) {
  const std::scoped_lock lock{mutex_};
  const StoredSchedule* const schedule = tables_->find_schedule(uid);
  if (schedule == nullptr || schedule->state.deleted_at) return std::nullopt;
  return record_of(*schedule);
}

Result<ScheduleList> MemoryStore::list_schedules(const ScheduleListRequest& request) {
  const std::scoped_lock lock{mutex_};
  ScheduleList list{.store_now = now(), .items = {}, .total = 0, .has_more = false};
  const ScheduleMatcher matcher{request.filter};
  std::size_t passed = 0;  // of those after the key
  for (const auto& [name, bearers] : tables_->names) {
    const StoredSchedule& newest = tables_->schedules.at(bearers.back());
    if (newest.state.deleted_at || !passes(newest, request.filter, matcher)) continue;
    ++list.total;
    if (request.after && name <= memory::name_key_of(*request.after)) continue;
    if (++passed <= request.offset) continue;
    list.has_more = list.items.size() == request.count_max;
    if (!list.has_more) list.items.push_back(record_of(newest));
  }
  if (request.recent_count_max > 0) memory::add_recent_runs(*tables_, list.items, request.recent_count_max);
  return list;
}

Result<RunList> MemoryStore::list_runs(const RunListRequest& request) {
  const std::scoped_lock lock{mutex_};
  RunList list{.store_now = now(), .items = {}, .next = {}};
  std::size_t looks_left = request.scan_max;
  std::optional<Seq> looked_at = request.before;
  for (const Seq seq : decisions_and_jobs(*tables_)) {
    if (request.before && seq >= *request.before) continue;
    if (looks_left-- == 0) {
      list.next = looked_at;
      return list;
    }
    looked_at = seq;
    auto record = run_record(*tables_, seq);
    if (!memory::fits(*record, request.filter)) continue;
    if (list.items.size() == request.count_max) {
      list.next = list.items.empty() ? request.before : list.items.back().seq;
      return list;
    }
    list.items.push_back(*std::move(record));
  }
  return list;
}

Result<std::vector<std::optional<RunRecordRow>>> MemoryStore::read_run_records(std::span<const Seq> seqs) {
  const std::scoped_lock lock{mutex_};
  std::vector<std::optional<RunRecordRow>> records;
  for (const Seq seq : seqs) {
    auto& record = records.emplace_back(run_record(*tables_, seq));
    const memory::StoredRun* const run = tables_->find_run(seq);
    if (!record || run == nullptr) continue;
    record->attempts = run->attempts;
    record->result = run->result;
  }
  return records;
}

Result<std::optional<Seq>> MemoryStore::find_run(const std::string& name_space, const std::string& name) {
  const std::scoped_lock lock{mutex_};
  const auto parts = parse_run_name(name);
  const auto id = parts ? ScheduleId::parse(parts->schedule) : Result<ScheduleId>{std::unexpect};
  const auto space = NamespaceId::parse(name_space);
  std::vector<Uid> bearers;
  if (id && space) {
    const auto found = tables_->names.find(memory::name_key_of({*space, *id}));
    if (found != tables_->names.end()) bearers = found->second;
  }
  std::optional<std::pair<Uid, Seq>> newest;
  for (const Seq seq : decisions_and_jobs(*tables_)) {
    const auto record = run_record(*tables_, seq);
    if (!record->key && record->trigger == name && record->name_space == name_space) return seq;
    if (!record->key || std::ranges::find(bearers, record->uid) == bearers.end()) continue;
    if (has_name(*tables_, *record, *parts)) newest = std::max(newest, std::optional{std::pair{record->uid, seq}});
  }
  return newest ? std::optional{newest->second} : std::nullopt;
}

Result<PastDecisions> MemoryStore::read_decisions(Uid uid, Instant from, Instant to, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  const StoredSchedule* const schedule = tables_->find_schedule(uid);
  return schedule == nullptr ? PastDecisions{} : past_decisions(*tables_, *schedule, from, to, count_max);
}

Result<std::vector<ChangeLine>> MemoryStore::read_revisions(Uid uid, const RevisionListRequest& request) {
  const std::scoped_lock lock{mutex_};
  const StoredSchedule* const schedule = tables_->find_schedule(uid);
  return schedule == nullptr ? std::vector<ChangeLine>{} : memory::revisions_of(*tables_, *schedule, request);
}

Result<std::vector<Backfill>> MemoryStore::read_backfills(Uid uid) {
  const std::scoped_lock lock{mutex_};
  std::vector<Backfill> backfills;
  if (const StoredSchedule* const schedule = tables_->find_schedule(uid))
    for (const auto& [number, backfill] : schedule->backfills) backfills.insert(backfills.begin(), backfill.record);
  return backfills;
}

Result<BackfillList> MemoryStore::list_backfills(const BackfillListRequest& request) {
  const std::scoped_lock lock{mutex_};
  BackfillList list;
  for (const auto& [uid, schedule] : tables_->schedules) {
    if (schedule.state.deleted_at) continue;
    if (request.name_space && schedule.key.name_space.text() != *request.name_space) continue;
    for (const auto& [number, backfill] : schedule.backfills) {
      if (request.before && backfill.line >= *request.before) continue;
      if (request.is_open_only && !is_open(backfill.record.state)) continue;
      list.items.push_back({.key = schedule.key, .backfill = backfill.record, .seq = backfill.line});
    }
  }
  std::ranges::sort(list.items, std::greater{}, &BackfillRecord::seq);
  if (list.items.size() > request.count_max) {
    list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(request.count_max), list.items.end());
    list.next = list.items.empty() ? request.before : list.items.back().seq;
  }
  return list;
}

Result<std::vector<ScheduleRecord>> MemoryStore::read_waking(const std::optional<std::string>& name_space,
                                                             Instant before, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  std::vector<ScheduleRecord> records;
  for (const auto& [wake, uid] : tables_->wakes) {
    if (wake >= before || records.size() == count_max) break;
    const StoredSchedule& schedule = tables_->schedules.at(uid);
    if (!name_space || schedule.key.name_space.text() == *name_space) records.push_back(record_of(schedule));
  }
  return records;
}

Result<std::vector<Outage>> MemoryStore::read_outages(Instant from, Instant to, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  std::vector<Outage> found;
  for (const Outage& outage : tables_->outages)
    if (outage.from < to && outage.to > from) found.push_back(outage);
  if (found.size() > count_max) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count_max));
  return found;
}

Result<std::vector<std::string>> MemoryStore::read_paused_queues() {
  const std::scoped_lock lock{mutex_};
  std::vector<std::string> names;
  for (const auto& [name, queue] : tables_->queues)
    if (queue.is_paused) names.push_back(name);
  return names;
}

Result<std::vector<QueueRecord>> MemoryStore::read_queues() {
  const std::scoped_lock lock{mutex_};
  const Instant time = now();
  std::map<std::string, QueueRecord> queues;
  for (const auto& [name, queue] : tables_->queues)
    queues[name] = {
        .name = name, .is_paused = queue.is_paused, .limit = queue.limit, .keeps_failed = queue.keeps_failed};
  for (const auto& [seq, run] : tables_->runs) {
    const RunState state = run.row.run.state;
    if (run.row.run.is_parked) ++queues.at(std::string{queue_of_lane(run.row.queue)}).dead;
    if (state != RunState::running && state != RunState::queued && state != RunState::retrying) continue;
    QueueRecord& queue = queues.at(std::string{queue_of_lane(run.row.queue)});
    if (state == RunState::running) {
      ++queue.running;
      continue;
    }
    const Instant since = run.row.run.claimable_from;
    ++queue.depth;
    if (since <= time) queue.oldest = std::min(since, queue.oldest.value_or(since));
  }
  std::vector<QueueRecord> records;
  for (auto& [name, queue] : queues) records.push_back(std::move(queue));
  return records;
}

Result<std::vector<Seq>> MemoryStore::read_dead_letters(std::optional<Seq> before, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  std::vector<Seq> found;
  for (const auto& [seq, run] : std::views::reverse(tables_->runs)) {
    if (found.size() == count_max) break;
    if (run.row.run.is_parked && (!before || seq < *before)) found.push_back(seq);
  }
  return found;
}

Result<std::vector<WorkerRecord>> MemoryStore::read_workers(std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  const Instant at = now();
  std::vector<WorkerRecord> workers;
  for (const auto& [id, session] : tables_->sessions)
    if (session.lease_until > at)
      workers.push_back({.name = session.worker,
                         .lease_until = session.lease_until,
                         .running = static_cast<std::int64_t>(session.held.size())});
  std::ranges::stable_sort(workers, {}, &WorkerRecord::name);
  if (workers.size() > count_max) workers.resize(count_max);
  return workers;
}

Result<Totals> MemoryStore::read_totals() {
  const std::scoped_lock lock{mutex_};
  Totals totals;
  for (const auto& [uid, schedule] : tables_->schedules) totals.schedules += !schedule.state.deleted_at;
  for (const auto& [seq, run] : tables_->runs) {
    totals.running += run.row.run.state == RunState::running;
    totals.ready += run.row.run.state == RunState::queued || run.row.run.state == RunState::retrying;
  }
  if (!tables_->wakes.empty()) totals.next_wake = tables_->wakes.begin()->first;
  return totals;
}

Result<FeedPage> MemoryStore::read_events(std::optional<std::int64_t> after, std::size_t count_max) {
  const std::scoped_lock lock{mutex_};
  FeedPage page{.events = {}, .newest = tables_->feed_position, .is_gap = false};
  if (!after || *after == page.newest) return page;
  page.is_gap = *after > page.newest || *after + 1 < tables_->feed.front().position;
  if (page.is_gap) return page;
  for (const FeedEvent& event : tables_->feed)
    if (event.position > *after && page.events.size() < count_max) page.events.push_back(event);
  return page;
}

}  // namespace carillon
