#include "support/api_documents.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace carillon::cli {
namespace {

/// A process with the name of a server, that ends when it is asked to.
class Impostor {
 public:
  explicit Impostor(const char* name) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, name);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char ready = 0;
    EXPECT_EQ(::read(pipe[0], &ready, 1), 1);
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

Told stop_told(const std::vector<std::string>& flags, const std::string& state_home = "/nonexistent") {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["XDG_STATE_HOME"] = state_home;
  std::vector<std::string> words{"stop"};
  words.insert(words.end(), flags.begin(), flags.end());
  return carillon_on(console, words);
}

TEST(Stop, says_so_when_there_is_no_server) {
  const Told told = stop_told({});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_TRUE(told.error.contains("no carillon server of yours runs on this machine")) << told.error;
}

TEST(Stop, ends_the_server_that_runs_and_waits_for_it) {
  const Impostor server{"carillon"};
  const TemporaryFolder folder;
  const auto records = folder.path() / "carillon" / "servers";
  std::filesystem::create_directories(records);
  std::ofstream{records / "one.json"} << fmt::format(
      R"({{"url": "http://127.0.0.1:7070", "tokenFile": "t", "data": "d", "pid": {}, "startedAt": "2026-10-29T14:00:00Z"}})",
      server.pid());

  const Told told = stop_told({}, folder.path().string());

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, fmt::format("stopped pid {}\n", server.pid()));
}

TEST(Stop, leaves_other_programs_alone) {
  const Impostor program{"editor"};

  const Told told = stop_told({"--pid", fmt::format("{}", program.pid())});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_TRUE(told.error.contains("is no carillon server")) << told.error;
  EXPECT_EQ(::kill(program.pid(), 0), 0);
  EXPECT_EQ(::waitpid(program.pid(), nullptr, WNOHANG), 0);
}

TEST(Stop, a_name_is_taken_for_a_misunderstanding) {
  const Told told = stop_told({"nightly"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_TRUE(told.error.contains("carillon cancel NAME")) << told.error;
}

}  // namespace
}  // namespace carillon::cli
