#include "api/temporal/payloads.hpp"

#include "document/document.hpp"

#include <absl/strings/escaping.h>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace carillon::temporal {
namespace {

namespace json = boost::json;
using common_pb::Payload;

/// Attributes of the system that schedules may not be given; others of its names pass, as with Temporal.
constexpr std::array<std::string_view, 8> system_names{
    "ExecutionStatus", "WorkflowId", "WorkflowType", "RunId", "StartTime", "CloseTime", "TaskQueue", "ExecutionTime"};

std::string encoding_of(const Payload& payload) {
  const auto found = payload.metadata().find("encoding");
  return found == payload.metadata().end() ? std::string{} : found->second;
}

bool is_of_type(const json::value& value, enums_pb::IndexedValueType type) {
  switch (type) {
    case enums_pb::INDEXED_VALUE_TYPE_INT: return value.is_int64() || value.is_uint64();
    case enums_pb::INDEXED_VALUE_TYPE_DOUBLE: return value.is_number();
    case enums_pb::INDEXED_VALUE_TYPE_BOOL: return value.is_bool();
    case enums_pb::INDEXED_VALUE_TYPE_DATETIME: return value.is_string() && parse_instant(value.get_string());
    case enums_pb::INDEXED_VALUE_TYPE_KEYWORD_LIST:
      return value.is_string() || (value.is_array() && std::ranges::all_of(value.get_array(), &json::value::is_string));
    default: return value.is_string();
  }
}

std::string value_text(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

}  // namespace

std::string to_base64(std::string_view bytes) { return absl::Base64Escape({bytes.data(), bytes.size()}); }

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape({text.data(), text.size()}, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<json::value> json_in(const Payload& payload) {
  const std::string encoding = encoding_of(payload);
  if (encoding == "binary/null") return json::value(nullptr);
  if (encoding != "json/plain" && encoding != "json/protobuf") return std::nullopt;
  auto value = parse_json(payload.data());
  if (!value) return std::nullopt;
  return *std::move(value);
}

json::value shown(const Payload& payload) {
  if (auto value = json_in(payload)) return *std::move(value);
  return json::object{{"encoding", encoding_of(payload)}, {"data", to_base64(payload.data())}};
}

json::array shown(const common_pb::Payloads& payloads) {
  json::array out;
  for (const Payload& payload : payloads.payloads()) out.push_back(shown(payload));
  return out;
}

Payload json_payload(const json::value& value) {
  Payload payload;
  (*payload.mutable_metadata())["encoding"] = "json/plain";
  payload.set_data(json::serialize(value));
  return payload;
}

Outcome<common_pb::SearchAttributes> checked_attributes(const common_pb::SearchAttributes& attributes,
                                                        const Settings& settings, std::string_view name_space) {
  common_pb::SearchAttributes out;
  for (const auto& [name, payload] : attributes.indexed_fields()) {
    if (std::ranges::find(system_names, name) != system_names.end())
      return invalid(fmt::format("{} attribute can't be set in SearchAttributes", name));
    const auto declared = settings.search_attributes.find(name);
    if (declared == settings.search_attributes.end())
      return invalid(fmt::format("Namespace {} has no mapping defined for search attribute {}", name_space, name));
    auto value = json_in(payload);
    // Untyped clients send one word as a list of one.
    const bool is_list = declared->second == enums_pb::INDEXED_VALUE_TYPE_KEYWORD_LIST;
    if (value && value->is_array() && value->get_array().size() == 1 && !is_list) {
      json::value only = value->get_array().front();
      value = std::move(only);
    }
    // Nothing, or a list of nothing, takes the attribute away.
    if (value && (value->is_null() || (value->is_array() && value->get_array().empty()))) continue;
    if (!value || !is_of_type(*value, declared->second))
      return invalid(fmt::format("invalid value for search attribute {} of type {}: {}", name,
                                 type_name(declared->second), value ? value_text(*value) : "not JSON"));
    Payload kept = json_payload(*value);
    (*kept.mutable_metadata())["type"] = std::string{type_name(declared->second)};
    (*out.mutable_indexed_fields())[name] = std::move(kept);
  }
  return out;
}

}  // namespace carillon::temporal
