#pragma once

#include "calendar/cron.hpp"
#include "calendar/exclusions.hpp"
#include "calendar/lint/lint.hpp"
#include "calendar/spec.hpp"
#include "calendar/wall_rule.hpp"
#include "calendar/zone.hpp"

#include <array>
#include <string>
#include <vector>

namespace carillon {

using Findings = std::vector<Finding>;

/// A cron or a calendar as the checks look at it: what it means and how it was written.
struct LintedRule {
  WallRule rule;
  std::array<FieldShape, 7> shapes;  // by CronField
  std::array<std::string, 7> texts;  // as written; empty for an alias, a list of ranges, and a field left out
  std::string text;                  // the whole cron; empty for a calendar
  std::string pointer;
  bool is_cron = false;
  bool has_seconds = false;
  bool is_wildcard = false;

  [[nodiscard]] static LintedRule of(const Cron& cron, std::string pointer);
  [[nodiscard]] static Result<LintedRule> of(const Calendar& calendar, std::string pointer);

  [[nodiscard]] const FieldShape& shape(CronField field) const { return shapes[static_cast<std::size_t>(field)]; }
  [[nodiscard]] const std::string& text_of(CronField field) const { return texts[static_cast<std::size_t>(field)]; }
  /// Where a field stands in the document: a cron's fields stand together.
  [[nodiscard]] std::string pointer_to(CronField field) const;
  /// The cron with another text in one field, quoted; for a calendar the text alone.
  [[nodiscard]] std::string with(CronField field, std::string_view text) const;
};

/// What the clock-change checks look at beside the rule.
struct LintedZone {
  const Zone& zone;
  const Exclusions& exclusions;
  DstPolicy dst;
  UtcSecond from;   // looked at from behind this second
  UtcSecond until;  // up to this one
};

void lint_times(const LintedRule& rule, Findings& findings);         // minute-star-hour, every-second
void lint_day_fields(const LintedRule& rule, Findings& findings);    // dom-dow-or
void lint_steps(const LintedRule& rule, Findings& findings);         // uneven-step, step-once
void lint_short_months(const LintedRule& rule, Findings& findings);  // short-month
void lint_clock_changes(const LintedRule& rule, const LintedZone& zone, Findings& findings);  // dst-gap, dst-overlap, …
void lint_portability(const LintedRule& rule, Findings& findings);  // not-portable, quartz-weekday

}  // namespace carillon
