#pragma once

#include "base/loop_monitor.hpp"
#include "definitions/action.hpp"
#include "definitions/command_users.hpp"
#include "executors/process/variables.hpp"

#include <functional>
#include <optional>
#include <string>

namespace carillon {

/// What commands get when they do not say otherwise.
struct ProcessOptions {
  TextMap environment = inherited_environment();
  std::string folder{"/"};
  std::string run_as{};                 // user of commands that name none; empty = this process's own
  std::optional<CommandUsers> users{};  // that commands may name; none = any that the launcher can become
  /// Whether `onOwnerLoss: adopt` is done: where other servers may call a run lost and try it again, nothing may go on
  /// without its server.
  bool may_outlive_server = true;
  LoopMonitor* loops = nullptr;  // watches the threads
  /// Told once, from a thread of the executor: from now on every attempt is lost.
  std::function<void()> on_launcher_lost{};
};

}  // namespace carillon
