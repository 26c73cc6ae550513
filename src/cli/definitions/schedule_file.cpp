#include "cli/definitions/schedule_file.hpp"

#include "cli/command_line/failure.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace carillon {

namespace {

namespace json = boost::json;

std::unexpected<Error> unreadable(std::string_view path, std::string_view reason) {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = fmt::format("{} cannot be read: {}", printable(path, 120), reason),
                               .hint = "a YAML or JSON file with a spec or a schedule, or - for standard input",
                               .rule = "unreadable-file",
                               .position = {},
                               .context = {}});
}

std::unexpected<Error> too_large(std::string_view path) {
  return unreadable(path, fmt::format("it is larger than {} MiB", document_size_max / (1024 * 1024)));
}

/// Fills a text from `read(span) -> Result<size_t>` until it gives nothing more.
template <typename Read>
Result<std::string> read_all(std::string_view path, Read read) {
  std::string text;
  for (;;) {
    const std::size_t length = text.size();
    text.resize(length + 64 * 1024);
    const std::size_t added = TRY(read(std::span{text}.subspan(length)));
    text.resize(length + added);
    if (added == 0) return text;
    if (text.size() > document_size_max) return too_large(path);
  }
}

Result<std::string> read_standard_input(Console& console) {
  return read_all("standard input", [&console](std::span<char> buffer) { return console.read(buffer); });
}

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, "it is a folder");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rbe"), &std::fclose};
  if (!file) return unreadable(path, std::strerror(errno));
  return read_all(path, [&](std::span<char> buffer) -> Result<std::size_t> {
    const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (length == 0 && std::ferror(file.get()) != 0) return unreadable(path, std::strerror(errno));
    return length;
  });
}

std::string text_member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

/// Where the spec of one schedule document is. A document without `spec` is taken for the spec itself.
SpecPlace place_of(const json::value& value, std::string pointer) {
  const json::object* object = value.if_object();
  if (object == nullptr || !object->contains("spec")) {
    return {.pointer = std::move(pointer), .id = {}, .seed = "default-", .created_at = {}};
  }
  const std::string id = text_member(*object, "id");
  const std::string name_space = text_member(*object, "namespace");
  const auto created_at = parse_instant(text_member(*object, "createdAt"));
  return {.pointer = pointer + "/spec",
          .id = id,
          .seed = fmt::format("{}-{}", name_space.empty() ? "default" : name_space, id),
          .created_at = created_at ? std::optional{*created_at} : std::nullopt};
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

Result<std::string> read_text(const std::string& path, Console& console) {
  return path == "-" ? read_standard_input(console) : read_file(path);
}

Result<ScheduleFile> parse_schedule_file(std::string name, std::string_view text) {
  auto document = parse_document(name, text);
  if (!document) return std::unexpected(shown_in_file(std::move(document).error(), name, text));
  std::vector<SpecPlace> specs = specs_in(document->root);
  return ScheduleFile{.name = std::move(name), .document = *std::move(document), .specs = std::move(specs)};
}

Error to_error(const ScheduleFile& file, const Problems& problems) {
  const Problem& problem = problems.front();
  Error error = to_error(problems);
  const json::value& value = file.value(problem.pointer);
  if (value.is_string()) error = shown_in(std::move(error), value.get_string());
  error.context.push_back("in " + file.place(problem.pointer));
  return error;
}

}  // namespace carillon
