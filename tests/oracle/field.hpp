#pragma once

#include "calendar/spec.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::oracle {

struct Date;

/// What one field of a cron line or calendar allows.
struct Field {
  std::set<int> values;               // plain values; Sunday is 0
  std::vector<std::string> specials;  // items with L, W or #, in upper case
  bool starts_with_star = false;
  bool is_unrestricted = false;  // exactly `*`, `?` or `*/1`
};

struct FieldBounds {
  int low;
  int high;
  std::vector<std::string> names;  // the first stands for `low`
  bool wraps_to_sunday = false;    // 7 is 0, and a range may end there
};

extern const FieldBounds second_bounds;
extern const FieldBounds minute_bounds;
extern const FieldBounds hour_bounds;
extern const FieldBounds day_of_month_bounds;
extern const FieldBounds month_bounds;
extern const FieldBounds day_of_week_bounds;
extern const FieldBounds year_bounds;

/// Throws std::invalid_argument when an item cannot be read.
[[nodiscard]] Field field_of_text(const FieldBounds& bounds, std::string_view text);
[[nodiscard]] Field field_of_ranges(const std::vector<CalendarRange>& ranges);

[[nodiscard]] bool matches_day_of_month(const Field& field, const Date& date);
[[nodiscard]] bool matches_day_of_week(const Field& field, const Date& date);

}  // namespace carillon::oracle
