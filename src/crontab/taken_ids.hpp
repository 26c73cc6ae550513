#pragma once

#include "base/ids.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace carillon {

/// Ids in use; two that differ in case only are the same.
class TakenIds {
 public:
  void add(std::string_view id);

  /// The id itself, or the first free one with a number behind it; taken from now on.
  [[nodiscard]] ScheduleId take(const ScheduleId& preferred);

 private:
  std::set<std::string, std::less<>> taken_;  // lower case
  std::map<ScheduleId, int> next_number_;     // so that a thousand equal lines do not count from 2 each
};

}  // namespace carillon
