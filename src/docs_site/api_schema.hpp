#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace carillon::docs_site {

/// What `$ref` inside the description leads to, or the value itself.
[[nodiscard]] const boost::json::value& resolved(const boost::json::value& root, const boost::json::value& value);

/// A text member, or nothing.
[[nodiscard]] std::string_view text_in(const boost::json::value& value, std::string_view key);
/// An object member, or an empty one.
[[nodiscard]] const boost::json::object& object_in(const boost::json::value& value, std::string_view key);
/// A list member, or an empty one.
[[nodiscard]] const boost::json::array& list_in(const boost::json::value& value, std::string_view key);

/// The type of a schema in HTML: `integer`, `one of a, b`, `list of <a>Run</a>`. Named schemas are links to
/// `docs/api/schemas`, relative to a page of `docs/api/`.
[[nodiscard]] std::string type_html(const boost::json::value& schema);

/// The rows of a table of members, those of objects inside it with their whole name: `catchup.policy`.
[[nodiscard]] std::string member_rows(const boost::json::value& root, const boost::json::value& schema);

/// The anchor of a schema by its reference: `#/components/schemas/Spec/$defs/instant` is `Spec.instant`. A member of a
/// schema has that of its schema.
[[nodiscard]] std::string schema_anchor(std::string_view reference);

}  // namespace carillon::docs_site
