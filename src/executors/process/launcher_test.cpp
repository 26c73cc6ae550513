#include "executors/process/launcher.hpp"

#include "executors/process/command_test.hpp"
#include "executors/process/launcher_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace carillon {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ResultOf;
using testing::SizeIs;

using std::chrono::hours;
using std::chrono::milliseconds;

class LauncherLife : public CommandTest {
 protected:
  [[nodiscard]] LauncherOptions with_lock() const {
    return {.lock_file = folder_.path() / "launcher.lock", .grace = grace_};
  }

  /// A server of its own, a process that performs one script and then only waits. Returns when the script has printed
  /// the numbers of so many processes, which are in `processes_` then.
  pid_t serve(const std::string& text, std::size_t process_count, std::optional<Duration> lease = {}) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t server = ::fork();
    if (server == 0) {
      begin(with_lock());
      if (lease) executor().extend_until(boot_now() + *lease);
      const AttemptKey key = launch(script(text));
      const std::string out =
          attempts_.await(key, [&](const auto& record) { return numbers_of(record.out).size() >= process_count; }).out;
      EXPECT_EQ(::write(pipe[1], out.data(), out.size()), static_cast<ssize_t>(out.size()));
      ::close(pipe[1]);
      while (true) ::pause();
    }
    ::close(pipe[1]);
    std::string told;
    std::array<char, 256> buffer{};
    while (true) {
      const ssize_t count = ::read(pipe[0], buffer.data(), buffer.size());
      if (count <= 0) break;
      told.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(pipe[0]);
    for (const pid_t pid : numbers_of(told)) processes_.push_back(open_process(pid));
    EXPECT_THAT(processes_, SizeIs(process_count));
    return server;
  }
  void end(pid_t server) {
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
  }

  Duration grace_ = milliseconds{100};
  std::vector<FileDescriptor> processes_;
};

constexpr const char* stubborn_family =
    "trap '' TERM; echo $$; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; "
    "(setsid sleep 1000 & echo $!); while :; do sleep 1; done";

bool is_over(const FileDescriptor& process) {
  pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

TEST_F(LauncherLife, when_the_server_is_killed_all_its_commands_end_before_the_lock_is_free) {
  const pid_t server = serve(stubborn_family, 4);
  EXPECT_TRUE(is_launcher_alive(with_lock().lock_file).value());
  end(server);

  const auto gone = wait_until_gone(with_lock().lock_file, patience);
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_FALSE(is_launcher_alive(with_lock().lock_file).value());
  EXPECT_THAT(processes_, Each(ResultOf(is_over, true)));
}

TEST_F(LauncherLife, when_the_server_is_killed_its_commands_are_asked_to_end_before_they_are_made_to) {
  grace_ = hours{1};
  const std::string tidy = (folder_.path() / "tidy").native();
  // Nobody reads its output any more: who writes then hears of it by SIGPIPE.
  const pid_t server =
      serve("trap 'touch " + tidy + "; exit' TERM; echo $$; exec >/dev/null 2>&1; while :; do sleep 0.01; done", 1);
  end(server);

  EXPECT_TRUE(wait_until_gone(with_lock().lock_file, patience));
  EXPECT_TRUE(std::filesystem::exists(tidy));
}

TEST_F(LauncherLife, commands_end_with_the_lease_even_if_the_server_is_halted) {
  const pid_t server = serve(stubborn_family, 4, milliseconds{1500});
  ::kill(server, SIGSTOP);

  EXPECT_THAT(processes_, Each(ResultOf(is_gone_soon, true)));
  EXPECT_TRUE(is_launcher_alive(with_lock().lock_file).value());
  end(server);
  EXPECT_TRUE(wait_until_gone(with_lock().lock_file, patience));
}

TEST_F(LauncherLife, a_second_launcher_waits_for_the_first) {
  const pid_t server = serve(stubborn_family, 4);
  const auto second = start_launcher(with_lock());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_EQ(wait_until_gone(with_lock().lock_file, milliseconds{1}).error().code, ErrorCode::unavailable);
  end(server);

  ASSERT_TRUE(wait_until_gone(with_lock().lock_file, patience));
  begin(with_lock());
  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::succeeded);
}

TEST_F(LauncherLife, there_is_nobody_to_wait_for_where_no_launcher_has_been) {
  EXPECT_FALSE(is_launcher_alive(folder_.path() / "none").value());
  EXPECT_TRUE(wait_until_gone(folder_.path() / "none", patience));
}

TEST_F(LauncherLife, a_lock_is_not_taken_through_a_link) {
  folder_.write("precious", "precious");
  std::filesystem::create_symlink(folder_.path() / "precious", folder_.path() / "launcher.lock");

  EXPECT_FALSE(start_launcher(with_lock()));
  EXPECT_EQ(text_of_file(folder_.path() / "precious"), "precious");
}

TEST_F(LauncherLife, signals_meant_for_the_server_do_not_end_it) {
  executor();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGTSTP}) ::kill(launcher_pid_, signal);

  EXPECT_EQ(perform(command({"/bin/true"})).end.outcome, AttemptOutcome::succeeded);
  EXPECT_TRUE(executor().is_healthy());
}

TEST_F(LauncherLife, it_is_a_small_process_with_a_name_and_no_files_of_the_server) {
  executor();
  const std::filesystem::path proc = "/proc/" + std::to_string(launcher_pid_);
  EXPECT_EQ(text_of_file(proc / "comm"), "carillon-launch\n");
  EXPECT_EQ(::getsid(launcher_pid_), launcher_pid_);
  if (::geteuid() != 0) return;

  for (const auto& file : std::filesystem::directory_iterator{proc / "fd"}) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(file, gone).native();
    EXPECT_TRUE(target == "/dev/null" || target.starts_with("socket:") || target.starts_with("anon_inode:")) << target;
  }
}

TEST_F(LauncherLife, a_server_without_standard_files_can_have_one) {
  const pid_t server = ::fork();
  if (server == 0) {
    for (int file = 0; file < 3; ++file) ::close(file);
    const Performed performed = perform(script("echo out; cat"));
    executor_.reset();
    ::_exit(performed.out == "out\n" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(server, &status, 0);

  EXPECT_EQ(status, 0);
}

TEST_F(LauncherLife, when_it_is_killed_its_attempts_are_lost_and_nothing_is_left_of_them) {
  const AttemptKey key = launch(script(std::string{stubborn_family}));
  const auto pids =
      numbers_of(attempts_.await(key, [](const auto& record) { return numbers_of(record.out).size() == 4; }).out);
  std::vector<FileDescriptor> processes;
  for (const pid_t pid : pids) processes.push_back(open_process(pid));
  ::kill(launcher_pid_, SIGKILL);
  const Performed performed = await_end(key);

  EXPECT_EQ(performed.end.outcome, AttemptOutcome::lost);
  EXPECT_EQ(performed.end.error, "the launcher has ended");
  EXPECT_FALSE(executor().is_healthy());
  EXPECT_THAT(processes, Each(ResultOf(is_gone_soon, true)));

  const Performed later = perform(command({"/bin/true"}));
  EXPECT_EQ(later.end.outcome, AttemptOutcome::lost);
  EXPECT_EQ(later.end.error, "the launcher has ended");
}

TEST_F(LauncherLife, when_it_is_killed_also_those_are_ended_who_are_just_becoming_another_program) {
  const AttemptKey key =
      launch(script("for i in 1 2 3 4 5 6 7 8; do setsid " + restless(folder_) + " & done; sleep 1000"));
  const auto pids =
      numbers_of(attempts_.await(key, [](const auto& record) { return numbers_of(record.out).size() == 8; }).out);
  std::vector<FileDescriptor> processes;
  for (const pid_t pid : pids) processes.push_back(open_process(pid));
  ::kill(launcher_pid_, SIGKILL);
  await_end(key);

  EXPECT_THAT(processes, Each(ResultOf(is_gone_soon, true)));
}

}  // namespace
}  // namespace carillon
