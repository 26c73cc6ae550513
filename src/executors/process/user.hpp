#pragma once

#include "base/error.hpp"
#include "executors/process/program.hpp"

#include <string>

namespace carillon {

struct User {
  Identity identity;
  std::string home;
  std::string shell;
};

/// A user of this machine by name, with all groups.
[[nodiscard]] Result<User> find_user(const std::string& name);

/// The name of the user this process runs as; its number if it has none.
[[nodiscard]] std::string own_user_name();

/// Whether what this process starts can run as other users.
[[nodiscard]] bool can_become_others();

}  // namespace carillon
