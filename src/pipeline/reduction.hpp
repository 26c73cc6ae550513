#pragma once

#include "pipeline/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// Goes through all results in the order of the input; may be called several times. So that results need not be held in
/// memory.
using EachResult = std::function<void(const std::function<void(const ItemResult&)>&)>;

/// Takes the output of a reduction piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Writes the results in one of the forms that need no provider. What machines read (json, csv) is never cut; lists and
/// maps in csv are JSON. Long texts in list and table are cut with `...`, by characters; pipes and line breaks in a
/// table are escaped.
void format(ReduceType type, const EachResult& each, const Counts& counts, const Sink& sink);

/// The successful outputs, or texts, as an indented JSON list: what an AI reduction is given.
[[nodiscard]] std::string results_for_reduction(const EachResult& each);

}  // namespace carillon::pipeline
