#include "calendar/cron.hpp"
#include "calendar/spec_document.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/lint_report.hpp"
#include "cli/display/record_output.hpp"
#include "cli/terminal/input_text.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/loaded_spec.hpp"
#include "cli/user_definitions/parsed_schedule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace filesystem = std::filesystem;

constexpr std::array lint_formats{Format::table, Format::json, Format::jsonl, Format::yaml, Format::csv};

bool has_document_name(const filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

bool exists(const std::string& target) {
  std::error_code ignored;
  return filesystem::exists(target, ignored);
}

bool is_lint_folder(const std::string& target) {
  std::error_code ignored;
  return filesystem::is_directory(target, ignored);
}

/// An expression has blanks or begins with `@`; what looks like a name of a file is one, there or not.
bool is_file_name(const std::string& target) {
  if (target == "-" || exists(target)) return true;
  if (target.find_first_of(" \t") != std::string::npos || target.starts_with('@')) return false;
  return has_document_name(target) || target.ends_with('/');
}

/// The documents in a folder and below it, in the order of their names.
std::vector<std::string> documents_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const auto options = filesystem::directory_options::skip_permission_denied;
  for (filesystem::recursive_directory_iterator entry{folder, options, error}, end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error) && has_document_name(entry->path())) names.push_back(entry->path().string());
  }
  std::ranges::sort(names);
  return names;
}

class Linter {
 public:
  Linter(Session& session, std::string default_timezone)
      : session_{session}, default_timezone_{std::move(default_timezone)} {}

  void check(const std::string& target) {
    if (!is_file_name(target)) return check_expression(target);
    if (!is_lint_folder(target)) return check_file(target);
    const std::vector<std::string> names = documents_in(target);
    if (names.empty()) {
      session_.console.write_error(fmt::format("note: no .yaml, .yml or .json file in {}\n", printable(target, 120)));
    }
    for (const std::string& name : names) check_file(name);
  }

  [[nodiscard]] const LintReport& report() const { return report_; }

 private:
  void check_expression(const std::string& expression) {
    ++report_.expression_count;
    const LintPlace place{.file = {}, .text = printable(expression, 40), .position = {.line = 1, .column = 1}};
    const auto cron = parse_cron(expression);
    if (!cron) return report_.add(place, cron.error());
    Spec spec;
    spec.crons = {expression};
    spec.timezone = default_timezone_;
    check_spec(spec, [&place](std::string_view) { return place; });
  }

  void check_file(const std::string& name) {
    ++report_.file_count;
    const LintPlace whole_file{.file = name, .text = {}, .position = {}};
    const auto text = read_text(name, session_.console);
    if (!text) return report_.add(whole_file, text.error());
    const auto file = parse_schedule_file(name, *text);
    if (!file) return report_.add_unreadable(whole_file, *text, file.error());
    if (file->document.root.is_null()) return report_.add(place_in(*file, ""), empty_file_problem());
    for (const SpecPlace& spec : file->specs) check_spec_in(*file, spec);
  }

  static LintPlace place_in(const ScheduleFile& file, std::string_view pointer) {
    return {.file = file.name, .text = {}, .position = file.document.position(pointer)};
  }

  void check_spec_in(const ScheduleFile& file, const SpecPlace& where) {
    const auto place_of = [&file](std::string_view pointer) { return place_in(file, pointer); };
    const auto spec = read_spec_at(file, where, default_timezone_);
    if (!spec) {
      for (const Problem& problem : spec.error()) report_.add(place_of(problem.pointer), problem);
      return;
    }
    check_spec(*spec, [&](std::string_view pointer) { return place_of(pointer_in_file(file, where, pointer)); });
  }

  template <typename PlaceOf>
  void check_spec(const Spec& spec, PlaceOf place_of) {
    const auto zone = session_.zones.zone(spec.timezone);
    if (!zone) return report_.add(place_of("/timezone"), zone.error());
    for (const Finding& finding : findings_of(spec, *zone, session_)) report_.add(place_of(finding.pointer), finding);
  }

  Session& session_;
  std::string default_timezone_;
  LintReport report_;
};

Result<ExitCode> lint_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), lint_formats));
  if (arguments.targets.empty()) {
    return std::unexpected(usage_error("nothing to check was given", "give an expression in quotes, files or folders"));
  }
  const std::string default_timezone = arguments.value("tz").value_or("UTC");
  TRY(zone_value("--tz", default_timezone, session.zones));
  Linter linter{session, default_timezone};
  for (const std::string& target : arguments.targets) linter.check(target);
  const LintReport& report = linter.report();
  if (arguments.value("json")) {
    session.console.write(TRY(picked_text(report.records(), *arguments.value("json"), lint_members, format)));
  } else if (format == Format::table) {
    session.print(report.text(session.paint));
  } else {
    session.console.write(records_text(report.records(), lint_members, format));
  }
  return report.exit_code();
}

}  // namespace

const Verb lint_verb{
    .name = "lint",
    .targets = "EXPR|FILE|DIR...",
    .summary = "Finds valid but probably unintended parts of expressions, schedule files and folders.",
    .examples = {"carillon lint '0 9 1 * MON'", "carillon lint '30 2 * * *' --tz Europe/Berlin",
                 "carillon lint schedules/ -o json"},
    .group = VerbGroup::time,
    .flags =
        [] {
          return joined(
              {{{.names = "--tz",
                 .form = "ZONE",
                 .text = "time zone of the expression, or of files that name none; default: UTC"}},
               output_flags("text|json|jsonl|yaml|csv"),
               fields_flag(
                   "JSON with only these fields, comma-separated: file, line, column, code, severity, message, fix")});
        },
    .perform = lint_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
