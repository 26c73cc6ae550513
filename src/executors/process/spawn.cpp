#include "executors/process/spawn.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"
#include "executors/process/landlock.hpp"
#include "executors/process/resource_limits.hpp"
#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <vector>

namespace carillon {

/// Seen by the child too, whether it borrows our memory or has a copy.
struct Spawning::Shared {
  std::atomic<pid_t> child{0};
  SpawnFailure failure{};
};

namespace {

constexpr std::size_t stack_size = 256 * 1024;

/// What a command finds when it creates files: cron's custom, whatever the server's own mask is.
constexpr mode_t file_mask = 022;

/// All the child needs, made ready before it exists: it must not allocate.
struct Plan {
  const Program* program;
  StandardFiles files;
  rlimit file_limit;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::vector<std::string> paths;
  pid_t parent;
  int ruleset;
  std::atomic<pid_t>* child;
  SpawnFailure* failure;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Where the program may be: its path, or its name in each folder of its own PATH. An empty entry of PATH does not mean
/// the current folder here: nobody wants that who is not attacked by it.
std::vector<std::string> paths_of(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.contains('/')) return {name};
  std::vector<std::string> paths;
  std::string_view rest = variable_of(program.environment, "PATH").value_or("");
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (!folder.empty()) paths.push_back(fmt::format("{}/{}", folder, name));
  }
  return paths;
}

// From here to `become` code runs in the child, beside other threads of a parent whose memory it may share: only system
// calls, no allocation, no locks. The sanitizers' bookkeeping must not see it.
#define CARILLON_IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

[[noreturn]] CARILLON_IN_CHILD void give_up(Plan& plan, SpawnStep step, int resource = -1) {
  plan.failure->error = errno;
  plan.failure->step = step;
  plan.failure->resource = resource;
  ::_exit(127);
}

CARILLON_IN_CHILD void set_limits(Plan& plan) {
  if (::setrlimit(RLIMIT_NOFILE, &plan.file_limit) != 0) give_up(plan, SpawnStep::limit, RLIMIT_NOFILE);
  for (const ResourceLimit& limit : plan.program->limits) {
    const rlimit both{limit.value, limit.value};
    if (::setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &both) != 0)
      give_up(plan, SpawnStep::limit, limit.resource);
  }
}

// The library's setuid and its relatives would change all threads of the process they believe to be in.
CARILLON_IN_CHILD void change_identity(Plan& plan) {
  const Identity& identity = *plan.program->identity;
  if (::geteuid() != 0 && ::geteuid() == identity.user && ::getegid() == identity.group) return;
  if (::syscall(SYS_setgroups, identity.groups.size(), identity.groups.data()) != 0 ||
      ::syscall(SYS_setresgid, identity.group, identity.group, identity.group) != 0 ||
      ::syscall(SYS_setresuid, identity.user, identity.user, identity.user) != 0)
    give_up(plan, SpawnStep::identity);
}

CARILLON_IN_CHILD void protect(Plan& plan) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(plan, SpawnStep::protection);
  // Rights that a service manager gave to the server are not meant for its commands.
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // A change of identity undoes this one, so it stands behind it.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) give_up(plan, SpawnStep::protection);
  if (::getppid() != plan.parent) ::_exit(127);
  // Last: no file may be opened after it that it forbids.
  if (plan.ruleset >= 0 && !landlock::restrict_self(plan.ruleset)) give_up(plan, SpawnStep::hiding);
}

CARILLON_IN_CHILD void arrange_files(Plan& plan) {
  if (::dup2(plan.files.input, STDIN_FILENO) < 0 || ::dup2(plan.files.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.files.error, STDERR_FILENO) < 0)
    give_up(plan, SpawnStep::files);
  // All our files close themselves at exec already; this is for those of libraries that forgot.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

[[noreturn]] CARILLON_IN_CHILD void become(Plan& plan) {
  int error = ENOENT;
  for (const std::string& path : plan.paths) {
    ::execve(path.c_str(), plan.arguments.data(), plan.environment.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
    if (error != ENOENT && error != EACCES) break;
  }
  errno = error;
  give_up(plan, SpawnStep::program);
}

CARILLON_IN_CHILD int in_child(void* argument) {
  Plan& plan = *static_cast<Plan*>(argument);
  plan.child->store(::getpid());
  ::setsid();
  ::umask(file_mask);
  arrange_files(plan);  // before a limit could forbid it
  set_limits(plan);
  if (plan.program->identity) change_identity(plan);
  // As the user it runs as: the server's rights must not open a folder that is closed to the user.
  if (::chdir(plan.program->folder.c_str()) != 0) give_up(plan, SpawnStep::folder);
  protect(plan);
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGXFSZ, &standard, nullptr);  // the one signal that the launcher ignores
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  become(plan);
}

pid_t start_child(Plan& plan, void* stack, int cgroup, int& process) {
  if (cgroup < 0) {
    return ::clone(in_child, static_cast<char*>(stack) + stack_size, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                   &plan, &process);
  }
  // Only the newer call puts a child into a control group at birth, and the library has none for it that would let the
  // child borrow our memory. This process is small, so that a copy costs little.
  clone_args arguments{};
  arguments.flags = CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP;
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&process);
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof(arguments)));
  if (pid == 0) in_child(&plan);
  return pid;
}

std::string task_of(const SpawnFailure& failure, const Program& program) {
  switch (failure.step) {
    case SpawnStep::process: return "make a process";
    case SpawnStep::limit: return fmt::format("set the limit {}", name_of_limit(failure.resource));
    case SpawnStep::identity: return fmt::format("become user {}", carillon::quoted(program.identity->name));
    case SpawnStep::folder: return fmt::format("enter folder {}", carillon::quoted(program.folder));
    case SpawnStep::protection: return "give up the right to gain privileges";
    case SpawnStep::hiding: return "hide the data folder from it";
    case SpawnStep::files: return "pass on standard files";
    case SpawnStep::program: break;
  }
  return fmt::format("start {}", carillon::quoted(program.argv.front()));
}

void* map_memory(std::size_t size, int flags) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  CARILLON_ASSERT(memory != MAP_FAILED);
  return memory;
}

}  // namespace

std::string to_text(const SpawnFailure& failure, const Program& program) {
  return fmt::format("cannot {}: {}", task_of(failure, program), error_text(failure.error));
}

Spawning::Spawning()
    : shared_{new(map_memory(sizeof(Shared), MAP_SHARED)) Shared}, stack_{map_memory(stack_size, MAP_PRIVATE)} {}

Spawning::~Spawning() {
  ::munmap(shared_, sizeof(Shared));
  ::munmap(stack_, stack_size);
}

SpawnOutcome Spawning::start(const Program& program, const StandardFiles& files, const rlimit& file_limit,
                             const Confinement& confinement) {
  shared_->failure = {};
  Plan plan{.program = &program,
            .files = files,
            .file_limit = file_limit,
            .arguments = pointers_to(program.argv),
            .environment = pointers_to(program.environment),
            .paths = paths_of(program),
            .parent = ::getpid(),
            .ruleset = confinement.ruleset,
            .child = &shared_->child,
            .failure = &shared_->failure};
  int process = -1;
  const pid_t pid = start_child(plan, stack_, confinement.control_group, process);
  if (pid < 0) return {.pid = -1, .process = {}, .failure = SpawnFailure{.error = errno}};
  SpawnOutcome outcome{.pid = pid, .process = FileDescriptor{process}, .failure = {}};
  if (shared_->failure.error != 0) outcome.failure = shared_->failure;
  return outcome;
}

pid_t Spawning::child_on_its_way() const { return shared_->child.load(); }
void Spawning::forget_child() { shared_->child.store(0); }

}  // namespace carillon
