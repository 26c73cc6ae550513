#include "pipeline/overrides.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

bool is_named(const json::value& parameter, const std::string& name) {
  const json::object* const object = parameter.if_object();
  const json::value* const found = object == nullptr ? nullptr : object->if_contains("name");
  return found != nullptr && found->is_string() && found->get_string() == name;
}

void set(json::array& parameters, const Parameter& parameter) {
  const auto same =
      std::ranges::find_if(parameters, [&](const json::value& other) { return is_named(other, parameter.name); });
  if (same != parameters.end())
    same->get_object()["value"] = parameter.value;
  else
    parameters.push_back(json::object{{"name", parameter.name}, {"value", parameter.value}});
}

}  // namespace

void apply(const Overrides& overrides, json::value& document) {
  json::object* const root = document.if_object();
  if (root == nullptr) return;
  json::object* const input = root->contains("input") ? root->at("input").if_object() : nullptr;
  json::object* const holder = root->contains("job") ? root : input;
  if (holder == nullptr) return;
  if (!overrides.parameters.empty()) {
    json::value& parameters = (*holder)["parameters"];
    if (parameters.is_null()) parameters = json::array{};
    // Anything but a list is a fault that the reader tells.
    if (json::array* const list = parameters.if_array())
      for (const Parameter& parameter : overrides.parameters) set(*list, parameter);
  }
  if (overrides.limit && holder == input) (*input)["limit"] = *overrides.limit;
}

}  // namespace carillon::pipeline
