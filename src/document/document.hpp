#pragma once

#include "base/error.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace carillon {

/// A place in a text, both counted from 1.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// A JSON or YAML text as one tree, with the position of every value by its JSON pointer where the text tells.
struct Document {
  boost::json::value root;
  std::map<std::string, Position, std::less<>> positions;

  /// The position of a value, or of its nearest ancestor that has one.
  [[nodiscard]] Position position(std::string_view pointer) const;
};

/// Largest text and deepest nesting that are read.
inline constexpr std::size_t document_size_max = 4 * 1024 * 1024;
inline constexpr int document_depth_max = 64;

/// JSON, without positions. Duplicate keys, trailing text and malformed UTF-8 are errors; `position` of the error is the byte offset.
[[nodiscard]] Result<boost::json::value> parse_json(std::string_view text);

/// YAML 1.2 core schema (`yes` is text, `010` is ten), one document, no duplicate keys, no anchors expanded into more
/// than document_size_max. The error's message names line and column.
[[nodiscard]] Result<Document> parse_yaml(std::string_view text);

/// JSON if the name ends in .json, else YAML; positions for both.
[[nodiscard]] Result<Document> parse_document(std::string_view file_name, std::string_view text);

/// YAML that reads back as the same tree.
[[nodiscard]] std::string to_yaml(const boost::json::value& value);

/// Where in a text a byte offset lies.
[[nodiscard]] Position position_of(std::string_view text, std::size_t offset);

}  // namespace carillon
