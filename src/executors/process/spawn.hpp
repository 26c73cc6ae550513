#pragma once

#include "executors/process/program.hpp"
#include "files/file_descriptor.hpp"

#include <sys/resource.h>

#include <atomic>
#include <optional>
#include <string>

namespace carillon {

/// What becomes file 0, 1 and 2 of a program.
struct StandardFiles {
  int input = -1;
  int output = -1;
  int error = -1;
};

/// What a program is born into; -1: not at all.
struct Confinement {
  int control_group = -1;  // a folder of control groups
  int ruleset = -1;        // of Landlock
};

/// How far a child came before it could not go on.
enum class SpawnStep { process, limit, identity, folder, protection, hiding, files, program };

struct SpawnFailure {
  SpawnStep step = SpawnStep::process;
  int error = 0;      // error number
  int resource = -1;  // of a limit
};

/// For people: `cannot start "/x/y": No such file or directory`.
[[nodiscard]] std::string to_text(const SpawnFailure& failure, const Program& program);

struct SpawnOutcome {
  pid_t pid = -1;  // must be waited for, also after a failure
  FileDescriptor process;
  std::optional<SpawnFailure> failure;
};

/// Starts programs at a cost that does not depend on the memory of this process: the child borrows it until it becomes
/// the program. One thread's own: start() returns only when that has happened, which may take as long as file systems
/// like.
class Spawning {
 public:
  Spawning();
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;
  ~Spawning();

  /// In a session and group of its own, with files 0 to 2 alone, no right to gain privileges, and not outliving this
  /// process. The limits on open files are those of `file_limit` unless the program has its own.
  [[nodiscard]] SpawnOutcome start(const Program& program, const StandardFiles& files, const rlimit& file_limit,
                                   const Confinement& confinement);

  /// The child that is on its way to become a program, 0 if there is none. May be read from other threads.
  [[nodiscard]] pid_t child_on_its_way() const;
  /// To be called before anyone may wait for the child of the last start().
  void forget_child();

 private:
  struct Shared;
  Shared* shared_;
  void* stack_;
};

}  // namespace carillon
