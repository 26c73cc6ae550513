#include "executors/pipeline/child_process.hpp"

#include "base/quoted.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace carillon::pipeline {
namespace {

struct PipeEnds {
  FileDescriptor read;
  FileDescriptor write;
};

Result<PipeEnds> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::unavailable, "cannot make a pipe: {}", std::generic_category().message(errno));
  return PipeEnds{FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// What is done between this process and the program.
class SpawnSteps {
 public:
  SpawnSteps() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSteps(const SpawnSteps&) = delete;
  SpawnSteps& operator=(const SpawnSteps&) = delete;
  ~SpawnSteps() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  void set(const std::string& folder, int input, int output, int error) {
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

/// Where the pipe ends must not stand: they would be overwritten while they are put in place.
Result<> move_above_standard(FileDescriptor& file) {
  if (file.get() > STDERR_FILENO) return {};
  const int moved = ::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return fail(ErrorCode::unavailable, "too many open files");
  file.reset(moved);
  return {};
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const Program& program) {
  PipeEnds in = TRY(make_pipe());
  PipeEnds out = TRY(make_pipe());
  PipeEnds err = TRY(make_pipe());
  for (FileDescriptor* end : {&in.read, &out.write, &err.write}) TRY(move_above_standard(*end));
  SpawnSteps steps;
  steps.set(program.folder, in.read.get(), out.write.get(), err.write.get());
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.argv.front().c_str(), &steps.actions, &steps.attributes,
                                   pointers_of(program.argv).data(), pointers_of(program.environment).data());
  if (error != 0)
    return fail(ErrorCode::unavailable, "cannot start {}: {}", carillon::quoted(program.argv.front()),
                std::generic_category().message(error));
  ChildProcess child{pid};
  child.input = std::move(in.write);
  child.output = std::move(out.read);
  child.error = std::move(err.read);
  child.process = FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  for (const FileDescriptor* end : {&child.input, &child.output, &child.error})
    ::fcntl(end->get(), F_SETFL, ::fcntl(end->get(), F_GETFL) | O_NONBLOCK);
  if (!child.process.is_open()) return fail(ErrorCode::unavailable, "too many open files");
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : input{std::move(other.input)},
      output{std::move(other.output)},
      error{std::move(other.error)},
      process{std::move(other.process)},
      pid_{std::exchange(other.pid_, 0)} {}

ChildProcess::~ChildProcess() {
  if (pid_ != 0) (void)wait();
}

void ChildProcess::signal(int number) const {
  if (pid_ != 0) ::kill(-pid_, number);
}

int ChildProcess::wait() {
  // As long as it has not been waited for, nobody else can have its number, nor that of its group.
  signal(SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  return status;
}

}  // namespace carillon::pipeline
