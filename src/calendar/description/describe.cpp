#include "calendar/description/describe.hpp"

#include "base/civil.hpp"
#include "calendar/calendar_rule.hpp"
#include "calendar/clock_jump.hpp"
#include "calendar/cron.hpp"
#include "calendar/description/describe_parts.hpp"
#include "calendar/description/words.hpp"
#include "calendar/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace carillon {
namespace {

// How many exclusions are named one by one.
constexpr std::size_t named_exclusions_max = 6;
constexpr std::size_t named_moved_times_max = 3;
constexpr UtcSecond clock_change_horizon = std::int64_t{366} * 86400;

struct Source {
  WallRule rule;
  bool follows_clock;
};

/// The wall-clock rules of a spec, compiled.
struct Rules {
  std::vector<Source> sources;
  std::vector<WallRule> excluded;
  Exclusions exclusions;
  [[nodiscard]] bool depend_on_zone() const { return !sources.empty() || !excluded.empty(); }
};

Result<Rules> compile(const Spec& spec) {
  Rules rules;
  const bool is_literal = spec.dst == DstPolicy::literal;
  for (const std::string& text : spec.crons) {
    const Cron cron = TRY(parse_cron(text));
    rules.sources.push_back({cron.rule, is_literal || cron.is_wildcard()});
  }
  for (const Calendar& calendar : spec.calendars) {
    const CalendarRule compiled = TRY(compile_calendar(calendar));
    rules.sources.push_back({compiled.rule, is_literal || compiled.is_wildcard});
  }
  for (const Calendar& calendar : spec.exclude) {
    rules.excluded.push_back(TRY(compile_calendar(calendar)).rule);
    if (!rules.exclusions.add(rules.excluded.back())) {
      return fail(ErrorCode::invalid_argument, "at most {} exclusions may name a time of day", Exclusions::partial_max);
    }
  }
  return rules;
}

std::string_view anchor_words(Anchor anchor) {
  switch (anchor) {
    case Anchor::creation: return "creation";
    case Anchor::start: return "the start";
    case Anchor::epoch: return "the start of 1970";
  }
  std::unreachable();
}

std::string describe_interval(const Interval& interval) {
  const std::string offset =
      interval.offset == Duration{0} ? "" : fmt::format("{} after ", duration_words(interval.offset));
  return fmt::format("Every {}, counted from {}{}", every_words(interval.every), offset, anchor_words(interval.anchor));
}

std::string one_off_times(const std::vector<Instant>& written) {
  std::vector<Instant> times = written;
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  const std::string first = moment_text(times.front());
  const std::string last = moment_text(times.back());
  if (times.size() == 1) return "Once at " + first;
  if (times.size() == 2) return fmt::format("Twice, at {} and {}", first, last);
  return fmt::format("At {} times between {} and {}", times.size(), first, last);
}

std::vector<std::string> clauses_of(const Spec& spec, const Rules& rules) {
  std::vector<std::string> clauses;
  const auto add = [&clauses](std::string clause) {
    if (std::ranges::find(clauses, clause) == clauses.end()) clauses.push_back(std::move(clause));
  };
  for (const Source& source : rules.sources) add(describe_rule(source.rule));
  for (const Interval& interval : spec.intervals) add(describe_interval(interval));
  if (!spec.times.empty()) add(one_off_times(spec.times));
  return clauses;
}

std::string exclusions_text(const std::vector<WallRule>& excluded) {
  std::vector<std::string> parts;
  for (const WallRule& rule : excluded) {
    std::string part = describe_exclusion(rule);
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  if (const std::size_t count = parts.size(); count > named_exclusions_max) {
    parts.resize(named_exclusions_max - 1);
    parts.push_back(fmt::format("{} more exclusions", count - parts.size()));
  }
  return "except " + join(parts);
}

std::string limits_text(const Spec& spec) {
  if (!spec.start_at) return "until " + moment_text(*spec.end_at);
  const std::string from = "from " + moment_text(*spec.start_at);
  return spec.end_at ? fmt::format("{} until {}", from, moment_text(*spec.end_at)) : from;
}

std::vector<std::string> conditions_of(const Spec& spec, const Rules& rules) {
  std::vector<std::string> conditions;
  if (!rules.excluded.empty()) conditions.push_back(exclusions_text(rules.excluded));
  if (spec.start_at || spec.end_at) conditions.push_back(limits_text(spec));
  if (spec.jitter > Duration{0}) conditions.push_back("spread over up to " + duration_words(spec.jitter));
  if (spec.dst == DstPolicy::literal && !rules.sources.empty())
    conditions.emplace_back("clock changes taken literally");
  return conditions;
}

std::string sentence_of(const Spec& spec, const Rules& rules) {
  if (spec.is_empty()) return "Started by hand only";
  const auto clauses = clauses_of(spec, rules);
  std::string sentence = clauses.front();
  for (std::size_t i = 1; i < clauses.size(); ++i) sentence += "; and " + inside_sentence(clauses[i]);
  // Behind several clauses a comma would tie a condition to the last one only.
  const std::string_view joint = clauses.size() == 1 ? ", " : "; ";
  for (const std::string& condition : conditions_of(spec, rules)) sentence.append(joint).append(condition);
  if (spec.timezone != "UTC" && rules.depend_on_zone()) sentence += fmt::format(" ({})", spec.timezone);
  return sentence;
}

std::string wall_clock_text(WallSecond wall) {
  const auto second = static_cast<int>(wall - floor_divide(wall, seconds_per_day) * seconds_per_day);
  return clock_text(second, second % 60 != 0);
}

std::string moved_text(const ClockJump& jump, const Source& source, const std::vector<WallSecond>& moved) {
  std::string place = fmt::format("on {} at {}", date_text(jump.to), wall_clock_text(jump.to));
  if (source.rule.times_per_day() == 1) return place;
  std::vector<std::string> times;
  times.reserve(moved.size());
  for (const WallSecond wall : moved) times.push_back(wall_clock_text(wall));
  if (times.size() <= named_moved_times_max) return fmt::format("{} instead of {}", place, join(times));
  return fmt::format("{} instead of {} and later", place, times.front());
}

/// The next occurrence that a clock change moves, as words. One that meets another of its rule is not moved: it falls
/// together with it.
std::optional<std::string> clock_change_text(const Spec& spec, const Rules& rules, const Zone& zone, Instant now) {
  const UtcSecond today = floor_second(now);
  const UtcSecond from = std::max(today, spec.start_at ? ceil_second(*spec.start_at) - 1 : today);
  UtcSecond until = today + clock_change_horizon;
  if (spec.end_at) until = std::min(until, floor_second(*spec.end_at));
  for (const ClockJump& jump : clock_jumps(zone, from, until)) {
    if (jump.kind != ClockJump::Kind::gap || !jump.is_made_up()) continue;
    for (const Source& source : rules.sources) {
      if (source.follows_clock || source.rule.matches(jump.to)) continue;
      const auto moved = times_inside(jump, source.rule, rules.exclusions, named_moved_times_max + 1);
      if (!moved.empty()) return moved_text(jump, source, moved);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> describe(const Spec& spec) { return sentence_of(spec, TRY(compile(spec))); }

Result<std::string> describe(const Spec& spec, const Zone& zone, Instant now) {
  const Rules rules = TRY(compile(spec));
  std::string sentence = sentence_of(spec, rules);
  if (const auto change = clock_change_text(spec, rules, zone, now)) {
    sentence += fmt::format("; {} (clock change)", *change);
  }
  return sentence;
}

}  // namespace carillon
