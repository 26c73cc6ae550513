#include "calendar/lint/lint.hpp"

#include "calendar/calendar_rule.hpp"
#include "calendar/lint/lint_rule.hpp"
#include "calendar/sources.hpp"
#include "calendar/timetable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon {
namespace {

// Clock changes come twice a year; in two years a rule for one day of the month meets them or is rare.
constexpr UtcSecond horizon = std::int64_t{2 * 366} * 86400;

Exclusions exclusions_of(const Spec& spec) {
  Exclusions exclusions;
  for (const Calendar& calendar : spec.exclude) {
    const auto compiled = compile_calendar(calendar);
    // A full one is no finding of ours: making a timetable of the spec refuses it.
    if (compiled && !exclusions.add(compiled->rule)) break;
  }
  return exclusions;
}

void lint_rule(const LintedRule& rule, const LintedZone& zone, Findings& findings) {
  lint_times(rule, findings);
  lint_day_fields(rule, findings);
  lint_steps(rule, findings);
  lint_short_months(rule, findings);
  lint_clock_changes(rule, zone, findings);
  lint_portability(rule, findings);
}

std::optional<Instant> next_of(const Spec& spec, const ZonePtr& zone, Instant now) {
  const auto timetable = Timetable::make(spec, zone, now);
  return timetable ? timetable->next(now - Duration{1}) : std::nullopt;
}

std::string never_fires_reason(const Spec& spec, const ZonePtr& zone, Instant now) {
  if (spec.end_at && *spec.end_at < now) return fmt::format("endAt {} lies in the past", to_text(*spec.end_at));
  if (spec.start_at && spec.end_at && *spec.end_at < *spec.start_at)
    return fmt::format("endAt {} lies before startAt", to_text(*spec.end_at));
  Spec without_exclusions = spec;
  without_exclusions.exclude.clear();
  if (!spec.exclude.empty() && next_of(without_exclusions, zone, now)) return "the exclusions leave nothing";
  return spec.end_at ? fmt::format("nothing falls before endAt {}", to_text(*spec.end_at)) : "all its times are past";
}

void lint_never_fires(const Spec& spec, const ZonePtr& zone, Instant now, Findings& findings) {
  if (spec.is_empty()) return;
  const auto timetable = Timetable::make(spec, zone, now);
  if (!timetable || timetable->next(now - Duration{1})) return;
  findings.push_back(
      {.code = "never-fires",
       .severity = Severity::error,
       .message = fmt::format("nothing runs from {} on: {}", to_text(now), never_fires_reason(spec, zone, now)),
       .fix = "change the times, the years, the exclusions or the end",
       .at = {},
       .pointer = ""});
}

}  // namespace

std::vector<Finding> lint(const Spec& spec, const ZonePtr& zone, Instant now) {
  Findings findings;
  const Exclusions exclusions = exclusions_of(spec);
  const UtcSecond today = floor_second(now);
  LintedZone linted_zone{*zone, exclusions, spec.dst, today, today + horizon};
  if (spec.start_at) linted_zone.from = std::max(today, ceil_second(*spec.start_at) - 1);
  if (spec.end_at) linted_zone.until = std::min(linted_zone.until, floor_second(*spec.end_at));
  for (std::size_t i = 0; i < spec.crons.size(); ++i) {
    const auto cron = parse_cron(spec.crons[i]);
    if (cron) lint_rule(LintedRule::of(*cron, fmt::format("/cron/{}", i)), linted_zone, findings);
  }
  for (std::size_t i = 0; i < spec.calendars.size(); ++i) {
    const auto calendar = LintedRule::of(spec.calendars[i], fmt::format("/calendars/{}", i));
    if (calendar) lint_rule(*calendar, linted_zone, findings);
  }
  lint_never_fires(spec, zone, now, findings);
  return findings;
}

std::vector<Finding> lint(const Spec& spec, const ZonePtr& zone, const ZoneNames& names, Instant now) {
  std::vector<Finding> findings = lint(spec, zone, now);
  const std::string_view newer = names.renamed_to(spec.timezone);
  if (newer.empty()) return findings;
  findings.push_back({.code = "old-zone-name",
                      .severity = Severity::warning,
                      .message = fmt::format("{} is an old name of {}", spec.timezone, newer),
                      .fix = std::string{newer},
                      .at = {},
                      .pointer = "/timezone"});
  return findings;
}

}  // namespace carillon
