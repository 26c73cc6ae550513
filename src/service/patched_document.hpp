#pragma once

#include "document/reader.hpp"

#include <boost/json/value.hpp>

namespace carillon {

/// A schedule's document with a patch merged in, for read_schedule to judge. The patch may be in short form; then a
/// rule for time (`cron`, `every`, …) replaces all that the schedule had, as one who writes one line means the whole of
/// it. An action of another kind replaces the one it had.
struct PatchedDocument {
  boost::json::value document;
  Problems problems;  // of the patch itself
};

[[nodiscard]] PatchedDocument patched_document(boost::json::value document, const boost::json::value& patch);

}  // namespace carillon
