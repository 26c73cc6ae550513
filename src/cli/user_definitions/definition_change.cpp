#include "cli/user_definitions/definition_change.hpp"

#include "calendar/spec_document.hpp"
#include "calendar/timetable.hpp"
#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> definition_members{"id",      "namespace", "name",   "description", "labels",
                                                             "enabled", "spec",      "action", "policies"};
constexpr std::size_t start_count_max = 20'000;
/// So many answers are held as texts at a time.
constexpr std::size_t sent_together_max = 256;

ScheduleRequest request_for(const Client& client, const DefinedSchedule& schedule) {
  return {.id = schedule.id,
          .name_space = schedule.name_space.empty() ? client.endpoint().name_space : schedule.name_space,
          .definition = &schedule.body};
}

void compare(const std::string& path, const json::value& before, const json::value& after,
             std::vector<MemberChange>& changes);

void compare_objects(const std::string& path, const json::object& before, const json::object& after,
                     std::vector<MemberChange>& changes) {
  const json::value none;
  const auto inner = [&](std::string_view key) {
    return path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
  };
  for (const auto& [key, value] : before) {
    const json::value* other = after.if_contains(key);
    compare(inner(key), value, other == nullptr ? none : *other, changes);
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) compare(inner(key), none, value, changes);
  }
}

void compare_lists(const std::string& path, const json::array& before, const json::array& after,
                   std::vector<MemberChange>& changes) {
  const json::value none;
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i)
    compare(fmt::format("{}[{}]", path, i), i < before.size() ? before[i] : none, i < after.size() ? after[i] : none,
            changes);
}

void compare(const std::string& path, const json::value& before, const json::value& after,
             std::vector<MemberChange>& changes) {
  if (before == after) return;
  if (before.is_object() && after.is_object())
    return compare_objects(path, before.get_object(), after.get_object(), changes);
  if (before.is_array() && after.is_array()) return compare_lists(path, before.get_array(), after.get_array(), changes);
  changes.push_back({.path = path, .before = before, .after = after});
}

struct Starts {
  std::vector<Instant> times;
  ZonePtr zone;
};

std::optional<Starts> starts_of(const client::Schedule& schedule, Instant created_at, Duration window,
                                Session& session) {
  const auto spec = read_spec(schedule.spec.document);
  if (!spec) return std::nullopt;
  const auto zone = session.zones.zone(spec->timezone);
  if (!zone) return std::nullopt;
  const auto timetable = Timetable::make(*spec, *zone, created_at);
  if (!timetable) return std::nullopt;
  if (!schedule.is_enabled) return Starts{.times = {}, .zone = *zone};
  // A day more, so that one that moves across the end does not look as if it vanished.
  const Instant end = session.now + window + std::chrono::days{1};
  return Starts{.times = timetable->occurrences(session.now, end, start_count_max), .zone = *zone};
}

CivilDate day_of(Instant instant, const Zone& zone) { return wall_time(instant, zone).date; }

/// Those of one day, on either side, are the same start at another time as far as they go.
std::vector<StartChange> paired(const std::vector<Instant>& gone, const std::vector<Instant>& come, const Zone& zone) {
  std::vector<StartChange> changes;
  auto old_one = gone.begin();
  auto new_one = come.begin();
  while (old_one != gone.end() || new_one != come.end()) {
    const bool has_both = old_one != gone.end() && new_one != come.end();
    if (has_both && day_of(*old_one, zone) == day_of(*new_one, zone))
      changes.push_back({.before = *old_one++, .after = *new_one++});
    else if (new_one == come.end() || (has_both && *old_one < *new_one))
      changes.push_back({.before = *old_one++, .after = {}});
    else
      changes.push_back({.before = {}, .after = *new_one++});
  }
  return changes;
}

using ScheduleResult = Result<client::Answer<client::Schedule>>;

Result<DefinitionChange> change_between(const DefinedSchedule& schedule, ScheduleResult now, ScheduleResult dry_run) {
  if (!now && now.error().rule != "not_found") return std::unexpected(std::move(now).error());
  auto planned = TRY(std::move(dry_run));
  DefinitionChange change{.kind = DefinitionChange::Kind::created,
                          .id = schedule.id,
                          .name_space = planned.value.name_space,
                          .etag = now ? now->etag : std::string{},
                          .before = {},
                          .after = std::move(planned)};
  // A dry run tells `enabled` as it is now, not as it would be.
  const json::value* enabled = schedule.body.if_contains("enabled");
  change.after.value.is_enabled = enabled == nullptr || !enabled->is_bool() || enabled->get_bool();
  change.after.document.get_object()["enabled"] = change.after.value.is_enabled;
  if (!now) return change;
  const bool is_equal = definition_in(now->document) == definition_in(change.after.document);
  change.kind = is_equal ? DefinitionChange::Kind::unchanged : DefinitionChange::Kind::updated;
  change.before = *std::move(now);
  return change;
}

}  // namespace

json::object definition_in(const json::value& answer) {
  json::object definition;
  for (const std::string_view member : definition_members) {
    const json::object* whole = answer.if_object();
    const json::value* value = whole != nullptr ? whole->if_contains(member) : nullptr;
    if (value != nullptr) definition.emplace(member, *value);
  }
  return definition;
}

std::vector<Result<DefinitionChange>> planned_changes(Client& client, std::span<const DefinedSchedule> schedules) {
  std::vector<Result<DefinitionChange>> changes;
  changes.reserve(schedules.size());
  while (!schedules.empty()) {
    const auto some = schedules.first(std::min(schedules.size(), sent_together_max));
    schedules = schedules.subspan(some.size());
    std::vector<ScheduleRequest> requests;
    for (const DefinedSchedule& schedule : some) requests.push_back(request_for(client, schedule));
    auto now = client.get_schedules(requests);
    auto planned = client.put_schedules(requests, {{"dryRun", "true"}});
    for (std::size_t i = 0; i < some.size(); ++i)
      changes.push_back(change_between(some[i], std::move(now[i]), std::move(planned[i])));
  }
  return changes;
}

Result<DefinitionChange> planned_change(Client& client, const DefinedSchedule& schedule) {
  return std::move(planned_changes(client, std::span{&schedule, 1}).front());
}

std::vector<Result<>> send_all(Client& client, std::span<PlannedSchedule> planned) {
  std::vector<Result<>> outcomes(planned.size());
  for (std::size_t done = 0; done < planned.size();) {
    std::vector<ScheduleRequest> requests;
    std::vector<std::size_t> places;
    for (; done < planned.size() && requests.size() < sent_together_max; ++done) {
      const auto& [schedule, change] = planned[done];
      if (change.kind == DefinitionChange::Kind::unchanged) continue;
      requests.push_back({.id = schedule->id,
                          .name_space = change.name_space,
                          .definition = &schedule->body,
                          .options = {.if_match = change.etag}});
      places.push_back(done);
    }
    auto answers = client.put_schedules(requests);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i])
        planned[places[i]].change.after = *std::move(answers[i]);
      else
        outcomes[places[i]] = std::unexpected(std::move(answers[i]).error());
    }
  }
  return outcomes;
}

Result<client::Answer<client::Schedule>> send(Client& client, const DefinedSchedule& schedule,
                                              const DefinitionChange& change) {
  return client.put_schedule(schedule.id, change.name_space, schedule.body, {}, {.if_match = change.etag});
}

std::vector<MemberChange> member_changes(const json::value& before, const json::value& after) {
  std::vector<MemberChange> changes;
  compare("", definition_in(before), definition_in(after), changes);
  return changes;
}

StartChanges start_changes(const DefinitionChange& change, Duration window, Session& session) {
  const Instant created_at = change.before ? change.before->value.created_at : session.now;
  const auto after = starts_of(change.after.value, created_at, window, session);
  if (!after) return {.starts = {}, .zone = Zone::utc()};
  Starts before{.times = {}, .zone = after->zone};
  if (change.before) {
    auto old = starts_of(change.before->value, created_at, window, session);
    if (!old) return {.starts = {}, .zone = after->zone};
    before = *std::move(old);
  }
  std::vector<Instant> gone;
  std::vector<Instant> come;
  std::ranges::set_difference(before.times, after->times, std::back_inserter(gone));
  std::ranges::set_difference(after->times, before.times, std::back_inserter(come));
  const Instant end = session.now + window;
  std::vector<StartChange> starts = paired(gone, come, *after->zone);
  std::erase_if(starts, [&](const StartChange& start) {
    return start.before.value_or(end) >= end && start.after.value_or(end) >= end;
  });
  const bool is_cut = before.times.size() == start_count_max || after->times.size() == start_count_max;
  return {.starts = std::move(starts), .zone = after->zone, .is_cut = is_cut};
}

}  // namespace carillon::cli
