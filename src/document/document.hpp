#pragma once

#include "base/error.hpp"

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A place in a text: line and character, both counted from 1. Zeros mean that no place is known.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// A JSON or YAML text as one tree, with the position of its values by JSON pointer. A member whose value begins on a
/// later line than its key has the position of the key. Of a huge text only the first position_count_max values have
/// one.
struct Document {
  boost::json::value root;
  std::map<std::string, Position, std::less<>> positions;

  /// The position of a value, or of its nearest ancestor that has one.
  [[nodiscard]] Position position(std::string_view pointer) const;
};

/// Largest text and deepest nesting that are read. YAML is read some fifty times more slowly than JSON, hence its own
/// bounds, which keep even hostile texts at about a tenth of a second.
inline constexpr std::size_t document_size_max = 4 * 1024 * 1024;
inline constexpr std::size_t yaml_size_max = 256 * 1024;
inline constexpr std::size_t yaml_value_count_max = 50'000;
inline constexpr std::size_t document_depth_max = 64;
inline constexpr std::size_t position_count_max = 50'000;

/// JSON, without positions; the tree lives in `storage`. Duplicate keys, trailing text, numbers beyond a double and
/// malformed UTF-8 are errors. The error's message names line and column, its `position` is the byte offset.
[[nodiscard]] Result<boost::json::value> parse_json(std::string_view text, boost::json::storage_ptr storage = {});

/// YAML 1.2 core schema (`yes` is text, `010` is ten, a time is text), one document, keys are text and unique, no tags
/// but those of the core schema, aliases expanded to at most document_size_max. An empty text is null. Errors as for
/// JSON. A larger `size_max` is for texts of our own only.
[[nodiscard]] Result<Document> parse_yaml(std::string_view text, std::size_t size_max = yaml_size_max);

/// The same for a text of several documents, each begun by a line `---`; what is wrong with one says nothing about the
/// others. Documents without content are left out, but there is always one.
[[nodiscard]] std::vector<Result<Document>> parse_yaml_documents(std::string_view text);

/// JSON if the name ends in .json, else YAML; positions for both.
[[nodiscard]] Result<Document> parse_document(std::string_view file_name, std::string_view text);

/// YAML in block style, keys in their order, that reads back as the same tree. Text that other YAML readers might take
/// for something else (`no`, `1:30`) is quoted.
[[nodiscard]] std::string to_yaml(const boost::json::value& value);

/// Where in a text a byte offset lies.
[[nodiscard]] Position position_of(std::string_view text, std::size_t offset);

}  // namespace carillon
