#pragma once

#include "base/error.hpp"
#include "calendar/lint/lint.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/connection/session.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// JSON over several lines, indented by two blanks, with a line end. What could change a terminal is escaped, here and
/// in every format below.
[[nodiscard]] std::string pretty_json(const boost::json::value& value);

/// A list of objects as JSON, JSON lines, YAML or CSV with a heading. CSV has a column for each member and for each
/// member of a member (`spec.timezone`); lists of values are joined by semicolons, of lists of objects their number is
/// shown. A text in CSV that begins like a formula (= + - @ tab CR), and is no number, gets an apostrophe in front of
/// it.
[[nodiscard]] std::string records_text(const boost::json::array& records, std::span<const std::string_view> members,
                                       Format format);

/// The records with only the members `--json` names, in that order.
[[nodiscard]] Result<boost::json::array> pick_members(const boost::json::array& records, std::string_view names,
                                                      std::span<const std::string_view> members);

/// The same in the form asked for with `-o`: JSON unless it is one for programs.
[[nodiscard]] Result<std::string> picked_text(const boost::json::array& records, std::string_view names,
                                              std::span<const std::string_view> members, Format format);

/// The text, or null when it is empty.
[[nodiscard]] boost::json::value text_or_null(std::string_view text);

/// `[{"code", "message", "at"}]`.
[[nodiscard]] boost::json::array warnings_json(const std::vector<Finding>& findings);

}  // namespace carillon::cli
