#include "pipeline/reduction.hpp"

#include "base/assertion.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/prompt_template.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

constexpr std::size_t list_input_characters = 30;
constexpr std::size_t table_input_characters = 20;
constexpr std::size_t output_characters = 50;

std::string cut(std::string text, std::size_t count_max) {
  if (first_characters(text, count_max).size() == text.size()) return text;
  return std::string{first_characters(text, count_max - 3)} + "...";
}

/// An output for people: texts are cut, of lists only the length is shown.
std::string shown_output(const json::value& value) {
  if (value.is_null()) return "null";
  if (const auto* text = value.if_string()) return cut(std::string{*text}, output_characters);
  if (const auto* list = value.if_array()) return fmt::format("[{} items]", list->size());
  return prompt_text(value);
}

/// Names in the order in which they are first seen.
class ColumnNames {
 public:
  void add(const json::object& object) {
    for (const auto& member : object)
      if (seen_.insert(std::string{member.key()}).second) names_.emplace_back(member.key());
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> names_;
};

struct Columns {
  ColumnNames inputs;
  ColumnNames outputs;
};

Columns columns_of(const EachResult& each) {
  Columns columns;
  each([&](const ItemResult& result) {
    columns.inputs.add(result.input);
    columns.outputs.add(result.output);
  });
  return columns;
}

json::value member_or_null(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? json::value(nullptr) : *value;
}

std::string list_entry(const ItemResult& result, std::size_t number) {
  std::string text = fmt::format("### Item {}\n**Input:** ", number);
  std::string_view between;
  for (const auto& field : result.input) {
    text += fmt::format("{}{}={}", between, std::string_view{field.key()},
                        cut(prompt_text(field.value()), list_input_characters));
    between = ", ";
  }
  if (!result.is_success()) return text + fmt::format("\n**Error:** {}\n\n", result.error);
  text += "\n**Output:** ";
  between = "";
  for (const auto& field : result.output) {
    text += fmt::format("{}{}={}", between, std::string_view{field.key()}, shown_output(field.value()));
    between = ", ";
  }
  return text + "\n\n";
}

void write_list(const EachResult& each, const Counts& counts, const Sink& sink) {
  sink(fmt::format("## Results ({} items)\n\n", counts.total));
  if (counts.failed() > 0) sink(fmt::format("**Warning: {} items failed**\n\n", counts.failed()));
  std::size_t number = 0;
  each([&](const ItemResult& result) { sink(list_entry(result, ++number)); });
  sink(fmt::format("---\n**Stats:** {} succeeded, {} failed", counts.succeeded, counts.failed()));
}

/// A pipe or a line break would end the cell of a Markdown table.
std::string table_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else if (c == '\n') {
      cell += "<br>";
    } else if (c != '\r') {
      cell += c;
    }
  }
  return cell;
}

std::string table_row(const ItemResult& result, std::size_t number, const Columns& columns) {
  std::string row = fmt::format("| {}", number);
  for (const std::string& name : columns.inputs.names())
    row += " | " + table_cell(cut(prompt_text(member_or_null(result.input, name)), table_input_characters));
  for (const std::string& name : columns.outputs.names())
    row += " | " + table_cell(shown_output(member_or_null(result.output, name)));
  return row + (result.is_success() ? " | OK |" : " | FAIL |");
}

void write_table(const EachResult& each, const Counts& counts, const Sink& sink) {
  if (counts.total == 0) return sink("No results to display.");
  const Columns columns = columns_of(each);
  std::string header = "| #";
  std::string rule = "| ---";
  for (const std::string& name : columns.inputs.names()) header += " | [in] " + table_cell(name), rule += " | ---";
  for (const std::string& name : columns.outputs.names()) header += " | [out] " + table_cell(name), rule += " | ---";
  sink(header + " | Status |\n" + rule + " | --- |");
  std::size_t number = 0;
  each([&](const ItemResult& result) { sink("\n" + table_row(result, ++number, columns)); });
}

void write_json(const EachResult& each, const Counts& counts, const Sink& sink) {
  if (counts.total == 0) return sink("[]");
  std::string_view between = "[\n  ";
  each([&](const ItemResult& result) {
    json::object entry{{"input", result.input}, {"output", result.output}, {"success", result.is_success()}};
    if (!result.is_success()) entry["error"] = result.error;
    sink(between);
    sink(indented(entry, 1));
    between = ",\n  ";
  });
  sink("\n]");
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string{text};
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string csv_row(const ItemResult& result, const Columns& columns) {
  std::string row;
  for (const std::string& name : columns.inputs.names())
    row += csv_cell(prompt_text(member_or_null(result.input, name))) + ',';
  for (const std::string& name : columns.outputs.names()) {
    const json::value value = member_or_null(result.output, name);
    row += csv_cell(value.is_null() ? "null" : prompt_text(value)) + ',';
  }
  return row + (result.is_success() ? "true" : "false");
}

void write_csv(const EachResult& each, const Counts& counts, const Sink& sink) {
  if (counts.total == 0) return;
  const Columns columns = columns_of(each);
  std::string header;
  for (const std::string& name : columns.inputs.names()) header += csv_cell(name) + ',';
  for (const std::string& name : columns.outputs.names()) header += csv_cell("out_" + name) + ',';
  sink(header + "success");
  each([&](const ItemResult& result) { sink("\n" + csv_row(result, columns)); });
}

std::string answer_text(const ItemResult& result) {
  if (result.raw_text && !result.raw_text->empty()) return *result.raw_text;
  return indented(result.output);
}

void write_text(const EachResult& each, const Counts& counts, const Sink& sink) {
  if (counts.succeeded == 0) return sink("No successful results.");
  std::size_t number = 0;
  each([&](const ItemResult& result) {
    if (!result.is_success()) return;
    ++number;
    if (counts.succeeded > 1) sink(fmt::format("{}--- Item {} ---\n", number > 1 ? "\n\n" : "", number));
    sink(answer_text(result));
  });
}

}  // namespace

void format(ReduceType type, const EachResult& each, const Counts& counts, const Sink& sink) {
  switch (type) {
    case ReduceType::list: return write_list(each, counts, sink);
    case ReduceType::table: return write_table(each, counts, sink);
    case ReduceType::json: return write_json(each, counts, sink);
    case ReduceType::csv: return write_csv(each, counts, sink);
    case ReduceType::text: return write_text(each, counts, sink);
    case ReduceType::ai: break;
  }
  CARILLON_ASSERT(false && "an AI reduction is written by its provider");
}

std::string results_for_reduction(const EachResult& each) {
  std::string text = "[";
  std::string_view between = "\n  ";
  each([&](const ItemResult& result) {
    if (!result.is_success()) return;
    text += between;
    text += result.raw_text ? indented(json::value(*result.raw_text), 1) : indented(result.output, 1);
    between = ",\n  ";
  });
  return text + (text.size() > 1 ? "\n]" : "]");
}

}  // namespace carillon::pipeline
