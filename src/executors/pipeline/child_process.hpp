#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace carillon::pipeline {

/// A program that was started in a session of its own, and this side's ends of its standard files, which do not block.
/// When it is destroyed, whatever is left of its process group is killed.
class ChildProcess {
 public:
  struct Program {
    std::vector<std::string> argv;
    std::vector<std::string> environment;  // `NAME=value`
    std::string folder;
  };

  /// An error if it cannot be started; nothing is left then.
  [[nodiscard]] static Result<ChildProcess> start(const Program& program);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// Sends a signal to its process group.
  void signal(int number) const;
  /// How it ended, as waitpid tells. Kills it if it has not ended, and all that it has left behind.
  [[nodiscard]] int wait();

  FileDescriptor input;
  FileDescriptor output;
  FileDescriptor error;
  FileDescriptor process;  // readable when it has ended

 private:
  explicit ChildProcess(pid_t pid) : pid_{pid} {}
  pid_t pid_;
};

}  // namespace carillon::pipeline
