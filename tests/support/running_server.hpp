#pragma once

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace carillon {

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

/// What servers write down about themselves: a state folder with their records, and a data folder with a token each.
class ServerRecords {
 public:
  struct Server {
    pid_t pid = 0;
    std::string url{"http://127.0.0.1:7070"};
  };
  explicit ServerRecords(const std::vector<Server>& servers) {
    for (const Server& server : servers) {
      const auto data = folder_.path() / fmt::format("data-{}", server.pid);
      make(data / "admin.token", token() + "\n");
      make(folder_.path() / "carillon" / "servers" / fmt::format("{}.json", server.pid),
           fmt::format(R"({{"url": "{}", "data": "{}", "pid": {}, "startedAt": "2026-10-29T14:00:00Z"}})", server.url,
                       data.string(), server.pid));
    }
  }
  /// For XDG_STATE_HOME.
  [[nodiscard]] std::string state_home() const { return folder_.path().string(); }
  [[nodiscard]] static std::string token() { return "carillon_0jgykyq4_" + std::string(40, 'z'); }

 private:
  static void make(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  TemporaryFolder folder_;
};

}  // namespace carillon
