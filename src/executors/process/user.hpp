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

}  // namespace carillon
