#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/pipelines/trial_run.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/package_paths.hpp"
#include "executors/pipeline/prepared_run.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace carillon::cli {

namespace {

namespace json = boost::json;
using pipeline::FileFault;

constexpr std::array validate_formats{Format::table, Format::json, Format::jsonl, Format::yaml, Format::csv};
constexpr std::array<std::string_view, 6> fault_members{"file", "line", "column", "code", "message", "hint"};

json::value place_or_null(std::size_t number) { return number == 0 ? json::value{} : json::value(number); }

json::array records_of(const std::vector<FileFault>& faults) {
  json::array records;
  for (const FileFault& fault : faults) {
    records.push_back(json::object{{"file", fault.file},
                                   {"line", place_or_null(fault.position.line)},
                                   {"column", place_or_null(fault.position.column)},
                                   {"code", fault.code},
                                   {"message", fault.message},
                                   {"hint", text_or_null(fault.hint)}});
  }
  return records;
}

std::string text_of(const FileFault& fault) {
  std::string place = printable(fault.file);
  if (fault.position.line != 0) place += fmt::format(":{}:{}", fault.position.line, fault.position.column);
  std::string text = fmt::format("{}: {} ({})\n", place, printable(fault.message), fault.code);
  if (!fault.hint.empty()) text += fmt::format("  fix: {}\n", printable(fault.hint));
  return text;
}

std::string summary_of(std::size_t package_count, const std::vector<FileFault>& faults) {
  const std::string packages = fmt::format("{} package{}", package_count, package_count == 1 ? "" : "s");
  if (faults.empty()) return fmt::format("✔ {}, no errors\n", packages);
  return fmt::format("{}, {} error{}\n", packages, faults.size(), faults.size() == 1 ? "" : "s");
}

/// A fault that has no place in the document: a file that is missing, a field that the first item lacks.
FileFault fault_of(const std::string& package, std::string_view code, std::string message) {
  return {.file = package, .position = {}, .code = std::string{code}, .message = std::move(message), .hint = {}};
}

/// The faults with the path of their file as a user would name it from here.
std::vector<FileFault> in_package(const std::string& package, std::vector<FileFault> faults) {
  std::error_code ignored;
  const bool is_file = !std::filesystem::is_directory(package, ignored);
  for (FileFault& fault : faults)
    fault.file = is_file ? package : (std::filesystem::path{package} / fault.file).string();
  return faults;
}

std::vector<FileFault> faults_of(const std::string& package, std::string_view timezone) {
  const auto place = pipeline::place_of(package);
  if (!place) return {fault_of(package, "unreadable-package", place.error().message)};
  const auto prepared = pipeline::prepare_run(*place, timezone);
  if (!prepared && !prepared.error().faults.empty()) return in_package(package, prepared.error().faults);
  if (!prepared) return {fault_of(package, "unreadable-file", prepared.error().error)};
  TrialRun trial{prepared->pipeline, prepared->texts, prepared->open_input};
  trial.begin();
  if (!trial.outcome().broken_in) return {};
  return {fault_of(package, "cannot-run", trial.outcome().error)};
}

Result<ExitCode> pipeline_validate_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), validate_formats));
  const std::vector<std::string> packages = TRY(package_paths(arguments.targets));
  const std::string timezone = local_zone_name(session.console);
  std::vector<FileFault> faults;
  for (const std::string& package : packages) {
    std::vector<FileFault> found = faults_of(package, timezone);
    faults.insert(faults.end(), std::move_iterator{found.begin()}, std::move_iterator{found.end()});
  }
  if (arguments.value("json")) {
    session.console.write(TRY(picked_text(records_of(faults), *arguments.value("json"), fault_members, format)));
  } else if (format != Format::table) {
    session.console.write(records_text(records_of(faults), fault_members, format));
  } else {
    for (const FileFault& fault : faults) session.print(text_of(fault));
    session.print(summary_of(packages.size(), faults));
  }
  return faults.empty() ? ExitCode::ok : ExitCode::invalid;
}

}  // namespace

const Verb pipeline_validate_verb{
    .name = "pipeline validate",
    .targets = "[PATH...]",
    .summary = "Checks pipeline packages: every error at once, with file, line and column. Asks no provider.",
    .examples = {"carillon pipeline validate", "carillon pipeline validate pipelines/daily-report",
                 "carillon pipeline validate pipelines -o json"},
    .group = VerbGroup::pipelines,
    .flags =
        [] {
          return joined(
              {output_flags("text|json|jsonl|yaml|csv"),
               fields_flag("JSON with only these fields, comma-separated: file, line, column, code, message, hint")});
        },
    .perform = pipeline_validate_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
