#pragma once

#include "api/http/request_target.hpp"
#include "base/instant.hpp"
#include "base/quoted.hpp"
#include "definitions/words.hpp"
#include "service/refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// The query of a request, read by name; every fault is noted. Names are camelCase, snake_case is accepted too. What
/// nobody asked for is a fault: a filter that is spelled wrong must not answer with everything.
class Parameters {
 public:
  explicit Parameters(const http::Target& target) : target_{&target} {}

  [[nodiscard]] std::optional<std::string> text(std::string_view name);
  /// All values of that name, and what stands between commas in them.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name);
  /// The same, each one a word of the enum.
  template <Worded Enum>
  [[nodiscard]] std::vector<Enum> words(std::string_view name) {
    std::vector<Enum> values;
    for (const std::string& word : texts(name)) {
      const auto value = parse_word<Enum>(word);
      if (value)
        values.push_back(*value);
      else
        fault(name, fmt::format("unknown {} {}", name, carillon::quoted(word)),
              fmt::format("one of {}", fmt::join(words_of<Enum>(), ", ")));
    }
    return values;
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
  [[nodiscard]] bool flag(std::string_view name);
  [[nodiscard]] std::optional<Instant> instant(std::string_view name);
  [[nodiscard]] std::optional<Duration> duration(std::string_view name);

  void fault(std::string_view name, std::string message, std::string hint = {});
  /// Refuses if anything was wrong or left over.
  [[nodiscard]] Served<> finish();

 private:
  const http::Target* target_;
  std::vector<std::string> known_;
  Problems problems_;
};

}  // namespace carillon::rest
