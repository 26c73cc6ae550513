#pragma once

#include "document/reader.hpp"

#include <boost/json/value.hpp>

namespace carillon {

/// A schedule's document with a patch merged in; `read_schedule` still has to check it. The patch may be in short form:
/// then a rule for time (`cron`, `every`, …) replaces all rules that the schedule had. An action of another kind
/// replaces the whole action.
struct PatchedDocument {
  boost::json::value document;
  Problems problems;  // of the patch itself
};

[[nodiscard]] PatchedDocument patched_document(boost::json::value document, const boost::json::value& patch);

}  // namespace carillon
