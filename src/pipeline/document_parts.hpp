#pragma once

#include "document/reader.hpp"
#include "pipeline/pipeline.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

// The parts of a pipeline.yaml, each with its own file. They note faults in two lists: those that the original executor
// knew, with its words, and ours, which are reported after them.

struct PipelineProblems {
  Problems known;  // by the original executor's messages, in its order
  Problems ours;
};

/// An object of the document. Asking for a member makes it a known key.
struct Section {
  const boost::json::value& value;
  std::string pointer;
  ObjectReader reader;  // notes faults in `problems.ours`
  PipelineProblems& problems;

  Section(const boost::json::value& object, std::string place, PipelineProblems& noted)
      : value{object}, pointer{place}, reader{object, std::move(place), noted.ours}, problems{noted} {}

  /// The member as it stands, null values included; null pointer: left out.
  [[nodiscard]] const boost::json::value* find(std::string_view key);
  /// Notes a fault that the original executor knew, at a member or, if `key` is empty, at the object itself.
  void fault(std::string_view key, std::string_view code, std::string message, std::string hint = {});
};

[[nodiscard]] Input read_input(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] std::vector<Parameter> read_parameters(const boost::json::value& value, std::string pointer,
                                                     std::string_view name, PipelineProblems& problems);
[[nodiscard]] GeneratedSource read_generated(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] Map read_map(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] Reduce read_reduce(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] Job read_job(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] Filter read_filter(const boost::json::value& value, PipelineProblems& problems);
[[nodiscard]] PackageSchedule read_package_schedule(const boost::json::value& value, std::string_view default_timezone,
                                                    Problems& problems);

/// Where an Asking stands, for its messages.
struct AskingPlace {
  std::string_view name;       // map, reduce, job, ai
  std::string_view beginning;  // of its messages about prompts: `Pipeline config`, `Job config`
  std::string_view condition;  // ` when reduce.type is "ai"`
};
[[nodiscard]] Asking read_asking(Section& section, const AskingPlace& place);

/// A whole number of at least 1; a fault of ours if it is none.
[[nodiscard]] std::optional<std::int64_t> positive_integer(ObjectReader& reader, std::string_view key);

inline constexpr std::int64_t parallel_max = 1'000;
inline constexpr std::int64_t batch_size_max = 10'000;

}  // namespace carillon::pipeline
