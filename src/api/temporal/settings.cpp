#include "api/temporal/settings.hpp"

#include "base/ids.hpp"
#include "base/quoted.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace carillon::temporal {
namespace {

namespace json = boost::json;

struct NamedType {
  std::string_view name;
  enums_pb::IndexedValueType type;
};
constexpr std::array<NamedType, 7> named_types{{{"Text", enums_pb::INDEXED_VALUE_TYPE_TEXT},
                                                {"Keyword", enums_pb::INDEXED_VALUE_TYPE_KEYWORD},
                                                {"Int", enums_pb::INDEXED_VALUE_TYPE_INT},
                                                {"Double", enums_pb::INDEXED_VALUE_TYPE_DOUBLE},
                                                {"Bool", enums_pb::INDEXED_VALUE_TYPE_BOOL},
                                                {"Datetime", enums_pb::INDEXED_VALUE_TYPE_DATETIME},
                                                {"KeywordList", enums_pb::INDEXED_VALUE_TYPE_KEYWORD_LIST}}};

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(named_types, std::back_inserter(names), &NamedType::name);
  return names;
}

void read_namespaces(ObjectReader& reader, Settings& settings) {
  const json::value* list = reader.member("namespaces");
  if (list == nullptr) return;
  settings.namespaces.clear();
  const json::array* names = list->if_array();
  for (const json::value& name : names == nullptr ? json::array{} : *names) {
    const json::string* text = name.if_string();
    if (text != nullptr && is_id_text(*text)) settings.namespaces.emplace_back(*text);
  }
  if (names == nullptr || settings.namespaces.size() != names->size() || settings.namespaces.empty())
    reader.problem("namespaces", "wrong-type", "namespaces is not a list of names", "write namespaces: [default]");
}

void read_attributes(ObjectReader& reader, Settings& settings, Problems& problems) {
  const json::value* attributes = reader.member("searchAttributes");
  if (attributes == nullptr) return;
  if (!attributes->is_object())
    return reader.problem("searchAttributes", "wrong-type", "searchAttributes is not an object",
                          "write searchAttributes: {Team: Keyword}");
  ObjectReader types{*attributes, reader.pointer("searchAttributes"), problems};
  const auto names = type_names();
  for (const auto& entry : attributes->get_object())
    if (const auto index = types.word(entry.key(), names))
      settings.search_attributes.emplace(entry.key(), named_types[*index].type);
}

void read_workflows(ObjectReader& reader, Settings& settings) {
  const json::value* workflows = reader.member("workflows");
  if (workflows == nullptr) return;
  const json::object* types = workflows->if_object();
  constexpr std::array<std::string_view, 3> kinds{"job", "command", "http"};
  for (const auto& entry : types == nullptr ? json::object{} : *types) {
    const json::object* action = entry.value().if_object();
    const bool is_action = action != nullptr && action->size() == 1 && action->begin()->value().is_object() &&
                           std::ranges::find(kinds, std::string_view{action->begin()->key()}) != kinds.end();
    if (is_action)
      settings.workflows.emplace(entry.key(), *action);
    else
      reader.problem("workflows", "wrong-type",
                     fmt::format("workflow type {} has no single action", quoted(entry.key())),
                     "write {job: {}}, {command: {argv: […]}} or {http: {url: …}}");
  }
  if (types == nullptr)
    reader.problem("workflows", "wrong-type", "workflows is not an object", "write workflows: {\"*\": {job: {}}}");
}

}  // namespace

Checked<Settings> read_settings(const json::value& document) {
  Settings settings;
  Problems problems;
  ObjectReader reader{document, "", problems};
  read_namespaces(reader, settings);
  read_attributes(reader, settings, problems);
  read_workflows(reader, settings);
  static_cast<void>(reader.member("clusters"));
  reader.finish();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return settings;
}

std::string_view type_name(enums_pb::IndexedValueType type) {
  const auto found = std::ranges::find(named_types, type, &NamedType::type);
  return found == named_types.end() ? std::string_view{"Unspecified"} : found->name;
}

}  // namespace carillon::temporal
