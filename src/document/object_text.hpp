#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// Appends a text as a JSON string, in quotation marks. It must be UTF-8.
void append_quoted(std::string& out, std::string_view text);

/// Appends members of a JSON object to a text, one after the other: for documents that are written often and never
/// looked at, where a tree of values would cost more than all else. Keys are written as they are: they need no escapes.
///
///     ObjectText object{out};
///     object.text("status", "active").number("runs", 3).end();
class ObjectText {
 public:
  /// Opens an object.
  explicit ObjectText(std::string& out) : out_{out} { out_ += '{'; }
  /// Goes on with an object that was opened before, and has members or not.
  ObjectText(std::string& out, bool has_members) : out_{out}, has_members_{has_members} {}

  ObjectText& text(std::string_view key, std::string_view value);
  /// Null for an empty text.
  ObjectText& text_or_null(std::string_view key, std::string_view value);
  ObjectText& number(std::string_view key, std::int64_t value);
  ObjectText& number_or_null(std::string_view key, std::optional<std::int64_t> value);
  ObjectText& null(std::string_view key);
  /// A value that is JSON already.
  ObjectText& json(std::string_view key, std::string_view value);

  /// The place where the value of this member is to be written.
  [[nodiscard]] std::string& value_of(std::string_view key);
  /// Closes the object.
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool has_members_ = false;
};

}  // namespace carillon
