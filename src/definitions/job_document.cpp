#include "base/ids.hpp"
#include "base/quoted.hpp"
#include "definitions/action_document.hpp"
#include "definitions/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::int64_t priority_max = 100;
constexpr std::string_view priority_hint = "write high, normal, low, or a whole number from -100 to 100";

struct PriorityWord {
  std::string_view word;
  std::int64_t priority;
};

constexpr std::array<PriorityWord, 3> priority_words{
    {{"high", priority_high}, {"normal", priority_normal}, {"low", priority_low}}};

std::string lower_case_name(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::optional<std::int64_t> priority_in(ObjectReader& reader, std::string_view text) {
  const auto found = std::ranges::find(priority_words, lower_case_name(text), &PriorityWord::word);
  if (found != priority_words.end()) return found->priority;
  reader.problem("priority", "invalid-word", fmt::format("{} is not a priority", quoted(text)),
                 std::string{priority_hint});
  return std::nullopt;
}

std::optional<std::int64_t> read_priority(ObjectReader& reader) {
  const json::value* value = reader.member("priority");
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return priority_in(reader, value->get_string());
  return integer_within(reader, "priority", -priority_max, priority_max);
}

json::value write_priority(std::int64_t priority) {
  const auto found = std::ranges::find(priority_words, priority, &PriorityWord::priority);
  return found == priority_words.end() ? json::value(priority) : json::value(found->word);
}

void read_type(ObjectReader& reader, JobAction& job) {
  const auto type = text_within(reader, "type", {.length_min = 1, .length_max = job_type_length_max});
  if (!type) return;
  if (type->contains(' '))
    reader.problem("type", "invalid-name", fmt::format("{} has a space", quoted(*type)),
                   "write it like report.generate");
  job.type = *type;
}

void read_queue(ObjectReader& reader, JobAction& job) {
  const auto queue = reader.text("queue");
  if (!queue) return;
  if (!is_id_text(*queue)) reader.problem("queue", detail::bad_id("queue", *queue));
  job.queue = *queue;
}

/// Whether a path stays below the folder it starts from.
bool is_inside(std::string_view path) {
  if (path.starts_with('/') || path.contains('\\')) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

JobAction read_job(const json::value& document, std::string pointer, Problems& problems) {
  JobAction job;
  ObjectReader reader{document, std::move(pointer), problems};
  read_type(reader, job);
  require(reader, document, "type", "a job needs type", "write type: report.generate");
  if (auto payload = json_within(reader, "payload")) job.payload = *std::move(payload);
  job.priority = read_priority(reader).value_or(job.priority);
  read_queue(reader, job);
  reader.finish();
  return job;
}

PipelineAction read_pipeline(const json::value& document, std::string pointer, Problems& problems) {
  PipelineAction pipeline;
  ObjectReader reader{document, std::move(pointer), problems};
  const auto path = text_within(reader, "path", {.length_min = 1, .length_max = path_length_max});
  require(reader, document, "path", "a pipeline needs path", "write path: daily-report");
  if (path && !is_inside(*path))
    reader.problem("path", "invalid-path", fmt::format("{} leaves the pipelines folder", quoted(*path)),
                   "write a relative path with '/' and without '..'");
  pipeline.path = path.value_or("");
  reader.finish();
  return pipeline;
}

json::object write(const JobAction& action) {
  return {{"type", action.type},
          {"payload", action.payload},
          {"priority", write_priority(action.priority)},
          {"queue", action.queue}};
}

json::object write(const PipelineAction& action) { return {{"path", action.path}}; }

}  // namespace carillon
