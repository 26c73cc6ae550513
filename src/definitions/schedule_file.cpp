#include "definitions/members.hpp"
#include "definitions/schedule_document.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// Ids are unique without case inside their namespace.
std::string key_of(const ScheduleDocument& schedule) {
  std::string key = schedule.name_space.text() + "/" + schedule.id.text();
  for (char& c : key) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return key;
}

/// The schedules of one file, as far as they are read.
class Reading {
 public:
  explicit Reading(const ReadOptions& options) : options_{options} {}

  void read(const json::value& document, const std::string& pointer) {
    auto schedule = read_schedule(document, options_, pointer);
    if (!schedule) {
      std::ranges::move(schedule.error(), std::back_inserter(problems));
      return;
    }
    const auto [other, is_new] = pointers_.try_emplace(key_of(*schedule), pointer);
    if (!is_new) note_duplicate(*schedule, pointer, other->second);
    schedules_.push_back(*std::move(schedule));
  }

  Checked<std::vector<ScheduleDocument>> result() && {
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return std::move(schedules_);
  }

  Problems problems;

 private:
  void note_duplicate(const ScheduleDocument& schedule, const std::string& pointer, const std::string& other) {
    problems.push_back({.pointer = pointer + "/id",
                        .code = "duplicate-id",
                        .message = fmt::format("the id {} is already used by {}", schedule.id.text(), other),
                        .hint = "give each schedule a different id; a difference in case is not enough",
                        .position = {}});
  }

  const ReadOptions& options_;
  std::vector<ScheduleDocument> schedules_;
  std::map<std::string, std::string> pointers_;
};

/// Adds a document to others: its schedules if it has a list of them, else itself.
void add_document(Document part, json::array& schedules, Document& whole) {
  json::object* const object = part.root.if_object();
  json::value* const list = object != nullptr && object->size() == 1 ? object->if_contains("schedules") : nullptr;
  const bool is_list = list != nullptr && list->is_array();
  constexpr std::string_view list_pointer = "/schedules/";
  for (auto& [pointer, position] : part.positions) {
    if (!is_list) {
      whole.positions.emplace(fmt::format("/schedules/{}{}", schedules.size(), pointer), position);
    } else if (pointer.starts_with(list_pointer)) {
      std::string_view rest = std::string_view{pointer}.substr(list_pointer.size());
      const std::string_view index = rest.substr(0, rest.find('/'));
      rest.remove_prefix(index.size());
      const std::size_t number = schedules.size() + static_cast<std::size_t>(std::stoull(std::string{index}));
      whole.positions.emplace(fmt::format("/schedules/{}{}", number, rest), position);
    }
  }
  if (!is_list) {
    schedules.push_back(std::move(part.root));
    return;
  }
  for (json::value& schedule : list->get_array()) schedules.push_back(std::move(schedule));
}

}  // namespace

ParsedScheduleText parse_schedule_text(std::string_view file_name, std::string_view text) {
  ParsedScheduleText parsed;
  std::vector<Result<Document>> parts;
  if (file_name.ends_with(".json"))
    parts.push_back(parse_document(file_name, text));
  else
    parts = parse_yaml_documents(text);
  if (parts.size() == 1 && parts.front()) {
    parsed.document = *std::move(parts.front());
    return parsed;
  }
  json::array schedules;
  Document whole;
  for (Result<Document>& part : parts) {
    if (part)
      add_document(*std::move(part), schedules, whole);
    else
      parsed.faults.push_back(std::move(part).error());
  }
  if (schedules.empty()) return parsed;
  whole.root = json::object{{"schedules", std::move(schedules)}};
  parsed.document = std::move(whole);
  return parsed;
}

Problem empty_file_problem() {
  return {.pointer = "",
          .code = "empty",
          .message = "the file is empty",
          .hint = "a schedule has id, spec and action; see an example: carillon init",
          .position = {}};
}

Checked<std::vector<ScheduleDocument>> read_schedule_file(const Document& file, const ReadOptions& options) {
  Reading reading{options};
  if (file.root.is_null()) {
    reading.problems.push_back(empty_file_problem());
    return std::move(reading).result();
  }
  const json::object* root = file.root.if_object();
  if (root == nullptr || !root->contains("schedules")) {
    reading.read(file.root, "");
    return std::move(reading).result();
  }
  ObjectReader reader{file.root, "", reading.problems};
  const json::array* list = list_within(reader, "schedules", file_schedule_count_max);
  reader.finish();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (reading.problems.size() >= file_problem_count_max) break;
    reading.read((*list)[i], fmt::format("/schedules/{}", i));
  }
  return std::move(reading).result();
}

}  // namespace carillon
