#include "definitions/members.hpp"
#include "pipeline/document_parts.hpp"
#include "pipeline/javascript.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

/// In the order in which the message names them.
constexpr std::array<std::string_view, 6> reduce_words{"list", "table", "json", "csv", "ai", "text"};
constexpr std::array<ReduceType, 6> reduce_types{ReduceType::list, ReduceType::table, ReduceType::json,
                                                 ReduceType::csv,  ReduceType::ai,    ReduceType::text};

std::optional<double> number_in_member(const json::value& value) {
  if (value.is_number()) return number_of(value);
  return std::nullopt;
}

std::int64_t read_batch_size(Section& section) {
  const json::value* value = section.find("batchSize");
  if (value == nullptr) return 1;
  const auto number = number_in_member(*value);
  if (!number || std::trunc(*number) != *number) {
    section.fault("batchSize", "wrong-type", "Pipeline config \"map.batchSize\" must be a positive integer");
  } else if (*number < 1) {
    section.fault("batchSize", "out-of-range", "Pipeline config \"map.batchSize\" must be at least 1");
  } else {
    return integer_within(section.reader, "batchSize", 1, batch_size_max).value_or(1);
  }
  return 1;
}

/// The type's index; faults name what stands there, and `undefined` if nothing does.
std::optional<std::size_t> read_reduce_type(Section& section) {
  const json::value* type = section.find("type");
  if (type != nullptr && type->is_string()) {
    const auto found = std::ranges::find(reduce_words, std::string_view{type->get_string()});
    if (found != reduce_words.end()) return static_cast<std::size_t>(found - reduce_words.begin());
  }
  section.fault(type == nullptr ? "" : "type", "invalid-word",
                fmt::format("Unsupported reduce type: {}. Supported types: {}",
                            type == nullptr ? "undefined" : string_of(*type), fmt::join(reduce_words, ", ")));
  return std::nullopt;
}

}  // namespace

Map read_map(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/map", problems};
  Map map;
  map.asking = read_asking(section, {.name = "map", .beginning = "Pipeline config", .condition = ""});
  map.batch_size = read_batch_size(section);
  static_cast<void>(section.find("parallel"));  // read_parallel reports it in its turn
  section.reader.finish();
  return map;
}

Reduce read_reduce(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/reduce", problems};
  Reduce reduce;
  const auto type = read_reduce_type(section);
  if (type) reduce.type = reduce_types[*type];
  if (reduce.type == ReduceType::ai) {
    reduce.asking = read_asking(
        section, {.name = "reduce", .beginning = "Pipeline config", .condition = " when reduce.type is \"ai\""});
  } else {
    // What other types do not need is known nevertheless, so that a type can be tried out.
    for (const std::string_view key :
         {"prompt", "promptFile", "skill", "output", "model", "provider", "timeoutMs", "correct"})
      static_cast<void>(section.find(key));
  }
  section.reader.finish();
  return reduce;
}

Job read_job(const json::value& value, PipelineProblems& problems) {
  Section section{value, "/job", problems};
  Job job;
  job.asking = read_asking(section, {.name = "job", .beginning = "Job config", .condition = ""});
  section.reader.finish();
  return job;
}

}  // namespace carillon::pipeline
