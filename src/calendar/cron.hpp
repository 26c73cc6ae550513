#pragma once

#include "base/error.hpp"
#include "calendar/wall_rule.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon {

enum class CronField { second, minute, hour, day_of_month, month, day_of_week, year };

/// How a field was written, as far as words, warnings and the clock-change rules need it; what it means is in the rule.
struct FieldShape {
  bool starts_with_star = false;
  bool is_question_mark = false;
  bool has_open_step = false;       // `5/15`
  bool has_seven = false;           // 7 for Sunday
  bool has_wrapping_range = false;  // `FRI-SUN`, `6-0`
  bool has_name = false;
  std::uint16_t star_step = 0;  // n of `*/n`, standing alone; else 0

  friend bool operator==(const FieldShape&, const FieldShape&) = default;
};

/// A cron expression: its text as written, and its meaning.
struct Cron {
  std::string text;
  WallRule rule;
  std::array<FieldShape, 6> shape;  // by CronField; second is empty for five fields
  bool has_seconds = false;
  bool is_alias = false;

  /// Follows the real clock through clock changes, because seconds, minutes or hours begin with `*`; else each of its
  /// wall times happens once.
  [[nodiscard]] bool is_wildcard() const;
  [[nodiscard]] const FieldShape& field(CronField f) const { return shape[static_cast<std::size_t>(f)]; }
};

/// Longest cron text that is looked at.
inline constexpr std::size_t cron_length_max = 1024;

/// Reads five fields, six with seconds first, or an alias like `@daily`. Errors name the field, the token and its
/// position, and say what to write instead. An expression that can never match is an error (rule "never-fires").
[[nodiscard]] Result<Cron> parse_cron(std::string_view text);

/// Reads one field's text into the rule it belongs to, year included, with the grammar and the errors of cron. Day
/// fields keep `either_field_suffices` as it is.
[[nodiscard]] Result<FieldShape> parse_cron_field(CronField field, std::string_view text, WallRule& rule);

/// `minute`, `day of month`, …
[[nodiscard]] std::string_view to_text(CronField field);

}  // namespace carillon
