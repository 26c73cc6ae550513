#pragma once

#include "calendar/spec.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace carillon {

/// Reads a spec from its document. Every fault is reported, each with the pointer of its place; `timezone` left out is
/// `default_timezone`. Texts of crons and fields are checked; whether the zone exists is for a ZoneSource to say.
[[nodiscard]] Checked<Spec> read_spec(const boost::json::value& document, std::string_view default_timezone = "UTC",
                                      std::string_view pointer = "");

/// The one canonical form: every member present, in the order of the reference, cron text as written.
[[nodiscard]] boost::json::object write_spec(const Spec& spec);

}  // namespace carillon
