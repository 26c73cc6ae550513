#include "cli/command_line/command_error.hpp"

#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

/// The lines of a text, each behind two blanks.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += fmt::format("  {}\n", printable(line));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

/// A parameter of the API, `?nextBefore: …`, as the flag that people gave: `--next-before: …`.
std::string with_flag(std::string_view message) {
  if (!message.starts_with('?')) return std::string{message};
  const std::string_view name = message.substr(1, message.find(':') - 1);
  std::string flag = "--";
  for (const char letter : name) {
    if (letter >= 'A' && letter <= 'Z') flag += '-';
    flag += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  }
  return flag.append(message.substr(1 + name.size()));
}

}  // namespace

Error usage_error(std::string message, std::string hint) {
  return {.code = ErrorCode::invalid_argument,
          .message = std::move(message),
          .hint = std::move(hint),
          .rule = "usage",
          .position = {},
          .context = {}};
}

Error shown_in(Error error, std::string_view faulty_text) {
  if (error.position) error.context.insert(error.context.begin(), excerpt(faulty_text, *error.position));
  return error;
}

std::string_view stable_code(const Error& error) { return error.rule.empty() ? to_text(error.code) : error.rule; }

Error with_remedy(Error error) {
  if (!error.hint.empty()) return error;
  if (error.rule == "unreachable")
    error.hint =
        "start a server: carillon serve · use another host: --server URL or CARILLON_SERVER · diagnose: carillon "
        "doctor";
  if (error.rule == "stopping")
    error.hint = "try again after the restart; see what it waits for: carillon run list --state running";
  if (error.rule == "unauthorized")
    error.hint =
        "give a token with --token-file FILE or CARILLON_TOKEN; the admin's token is admin.token in the server's data "
        "folder";
  if (error.rule == "forbidden")
    error.hint = "ask for a token with a role that allows this: carillon token create --role …";
  if (error.rule == "stale") error.hint = "it changed in the meantime: check it, then repeat the command";
  return error;
}

ExitCode exit_code_of(const Error& error) {
  if (error.rule == "unreachable" || error.rule == "stopping") return ExitCode::unreachable;
  if (error.rule == "store-unreachable") return ExitCode::unreachable;
  if (error.rule == "unauthorized" || error.rule == "forbidden" || error.rule == "store-refused")
    return ExitCode::not_allowed;
  switch (error.code) {
    case ErrorCode::invalid_argument: return ExitCode::invalid;
    case ErrorCode::not_found: return ExitCode::not_found;
    case ErrorCode::conflict: return ExitCode::conflict;
    case ErrorCode::unavailable:
    case ErrorCode::corrupt: return ExitCode::failed;
  }
  std::unreachable();
}

void print_error(Console& console, const Paint& paint, const Error& error) {
  const std::string message = printable(with_flag(error.message));
  const std::string what = fmt::format("error: {}{}", message, message.ends_with('?') ? "" : ".");
  const std::string code = fmt::format("[{}] exit {}", stable_code(error), static_cast<int>(exit_code_of(error)));
  const std::size_t padding = std::max<std::size_t>(3, 60 - std::min<std::size_t>(60, column_count(what)));
  std::string text = fmt::format("{}{}{}\n", paint(Colour::red, "error:") + what.substr(6), std::string(padding, ' '),
                                 paint(Colour::dim, code));
  for (const std::string& place : error.context) text += indented(place);
  if (!error.hint.empty()) text += fmt::format("  Hint: {}\n", printable(error.hint));
  console.write_error(paint.signs(text));
}

}  // namespace carillon::cli
