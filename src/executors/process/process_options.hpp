#pragma once

#include "engine/action.hpp"
#include "executors/process/variables.hpp"

#include <string>

namespace carillon {

/// What commands get when they do not say otherwise.
struct ProcessOptions {
  TextMap environment = inherited_environment();
  std::string folder{"/"};
  SecretResolver resolve_secret{};  // none = values are taken as they are
};

}  // namespace carillon
