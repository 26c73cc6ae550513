#include "simulation/bugs/bugs.hpp"

#include <algorithm>

namespace carillon::simulation {

std::vector<Bug> bugs_for(StoreKind store) {
  std::vector<Bug> bugs;
  if (store == StoreKind::sqlite) {
    bugs.assign(disk_bugs().begin(), disk_bugs().end());
    return bugs;
  }
  for (const auto group : {deciding_bugs(), committing_bugs(), running_bugs()})
    bugs.insert(bugs.end(), group.begin(), group.end());
  return bugs;
}

const Bug* find_bug(std::string_view name) {
  for (const auto group : {deciding_bugs(), committing_bugs(), running_bugs(), disk_bugs()}) {
    const auto found = std::ranges::find(group, name, &Bug::name);
    if (found != group.end()) return &*found;
  }
  return nullptr;
}

}  // namespace carillon::simulation
