#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// A setting of a crontab: `NAME = value`.
struct CrontabVariable {
  std::string name;
  std::string value;
  friend bool operator==(const CrontabVariable&, const CrontabVariable&) = default;
};

/// Reads a setting as cron does: blanks around `=` do not count, name and value may each stand in single or double
/// quotes, which keep the blanks inside; without quotes the value loses the blanks behind it. Nothing is replaced:
/// `$HOME` stays `$HOME`. Nothing when the line is no setting: cron then takes it for a line with times.
[[nodiscard]] std::optional<CrontabVariable> parse_crontab_variable(std::string_view line);

}  // namespace carillon
