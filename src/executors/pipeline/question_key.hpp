#pragma once

#include "pipeline/question.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

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
  // By the first bytes of the digest, since there is one for each question of the run. Questions that share them count
  // as equal here, which makes their numbers larger than they need be and nothing else.
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
};

}  // namespace carillon::pipeline
