#include "simulation/bugs/bugs.hpp"

#include <algorithm>

namespace carillon::simulation {

std::vector<Bug> all_bugs() {
  std::vector<Bug> bugs;
  for (const auto group : {deciding_bugs(), committing_bugs(), running_bugs()})
    bugs.insert(bugs.end(), group.begin(), group.end());
  return bugs;
}

const Bug* find_bug(std::string_view name) {
  for (const auto group : {deciding_bugs(), committing_bugs(), running_bugs()}) {
    const auto found = std::ranges::find(group, name, &Bug::name);
    if (found != group.end()) return &*found;
  }
  return nullptr;
}

}  // namespace carillon::simulation
