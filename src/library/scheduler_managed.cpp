#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "library/scheduler_parts.hpp"
#include "runtime/alarm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

constexpr std::string_view managed_label = "carillon.managed-by";
constexpr std::size_t managed_page = 500;
constexpr Duration registering_grace_max = std::chrono::days{3'650};

std::string owner_of(const ManagedSchedules& managed) { return fmt::format("code:{}", managed.by); }

std::string pause_reason(const ManagedSchedules& managed) {
  return fmt::format("{} no longer registers it", owner_of(managed));
}

}  // namespace

Result<> check_managed(const ManagedSchedules& managed) {
  if (!is_id_text(managed.by))
    return fail(ErrorCode::invalid_argument, "managed.by {}: write letters, digits, '.', '_' and '-'",
                carillon::quoted(managed.by));
  return {};
}

ScheduleDocument Scheduler::Parts::marked(ScheduleDocument document) const {
  if (managed) document.labels[std::string{managed_label}] = owner_of(*managed);
  return document;
}

Served<> Scheduler::Parts::resume_registered(const ScheduleDocument& document) {
  if (!managed) return {};
  const ScheduleName name{.id = document.id.text()};
  const ScheduleRecord record = TRY(core.schedules.find(core.caller, name));
  const bool was_paused_here = record.view.state.status == ScheduleStatus::paused && record.pause &&
                               record.pause->by == core.caller.actor && record.pause->reason == pause_reason(*managed);
  if (was_paused_here) TRY(core.schedules.resume(core.caller, name, {}));
  return {};
}

std::vector<std::string> Scheduler::Parts::managed_ids() {
  std::vector<std::string> ids;
  ScheduleListRequest request{.filter = {.labels = {{.key = std::string{managed_label}, .value = owner_of(*managed)}}},
                              .count_max = managed_page};
  for (bool has_more = true; has_more;) {
    const auto page = base.store.ports.queries.list_schedules(request);
    if (!page) {
      surroundings->log.error("managed schedules cannot be listed", {{"error", page.error().message}});
      return {};
    }
    for (const ScheduleRecord& record : page->items) ids.push_back(record.key.id.text());
    has_more = page->has_more && !page->items.empty();
    if (has_more) request.after = page->items.back().key;
  }
  return ids;
}

// With `registering` held, so that a program that registers it now comes before or after.
Served<bool> Scheduler::Parts::pause_unregistered(const std::string& id) {
  const ScheduleRecord record = TRY(core.schedules.find(core.caller, {.id = id}));
  if (record.view.state.status != ScheduleStatus::active) return false;
  TRY(core.schedules.pause(core.caller, {.id = id}, {.reason = pause_reason(*managed)}, {}));
  return true;
}

Served<bool> Scheduler::Parts::end_unregistered(const std::string& id) {
  const bool is_to_go = managed->unregistered == ManagedSchedules::Unregistered::remove;
  {
    const std::scoped_lock lock{registering};
    if (is_registered(id)) return false;
    if (!is_to_go) return pause_unregistered(id);
    TRY(core.schedules.remove(core.caller, {.id = id}, {}));
  }
  listeners.schedule_changed(id, ScheduleChange::Kind::removed);
  return true;
}

void Scheduler::Parts::end_all_unregistered() {
  const std::string_view what = managed->unregistered == ManagedSchedules::Unregistered::remove ? "removed" : "paused";
  for (const std::string& id : managed_ids()) {
    const auto ended = end_unregistered(id);
    if (!ended)
      surroundings->log.error("cannot end a schedule that is no longer registered",
                              {{"schedule", id}, {"error", ended.error().message}});
    else if (*ended)
      surroundings->log.warn("schedule is no longer registered", {{"schedule", id}, {"now", what}});
  }
}

void Scheduler::Parts::watch_registered() {
  if (!managed) return;
  const Duration grace = std::clamp(managed->grace, Duration{0}, registering_grace_max);
  grace_watch = std::jthread{[this, grace](const std::stop_token& token) {
    Alarm nobody_rings;
    nobody_rings.sleep(grace, token);
    if (!token.stop_requested()) end_all_unregistered();
  }};
}

}  // namespace carillon
