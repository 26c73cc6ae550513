#include "pipeline/pipeline_document.hpp"

#include "definitions/members.hpp"
#include "pipeline/document_parts.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> compat_words{"strict", "lenient"};
constexpr std::int64_t count_max = std::numeric_limits<std::int64_t>::max();
constexpr double cost_max = 1e12;

std::optional<double> percentage_in(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || percent < 0 || percent > 100) return std::nullopt;
  return percent;
}

Tolerance read_tolerance(Section& section) {
  Tolerance tolerance;
  const json::value* value = section.reader.member("tolerate");
  if (value == nullptr) return tolerance;
  if (const auto* text = value->if_string()) {
    tolerance.percent = percentage_in(*text);
    if (!tolerance.percent)
      section.reader.problem("tolerate", "invalid-share", "tolerate is neither a number of items nor a percentage",
                             "write tolerate: 3 or tolerate: \"5%\"");
    return tolerance;
  }
  tolerance.count = integer_within(section.reader, "tolerate", 0, count_max).value_or(0);
  return tolerance;
}

Budget read_budget(Section& section) {
  const json::value* value = section.reader.member("budget");
  if (value == nullptr) return {};
  ObjectReader reader{*value, section.reader.pointer("budget"), section.problems.ours};
  Budget budget;
  budget.calls = integer_within(reader, "maxCalls", 0, count_max);
  budget.tokens = integer_within(reader, "maxTokens", 0, count_max);
  budget.cost = number_within(reader, "maxCost", 0, cost_max);
  reader.finish();
  return budget;
}

/// A run of zero questions at a time would never end.
void read_parallel(const json::value& map, Map& result, PipelineProblems& problems) {
  const json::object* object = map.if_object();
  const json::value* parallel = object == nullptr ? nullptr : object->if_contains("parallel");
  if (parallel == nullptr || parallel->is_null()) return;
  Section section{map, "/map", problems};
  if (parallel->is_number() && number_of(*parallel) < 1)
    return section.fault("parallel", "out-of-range", "maxConcurrency must be at least 1", "write parallel: 5");
  result.parallel = integer_within(section.reader, "parallel", 1, parallel_max).value_or(result.parallel);
}

/// What can be seen without files: whether the first of inline items has the fields of an inline prompt.
void check_inline_items(const MapReduce& work, PipelineProblems& problems) {
  const auto* items = std::get_if<std::vector<Item>>(&work.input.source);
  const bool has_files = work.map.asking.prompt.is_file || work.map.asking.skill.has_value();
  if (items == nullptr || items->empty() || work.input.limit == 0 || has_files) return;
  const auto checked = check_first_item(work.map, {.prompt = work.map.asking.prompt.text, .skill = {}},
                                        with_parameters(items->front(), work.input.parameters));
  if (checked) return;
  problems.known.push_back({.pointer = "/map/prompt",
                            .code = "missing-field",
                            .message = checked.error().message,
                            .hint = checked.error().hint,
                            .position = {}});
}

MapReduce read_map_reduce(Section& section) {
  PipelineProblems& problems = section.problems;
  const json::value* input = section.find("input");
  const json::value* filter = section.find("filter");
  const json::value* map = section.find("map");
  const json::value* reduce = section.find("reduce");
  MapReduce work;
  const auto missing = [&](std::string_view key) {
    section.fault("", "missing", fmt::format("Pipeline config missing \"{}\"", key));
  };
  if (is_truthy(input)) {
    work.input = read_input(*input, problems);
  } else {
    missing("input");
  }
  if (is_truthy(map)) {
    work.map = read_map(*map, problems);
  } else {
    missing("map");
  }
  if (is_truthy(reduce)) {
    work.reduce = read_reduce(*reduce, problems);
  } else {
    missing("reduce");
  }
  if (problems.known.empty() && problems.ours.empty()) check_inline_items(work, problems);
  if (is_truthy(filter)) work.filter = read_filter(*filter, problems);
  if (is_truthy(map)) read_parallel(*map, work.map, problems);
  return work;
}

Job read_job_work(Section& section, const json::value& value) {
  Job job = read_job(value, section.problems);
  if (const json::value* parameters = section.find("parameters"); is_truthy(parameters))
    job.parameters = read_parameters(*parameters, "/parameters", "parameters", section.problems);
  const bool has_files = job.asking.prompt.is_file || job.asking.skill.has_value();
  if (!section.problems.known.empty() || has_files) return job;
  if (const auto question = ask_job(job, {.prompt = job.asking.prompt.text, .skill = {}}); !question)
    section.problems.known.push_back({.pointer = "/job/prompt",
                                      .code = "missing-field",
                                      .message = question.error().message,
                                      .hint = question.error().hint,
                                      .position = {}});
  return job;
}

std::variant<MapReduce, Job> read_work(Section& section) {
  const json::value* job = section.find("job");
  if (is_truthy(job) && is_truthy(section.find("map"))) {
    section.fault("job", "both-given", "Cannot use `job` and `map` in the same pipeline", "leave one of them out");
    return Job{};
  }
  if (is_truthy(job)) return read_job_work(section, *job);
  return read_map_reduce(section);
}

std::string read_name(Section& section) {
  if (!is_truthy(section.find("name")))
    section.fault("", "missing", "Pipeline config missing \"name\"", "write name: at the top");
  return std::string{section.reader.text("name").value_or("")};
}

}  // namespace

Checked<Pipeline> read_pipeline(const Document& document, std::string_view default_timezone) {
  PipelineProblems problems;
  const json::value empty = json::object{};
  Section section{document.root.is_null() ? empty : document.root, "", problems};
  Pipeline pipeline;
  if (section.value.is_object()) {
    pipeline.name = read_name(section);
    pipeline.work = read_work(section);
    pipeline.description = section.reader.text("description").value_or("");
    if (const auto folder = section.reader.text("workingDirectory")) pipeline.working_directory = std::string{*folder};
    if (const json::value* schedule = section.reader.member("schedule"))
      pipeline.schedule = read_package_schedule(*schedule, default_timezone, problems.ours);
    pipeline.tolerate = read_tolerance(section);
    pipeline.budget = read_budget(section);
    pipeline.is_lenient = section.reader.word("compat", compat_words).value_or(0) == 1;
    for (const std::string_view key : {"input", "filter", "map", "reduce", "job", "parameters"})
      static_cast<void>(section.reader.member(key));
    section.reader.finish();
  }
  std::ranges::move(problems.ours, std::back_inserter(problems.known));
  if (!problems.known.empty()) return std::unexpected(std::move(problems.known));
  return pipeline;
}

std::expected<Pipeline, std::vector<FileFault>> read_pipeline_text(std::string_view file, std::string_view text,
                                                                   std::string_view default_timezone) {
  const auto document = parse_document(file, text);
  if (!document) {
    const Error& error = document.error();
    return std::unexpected(std::vector{FileFault{.file = std::string{file},
                                                 .position = position_of(text, error.position.value_or(0)),
                                                 .code = std::string{error.rule},
                                                 .message = error.message,
                                                 .hint = error.hint}});
  }
  auto pipeline = read_pipeline(*document, default_timezone);
  if (pipeline) return *std::move(pipeline);
  std::vector<FileFault> faults;
  for (Problem& problem : pipeline.error())
    faults.push_back({.file = std::string{file},
                      .position = document->position(problem.pointer),
                      .code = std::string{problem.code},
                      .message = std::move(problem.message),
                      .hint = std::move(problem.hint)});
  return std::unexpected(std::move(faults));
}

}  // namespace carillon::pipeline
