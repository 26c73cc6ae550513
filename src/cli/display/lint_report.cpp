#include "cli/display/lint_report.hpp"

#include "cli/command_line/command_error.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/terminal/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

std::string_view severity_name(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

std::string place_text(const LintPlace& place) {
  if (!place.file) return fmt::format("\"{}\":{}", place.text, place.position.column);
  if (place.position.line == 0) return printable(*place.file);
  return fmt::format("{}:{}:{}", printable(*place.file), place.position.line, place.position.column);
}

/// `1 warning`, `2 warnings`; nothing for none.
std::string counted(std::size_t count, std::string_view word) {
  return count == 0 ? "" : fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string joined(std::vector<std::string> parts, std::string_view glue) {
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, glue));
}

json::value number_or_null(std::size_t number) { return number == 0 ? json::value{} : json::value(number); }

std::string valid_text(std::string_view text) { return printable(text, 2000); }

}  // namespace

void LintReport::add(LintPlace place, const Finding& finding) {
  rows_.push_back({.place = std::move(place),
                   .code = std::string{finding.code},
                   .severity = finding.severity,
                   .message = finding.message,
                   .fix = finding.fix});
}

void LintReport::add(LintPlace place, const Error& error) {
  if (!place.file && error.position) place.position.column = *error.position + 1;
  rows_.push_back({.place = std::move(place),
                   .code = std::string{stable_code(error)},
                   .severity = Severity::error,
                   .message = error.message,
                   .fix = error.hint});
}

void LintReport::add(LintPlace place, const Problem& problem) {
  rows_.push_back({.place = std::move(place),
                   .code = std::string{problem.code},
                   .severity = Severity::error,
                   .message = problem.message,
                   .fix = problem.hint});
}

void LintReport::add_unreadable(LintPlace place, std::string_view text, const Error& error) {
  Error without_place = error;
  if (error.position) {
    place.position = position_of(text, *error.position);
    // The place stands in a column of its own.
    const std::string prefix = fmt::format("line {}, column {}: ", place.position.line, place.position.column);
    if (error.message.starts_with(prefix)) without_place.message.erase(0, prefix.size());
  }
  add(std::move(place), without_place);
}

std::string LintReport::text(const Paint& paint) const {
  if (rows_.empty()) return "no findings\n";
  Table table;
  for (const Row& row : rows_) {
    const bool is_error = row.severity == Severity::error;
    const std::string fix = row.fix.empty() ? "" : fmt::format(". Fix: {}", printable(row.fix));
    table.add({{.text = place_text(row.place)},
               {.text = std::string{severity_name(row.severity)}, .colour = is_error ? Colour::red : Colour::yellow},
               {.text = row.code},
               {.text = printable(row.message) + fix}});
  }
  const auto errors = static_cast<std::size_t>(std::ranges::count(rows_, Severity::error, &Row::severity));
  return fmt::format("{}{} in {}\n", table.text(paint, "", "  "),
                     joined({counted(rows_.size() - errors, "warning"), counted(errors, "error")}, ", "),
                     joined({counted(file_count, "file"), counted(expression_count, "expression")}, " and "));
}

json::array LintReport::records() const {
  json::array list;
  for (const Row& row : rows_) {
    list.push_back({{"file", row.place.file ? json::value(valid_text(*row.place.file)) : json::value{}},
                    {"line", number_or_null(row.place.position.line)},
                    {"column", number_or_null(row.place.position.column)},
                    {"code", row.code},
                    {"severity", severity_name(row.severity)},
                    {"message", valid_text(row.message)},
                    {"fix", text_or_null(valid_text(row.fix))}});
  }
  return list;
}

ExitCode LintReport::exit_code() const {
  const auto is_invalid = [](const Row& row) { return row.severity == Severity::error && row.code != "never-fires"; };
  if (std::ranges::any_of(rows_, is_invalid)) return ExitCode::invalid;
  return rows_.empty() ? ExitCode::ok : ExitCode::findings;
}

}  // namespace carillon::cli
