#include "document/reader.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serializer.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

/// As many members as most objects have.
constexpr std::size_t known_count_usual = 16;
constexpr std::size_t asked_count_max = 64;

/// A value as a message shows it: the beginning of its JSON.
std::string shown(const json::value& value) {
  if (const auto* text = value.if_string()) return quoted(*text);
  std::array<char, quoted_length_max> buffer;
  json::serializer serializer;
  serializer.reset(&value);
  const std::string_view begin = serializer.read(buffer.data(), buffer.size());
  if (serializer.done()) return std::string{begin};
  const std::size_t whole = find_malformed_utf8(begin).value_or(begin.size());
  return std::string{begin.substr(0, whole)} + "…";
}

std::string_view kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "a number";
    case json::kind::string: return "text";
    case json::kind::array: return "a list";
    case json::kind::object: return "an object";
  }
  return "nothing";
}

std::string wrong_type(std::string_view expected, const json::value& value) {
  if (value.is_null()) return fmt::format("expected {}, not null", expected);
  return fmt::format("expected {}, not {} {}", expected, kind_of(value), shown(value));
}

/// Numbers written as 3.0 or 1e3 are integers too.
std::optional<std::int64_t> whole_number(double number) {
  constexpr double exact_max = 9007199254740992.0;  // 2^53
  if (std::trunc(number) != number || std::abs(number) > exact_max) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> integer_in(const json::value& value) {
  if (const auto* number = value.if_int64()) return *number;
  if (const auto* number = value.if_uint64(); number != nullptr && *number <= INT64_MAX)
    return static_cast<std::int64_t>(*number);
  if (const auto* number = value.if_double()) return whole_number(*number);
  return std::nullopt;
}

std::string word_list(std::span<const std::string_view> words) {
  return fmt::format("use one of: {}", fmt::join(words, ", "));
}

}  // namespace

ObjectReader::ObjectReader(const json::value& value, std::string pointer, Problems& problems)
    : object_{value.if_object()}, pointer_{std::move(pointer)}, problems_{problems} {
  known_.reserve(known_count_usual);
  if (object_ == nullptr)
    problems_.push_back({.pointer = pointer_,
                         .code = "not-an-object",
                         .message = wrong_type("an object", value),
                         .hint = "write it as keys with values",
                         .position = {}});
}

// What we have written ourselves stands in the order in which it is read: then nothing is searched.
const json::value* ObjectReader::find(std::string_view key) {
  if (object_ == nullptr) return nullptr;
  const auto guess = object_->begin() + static_cast<std::ptrdiff_t>(std::min(expected_, object_->size()));
  const auto found = guess != object_->end() && guess->key() == key ? guess : object_->find(key);
  if (found == object_->end()) return nullptr;
  const auto place = static_cast<std::size_t>(found - object_->begin());
  if (place < asked_count_max) asked_ |= std::uint64_t{1} << place;
  expected_ = place + 1;
  return &found->value();
}

const json::value* ObjectReader::member(std::string_view key) {
  known_.push_back(key);
  const json::value* value = find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string_view> ObjectReader::text(std::string_view key) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = value->if_string()) return *text;
  problem(key, "wrong-type", wrong_type("text", *value), "put it in quotes");
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view key) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  const auto number = integer_in(*value);
  if (!number) problem(key, "wrong-type", wrong_type("a whole number", *value), "write it with digits only, like 5");
  return number;
}

std::optional<bool> ObjectReader::boolean(std::string_view key) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* truth = value->if_bool()) return *truth;
  problem(key, "wrong-type", wrong_type("true or false", *value), "write true or false, without quotes");
  return std::nullopt;
}

std::optional<Duration> ObjectReader::duration(std::string_view key) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  const auto* text = value->if_string();
  if (text == nullptr) {
    problem(key, "wrong-type", wrong_type("a duration", *value), "write it as text with a unit, like 90s or 1h30m");
    return std::nullopt;
  }
  const auto duration = parse_duration(*text);
  if (duration) return *duration;
  problem(key, duration.error());
  return std::nullopt;
}

std::optional<Instant> ObjectReader::instant(std::string_view key) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  const auto* text = value->if_string();
  if (text == nullptr) {
    problem(key, "wrong-type", wrong_type("a time", *value), "write it as text, like 2027-01-31T09:00:00Z");
    return std::nullopt;
  }
  const auto instant = parse_instant(*text);
  if (instant) return *instant;
  problem(key, instant.error());
  return std::nullopt;
}

std::optional<std::size_t> ObjectReader::word(std::string_view key, std::span<const std::string_view> words) {
  const json::value* value = member(key);
  if (value == nullptr) return std::nullopt;
  const auto* text = value->if_string();
  if (text == nullptr) {
    problem(key, "wrong-type", wrong_type("text", *value), word_list(words));
    return std::nullopt;
  }
  const auto found = std::ranges::find(words, std::string_view{*text});
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string_view nearest = nearest_word(*text, words);
  problem(key, "invalid-word", fmt::format("unknown value {} of {}", quoted(*text), key),
          nearest.empty() ? word_list(words) : fmt::format("did you mean {}? {}", nearest, word_list(words)));
  return std::nullopt;
}

std::string ObjectReader::pointer(std::string_view key) const {
  std::string pointer = pointer_;
  append_key(pointer, key);
  return pointer;
}

void ObjectReader::problem(std::string_view key, std::string_view code, std::string message, std::string hint) {
  problems_.push_back(
      {.pointer = pointer(key), .code = code, .message = std::move(message), .hint = std::move(hint), .position = {}});
}

void ObjectReader::problem(std::string_view key, const Error& error) {
  problems_.push_back(to_problem(pointer(key), error));
}

void ObjectReader::finish() {
  if (object_ == nullptr) return;
  if (static_cast<std::size_t>(std::popcount(asked_)) == object_->size()) return;
  std::size_t unknown_count = 0;
  for (const auto& member : *object_) {
    const std::string_view key = member.key();
    if (std::ranges::find(known_, key) != known_.end()) continue;
    if (++unknown_count > unknown_key_count_max) return;
    const std::string_view nearest = nearest_word(key, known_);
    problem(key, "unknown-key", fmt::format("unknown key {}", quoted(key)),
            nearest.empty() ? fmt::format("known keys: {}", fmt::join(known_, ", "))
                            : fmt::format("did you mean {}?", nearest));
  }
}

Problem to_problem(std::string pointer, const Error& error) {
  return {.pointer = std::move(pointer),
          .code = error.rule.empty() ? to_text(error.code) : error.rule,
          .message = error.message,
          .hint = error.hint,
          .position = error.position};
}

Error to_error(const Problems& problems) {
  CARILLON_ASSERT(!problems.empty());
  const Problem& first = problems.front();
  std::string message = first.pointer.empty() ? first.message : fmt::format("{}: {}", first.pointer, first.message);
  if (problems.size() > 1) message += fmt::format(" (and {} more)", problems.size() - 1);
  return {.code = ErrorCode::invalid_argument,
          .message = std::move(message),
          .hint = first.hint,
          .rule = first.code,
          .position = first.position,
          .context = {}};
}

}  // namespace carillon
