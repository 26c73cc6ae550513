#pragma once

#include "engine/action.hpp"
#include "executors/process/variables.hpp"

#include <functional>
#include <string>

namespace carillon {

/// What commands get when they do not say otherwise.
struct ProcessOptions {
  TextMap environment = inherited_environment();
  std::string folder{"/"};
  SecretResolver resolve_secret{};  // none = values are taken as they are
  /// Told once, from a thread of the executor: from now on every attempt is lost.
  std::function<void()> on_launcher_lost{};
};

}  // namespace carillon
