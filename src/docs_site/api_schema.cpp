#include "docs_site/api_schema.hpp"

#include "docs_site/html_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace carillon::docs_site {
namespace {

namespace json = boost::json;

/// Objects inside objects are shown this deep.
constexpr int member_depth_max = 4;

const json::value* member_of(const json::value& value, std::string_view key) {
  return value.is_object() ? value.get_object().if_contains(key) : nullptr;
}

std::string_view as_text(const json::value& value) {
  return value.is_string() ? std::string_view{value.get_string()} : std::string_view{};
}

std::string value_html(const json::value& value) {
  return fmt::format("<code>{}</code>",
                     escaped(value.is_string() ? std::string{as_text(value)} : json::serialize(value)));
}

std::string joined_html(const json::array& values, std::string_view between) {
  std::string html;
  for (const json::value& value : values) {
    if (!html.empty()) html += between;
    html += value_html(value);
  }
  return html;
}

std::string alternatives(const json::array& schemas) {
  std::vector<std::string> types;
  for (const json::value& schema : schemas)
    if (std::string type = type_html(schema); std::ranges::find(types, type) == types.end())
      types.push_back(std::move(type));
  return fmt::format("{}", fmt::join(types, " or "));
}

std::string named_type(const json::value& schema, std::string_view name) {
  if (name == "array") {
    const json::value* items = member_of(schema, "items");
    return items == nullptr ? "list" : "list of " + type_html(*items);
  }
  if (name == "object") {
    const json::value* values = member_of(schema, "additionalProperties");
    return values != nullptr && values->is_object() && member_of(schema, "properties") == nullptr
               ? "object of " + type_html(*values)
               : "object";
  }
  return escaped(name == "string" ? std::string_view{"text"} : name);
}

std::string limits_of(const json::value& schema) {
  std::string limits;
  for (const auto& [key, words] :
       {std::pair{"minimum", "at least"}, std::pair{"maximum", "at most"}, std::pair{"maxLength", "characters at most"},
        std::pair{"maxItems", "entries at most"}, std::pair{"default", "default"}})
    if (const json::value* value = member_of(schema, key)) limits += fmt::format(", {} {}", words, value_html(*value));
  return limits;
}

/// `#/components/schemas/Spec/$defs/instant` is `Spec.instant`.
std::string schema_name(std::string_view reference) {
  constexpr std::string_view schemas = "#/components/schemas/";
  if (reference.starts_with(schemas)) reference.remove_prefix(schemas.size());
  std::string name;
  while (!reference.empty()) {
    const std::size_t slash = std::min(reference.find('/'), reference.size());
    const std::string_view part = reference.substr(0, slash);
    if (part != "$defs" && part != "properties") name += (name.empty() ? "" : ".") + std::string{part};
    reference.remove_prefix(std::min(slash + 1, reference.size()));
  }
  return name;
}

void add_members(const json::value& root, const json::value& schema, const std::string& before, int depth,
                 std::string& html) {
  for (const json::value& part : list_in(schema, "allOf")) add_members(root, resolved(root, part), before, depth, html);
  for (const std::string_view choice : {"oneOf", "anyOf"})
    for (const json::value& part : list_in(schema, choice))
      if (member_of(part, "properties") != nullptr) add_members(root, part, before, depth, html);
  const json::array& required = list_in(schema, "required");
  for (const auto& [key, member] : object_in(schema, "properties")) {
    const std::string name = before + std::string{std::string_view{key}};
    const bool is_required = std::ranges::find(required, json::value(key)) != required.end();
    html += fmt::format("<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(name),
                        is_required ? " <span class=\"required\">required</span>" : "", type_html(member),
                        escaped(text_in(member, "description")));
    if (depth < member_depth_max) {
      add_members(root, member, name + ".", depth + 1, html);
      if (const json::value* items = member_of(member, "items"))
        add_members(root, *items, name + "[].", depth + 1, html);
    }
  }
}

}  // namespace

const json::value& resolved(const json::value& root, const json::value& value) {
  const std::string_view reference = text_in(value, "$ref");
  if (!reference.starts_with('#')) return value;
  boost::system::error_code error;
  const json::value* found = root.find_pointer(reference.substr(1), error);
  return found == nullptr ? value : *found;
}

std::string_view text_in(const json::value& value, std::string_view key) {
  const json::value* member = member_of(value, key);
  return member == nullptr ? std::string_view{} : as_text(*member);
}

const json::object& object_in(const json::value& value, std::string_view key) {
  static const json::object none;
  const json::value* member = member_of(value, key);
  return member != nullptr && member->is_object() ? member->get_object() : none;
}

const json::array& list_in(const json::value& value, std::string_view key) {
  static const json::array none;
  const json::value* member = member_of(value, key);
  return member != nullptr && member->is_array() ? member->get_array() : none;
}

std::string schema_anchor(std::string_view reference) {
  // A member stands in the table of its schema, which has the heading.
  return schema_name(reference.substr(0, reference.find("/properties/")));
}

std::string type_html(const json::value& schema) {
  if (const std::string_view reference = text_in(schema, "$ref"); !reference.empty()) {
    return fmt::format("<a href=\"schemas#{}\">{}</a>", escaped(schema_anchor(reference)),
                       escaped(schema_name(reference)));
  }
  if (const json::array& words = list_in(schema, "enum"); !words.empty())
    return fmt::format("one of {}", joined_html(words, ", ")) + limits_of(schema);
  if (const json::value* only = member_of(schema, "const")) return value_html(*only);
  for (const std::string_view choice : {"oneOf", "anyOf"})
    if (const json::array& schemas = list_in(schema, choice); !schemas.empty()) return alternatives(schemas);
  if (const json::array& schemas = list_in(schema, "allOf"); schemas.size() == 1) return type_html(schemas[0]);
  if (const json::array& types = list_in(schema, "type"); !types.empty()) {
    std::vector<std::string> names;
    for (const json::value& type : types) names.push_back(named_type(schema, as_text(type)));
    return fmt::format("{}", fmt::join(names, " or ")) + limits_of(schema);
  }
  const std::string_view type = text_in(schema, "type");
  if (type.empty()) return object_in(schema, "properties").empty() ? "anything" : "object";
  return named_type(schema, type) + limits_of(schema);
}

std::string member_rows(const json::value& root, const json::value& schema) {
  std::string html;
  add_members(root, schema, {}, 1, html);
  return html;
}

}  // namespace carillon::docs_site
