#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Reads the fields out of one answer: from its first JSON block, from the JSON in it, or from lines `key: value`;
/// small faults (single quotes, bare keys, trailing commas) are repaired. A missing field is null, others are dropped.
/// Texts stay texts and prose is not guessed from unless `is_lenient`. An error tells what the answer was instead.
[[nodiscard]] Result<boost::json::object> read_answer(std::string_view answer, std::span<const std::string> fields,
                                                      bool is_lenient);

/// Reads the answer to a batch: from the first `[` through the last `]`, as it stands. As many objects as it had items,
/// in their order; an element that is no object is an error of that item alone.
[[nodiscard]] Result<std::vector<Result<boost::json::object>>> read_batch_answer(std::string_view answer,
                                                                                 std::span<const std::string> fields,
                                                                                 std::size_t count);

/// Reads the answer to a job: from the first `{` through the last `}`, as it stands.
[[nodiscard]] Result<boost::json::object> read_job_answer(std::string_view answer, std::span<const std::string> fields);

/// Reads generated items; each has all fields of the schema, as texts.
[[nodiscard]] Result<std::vector<Item>> read_generated_items(std::string_view answer,
                                                             std::span<const std::string> schema);

/// The JSON in an answer, as text that may still need a repair: lines `key: value` are turned into JSON. None if there
/// is nothing of the kind.
[[nodiscard]] std::optional<std::string> json_in_answer(std::string_view answer);

}  // namespace carillon::pipeline
