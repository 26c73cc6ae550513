#include "service/merge_patch.hpp"

#include <boost/json/object.hpp>

namespace carillon {

// The depth is bounded by that of a parsed document.
void merge_patch(boost::json::value& target, const boost::json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = boost::json::object{};
  boost::json::object& members = target.get_object();
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null())
      members.erase(key);
    else
      merge_patch(members[key], value);
  }
}

}  // namespace carillon
