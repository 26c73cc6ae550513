#include "api/rest/parameters.hpp"

#include "base/duration_text.hpp"
#include "base/quoted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace carillon::rest {
namespace {

std::string camel_case(std::string_view name) {
  std::string camel;
  bool is_upper = false;
  for (const char c : name) {
    if (c == '_') {
      is_upper = true;
      continue;
    }
    camel += is_upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_upper = false;
  }
  return camel;
}

}  // namespace

std::optional<std::string> Parameters::text(std::string_view name) {
  const bool is_asked_again = std::ranges::find(known_, name) != known_.end();
  known_.emplace_back(name);
  std::optional<std::string> found;
  for (const auto& [key, value] : target_->query) {
    if (key != name && camel_case(key) != name) continue;
    if (found && !is_asked_again) fault(name, fmt::format("{} is given more than once", name), "give it once");
    if (!found) found = value;
  }
  return found;
}

std::vector<std::string> Parameters::texts(std::string_view name) {
  known_.emplace_back(name);
  std::vector<std::string> values;
  for (const auto& [key, value] : target_->query) {
    if (key != name && camel_case(key) != name) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      if (comma != 0) values.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  }
  return values;
}

std::optional<std::int64_t> Parameters::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::int64_t number = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, number);
  if (error == std::errc{} && stop == end && number >= min && number <= max) return number;
  fault(name, fmt::format("{} {} is not a whole number from {} to {}", name, quoted(*given), min, max));
  return std::nullopt;
}

bool Parameters::flag(std::string_view name) {
  const auto given = text(name);
  if (!given) return false;
  if (*given == "true" || *given == "1" || given->empty()) return true;
  if (*given != "false" && *given != "0")
    fault(name, fmt::format("{} {} is neither true nor false", name, quoted(*given)));
  return false;
}

std::optional<Instant> Parameters::instant(std::string_view name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto instant = parse_instant(*given);
  if (instant) return *instant;
  fault(name, fmt::format("{}: {}", name, instant.error().message), instant.error().hint);
  return std::nullopt;
}

std::optional<Duration> Parameters::duration(std::string_view name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto duration = parse_duration(*given);
  if (duration) return *duration;
  fault(name, fmt::format("{}: {}", name, duration.error().message), duration.error().hint);
  return std::nullopt;
}

void Parameters::fault(std::string_view name, std::string message, std::string hint) {
  problems_.push_back({.pointer = fmt::format("?{}", name),
                       .code = "invalid-parameter",
                       .message = std::move(message),
                       .hint = std::move(hint),
                       .position = {}});
}

Served<> Parameters::finish() {
  std::vector<std::string_view> words{known_.begin(), known_.end()};
  for (const auto& [key, value] : target_->query) {
    if (std::ranges::find(known_, camel_case(key)) != known_.end()) continue;
    const std::string_view near = nearest_word(key, words);
    fault(key.substr(0, 64), fmt::format("unknown parameter {}", quoted(key)),
          near.empty() ? "" : fmt::format("did you mean {}?", near));
  }
  if (problems_.empty()) return {};
  return std::unexpected(Refusal{std::move(problems_)});
}

}  // namespace carillon::rest
