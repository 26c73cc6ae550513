#pragma once

#include "calendar/spec.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace carillon::oracle {

/// Reads a spec document, without asking the calendar. Made for correct documents: throws some std::exception on
/// others.
[[nodiscard]] Spec spec_of_json(const boost::json::value& document);

/// The spec as a document that leaves out what has its default.
[[nodiscard]] boost::json::object json_of_spec(const Spec& spec);

}  // namespace carillon::oracle
