#include "pipeline/json_text.hpp"

#include "pipeline/javascript.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        out += c;
      }
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) append_escaped(out, c);
  out += '"';
}

/// Writes a value; with an indent, each member on a line of its own.
class JsonWriter {
 public:
  JsonWriter(std::string& out, bool is_indented) : out_{out}, is_indented_{is_indented} {}

  void write(const json::value& value, std::size_t depth) {
    if (const auto* object = value.if_object()) return write_object(*object, depth);
    if (const auto* list = value.if_array()) return write_list(*list, depth);
    if (const auto* text = value.if_string()) return append_string(out_, *text);
    out_ += string_of(value);
  }

 private:
  void write_object(const json::object& object, std::size_t depth) {
    out_ += '{';
    bool is_first = true;
    for (const auto& member : object) {
      begin_entry(is_first, depth);
      append_string(out_, member.key());
      out_ += is_indented_ ? ": " : ":";
      write(member.value(), depth + 1);
    }
    if (!is_first) break_line(depth);
    out_ += '}';
  }

  void write_list(const json::array& list, std::size_t depth) {
    out_ += '[';
    bool is_first = true;
    for (const json::value& element : list) {
      begin_entry(is_first, depth);
      write(element, depth + 1);
    }
    if (!is_first) break_line(depth);
    out_ += ']';
  }

  void begin_entry(bool& is_first, std::size_t depth) {
    if (!is_first) out_ += ',';
    is_first = false;
    break_line(depth + 1);
  }

  void break_line(std::size_t depth) {
    if (!is_indented_) return;
    out_ += '\n';
    out_.append(2 * depth, ' ');
  }

  std::string& out_;
  bool is_indented_;
};

}  // namespace

std::string indented(const json::value& value, std::size_t depth) {
  std::string out;
  JsonWriter{out, true}.write(value, depth);
  return out;
}

std::string compact(const json::value& value) {
  std::string out;
  JsonWriter{out, false}.write(value, 0);
  return out;
}

}  // namespace carillon::pipeline
