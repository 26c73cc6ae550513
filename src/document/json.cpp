#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/document.hpp"
#include "document/json_survey.hpp"
#include "document/positions.hpp"
#include "document/text_fault.hpp"

#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::string_view json_rule = "invalid-json";
constexpr std::size_t stack_size = 2048;  // enough for a small document without a second allocation

/// Builds the tree as Boost.JSON's own parser would, counts keys, and reads doubles to the last bit, which that does
/// not.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  explicit TreeBuilder(json::storage_ptr storage) : stack_{{}, buffer_.data(), buffer_.size()} {
    stack_.reset(std::move(storage));
  }

  [[nodiscard]] json::value take() { return stack_.release(); }
  [[nodiscard]] std::size_t key_count() const { return key_count_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(std::size_t count, json::error_code&) {
    key_count_ += count;
    stack_.push_object(count);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(std::size_t count, json::error_code&) {
    stack_.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view last_part, std::size_t, json::error_code&) {
    stack_.push_key(last_part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view last_part, std::size_t, json::error_code&) {
    stack_.push_string(last_part);
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, json::error_code&) {
    stack_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    stack_.push_uint64(number);
    return true;
  }
  bool on_double(double, json::string_view text, json::error_code& error) {
    double number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) {
      error = json::make_error_code(json::error::exponent_overflow);
      return false;
    }
    stack_.push_double(number);
    return true;
  }
  bool on_bool(bool truth, json::error_code&) {
    stack_.push_bool(truth);
    return true;
  }
  bool on_null(json::error_code&) {
    stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  std::array<unsigned char, stack_size> buffer_;
  json::value_stack stack_;
  std::size_t key_count_ = 0;
};

std::size_t count_keys(const json::value& value) {
  std::size_t count = 0;
  if (const auto* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += count_keys(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const auto& element : *array) count += count_keys(element);
  }
  return count;
}

std::string_view character_at(std::string_view text, std::size_t offset) {
  return text.substr(offset, std::max(utf8_length(text.substr(offset)), std::size_t{1}));
}

std::string fault_of(std::string_view text, std::size_t offset, const json::error_code& error) {
  if (error == json::error::too_deep) return fmt::format("nesting deeper than {}", document_depth_max);
  if (error == json::error::incomplete || offset >= text.size()) return "the text ends too early";
  if (error == json::error::extra_data) return fmt::format("{} after the end", quoted(character_at(text, offset)));
  if (error != json::error::syntax) return error.message();
  if (utf8_length(text.substr(offset)) == 0) return "malformed UTF-8";
  return fmt::format("unexpected {}", quoted(character_at(text, offset)));
}

/// Boost.JSON notices at its end that a number is too large; a reader looks for its beginning.
Error number_fault(std::string_view text, std::size_t end) {
  const std::size_t before = text.substr(0, end).find_last_not_of("0123456789.eE+-");
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text_fault(text, begin, json_rule,
                    fmt::format("the number {} does not fit a double", quoted(text.substr(begin, end - begin))));
}

Error fault_at(std::string_view text, std::size_t offset, const json::error_code& error) {
  if (error == json::error::exponent_overflow) return number_fault(text, offset);
  return text_fault(text, offset, json_rule, fault_of(text, offset, error));
}

Error duplicate_key(std::string_view text, std::size_t mark_size) {
  const std::size_t offset = find_duplicate_key(text.substr(mark_size)).value_or(0) + mark_size;
  const std::string_view rest = text.substr(offset);
  const std::string_view key = rest.substr(1, rest.find('"', 1) - 1);
  return text_fault(text, offset, "duplicate-key", fmt::format("the key {} appears twice", quoted(key)));
}

}  // namespace

Result<json::value> parse_json(std::string_view text, json::storage_ptr storage) {
  TRY(check_size(text, document_size_max, json_rule));
  const std::size_t mark_size = byte_order_mark(text).size();
  json::parse_options options;
  options.max_depth = document_depth_max;
  json::basic_parser<TreeBuilder> parser{options, std::move(storage)};
  json::error_code error;
  const std::string_view body = text.substr(mark_size);
  const std::size_t read = parser.write_some(false, body.data(), body.size(), error) + mark_size;
  if (!error && read < text.size()) error = json::make_error_code(json::error::extra_data);
  if (error) return std::unexpected(fault_at(text, read, error));
  json::value root = parser.handler().take();
  // Boost.JSON keeps the last of equal keys: then the tree has fewer members than the text.
  if (count_keys(root) != parser.handler().key_count()) return std::unexpected(duplicate_key(text, mark_size));
  return root;
}

}  // namespace carillon
