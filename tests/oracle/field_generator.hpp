#pragma once

#include "calendar/spec.hpp"

#include <string>

namespace carillon::oracle {

// Random fields, correct ones only. To be called inside rc::gen::exec, whose choices they make, at nominal size.

enum class FieldKind { second, minute, hour, day_of_month, month, day_of_week, year };

/// The wall time around which things shall happen: its hour, date and so on are picked more often than others.
struct Focus {
  int hour;
  int day_of_month;
  int month;
  int day_of_week;
  int year;
};

/// A text in the grammar of cron.
[[nodiscard]] std::string pick_field_text(FieldKind kind, const Focus& focus);

/// A text, or one to three ranges.
[[nodiscard]] CalendarField pick_calendar_field(FieldKind kind, const Focus& focus);

/// From low through high, both included.
[[nodiscard]] int pick_between(int low, int high);
/// True this often in a hundred.
[[nodiscard]] bool pick_chance(int percent);

}  // namespace carillon::oracle
