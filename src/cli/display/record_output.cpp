#include "cli/display/record_output.hpp"

#include "cli/terminal/printable.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace carillon::cli {

namespace {

namespace json = boost::json;

void append_pretty(std::string& out, const json::value& value, std::size_t depth);

void append_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

void append_object(std::string& out, const json::object& object, std::size_t depth) {
  out += '{';
  for (const auto& member : object) {
    if (&member != &*object.begin()) out += ',';
    append_line(out, depth + 1);
    out += printable_json(json::serialize(member.key()));
    out += ": ";
    append_pretty(out, member.value(), depth + 1);
  }
  append_line(out, depth);
  out += '}';
}

void append_array(std::string& out, const json::array& array, std::size_t depth) {
  out += '[';
  for (const json::value& element : array) {
    if (&element != &array.front()) out += ',';
    append_line(out, depth + 1);
    append_pretty(out, element, depth + 1);
  }
  append_line(out, depth);
  out += ']';
}

void append_pretty(std::string& out, const json::value& value, std::size_t depth) {
  if (value.is_object() && !value.get_object().empty()) {
    append_object(out, value.get_object(), depth);
  } else if (value.is_array() && !value.get_array().empty()) {
    append_array(out, value.get_array(), depth);
  } else {
    out += printable_json(json::serialize(value));
  }
}

/// A text that a spreadsheet would take for a formula gets an apostrophe in front, which it takes for "this is text".
/// Offsets and numbers with a sign (+02:00, -5) stay.
std::string without_formula(std::string text) {
  if (text.empty() || !std::string_view{"=+-@\t\r"}.contains(text.front())) return text;
  const bool is_signed = text.front() == '+' || text.front() == '-';
  const bool is_number = is_signed && text.find_first_not_of("0123456789:.", 1) == std::string::npos;
  return is_number ? text : "'" + text;
}

std::string csv_cell(const json::value& value) {
  if (value.is_null()) return {};
  const std::string text =
      printable_lines(value.is_string() ? without_formula(std::string{value.get_string()}) : json::serialize(value));
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

/// A list in one cell: its values with semicolons between them, or the number of objects it has.
json::value flat_list(const json::array& list) {
  const bool has_objects =
      std::ranges::any_of(list, [](const json::value& value) { return value.is_object() || value.is_array(); });
  if (has_objects) return list.size();
  std::string text;
  for (const json::value& value : list) {
    if (!text.empty()) text += ';';
    text += value.is_string() ? std::string{value.get_string()} : json::serialize(value);
  }
  return json::value(text);
}

/// The cells of a record by the names of their columns, in order: a member of a member is `spec.timezone`.
using FlatRecord = std::vector<std::pair<std::string, json::value>>;

void flatten(const json::object& object, const std::string& prefix, FlatRecord& flat) {
  for (const auto& member : object) {
    const std::string name = prefix + std::string{member.key()};
    if (member.value().is_object())
      flatten(member.value().get_object(), name + '.', flat);
    else
      flat.emplace_back(name, member.value().is_array() ? flat_list(member.value().get_array()) : member.value());
  }
}

/// The columns below each member, in the order in which they come; a member that is null everywhere is one itself.
std::vector<std::string> columns_of(const std::vector<FlatRecord>& records, std::span<const std::string_view> members) {
  std::map<std::string, std::vector<std::string>, std::less<>> below;  // each member
  std::set<std::string, std::less<>> known;
  for (const FlatRecord& record : records) {
    for (const auto& [name, value] : record) {
      const bool is_member = !name.contains('.');
      if ((!is_member || !value.is_null()) && known.insert(name).second)
        below[name.substr(0, name.find('.'))].push_back(name);
    }
  }
  std::vector<std::string> columns;
  for (const std::string_view member : members) {
    const auto found = below.find(member);
    if (found == below.end())
      columns.emplace_back(member);
    else
      columns.insert(columns.end(), found->second.begin(), found->second.end());
  }
  return columns;
}

std::string csv_line(const FlatRecord& record, const std::vector<std::string>& columns) {
  std::map<std::string_view, const json::value*> cells;
  for (const auto& [name, value] : record) cells.emplace(name, &value);
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto cell = cells.find(columns[i]);
    line.append(i == 0 ? "" : ",").append(cell == cells.end() ? "" : csv_cell(*cell->second));
  }
  return line + '\n';
}

std::string csv(const json::array& records, std::span<const std::string_view> members) {
  std::vector<FlatRecord> flat;
  for (const json::value& record : records) {
    flat.emplace_back();
    if (record.is_object()) flatten(record.get_object(), "", flat.back());
  }
  const std::vector<std::string> columns = columns_of(flat, members);
  std::string out = fmt::format("{}\n", fmt::join(columns, ","));
  for (const FlatRecord& record : flat) out += csv_line(record, columns);
  return out;
}

std::string json_lines(const json::array& records) {
  std::string out;
  for (const json::value& record : records) out += printable_json(json::serialize(record)) + '\n';
  return out;
}

/// Ends with one line end, as text files do.
std::string with_line_end(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

std::string pretty_json(const json::value& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out + '\n';
}

std::string records_text(const json::array& records, std::span<const std::string_view> members, Format format) {
  switch (format) {
    case Format::csv: return csv(records, members);
    case Format::jsonl: return json_lines(records);
    case Format::yaml: return with_line_end(to_yaml(records));
    default: return pretty_json(records);
  }
}

Result<json::array> pick_members(const json::array& records, std::string_view names,
                                 std::span<const std::string_view> members) {
  const std::vector<std::string> wanted = TRY(field_names(names, members));
  json::array picked;
  for (const json::value& record : records) {
    json::object& object = picked.emplace_back(json::object{}).get_object();
    for (const std::string& name : wanted) object.emplace(name, record.get_object().at(name));
  }
  return picked;
}

Result<std::string> picked_text(const json::array& records, std::string_view names,
                                std::span<const std::string_view> members, Format format) {
  const std::vector<std::string> wanted = TRY(field_names(names, members));
  const json::array picked = TRY(pick_members(records, names, members));
  const bool has_form = format != Format::table && format != Format::wide;
  return records_text(picked, std::vector<std::string_view>{wanted.begin(), wanted.end()},
                      has_form ? format : Format::json);
}

json::value text_or_null(std::string_view text) { return text.empty() ? json::value{} : json::value(text); }

json::array warnings_json(const std::vector<Finding>& findings) {
  json::array list;
  for (const Finding& finding : findings) {
    list.push_back({{"code", finding.code},
                    {"message", finding.message},
                    {"at", finding.at ? json::value(to_text(*finding.at)) : json::value{}}});
  }
  return list;
}

}  // namespace carillon::cli
