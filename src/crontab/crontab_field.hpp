#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace carillon {

enum class CrontabField { minute, hour, day_of_month, month, day_of_week };

struct CrontabFieldValues {
  std::uint64_t values = 0;  // bit n = value n; 7 of the day of week stays 7
  bool has_star = false;     // it begins with `*`, whatever follows
  bool has_random_value = false;
  std::string text;  // the same for carillon: as written where it reads it alike
};

/// Reads one field by the grammar of cron: `*`, `*/n`, `n`, `a-b`, `a-b/n` and lists of them, names of months and
/// weekdays, and the random `a~b` of newer ones. Refuses, with what to write instead, what cron refuses, and a range
/// that runs backwards, which cron accepts and never starts by.
[[nodiscard]] Result<CrontabFieldValues> parse_crontab_field(CrontabField field, std::string_view text,
                                                             std::string_view seed);

}  // namespace carillon
