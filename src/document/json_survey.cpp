#include "document/json_survey.hpp"

#include "document/json_pointer.hpp"
#include "document/positions.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

namespace carillon {
namespace {

/// The string token that begins at `begin`, quotes included.
std::string_view string_token(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(begin, end + 1 - begin);
}

/// The objects and arrays around a place, each with the keys seen so far.
class OpenContainers {
 public:
  void begin(bool is_object) { open_.push_back({.is_object = is_object, .expects_key = is_object, .keys = {}}); }
  void end() { open_.pop_back(); }
  void comma() { open_.back().expects_key = open_.back().is_object; }

  /// Whether this string is a key that its object has already.
  bool is_duplicate(std::string_view token) {
    if (open_.empty() || !open_.back().expects_key) return false;
    open_.back().expects_key = false;
    return !open_.back().keys.insert(text_of(token)).second;
  }

 private:
  std::string_view text_of(std::string_view token) {
    if (!token.contains('\\')) return token.substr(1, token.size() - 2);
    return decoded_.emplace_back(parse_json(token)->as_string());
  }

  struct Container {
    bool is_object;
    bool expects_key;
    std::unordered_set<std::string_view> keys;
  };
  std::deque<std::string> decoded_;  // what `keys` points to where a key has escapes
  std::vector<Container> open_;
};

/// Walks over text and tree side by side: members stand in the tree in the order of the text.
class PositionSurvey {
 public:
  explicit PositionSurvey(std::string_view text) : text_{text}, walk_{text} {}

  [[nodiscard]] std::map<std::string, Position, std::less<>> positions_under(const boost::json::value& root) {
    std::string pointer;
    skip_to_value();
    visit(root, offset_, pointer);
    return positions_.take();
  }

 private:
  void visit(const boost::json::value& value, std::size_t key_offset, std::string& pointer) {
    skip_to_value();
    const Position key = walk_.at(key_offset);
    const Position own = walk_.at(offset_);
    positions_.add(pointer, own.line == key.line ? own : key);
    if (const auto* object = value.if_object()) {
      visit_members(*object, pointer);
    } else if (const auto* array = value.if_array()) {
      visit_elements(*array, pointer);
    } else {
      skip_scalar(value.is_string());
    }
  }

  void visit_members(const boost::json::object& object, std::string& pointer) {
    ++offset_;
    for (const auto& [key, value] : object) {
      if (positions_.is_full()) return;
      skip_to_value();
      const std::size_t key_offset = offset_;
      skip_scalar(true);
      visit_child(value, key_offset, pointer, key);
    }
    skip_past_end();
  }

  void visit_elements(const boost::json::array& array, std::string& pointer) {
    ++offset_;
    for (std::size_t index = 0; index < array.size(); ++index) {
      if (positions_.is_full()) return;
      skip_to_value();
      visit_child(array[index], offset_, pointer, fmt::format_int{index}.c_str());
    }
    skip_past_end();
  }

  void visit_child(const boost::json::value& value, std::size_t key_offset, std::string& pointer,
                   std::string_view key) {
    const std::size_t parent_size = pointer.size();
    append_key(pointer, key);
    visit(value, key_offset, pointer);
    pointer.resize(parent_size);
  }

  void skip_to_value() { offset_ = text_.find_first_not_of(" \t\r\n,:", offset_); }
  void skip_past_end() { offset_ = text_.find_first_of("]}", offset_) + 1; }
  void skip_scalar(bool is_string) {
    offset_ = is_string ? offset_ + string_token(text_, offset_).size() : text_.find_first_of(" \t\r\n,]}", offset_);
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  PositionWalk walk_;
  PositionMap positions_;
};

}  // namespace

std::optional<std::size_t> find_duplicate_key(std::string_view valid_json) {
  OpenContainers containers;
  for (std::size_t offset = 0; offset < valid_json.size(); ++offset) {
    switch (valid_json[offset]) {
      case '{': containers.begin(true); break;
      case '[': containers.begin(false); break;
      case '}':
      case ']': containers.end(); break;
      case ',': containers.comma(); break;
      case '"': {
        const std::string_view token = string_token(valid_json, offset);
        if (containers.is_duplicate(token)) return offset;
        offset += token.size() - 1;
        break;
      }
      default: break;
    }
  }
  return std::nullopt;
}

std::map<std::string, Position, std::less<>> json_positions(std::string_view valid_json,
                                                            const boost::json::value& root) {
  return PositionSurvey{valid_json}.positions_under(root);
}

}  // namespace carillon
