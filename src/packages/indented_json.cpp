#include "packages/indented_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace carillon::packages {
namespace {

namespace json = boost::json;

void append_value(std::string& out, const json::value& value, std::size_t indent);

void append_line(std::string& out, bool is_first, std::size_t indent) {
  out += is_first ? "\n" : ",\n";
  out.append(indent, ' ');
}

void append_members(std::string& out, const json::object& members, std::size_t indent) {
  out += '{';
  bool is_first = true;
  for (const auto& [key, value] : members) {
    append_line(out, std::exchange(is_first, false), indent + 2);
    out += json::serialize(json::string{key}) + ": ";
    append_value(out, value, indent + 2);
  }
  if (!members.empty()) append_line(out, true, indent);
  out += '}';
}

void append_values(std::string& out, const json::array& values, std::size_t indent) {
  out += '[';
  bool is_first = true;
  for (const json::value& value : values) {
    append_line(out, std::exchange(is_first, false), indent + 2);
    append_value(out, value, indent + 2);
  }
  if (!values.empty()) append_line(out, true, indent);
  out += ']';
}

void append_value(std::string& out, const json::value& value, std::size_t indent) {
  if (value.is_object()) return append_members(out, value.get_object(), indent);
  if (value.is_array()) return append_values(out, value.get_array(), indent);
  out += json::serialize(value);
}

}  // namespace

std::string indented_json(const json::value& value) {
  std::string out;
  append_value(out, value, 0);
  return out;
}

std::string text_with_milliseconds(Instant time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto fraction = std::chrono::floor<std::chrono::milliseconds>(time - second);
  std::string text = to_text(Instant{second});
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, fraction.count());
}

}  // namespace carillon::packages
