#include "packages/filed_definitions.hpp"

#include "packages/package_id.hpp"
#include "service/managed_definition.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon::packages {
namespace {

pipeline::FileFault fault_at(const std::string& file, Position place, std::string message, std::string hint = {}) {
  return {.file = file, .position = place, .code = "invalid", .message = std::move(message), .hint = std::move(hint)};
}

/// A name for people: as long as a schedule's may be.
std::string shortened(std::string text, std::size_t length_max) {
  // Cut at the beginning of a character.
  if (text.size() <= length_max) return text;
  while (length_max > 0 && (static_cast<unsigned char>(text[length_max]) & 0xC0U) == 0x80U) --length_max;
  text.resize(length_max);
  return text;
}

ScheduleDocument document_of(const std::string& file, const std::string& package, pipeline::Pipeline&& whole) {
  return {.id = schedule_id_of(package),
          .name_space = NamespaceId::parse("default").value(),
          .name = shortened(std::move(whole.name), name_length_max),
          .description = shortened(std::move(whole.description), description_length_max),
          .labels = {{std::string{managed_by_label}, managed_by_file(file)}},
          .enabled = whole.schedule->enabled,
          .spec = std::move(whole.schedule->spec),
          .action = PipelineAction{.path = package},
          .policies = whole.schedule->policies};
}

/// What names the file must fit into a label.
bool is_too_long(const std::string& file) { return managed_by_file(file).size() > label_length_max; }

pipeline::FileFault too_long(const std::string& file) {
  return fault_at(file, {}, fmt::format("has a path of {} bytes", file.size()),
                  fmt::format("move it to one of at most {}", label_length_max - managed_by_file("").size()));
}

}  // namespace

pipeline::FileFault defined_twice(const FiledSchedule& schedule, std::string_view other_file) {
  return fault_at(schedule.file, {},
                  fmt::format("schedule {} stands in {} already", schedule.document.id.text(), other_file),
                  "give it another id");
}

FiledDefinitions read_package_text(const std::string& file, std::string_view text,
                                   const FiledDefinitionOptions& options) {
  FiledDefinitions definitions;
  auto whole = pipeline::read_pipeline_text(file, text, options.package_timezone);
  if (!whole) {
    definitions.faults = std::move(whole).error();
  } else if (is_too_long(file)) {
    definitions.faults.push_back(too_long(file));
  } else if (whole->schedule) {
    const std::string package = folder_of(file);
    if (options.kept_run_count) whole->schedule->policies.keep.runs = *options.kept_run_count;
    definitions.schedules.push_back(
        {.file = file, .package = package, .document = document_of(file, package, *std::move(whole))});
  }
  return definitions;
}

FiledDefinitions read_schedules_text(const std::string& file, std::string_view text,
                                     const FiledDefinitionOptions& options) {
  FiledDefinitions definitions;
  const auto [document, faults] = parse_schedule_text(file, text);
  for (const Error& error : faults)
    definitions.faults.push_back(
        fault_at(file, error.position ? position_of(text, *error.position) : Position{}, error.message, error.hint));
  if (is_too_long(file)) definitions.faults.push_back(too_long(file));
  if (!document) return definitions;
  auto schedules = read_schedule_file(*document, {.default_timezone = options.schedule_timezone});
  if (!schedules) {
    for (const Problem& problem : schedules.error())
      definitions.faults.push_back(
          fault_at(file, document->position(problem.pointer),
                   problem.pointer.empty() ? problem.message : fmt::format("{}: {}", problem.pointer, problem.message),
                   problem.hint));
  }
  if (!definitions.faults.empty()) return definitions;
  for (ScheduleDocument& schedule : *schedules) {
    schedule.labels.insert_or_assign(std::string{managed_by_label}, managed_by_file(file));
    definitions.schedules.push_back({.file = file, .package = {}, .document = std::move(schedule)});
  }
  return definitions;
}

}  // namespace carillon::packages
