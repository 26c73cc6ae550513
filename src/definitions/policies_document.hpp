#pragma once

#include "definitions/policies.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace carillon {

/// Reads policies from their document; what is left out has its default. Every fault is noted.
[[nodiscard]] Policies read_policies(const boost::json::value& document, std::string pointer, Problems& problems);

/// The one canonical form: every member present, in the order of the reference.
[[nodiscard]] boost::json::object write_policies(const Policies& policies);

}  // namespace carillon
