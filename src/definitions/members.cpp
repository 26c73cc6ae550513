#include "definitions/members.hpp"

#include "base/quoted.hpp"
#include "document/json_pointer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

std::optional<double> number_in(const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return std::nullopt;
}

std::size_t depth_of(const json::value& value) {
  std::size_t deepest = 0;
  if (const auto* list = value.if_array()) {
    for (const json::value& element : *list) deepest = std::max(deepest, depth_of(element));
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, depth_of(member.value()));
  } else {
    return 0;
  }
  return deepest + 1;
}

void note_wrong_type(ObjectReader& reader, std::string_view key, std::string_view expected, std::string_view hint) {
  reader.problem(key, "wrong-type", fmt::format("{} is not {}", key, expected), std::string{hint});
}

/// Whether a list or an object is small enough; notes it if not.
bool is_within(ObjectReader& reader, std::string_view key, std::size_t count, std::size_t count_max) {
  if (count <= count_max) return true;
  reader.problem(key, "too-many", fmt::format("{} has {} entries", key, count),
                 fmt::format("write at most {}", count_max));
  return false;
}

void note_length(ObjectReader& reader, std::string_view key, std::size_t length, TextBounds bounds) {
  if (length < bounds.length_min) {
    reader.problem(key, "too-short",
                   length == 0 ? fmt::format("{} is empty", key) : fmt::format("{} is too short", key),
                   fmt::format("write at least {} characters", bounds.length_min));
  } else if (length > bounds.length_max) {
    reader.problem(key, "too-long", fmt::format("{} has {} characters", key, length),
                   fmt::format("write at most {}", bounds.length_max));
  }
}

}  // namespace

std::optional<std::string> text_within(ObjectReader& reader, std::string_view key, TextBounds bounds) {
  const auto text = reader.text(key);
  if (!text) return std::nullopt;
  const std::size_t length = character_count(*text);
  if (length < bounds.length_min || length > bounds.length_max) {
    note_length(reader, key, length, bounds);
    return std::nullopt;
  }
  if (!bounds.with_control_characters && has_control_character(*text)) {
    reader.problem(key, "control-character", fmt::format("{} has a control character: {}", key, quoted(*text)),
                   "write it on one line without tabs or other control characters");
    return std::nullopt;
  }
  return std::string{*text};
}

std::optional<std::int64_t> integer_within(ObjectReader& reader, std::string_view key, std::int64_t min,
                                           std::int64_t max) {
  const auto number = reader.integer(key);
  if (!number || (*number >= min && *number <= max)) return number;
  reader.problem(key, "out-of-range", fmt::format("{} {} is out of range", key, *number),
                 fmt::format("write a whole number from {} to {}", min, max));
  return std::nullopt;
}

std::optional<double> number_within(ObjectReader& reader, std::string_view key, double min, double max) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return std::nullopt;
  const auto number = number_in(*value);
  if (!number) {
    note_wrong_type(reader, key, "a number", "write it without quotes");
    return std::nullopt;
  }
  if (*number >= min && *number <= max) return std::round(*number * 1000) / 1000;
  reader.problem(key, "out-of-range", fmt::format("{} {} is out of range", key, *number),
                 fmt::format("write a number from {} to {}", min, max));
  return std::nullopt;
}

std::optional<Duration> duration_within(ObjectReader& reader, std::string_view key, Duration min, Duration max) {
  const auto duration = reader.duration(key);
  if (!duration || (*duration >= min && *duration <= max)) return duration;
  const bool is_short = *duration < min;
  reader.problem(key, "out-of-range",
                 fmt::format("{} {} is too {}", key, to_text(*duration), is_short ? "short" : "long"),
                 is_short ? fmt::format("write {} or more, or leave it out", to_text(min))
                          : fmt::format("write {} or less", to_text(max)));
  return std::nullopt;
}

const json::array* list_within(ObjectReader& reader, std::string_view key, std::size_t count_max) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return nullptr;
  const json::array* list = value->if_array();
  if (list == nullptr) note_wrong_type(reader, key, "a list", "write [ … ]");
  return list != nullptr && is_within(reader, key, list->size(), count_max) ? list : nullptr;
}

const json::object* object_within(ObjectReader& reader, std::string_view key, std::size_t count_max) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return nullptr;
  const json::object* object = value->if_object();
  if (object == nullptr) note_wrong_type(reader, key, "an object", "write it as keys with values");
  return object != nullptr && is_within(reader, key, object->size(), count_max) ? object : nullptr;
}

std::optional<json::value> json_within(ObjectReader& reader, std::string_view key) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return std::nullopt;
  if (depth_of(*value) > json_depth_max) {
    reader.problem(key, "too-deep", fmt::format("{} is nested too deeply", key),
                   fmt::format("nest at most {} lists and objects", json_depth_max));
    return std::nullopt;
  }
  if (const std::size_t size = json::serialize(*value).size(); size > json_size_max) {
    reader.problem(key, "too-long", fmt::format("{} has {} bytes as JSON", key, size),
                   fmt::format("write at most {}, or hand over the name of a file", json_size_max));
    return std::nullopt;
  }
  return *value;
}

TextMap text_map_within(ObjectReader& reader, std::string_view key, std::size_t count_max, Problems& problems,
                        EntryCheck check) {
  TextMap map;
  const json::object* object = object_within(reader, key, count_max);
  if (object == nullptr) return map;
  for (const auto& member : *object) {
    std::string pointer = reader.pointer(key);
    append_key(pointer, member.key());
    const json::string* text = member.value().if_string();
    std::optional<Error> error;
    if (text == nullptr) {
      error = fault("wrong-type", fmt::format("the value of {} is not text", quoted(member.key())), "put it in quotes");
    } else {
      error = check(member.key(), *text);
    }
    if (error) {
      problems.push_back(to_problem(std::move(pointer), *error));
    } else {
      map.emplace(member.key(), *text);
    }
  }
  return map;
}

void require(ObjectReader& reader, const json::value& object, std::string_view key, std::string message,
             std::string hint) {
  const json::object* members = object.if_object();
  if (members == nullptr) return;
  const json::value* member = members->if_contains(key);
  if (member == nullptr || member->is_null()) reader.problem(key, "missing", std::move(message), std::move(hint));
}

Error fault(std::string_view rule, std::string message, std::string hint) {
  return {.code = ErrorCode::invalid_argument,
          .message = std::move(message),
          .hint = std::move(hint),
          .rule = rule,
          .position = {},
          .context = {}};
}

std::string element_pointer(const std::string& list, std::size_t index) { return fmt::format("{}/{}", list, index); }

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_control_character(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool has_control_character(std::string_view text) { return std::ranges::any_of(text, is_control_character); }

json::value write_number(double number) {
  if (std::trunc(number) == number) return static_cast<std::int64_t>(number);
  return number;
}

json::value write_duration(const std::optional<Duration>& duration) {
  return duration ? json::value(to_text(*duration)) : json::value(nullptr);
}

json::value write_text(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::object write_text_map(const TextMap& map) {
  json::object object;
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

}  // namespace carillon
