#include "document/member_texts.hpp"

#include <array>
#include <cstddef>

namespace carillon {
namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Bytes that mean something where they stand; all others are passed over, with one look at a table each.
using ByteSet = std::array<bool, 256>;

constexpr ByteSet bytes_of(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr ByteSet marks_in_text = bytes_of("\"\\");
constexpr ByteSet marks_in_nested = bytes_of("\"{}[]");

/// Goes through a text from its beginning; past its end there is only `\0`, which no JSON has.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_{text} {}

  [[nodiscard]] char next() const { return place_ < text_.size() ? text_[place_] : '\0'; }
  [[nodiscard]] bool is_at_end() const { return place_ >= text_.size(); }
  bool take(char c) {
    skip_spaces();
    if (next() != c) return false;
    ++place_;
    return true;
  }
  void skip_spaces() {
    while (is_space(next())) ++place_;
  }

  /// A text, without its quotation marks.
  std::optional<std::string_view> take_text() {
    if (!take('"')) return std::nullopt;
    const std::size_t begin = place_;
    if (!skip_text()) return std::nullopt;
    return text_.substr(begin, place_ - 1 - begin);
  }

  std::optional<std::string_view> take_value() {
    skip_spaces();
    const std::size_t begin = place_;
    const bool is_whole = next() == '{' || next() == '[' ? skip_nested() : skip_plain();
    if (!is_whole || place_ == begin) return std::nullopt;
    return text_.substr(begin, place_ - begin);
  }

 private:
  /// From behind the first quotation mark to behind the last.
  bool skip_text() {
    for (skip_to(marks_in_text); place_ < text_.size(); skip_to(marks_in_text)) {
      if (text_[place_++] == '"') return true;
      ++place_;  // what stands behind a backslash
    }
    return false;
  }
  bool skip_nested() {
    std::size_t depth = 0;
    for (skip_to(marks_in_nested); place_ < text_.size(); skip_to(marks_in_nested)) {
      const char c = text_[place_++];
      if (c == '"') {
        if (!skip_text()) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (--depth == 0) {
        return true;
      }
    }
    return false;
  }
  void skip_to(const ByteSet& marks) {
    while (place_ < text_.size() && !marks[static_cast<unsigned char>(text_[place_])]) ++place_;
  }
  bool skip_plain() {
    if (next() == '"') {
      ++place_;
      return skip_text();
    }
    while (!is_at_end() && next() != ',' && next() != '}' && !is_space(next())) ++place_;
    return true;
  }

  std::string_view text_;
  std::size_t place_ = 0;
};

}  // namespace

std::optional<std::string_view> find_member(std::string_view text, std::string_view key) {
  Walk walk{text};
  if (!walk.take('{')) return std::nullopt;
  do {
    const auto found = walk.take_text();
    if (!found || !walk.take(':')) return std::nullopt;
    const auto value = walk.take_value();
    if (!value || *found == key) return value;
  } while (walk.take(','));
  return std::nullopt;
}

std::optional<MemberTexts> member_texts(std::string_view text) {
  Walk walk{text};
  std::optional<MemberTexts> members{std::in_place};  // filled where it stays: moving it copies all of it
  if (!walk.take('{')) return std::nullopt;
  if (!walk.take('}')) {
    do {
      const auto key = walk.take_text();
      if (!key || !walk.take(':')) return std::nullopt;
      const auto value = walk.take_value();
      if (!value) return std::nullopt;
      members->push_back({.key = *key, .value = *value});
    } while (walk.take(','));
    if (!walk.take('}')) return std::nullopt;
  }
  walk.skip_spaces();
  if (!walk.is_at_end()) return std::nullopt;
  return members;
}

}  // namespace carillon
