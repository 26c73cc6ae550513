#pragma once

#include "pipeline/question.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace carillon::pipeline {

/// Names a question by what it is, so that its answer is found again in a later attempt, whatever came before it: a
/// digest of provider, model, schema and prompt, and how many equal questions of the run came before.
struct QuestionKey {
  std::string digest;  // 64 hexadecimal digits
  std::uint64_t number = 0;
  friend auto operator<=>(const QuestionKey&, const QuestionKey&) = default;
};

/// Gives the questions of one run their keys. It must be given them in the same order in every attempt. One thread's.
class QuestionKeys {
 public:
  [[nodiscard]] QuestionKey key_of(std::string_view provider, const Question& question);

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;  // by digest in bytes
};

}  // namespace carillon::pipeline
