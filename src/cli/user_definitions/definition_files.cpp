#include "cli/user_definitions/definition_files.hpp"

#include "calendar/timetable.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/input_text.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/parsed_schedule_file.hpp"
#include "definitions/schedule_document.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace carillon::cli {

namespace {

namespace filesystem = std::filesystem;
namespace json = boost::json;

constexpr std::string_view standard_input = "-";

bool is_folder(const std::string& target) {
  std::error_code ignored;
  return filesystem::is_directory(target, ignored);
}

bool is_document(const filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

/// Names that begin with a dot are editors' and version control's own.
Result<std::vector<std::string>> documents_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (filesystem::recursive_directory_iterator entry{folder, error}, end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().native().starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(ignored) && is_document(entry->path()))
      names.push_back(entry->path().string());
  }
  // What cannot be read might hold a schedule, and --prune deletes what no file holds.
  if (error) return fail(ErrorCode::invalid_argument, "cannot read {}: {}", printable(folder), error.message());
  std::ranges::sort(names);
  return names;
}

std::string without_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string text_in(const json::object& object, std::string_view key) {
  const json::value* member = object.if_contains(key);
  return member != nullptr && member->is_string() ? std::string{member->get_string()} : std::string{};
}

class Reading {
 public:
  explicit Reading(Session& session) : session_{session} {}

  void read_file(const std::string& path) {
    const auto text = read_text(path, session_.console);
    if (text) return read(path == standard_input ? "standard input" : path, *text);
    ++files.faults.file_count;
    files.faults.add(LintPlace{.file = path, .text = {}, .position = {}}, text.error());
  }

  void read(const std::string& name, std::string_view text) {
    ++files.faults.file_count;
    auto [document, faults] = parse_schedule_text(name, text);
    for (const Error& fault : faults)
      files.faults.add_unreadable({.file = name, .text = {}, .position = {}}, text, fault);
    if (!document) return;
    const ScheduleFile file{.name = name, .document = *std::move(document), .specs = {}};
    const json::object* root = file.document.root.if_object();
    const json::value* list = root == nullptr ? nullptr : root->if_contains("schedules");
    const auto schedules = read_schedule_file(file.document);
    if (!schedules) {
      for (const Problem& problem : schedules.error()) files.faults.add(place_of(file, problem.pointer), problem);
      return;
    }
    for (std::size_t i = 0; i < schedules->size(); ++i)
      take(file, (*schedules)[i], list == nullptr ? "" : fmt::format("/schedules/{}", i));
  }

  DefinitionFiles files{};

 private:
  static LintPlace place_of(const ScheduleFile& file, std::string_view pointer) {
    return {.file = file.name, .text = {}, .position = file.document.position(pointer)};
  }

  void take(const ScheduleFile& file, const ScheduleDocument& schedule, const std::string& pointer) {
    const json::object& body = file.value(pointer).get_object();
    check_spec(file, schedule.spec, body, pointer);
    DefinedSchedule defined{
        .id = schedule.id.text(), .name_space = text_in(body, "namespace"), .body = body, .place = file.place(pointer)};
    const auto [other, is_new] =
        places_.try_emplace(without_case(defined.name_space + '/' + defined.id), defined.place);
    if (!is_new)
      files.faults.add(place_of(file, pointer),
                       Problem{.pointer = pointer,
                               .code = "duplicate-id",
                               .message = fmt::format("the id {} is already used by {}", defined.id, other->second),
                               .hint = "give each schedule a different id; a difference in case is not enough",
                               .position = {}});
    files.schedules.push_back(std::move(defined));
  }

  void check_spec(const ScheduleFile& file, const Spec& spec, const json::object& body, const std::string& pointer) {
    const std::string place = pointer + (body.contains("spec") ? "/spec" : "");
    const auto zone = session_.zones.zone(spec.timezone);
    if (!zone) return files.faults.add(place_of(file, place + "/timezone"), zone.error());
    if (const auto made = Timetable::make(spec, *zone, session_.now); !made)
      files.faults.add(place_of(file, place), made.error());
  }

  Session& session_;
  std::map<std::string, std::string> places_;
};

}  // namespace

Result<DefinitionFiles> read_definitions(const std::vector<std::string>& targets, Session& session) {
  if (targets.empty())
    return std::unexpected(usage_error("no files given", "give schedule files or folders, or - for standard input"));
  std::vector<std::string> names;
  for (const std::string& target : targets) {
    if (!is_folder(target)) {
      names.push_back(target);
      continue;
    }
    const auto found = TRY(documents_in(target));
    if (found.empty())
      return std::unexpected(usage_error(fmt::format("{} contains no schedule files", printable(target)),
                                         "schedule files end in .yaml, .yml or .json"));
    names.insert(names.end(), found.begin(), found.end());
  }
  Reading reading{session};
  for (const std::string& name : names) reading.read_file(name);
  return std::move(reading.files);
}

DefinitionFiles read_definition_text(const std::string& name, std::string_view text, Session& session) {
  Reading reading{session};
  reading.read(name, text);
  return std::move(reading.files);
}

void print_faults(const DefinitionFiles& files, Session& session) {
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  session.console.write_error(paint.signs(files.faults.text(paint)));
}

}  // namespace carillon::cli
