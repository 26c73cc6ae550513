#include "crontab/crontab_entry.hpp"

#include "base/quoted.hpp"
#include "crontab/cron_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

namespace carillon {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
}

/// The next word, and the blanks behind it gone.
std::string_view take_word(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && !is_blank(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  skip_blanks(rest);
  return word;
}

std::unexpected<Error> refuse(std::string message, std::string hint) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = "invalid-crontab",
                               .position = {},
                               .context = {}});
}

Result<> read_nickname(std::string_view& rest, CrontabEntry& entry) {
  entry.nickname = take_word(rest);
  if (entry.nickname == "@reboot") {
    return refuse("@reboot asks for a start with the machine, and a schedule has no such time",
                  "leave the line to cron, or let the service manager start the command");
  }
  if (fields_of_nickname(entry.nickname).empty()) {
    return refuse(fmt::format("{} is not a nickname that cron knows", quoted(entry.nickname)),
                  "write @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly, in lower case");
  }
  return {};
}

/// A path among the times is the command of a line with too few of them.
Result<> check_count(const std::array<std::string_view, 5>& fields, std::string_view rest) {
  constexpr std::array<std::string_view, 5> names{"minute", "hour", "day of month", "month", "day of week"};
  const auto is_path = [](std::string_view field) {
    return field.starts_with('/') || field.starts_with("./") || field.starts_with("~/");
  };
  const auto path = std::ranges::find_if(fields, is_path);
  if (path == fields.end()) return {};
  const auto count = static_cast<std::size_t>(path - fields.begin());
  std::string command{*path};
  for (auto word = path + 1; word != fields.end() && !word->empty(); ++word) command += fmt::format(" {}", *word);
  if (!rest.empty()) command += fmt::format(" {}", rest);
  return refuse(fmt::format("only {} of five time fields before the command {}: {} {} missing", count, quoted(command),
                            fmt::join(std::span{names}.subspan(count), ", "), count == 4 ? "is" : "are"),
                "write minute, hour, day of month, month and day of week, with * for any");
}

/// `-n`, `-q` and `-s` stand before the command, each a word of its own.
void read_options(std::string_view& rest, CrontabEntry& entry) {
  while (rest.size() > 2 && rest[0] == '-' && std::string_view{"nqs"}.contains(rest[1]) && is_blank(rest[2])) {
    entry.options += rest[1];
    rest.remove_prefix(2);
    skip_blanks(rest);
  }
}

std::string without_backslashes_before_percent(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape && text[i + 1] != '%') result += text[i];
    if (is_escape) ++i;
    result += text[i];
  }
  return result;
}

/// Unlike in the command, two backslashes are not a pair here: the second one may still belong to a `%`.
std::string to_input(std::string_view text) {
  std::string result;
  bool is_escaped = false;
  for (const char c : text) {
    if (is_escaped && c != '%') result += '\\';
    const char meant = c == '%' && !is_escaped ? '\n' : c;
    is_escaped = c == '\\';
    if (!is_escaped) result += meant;
  }
  if (is_escaped) result += '\\';
  if (!result.ends_with('\n')) result += '\n';
  return result;
}

}  // namespace

Result<CrontabEntry> parse_crontab_entry(std::string_view line, CrontabForm form) {
  CrontabEntry entry;
  std::string_view rest = line;
  skip_blanks(rest);
  if (rest.starts_with('-')) {
    entry.is_kept_from_syslog = true;
    rest.remove_prefix(1);
  }
  if (rest.starts_with('@')) {
    TRY(read_nickname(rest, entry));
  } else {
    for (std::string_view& field : entry.fields) {
      field = take_word(rest);
      if (field.empty()) TRY(check_count(entry.fields, rest));
      if (field.empty())
        return refuse("the line breaks off before the command",
                      "write minute, hour, day of month, month, day of week and a command, or NAME=value");
    }
  }
  if (entry.nickname.empty()) TRY(check_count(entry.fields, rest));
  if (rest.starts_with('*'))
    return refuse("there is a * where the command should begin", "write five fields before the command, not six");
  if (form == CrontabForm::system) entry.user = take_word(rest);
  read_options(rest, entry);
  entry.command = rest;
  if (rest.empty())
    return refuse(form == CrontabForm::system ? "the user or the command is missing" : "the command is missing",
                  "write it after the times");
  return entry;
}

CrontabCommand split_at_percent(std::string_view command) {
  std::size_t end = 0;
  while (end < command.size() && command[end] != '%') end += command[end] == '\\' ? 2 : 1;
  if (end >= command.size()) return {.text = without_backslashes_before_percent(command), .input = {}};
  const std::string_view input = command.substr(end + 1);
  return {.text = without_backslashes_before_percent(command.substr(0, end)),
          .input = input.empty() ? std::nullopt : std::optional{to_input(input)}};
}

}  // namespace carillon
