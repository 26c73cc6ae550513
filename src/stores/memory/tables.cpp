#include "stores/memory/tables.hpp"

#include "base/clock_step.hpp"

namespace carillon::memory {
namespace {

template <typename Map>
auto* find_in(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// Ids are ASCII.
std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

void Tables::follow_clock(Duration offset) {
  const Duration step = clock_step(clock_offset, offset);
  if (!clock_offset || step != Duration{0}) clock_offset = offset;
  if (step == Duration{0}) return;
  leases.clear();
  for (auto& [id, session] : sessions) {
    session.lease_until += step;
    leases.emplace(session.lease_until, id);
  }
  for (auto& [name, held] : locks) {
    held.lock.acquired_at += step;
    held.lock.until += step;
  }
  expiring.clear();
  for (auto& [seq, stored] : runs) {
    Run& run = stored.row.run;
    if (run.state != RunState::queued && run.state != RunState::retrying) continue;
    ready.drop(stored.row);
    run.claimable_from += step;
    if (run.expires_at) *run.expires_at += step;
    ready.put(stored.row);
    if (run.state == RunState::queued && run.expires_at) expiring.emplace(*run.expires_at, seq);
  }
}

void Tables::advance(Instant now) {
  while (!leases.empty() && leases.begin()->first <= now) end_session(leases.begin()->second);
}

StoredSchedule* Tables::find_schedule(Uid uid) { return find_in(schedules, uid); }
StoredRun* Tables::find_run(Seq seq) { return find_in(runs, seq); }
StoredSession* Tables::find_session(SessionId id) { return find_in(sessions, id); }

std::vector<std::string> Tables::open_lanes(const LaneFilter& filter) const {
  std::vector<std::string> open;
  for (std::string& name : ready.lanes()) {
    const QueueLane lane = read_lane(name);
    const auto known = queues.find(lane.queue);
    const bool is_paused = known != queues.end() && known->second.is_paused;
    if (!is_paused && filter.admits(lane)) open.push_back(std::move(name));
  }
  return open;
}

ConcurrencyRoom Tables::concurrency_room() const {
  ConcurrencyRoom room;
  for (const auto& [name, queue] : queues)
    if (queue.limit) room.limit_queue(name, *queue.limit);
  for (const auto& [lane, count] : running_in_lane) room.count_running(lane, count);
  return room;
}

void Tables::set_wake(StoredSchedule& schedule, std::optional<Instant> wake) {
  ScheduleState& state = schedule.state;
  change.has_wake |= wake && !state.deleted_at && (!state.wake || *wake < *state.wake);
  if (state.wake) {
    wakes.erase({*state.wake, state.uid});
    zoneless_wakes.erase({*state.wake, state.uid});
  }
  state.wake = wake;
  // Nothing is left to decide for a tombstone.
  if (!wake || state.deleted_at) return;
  wakes.emplace(*wake, state.uid);
  if (state.zone_edition == ZoneEdition::none) zoneless_wakes.emplace(*wake, state.uid);
}

SessionId Tables::open_session(const std::string& worker, Duration lease, Instant now) {
  const auto id = static_cast<SessionId>(++session_count);
  sessions.emplace(id, StoredSession{.worker = worker, .lease = lease, .lease_until = now + lease});
  leases.emplace(now + lease, id);
  return id;
}

void Tables::renew_lease(SessionId id, StoredSession& session, Instant now) {
  leases.erase({session.lease_until, id});
  session.lease_until = now + session.lease;
  leases.emplace(session.lease_until, id);
}

void Tables::end_session(SessionId id) {
  const auto node = sessions.extract(id);
  if (!node) return;
  StoredSession& session = node.mapped();
  leases.erase({session.lease_until, id});
  lost.merge(session.held);
}

std::optional<Outage> Tables::note_deciding(const Presence& presence, Instant now) {
  const auto last = std::exchange(decided_at, now);
  if (!last || presence.since - *last <= outage_min) return std::nullopt;
  Outage outage{.from = *last, .to = presence.since, .cause = presence.cause};
  outage.seq =
      ledger.append(OutageLine{.head = {.at = now}, .from = outage.from, .to = outage.to, .cause = outage.cause});
  outages.push_back(outage);
  if (outages.size() > outages_kept_max) {
    ledger.forget(outages.front().seq);
    outages.erase(outages.begin());
  }
  return outage;
}

std::vector<Outage> Tables::newest_outages() const {
  const auto count = static_cast<std::ptrdiff_t>(std::min(outages.size(), outages_told_max));
  return {outages.end() - count, outages.end()};
}

void Tables::remember_request(std::int64_t request, const WrittenRequest& written, Instant now) {
  if (request == 0 || !requests.try_emplace(request, written).second) return;
  requests_by_time.emplace_back(now, request);
  while (now - requests_by_time.front().first > request_memory) {
    requests.erase(requests_by_time.front().second);
    requests_by_time.pop_front();
  }
}

Tables::NameKey name_key_of(const ScheduleKey& key) { return {key.name_space.text(), lower_case(key.id.text())}; }

ScheduleView view_of(const StoredSchedule& schedule) {
  ScheduleView view{.state = schedule.state, .live = {}, .backfills = {}};
  for (const auto& [seq, run] : schedule.live) view.live.push_back(run);
  for (const std::int64_t number : schedule.open_backfills) {
    const Backfill& record = schedule.backfills.at(number).record;
    view.backfills.push_back({.record = record, .past = {}, .known_to = record.cursor});
  }
  return view;
}

LineHead head_of(const StoredSchedule& schedule, Instant at) {
  return {.seq = {},
          .at = at,
          .name_space = schedule.key.name_space,
          .schedule = schedule.key.id,
          .incarnation = schedule.incarnation};
}

}  // namespace carillon::memory
