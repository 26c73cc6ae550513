#pragma once

#include <boost/json/value.hpp>

namespace carillon {

/// JSON Merge Patch (RFC 7396): members of the patch replace those of the target, null removes.
void merge_patch(boost::json::value& target, const boost::json::value& patch);

}  // namespace carillon
