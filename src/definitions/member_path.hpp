#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>

namespace carillon {

/// The keys that lead to a member of nested objects: `policies`, `retry`, `initial`.
using MemberPath = std::span<const std::string_view>;

/// The path as a JSON pointer.
[[nodiscard]] std::string pointer_of(MemberPath path);

/// What stands at the path; null when nothing does, or JSON null.
[[nodiscard]] const boost::json::value* find(const boost::json::object& document, MemberPath path);

/// Puts a value at the path, with the objects on the way, unless something stands there or in the way; tells whether it
/// did.
bool place(boost::json::object& document, MemberPath path, boost::json::value value);

}  // namespace carillon
