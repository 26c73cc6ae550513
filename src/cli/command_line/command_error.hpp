#pragma once

#include "base/error.hpp"
#include "cli/command_line/exit_code.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/paint.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// A command line that cannot be understood (rule "usage").
[[nodiscard]] Error usage_error(std::string message, std::string hint);

/// The error, with the faulty text and a caret under its position added to where it happened.
[[nodiscard]] Error shown_in(Error error, std::string_view faulty_text);

/// The stable code of an error: the rule that was broken, else the kind of failure.
[[nodiscard]] std::string_view stable_code(const Error& error);

[[nodiscard]] ExitCode exit_code_of(const Error& error);

/// The error with the command that helps, where a server refused or is not there.
[[nodiscard]] Error with_remedy(Error error);

/// What, code and exit code; where; what to do instead: to standard error.
void print_error(Console& console, const Paint& paint, const Error& error);

}  // namespace carillon::cli
