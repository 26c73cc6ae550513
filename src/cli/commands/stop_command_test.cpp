#include "support/api_documents.hpp"
#include "support/run_documents.hpp"
#include "support/running_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Told stop_told(const std::vector<std::string>& flags, const std::string& state_home = "/nonexistent") {
  ScriptedConsole console = a_user_in_new_york();
  console.variables["XDG_STATE_HOME"] = state_home;
  std::vector<std::string> words{"stop"};
  words.insert(words.end(), flags.begin(), flags.end());
  return carillon_on(console, words);
}

std::string running_run(const std::string& id, const std::string& schedule, const std::string& worker) {
  return fmt::format(
      R"({{"id":"{}","name":"{}@x","schedule":"{}","state":"running",)"
      R"("startedAt":"2026-10-29T14:22:00Z","attempts":[{{"attempt":1,"worker":"{}","state":"running"}}]}})",
      id, schedule, schedule, worker);
}

TEST(Stop, says_so_when_there_is_no_server) {
  const Told told = stop_told({});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_TRUE(told.error.contains("you have no carillon server running on this machine")) << told.error;
}

TEST(Stop, ends_the_server_that_runs_and_waits_for_it) {
  const Impostor server{"carillon"};
  const ServerRecords records{{{.pid = server.pid()}}};

  const Told told = stop_told({}, records.state_home());

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, fmt::format("stopped pid {}\n", server.pid()));
}

TEST(Stop, names_the_runs_that_the_server_waits_for) {
  const Impostor server{"carillon"};
  const ServerRecords records{{{.pid = server.pid()}}};
  ScriptedConsole console = a_user_in_new_york();
  console.variables["XDG_STATE_HOME"] = records.state_home();
  ScriptedTransport transport;
  const std::string own = fmt::format("vm-{}", server.pid());
  transport.answer("GET /api/v1/runs?state=running&limit=11",
                   page_of({running_run("r-1", "nightly", own), running_run("r-2", "elsewhere", "vm-1")}));

  const Told told = carillon_on(console, transport, {"stop"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.error, HasSubstr("it waits for:\n"));
  EXPECT_THAT(told.error, HasSubstr("nightly"));
  EXPECT_THAT(told.error, Not(HasSubstr("elsewhere")));
  EXPECT_THAT(told.error, HasSubstr("to cancel them: carillon stop --now"));
}

TEST(Stop, says_that_the_server_is_stopping_already) {
  const Impostor server{"carillon"};
  const ServerRecords records{{{.pid = server.pid()}}};
  ScriptedConsole console = a_user_in_new_york();
  console.variables["XDG_STATE_HOME"] = records.state_home();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/system", R"({"now":"2026-10-29T14:22:05Z","tzdata":"2026f","store":{"status":"ok"},)"
                                         R"("commandsCanReadData":false,"version":"0.1.0","stopping":{"waitsFor":2}})");

  const Told told = carillon_on(console, transport, {"stop"});

  EXPECT_THAT(told.error, HasSubstr(fmt::format("pid {} is already stopping", server.pid())));
}

TEST(Stop, leaves_other_programs_alone) {
  const Impostor program{"editor"};

  const Told told = stop_told({"--pid", fmt::format("{}", program.pid())});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_TRUE(told.error.contains("is not a carillon server")) << told.error;
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
