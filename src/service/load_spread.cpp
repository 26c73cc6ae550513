#include "service/load_spread.hpp"

#include "base/duration_text.hpp"
#include "document/member_texts.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

namespace carillon {
namespace {

using std::chrono::minutes;

constexpr std::size_t spread_schedule_max = 20'000;
constexpr std::uint64_t spread_steps_max = 200'000'000;
/// A minute with fewer starts is no stampede.
constexpr std::int64_t crowd_min = 3;
constexpr std::size_t shown_minute_max = 10;
constexpr std::array<Duration, 7> jitters{minutes{1},  minutes{2},  minutes{5}, minutes{10},
                                          minutes{15}, minutes{30}, minutes{60}};

/// A schedule, and the minutes of the stretch in which it starts.
struct Starter {
  const ScheduleRecord* record = nullptr;
  std::vector<std::uint32_t> minutes;
};

/// The jitter that a stored document has.
Duration jitter_in(std::string_view document) {
  const auto spec = find_member(document, "spec");
  const auto jitter = spec ? find_member(*spec, "jitter") : std::nullopt;
  if (!jitter || jitter->size() < 2) return {};
  return parse_duration(jitter->substr(1, jitter->size() - 2)).value_or(Duration{});
}

/// The shortest time between two of its starts; an hour if it has but one.
Duration shortest_gap(const Starter& starter) {
  std::uint32_t gap = 60;
  for (std::size_t i = 1; i < starter.minutes.size(); ++i)
    gap = std::min(gap, starter.minutes[i] - starter.minutes[i - 1]);
  return minutes{gap};
}

/// The smallest jitter that makes a crowd as thin as the mean, as long as it stays within half of the shortest time
/// between two starts.
std::optional<Duration> jitter_for(std::size_t crowd, double mean, Duration gap) {
  std::optional<Duration> found;
  for (const Duration jitter : jitters) {
    if (jitter * 2 > gap) break;
    found = jitter;
    if (static_cast<double>(crowd) / static_cast<double>(jitter / minutes{1}) <= std::max(1.0, mean)) break;
  }
  return found;
}

std::vector<Instant> quiet_minutes(const std::vector<std::int64_t>& counts, Instant from, std::size_t minute) {
  const std::size_t begin = minute / 60 * 60;
  const std::size_t end = std::min(begin + 60, counts.size());
  std::vector<std::size_t> places;
  for (std::size_t i = begin; i < end; ++i) places.push_back(i);
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return counts[place]; });
  std::vector<Instant> quiet;
  for (const std::size_t place : places)
    if (quiet.size() < 3 && counts[place] < counts[minute]) quiet.push_back(from + minutes{place});
  return quiet;
}

}  // namespace

Served<SpreadAnswer> LoadSpread::propose(const Caller& caller, const std::optional<std::string>& name_space,
                                         Instant from, Instant to, std::size_t count_max) {
  if (from >= to || to - from > time_max)
    return std::unexpected(Refusal{Problems{{.pointer = "/to",
                                             .code = "invalid",
                                             .message = "to must be after from, by at most seven days",
                                             .hint = {},
                                             .position = {}}}});
  from = std::chrono::floor<minutes>(from);
  const auto minute_count = static_cast<std::size_t>((to - from + minutes{1} - Duration{1}) / minutes{1});
  std::vector<std::int64_t> counts(minute_count);  // of those that can be spread
  std::int64_t everywhere = 0;                     // what the others start in every minute
  const Instant newest_wake = std::min(to + std::chrono::days{1}, instant_max);
  const auto records = TRY(
      parts_.store.queries.read_waking(TRY(caller.namespace_to_list(name_space)), newest_wake, spread_schedule_max));
  SpreadAnswer answer{.items = {}, .is_partial = records.size() >= spread_schedule_max};
  std::vector<Starter> starters;
  Budget budget{spread_steps_max};
  for (const ScheduleRecord& record : records) {
    const ScheduleState& state = record.view.state;
    if (state.status != ScheduleStatus::active) continue;
    const auto definition = parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
    if (!definition || !(*definition)->has_occurrences) continue;
    const Timetable& timetable = (*definition)->timetable;
    const std::uint64_t total = timetable.count(from, to, budget);
    if (budget.is_spent()) break;
    answer.schedules += total > 0 ? 1 : 0;
    if (total == 0) continue;
    // What starts every minute, or more often, cannot be spread, and is as much in every minute.
    if (total >= minute_count) {
      everywhere += static_cast<std::int64_t>(total / minute_count);
      continue;
    }
    Starter starter{.record = &record, .minutes = {}};
    for (const Instant start : timetable.occurrences(from, to, static_cast<std::size_t>(total), budget)) {
      const auto minute = static_cast<std::size_t>(((*definition)->due(start) - from) / minutes{1});
      if (minute < minute_count) starter.minutes.push_back(static_cast<std::uint32_t>(minute));
    }
    for (const std::uint32_t minute : starter.minutes) ++counts[minute];
    starters.push_back(std::move(starter));
  }
  answer.is_partial = answer.is_partial || budget.is_spent();

  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  const double mean = static_cast<double>(sum) / static_cast<double>(minute_count);
  answer.mean = mean + static_cast<double>(everywhere);
  answer.peak = std::ranges::max(counts) + everywhere;
  const std::int64_t crowded = std::max(crowd_min, static_cast<std::int64_t>(std::ceil(mean * 2)));

  std::map<std::uint32_t, std::vector<std::size_t>> crowds;  // who starts in a crowded minute
  for (std::size_t i = 0; i < starters.size(); ++i)
    for (const std::uint32_t minute : starters[i].minutes)
      if (counts[minute] >= crowded) crowds[minute].push_back(i);
  // The same schedules meet again and again: one proposal for all of these minutes.
  std::map<std::pair<std::string, std::vector<std::size_t>>, std::vector<std::uint32_t>> groups;
  for (auto& [minute, members] : crowds) {
    std::ranges::sort(members);
    members.erase(std::ranges::unique(members).begin(), members.end());
    std::map<std::string, std::vector<std::size_t>> by_namespace;
    for (const std::size_t i : members)
      by_namespace[std::string{starters[i].record->key.name_space.text()}].push_back(i);
    for (auto& [space, those] : by_namespace) groups[{space, std::move(those)}].push_back(minute);
  }

  for (const auto& [who, when] : groups) {
    SharedMinute item{.name_space = who.first, .ids = {}, .minutes = {}};
    Duration gap = std::chrono::hours{24};
    for (const std::size_t i : who.second) gap = std::min(gap, shortest_gap(starters[i]));
    const auto jitter = jitter_for(who.second.size(), mean, gap);
    if (!jitter) continue;
    item.jitter = *jitter;
    for (const std::size_t i : who.second)
      if (jitter_in(starters[i].record->document) < *jitter) item.ids.emplace_back(starters[i].record->key.id.text());
    if (item.ids.size() < static_cast<std::size_t>(crowd_min)) continue;
    const std::uint32_t fullest =
        *std::ranges::max_element(when, {}, [&](std::uint32_t minute) { return counts[minute]; });
    item.starts = counts[fullest] + everywhere;
    item.minute_count = static_cast<std::int64_t>(when.size());
    for (const std::uint32_t minute : when)
      if (item.minutes.size() < shown_minute_max) item.minutes.push_back(from + minutes{minute});
    const auto spread = static_cast<std::int64_t>(item.ids.size());
    const std::int64_t width = *jitter / minutes{1};
    item.expected = item.starts - spread + (spread + width - 1) / width;
    item.quiet = quiet_minutes(counts, from, fullest);
    answer.items.push_back(std::move(item));
  }
  std::ranges::stable_sort(answer.items, std::ranges::greater{}, &SharedMinute::starts);
  if (answer.items.size() > count_max) answer.items.resize(count_max);
  return answer;
}

}  // namespace carillon
