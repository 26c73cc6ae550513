#pragma once

#include "definitions/action.hpp"
#include "definitions/words.hpp"
#include "document/reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

// Members with bounds, read with every fault noted. What is left out, or faulty and noted, reads as nothing.

struct TextBounds {
  std::size_t length_min = 0;
  std::size_t length_max;  // in characters
  bool with_control_characters = false;
};

[[nodiscard]] std::optional<std::string> text_within(ObjectReader& reader, std::string_view key, TextBounds bounds);
[[nodiscard]] std::optional<std::int64_t> integer_within(ObjectReader& reader, std::string_view key, std::int64_t min,
                                                         std::int64_t max);
/// A number with or without fraction, to three decimals: parsers differ in the last bit, and documents must not.
[[nodiscard]] std::optional<double> number_within(ObjectReader& reader, std::string_view key, double min, double max);
[[nodiscard]] std::optional<Duration> duration_within(ObjectReader& reader, std::string_view key, Duration min,
                                                      Duration max = Duration::max());
/// Null when the member is left out or is no list of at most `count_max` elements.
[[nodiscard]] const boost::json::array* list_within(ObjectReader& reader, std::string_view key, std::size_t count_max);
/// Null when the member is left out or is no object of at most `count_max` members.
[[nodiscard]] const boost::json::object* object_within(ObjectReader& reader, std::string_view key,
                                                       std::size_t count_max);
/// Any JSON of bounded size and depth.
[[nodiscard]] std::optional<boost::json::value> json_within(ObjectReader& reader, std::string_view key);

inline constexpr std::size_t json_size_max = 1024 * 1024;  // serialized
inline constexpr std::size_t json_depth_max = 32;          // so that the whole document stays within document_depth_max

/// The enumerator of the member's word.
template <Worded Enum>
[[nodiscard]] std::optional<Enum> word_of(ObjectReader& reader, std::string_view key) {
  const auto index = reader.word(key, words_of<Enum>());
  if (!index) return std::nullopt;
  return static_cast<Enum>(*index);
}

/// An object of texts, each checked by `check(key, value)`: an Error's message and hint are noted at the entry.
using EntryCheck = std::optional<Error> (*)(std::string_view key, std::string_view value);
[[nodiscard]] TextMap text_map_within(ObjectReader& reader, std::string_view key, std::size_t count_max,
                                      Problems& problems, EntryCheck check);

/// Notes that a member which must be there is not, unless its object is none, which is noted already.
void require(ObjectReader& reader, const boost::json::value& object, std::string_view key, std::string message,
             std::string hint);

/// A fault as the checks above give it.
[[nodiscard]] Error fault(std::string_view rule, std::string message, std::string hint);

[[nodiscard]] std::string element_pointer(const std::string& list, std::size_t index);
[[nodiscard]] std::size_t character_count(std::string_view text);
[[nodiscard]] bool is_control_character(char c);
[[nodiscard]] bool has_control_character(std::string_view text);

/// A whole number without fraction, so that 2 is not written 2.0.
[[nodiscard]] boost::json::value write_number(double number);
[[nodiscard]] boost::json::value write_duration(const std::optional<Duration>& duration);
[[nodiscard]] boost::json::value write_text(const std::optional<std::string>& text);
[[nodiscard]] boost::json::object write_text_map(const TextMap& map);

}  // namespace carillon
