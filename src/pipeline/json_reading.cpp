#include "base/utf8.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <charconv>
#include <cmath>
#include <optional>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// A recursive descent over the text, with the faults of Node.js. Boost's parser gives other messages, and the last
/// digit of some numbers.
class AnswerParser {
 public:
  explicit AnswerParser(std::string_view text) : text_{text} {}

  Result<json::value> parse() {
    if (find_malformed_utf8(text_)) return fail(ErrorCode::invalid_argument, "the answer is not UTF-8");
    auto value = TRY(value_at(0));
    skip_space();
    if (at_ != text_.size()) return fault("Unexpected non-whitespace character after JSON");
    return value;
  }

 private:
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char next() const { return text_[at_]; }
  [[nodiscard]] bool is_next(char c) const { return !is_at_end() && next() == c; }
  void skip_space() {
    while (!is_at_end() && is_json_space(next())) ++at_;
  }

  /// Positions count UTF-16 units in Node.js; characters are the same for all that is in the basic plane.
  [[nodiscard]] std::unexpected<Error> fault(std::string_view what) const {
    if (is_at_end()) return fail(ErrorCode::invalid_argument, "Unexpected end of JSON input");
    return fault_at(what, at_);
  }
  [[nodiscard]] std::unexpected<Error> fault_at(std::string_view what, std::size_t at) const {
    std::size_t position = 0;
    for (std::size_t i = 0; i < at; ++i) position += (static_cast<unsigned char>(text_[i]) & 0xc0) == 0x80 ? 0 : 1;
    return fail(ErrorCode::invalid_argument, "{} in JSON at position {}", what, position);
  }
  [[nodiscard]] std::unexpected<Error> unexpected_token() const {
    if (is_at_end()) return fail(ErrorCode::invalid_argument, "Unexpected end of JSON input");
    constexpr std::size_t around = 10;
    const std::string_view token = first_characters(text_.substr(at_), 1);
    if (text_.size() <= 4 * around)
      return fail(ErrorCode::invalid_argument, "Unexpected token '{}', \"{}\" is not valid JSON", token, text_);
    std::size_t begin = at_ > around ? at_ - around : 0;
    while (begin > 0 && (static_cast<unsigned char>(text_[begin]) & 0xc0) == 0x80) --begin;
    const std::string_view before = text_.substr(begin, at_ - begin);
    const std::string_view after = first_characters(text_.substr(at_), around);
    return fail(ErrorCode::invalid_argument, "Unexpected token '{}', {}\"{}{}\"{} is not valid JSON", token,
                begin > 0 ? "..." : "", before, after, at_ + after.size() < text_.size() ? "... " : "");
  }

  Result<json::value> value_at(std::size_t depth) {
    if (depth > answer_depth_max)
      return fail(ErrorCode::invalid_argument, "the JSON is nested deeper than {} levels", answer_depth_max);
    skip_space();
    if (is_at_end()) return unexpected_token();
    switch (next()) {
      case '{': return object_at(depth);
      case '[': return list_at(depth);
      case '"': {
        auto text = TRY(string_here());
        return json::value(std::move(text));
      }
      case 't': return word_here("true", true);
      case 'f': return word_here("false", false);
      case 'n': return word_here("null", nullptr);
      default: return number_here();
    }
  }

  Result<json::value> word_here(std::string_view word, json::value value) {
    for (const char c : word) {
      if (!is_next(c)) return unexpected_token();
      ++at_;
    }
    return value;
  }

  Result<json::value> object_at(std::size_t depth) {
    ++at_;
    json::object object;
    skip_space();
    if (is_next('}')) return ++at_, json::value(std::move(object));
    for (bool is_first = true;; is_first = false) {
      skip_space();
      if (!is_next('"'))
        return fault(is_first ? "Expected property name or '}'" : "Expected double-quoted property name");
      const json::string key = TRY(string_here());
      skip_space();
      if (!is_next(':')) return fault("Expected ':' after property name");
      ++at_;
      object[key] = TRY(value_at(depth + 1));
      skip_space();
      if (is_next('}')) return ++at_, json::value(std::move(object));
      if (!is_next(',')) return fault("Expected ',' or '}' after property value");
      ++at_;
    }
  }

  Result<json::value> list_at(std::size_t depth) {
    ++at_;
    json::array list;
    skip_space();
    if (is_next(']')) return ++at_, json::value(std::move(list));
    while (true) {
      list.push_back(TRY(value_at(depth + 1)));
      skip_space();
      if (is_next(']')) return ++at_, json::value(std::move(list));
      if (!is_next(',')) return fault("Expected ',' or ']' after array element");
      ++at_;
    }
  }

  Result<json::string> string_here() {
    ++at_;
    json::string text;
    while (!is_at_end()) {
      const std::size_t plain = text_.find_first_of("\"\\", at_);
      const std::string_view run = text_.substr(at_, plain == std::string_view::npos ? plain : plain - at_);
      for (std::size_t i = 0; i < run.size(); ++i)
        if (static_cast<unsigned char>(run[i]) < 0x20)
          return fault_at("Bad control character in string literal", at_ + i);
      text.append(run);
      at_ += run.size();
      if (is_at_end()) break;
      if (text_[at_++] == '"') return text;
      TRY(escape_here(text));
    }
    return fault_at("Unterminated string", text_.size());
  }

  Result<> escape_here(json::string& text) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (is_at_end()) return fault_at("Unterminated string", text_.size());
    const char letter = text_[at_];
    if (letter == 'u') return ++at_, unicode_here(text);
    const std::size_t place = letters.find(letter);
    if (place == std::string_view::npos) return fault_at("Bad escaped character", at_);
    text.push_back(meanings[place]);
    ++at_;
    return {};
  }

  std::optional<char32_t> four_digits(std::size_t at) const {
    if (at + 4 > text_.size()) return std::nullopt;
    std::uint32_t code = 0;
    const char* begin = text_.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
    if (error != std::errc{} || end != begin + 4) return std::nullopt;
    return code;
  }

  Result<> unicode_here(json::string& text) {
    const auto first = four_digits(at_);
    if (!first) return fault_at("Bad Unicode escape", at_);
    at_ += 4;
    char32_t code = *first;
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const auto second = four_digits(at_ + 2);
      if (second && *second >= 0xdc00 && *second < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (*second - 0xdc00);
        at_ += 6;
      }
    }
    // Half of a pair is no character: there is no UTF-8 for it.
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
    append_character(text, code);
    return {};
  }

  static void append_character(json::string& out, char32_t code) {
    const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3fU))); };
    if (code < 0x80) {
      out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      out.push_back(static_cast<char>(0xc0U | (code >> 6)));
      tail(0);
    } else if (code < 0x10000) {
      out.push_back(static_cast<char>(0xe0U | (code >> 12)));
      tail(6);
      tail(0);
    } else {
      out.push_back(static_cast<char>(0xf0U | (code >> 18)));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  void skip_digits() {
    while (!is_at_end() && is_json_digit(next())) ++at_;
  }

  Result<json::value> number_here() {
    const std::size_t begin = at_;
    if (is_next('-')) ++at_;
    if (is_at_end() || !is_json_digit(next())) {
      if (at_ == begin) return unexpected_token();
      return fault_at("No number after minus sign", at_);
    }
    if (is_next('0')) {
      ++at_;
      if (!is_at_end() && is_json_digit(next())) return fault_at("Unexpected number", at_);
    }
    skip_digits();
    bool is_whole = true;
    if (is_next('.')) {
      is_whole = false;
      ++at_;
      if (is_at_end() || !is_json_digit(next())) return fault_at("Unterminated fractional number", at_);
      skip_digits();
    }
    if (is_next('e') || is_next('E')) {
      is_whole = false;
      ++at_;
      if (is_next('+') || is_next('-')) ++at_;
      if (is_at_end() || !is_json_digit(next())) return fault_at("Exponent part is missing a number", at_);
      skip_digits();
    }
    return number_in(text_.substr(begin, at_ - begin), is_whole);
  }

  static Result<json::value> number_in(std::string_view text, bool is_whole) {
    const char* end = text.data() + text.size();
    std::int64_t whole = 0;
    if (is_whole && std::from_chars(text.data(), end, whole).ec == std::errc{}) return json::value(whole);
    double number = 0;
    if (std::from_chars(text.data(), end, number).ec != std::errc{})
      return fail(ErrorCode::invalid_argument, "the number {} is beyond what can be calculated with",
                  first_characters(text, 40));
    // 3.0 is 3, as in JavaScript.
    if (std::trunc(number) == number && std::abs(number) < 9007199254740992.0)
      return json::value(static_cast<std::int64_t>(number));
    return json::value(number);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<json::value> parse_answer_json(std::string_view text) { return AnswerParser{text}.parse(); }

}  // namespace carillon::pipeline
