#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// The users that commands may run as on a server.
struct CommandUsers {
  std::string own;                    // of commands that name none
  std::vector<std::string> others{};  // allowed beside it

  [[nodiscard]] bool allows(std::string_view user) const {
    return user == own || std::ranges::find(others, user) != others.end();
  }
};

}  // namespace carillon
