#pragma once

#include "pipeline/question.hpp"

#include <string>
#include <utility>
#include <vector>

namespace carillon::pipeline {

/// A question of a test.
inline Question a_question(std::string prompt, std::string model = {}, std::vector<std::string> fields = {}) {
  return {.prompt = std::move(prompt), .model = std::move(model), .fields = std::move(fields), .is_batch = false};
}

}  // namespace carillon::pipeline
