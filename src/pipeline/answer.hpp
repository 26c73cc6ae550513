#pragma once

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
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

/// Reads the answer to a batch: as many objects as it had items, in their order.
[[nodiscard]] Result<std::vector<boost::json::object>> read_batch_answer(std::string_view answer,
                                                                         std::span<const std::string> fields,
                                                                         std::size_t count);

/// Reads the answer to a job: from the first `{` through the last `}`, as it stands.
[[nodiscard]] Result<boost::json::object> read_job_answer(std::string_view answer, std::span<const std::string> fields);

/// Reads generated items; each has all fields of the schema.
[[nodiscard]] Result<std::vector<Item>> read_generated_items(std::string_view answer,
                                                             std::span<const std::string> schema);

}  // namespace carillon::pipeline
