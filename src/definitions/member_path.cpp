#include "definitions/member_path.hpp"

#include "document/json_pointer.hpp"

#include <utility>

namespace carillon {

namespace json = boost::json;

std::string pointer_of(MemberPath path) {
  std::string pointer;
  for (const std::string_view key : path) append_key(pointer, key);
  return pointer;
}

const json::value* find(const json::object& document, MemberPath path) {
  const json::object* object = &document;
  const json::value* value = nullptr;
  for (const std::string_view key : path) {
    value = object == nullptr ? nullptr : object->if_contains(key);
    if (value == nullptr || value->is_null()) return nullptr;
    object = value->if_object();
  }
  return value;
}

bool place(json::object& document, MemberPath path, json::value value) {
  json::object* object = &document;
  for (const std::string_view key : path.first(path.size() - 1)) {
    json::value& next = (*object)[key];
    if (next.is_null()) next.emplace_object();
    object = next.if_object();
    if (object == nullptr) return false;
  }
  json::value& member = (*object)[path.back()];
  if (!member.is_null()) return false;
  member = std::move(value);
  return true;
}

}  // namespace carillon
