#pragma once

#include "base/error.hpp"

#include <memory>
#include <string_view>

namespace carillon::pipeline {

/// A regular expression as JavaScript reads it, as far as PCRE2 can. A search has bounds of time and memory, so that no
/// pattern, however hostile, holds up a run. Searches may be made from several threads at once.
class Pattern {
 public:
  enum class Letters { as_written, either_case };

  [[nodiscard]] static Result<Pattern> compile(std::string_view text, Letters letters = Letters::as_written);

  /// Whether it occurs anywhere in the text. Text that is not UTF-8 has no match; reaching a bound is an error.
  [[nodiscard]] Result<bool> occurs_in(std::string_view text) const;
  /// What its first group matches at its first occurrence; a null view if it does not occur.
  [[nodiscard]] Result<std::string_view> first_group(std::string_view text) const;

 private:
  struct Code;
  explicit Pattern(std::shared_ptr<const Code> code) : code_{std::move(code)} {}

  std::shared_ptr<const Code> code_;  // shared, because rules are copied as values
};

}  // namespace carillon::pipeline
