#pragma once

#include "base/instant.hpp"
#include "document/reader.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// What a mock provider does with a question.
struct MockAnswer {
  std::string text;
  std::optional<std::string> error;  // it fails with this instead
  Duration delay{0};                 // how long it takes
  friend bool operator==(const MockAnswer&, const MockAnswer&) = default;
};

/// Answers by prompt, for trying out a pipeline without a provider:
///
///     exact: {"the whole prompt": "its answer"}
///     rules: [{contains: part of a prompt, answer: "…"}]
///     default: {error: rate limited}
///
/// An answer is a text, `{error: text}` or `{delayMs: n, answer: …}`.
class MockAnswers {
 public:
  [[nodiscard]] static Checked<MockAnswers> read(const boost::json::value& document);

  /// The answer of `exact` with that very prompt, else of the first rule whose text is part of it, else the default.
  /// Without a default, a prompt that nothing fits fails.
  [[nodiscard]] MockAnswer find(std::string_view prompt) const;

 private:
  struct Rule {
    std::string part;
    MockAnswer answer;
  };
  std::map<std::string, MockAnswer, std::less<>> exact_;
  std::vector<Rule> rules_;
  std::optional<MockAnswer> default_;
};

}  // namespace carillon::pipeline
