#include "cli/user_definitions/parsed_schedule_file.hpp"

#include "calendar/spec_document.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/printable.hpp"
#include "definitions/schedule_document.hpp"
#include "definitions/short_form.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace carillon::cli {

namespace {

namespace json = boost::json;

std::string text_member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

SpecPlace place_of(const json::value& value, std::string pointer) {
  const json::object* object = value.if_object();
  if (object == nullptr || !is_schedule(*object))
    return {.pointer = std::move(pointer), .id = {}, .seed = "default-", .created_at = {}};
  const std::string id = text_member(*object, "id");
  const std::string name_space = text_member(*object, "namespace");
  const auto created_at = parse_instant(text_member(*object, "createdAt"));
  return {.pointer = std::move(pointer),
          .is_schedule = true,
          .id = id,
          .seed = fmt::format("{}-{}", name_space.empty() ? "default" : name_space, id),
          .created_at = created_at ? std::optional{*created_at} : std::nullopt};
}

/// What a question about time does not need, so that it may be left out.
json::value with_id_and_action(json::value document) {
  static constexpr std::array<std::string_view, 7> actions{"action",   "command",    "url",        "jobType",
                                                           "job_type", "workflowId", "workflow_id"};
  json::object& members = document.get_object();
  if (!members.contains("id") && !members.contains("name")) members["id"] = "unnamed";
  if (std::ranges::none_of(actions, [&](std::string_view key) { return members.contains(key); }))
    members["jobType"] = "unnamed";
  return document;
}

std::vector<SpecPlace> specs_in(const json::value& root) {
  const json::object* object = root.if_object();
  const json::value* list = object == nullptr ? nullptr : object->if_contains("schedules");
  if (list == nullptr || !list->is_array()) return {place_of(root, "")};
  std::vector<SpecPlace> places;
  for (const json::value& schedule : list->get_array()) {
    places.push_back(place_of(schedule, fmt::format("/schedules/{}", places.size())));
  }
  return places;
}

/// The fault of a text that is no document, with its place and, failing better advice, with what a document looks like.
Error shown_in_file(Error error, std::string_view name, std::string_view text) {
  std::string place = fmt::format("in {}", name);
  if (error.position) {
    const Position at = position_of(text, *error.position);
    place += fmt::format(":{}:{}", at.line, at.column);
  }
  error.context.push_back(std::move(place));
  if (error.hint.empty()) {
    error.hint = name.ends_with(".json") ? R"(for example {"cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"})"
                                         : R"(for example {cron: "0 9 * * 1-5", timezone: Europe/Berlin})";
  }
  return error;
}

}  // namespace

const json::value& ScheduleFile::value(std::string_view pointer) const {
  boost::system::error_code error;
  const json::value* found = document.root.find_pointer(pointer, error);
  return found == nullptr ? document.root : *found;
}

std::string ScheduleFile::place(std::string_view pointer) const {
  const Position position = document.position(pointer);
  return position.line == 0 ? name : fmt::format("{}:{}:{}", name, position.line, position.column);
}

Result<ScheduleFile> parse_schedule_file(std::string name, std::string_view text) {
  auto [document, faults] = parse_schedule_text(name, text);
  if (!faults.empty()) return std::unexpected(shown_in_file(std::move(faults.front()), name, text));
  std::vector<SpecPlace> specs = specs_in(document->root);
  return ScheduleFile{.name = std::move(name), .document = *std::move(document), .specs = std::move(specs)};
}

Checked<Spec> read_spec_at(const ScheduleFile& file, const SpecPlace& place, std::string_view default_timezone) {
  if (!place.is_schedule) return read_spec(file.value(place.pointer), default_timezone, place.pointer);
  auto schedule = read_schedule(with_id_and_action(file.value(place.pointer)),
                                {.default_timezone = default_timezone, .ignore_read_only = true}, place.pointer);
  if (!schedule) return std::unexpected(std::move(schedule).error());
  return std::move(schedule->spec);
}

std::string pointer_in_file(const ScheduleFile& file, const SpecPlace& place, std::string_view pointer_in_spec) {
  if (!place.is_schedule) return place.pointer + std::string{pointer_in_spec};
  Problems ignored;
  const LongForm form = to_long_form(file.value(place.pointer).get_object(), place.pointer, ignored);
  return place.pointer + form.as_written("/spec" + std::string{pointer_in_spec});
}

Error to_error(const ScheduleFile& file, const Problems& problems) {
  const Problem& problem = problems.front();
  Error error = to_error(problems);
  const json::value& value = file.value(problem.pointer);
  if (value.is_string()) error = shown_in(std::move(error), value.get_string());
  error.context.push_back("in " + file.place(problem.pointer));
  return error;
}

}  // namespace carillon::cli
