#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace carillon::cli {

/// A schedule as the server answers it, as a file to apply would say it: canonical members only, and none that have
/// their default. The zone always stands there, since its default is a setting of the server.
[[nodiscard]] boost::json::object short_definition(const boost::json::value& answer);

}  // namespace carillon::cli
