#pragma once

#include "pipeline/pipeline.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace carillon::pipeline {

/// What whoever starts a run changes in its document.
struct Overrides {
  std::vector<Parameter> parameters{};  // those of the same name are replaced, others are added
  std::optional<std::int64_t> limit{};  // of the input; a job has none
};

/// Writes them into a document, so that it is checked with them. What is no pipeline is left as it is.
void apply(const Overrides& overrides, boost::json::value& document);

}  // namespace carillon::pipeline
