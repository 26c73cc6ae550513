#pragma once

#include "base/error.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// A user's crontab, or one of the system, whose lines name a user before the command.
enum class CrontabForm { user, system };

/// A line with times, taken apart.
struct CrontabEntry {
  bool is_kept_from_syslog = false;  // a `-` before everything
  std::string_view nickname;         // `@daily`; empty when there are fields
  std::array<std::string_view, 5> fields{};
  std::string_view user;     // empty in a user's crontab
  std::string options;       // letters of `-n`, `-q` and `-s` before the command
  std::string_view command;  // to the end of the line, `%` and all
};

/// The parts are views of the line. Refuses what cron refuses; the values of the fields are looked at elsewhere.
[[nodiscard]] Result<CrontabEntry> parse_crontab_entry(std::string_view line, CrontabForm form);

/// A command with what cron makes of `%`: the first one ends the command, each later one is a line end of its input,
/// and `\%` is a plain `%`.
struct CrontabCommand {
  std::string text;
  std::optional<std::string> input;
};
[[nodiscard]] CrontabCommand split_at_percent(std::string_view command);

}  // namespace carillon
