#include "cli/commands/diagnosis.hpp"

#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using Level = Diagnosis::Level;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant noon{hours{12}};

TEST(Doctor, knows_a_clock_that_nobody_keeps_right) {
  EXPECT_EQ(clock_diagnosis(ClockFacts{.is_synchronised = true}).level, Level::ok);
  EXPECT_EQ(clock_diagnosis(std::nullopt).level, Level::ok);

  const Diagnosis wrong = clock_diagnosis(ClockFacts{.is_synchronised = false, .error_max = milliseconds{1800}});

  EXPECT_EQ(wrong.level, Level::warning);
  EXPECT_EQ(wrong.message, "clock is not synchronised (the kernel reports a possible error of 1.8 s)");
  EXPECT_EQ(wrong.fix, "timedatectl set-ntp true");
}

TEST(Doctor, knows_clocks_that_disagree) {
  EXPECT_EQ(distance_diagnosis(noon, noon + seconds{4}).level, Level::ok);
  EXPECT_EQ(distance_diagnosis(noon, noon + seconds{6}).level, Level::error);
  EXPECT_THAT(distance_diagnosis(noon, noon - hours{2}).message, HasSubstr("behind this one"));
}

TEST(Doctor, knows_a_clock_that_went_back) {
  EXPECT_FALSE(backwards_diagnosis(noon, std::nullopt));
  EXPECT_FALSE(backwards_diagnosis(noon, noon + seconds{1}));
  EXPECT_EQ(backwards_diagnosis(noon, noon + hours{1})->level, Level::error);
}

TEST(Doctor, knows_a_disk_that_is_full_or_nearly_so) {
  struct Case {
    DiskFacts facts;
    Level level;
  };
  constexpr std::uintmax_t gigabyte = 1'000'000'000;
  const Case cases[] = {{{.size = gigabyte, .available = gigabyte / 2}, Level::ok},
                        {{.size = gigabyte, .available = 99'000'000}, Level::warning},
                        {{.size = 1000 * gigabyte, .available = 9 * gigabyte}, Level::warning},
                        {{.size = gigabyte, .available = 0}, Level::error},
                        {{.size = gigabyte, .available = gigabyte / 2, .has_file_entries = false}, Level::error}};
  for (const Case& c : cases) EXPECT_EQ(disk_diagnosis(c.facts, "data").level, c.level) << c.facts.available;
}

TEST(Doctor, says_whose_a_port_is) {
  EXPECT_EQ(port_diagnosis(7070, std::nullopt, false).message, "port 7070 is free");
  const Diagnosis other = port_diagnosis(7070, PortHolder{.pid = 881, .program = "nginx"}, false);
  EXPECT_EQ(other.message, "port 7070 is in use by pid 881 (nginx)");
  EXPECT_EQ(other.fix, "carillon serve --listen 127.0.0.1:7071");
  EXPECT_EQ(port_diagnosis(7070, PortHolder{.pid = 881, .program = "carillon"}, false).fix, "carillon stop --pid 881");
  EXPECT_EQ(port_diagnosis(7070, PortHolder{.pid = 881, .program = "carillon"}, true).level, Level::ok);
  EXPECT_THAT(port_diagnosis(7070, PortHolder{}, false).message, HasSubstr("another user's process"));
}

TEST(Doctor, knows_that_zones_are_missing_and_versions_differ) {
  EXPECT_EQ(zones_diagnosis("unknown", 1).level, Level::error);
  EXPECT_EQ(zones_diagnosis("2026b", 500).message, "tzdata 2026b, 500 zones");
  EXPECT_EQ(version_diagnosis("1.0", "1.0").level, Level::ok);
  EXPECT_EQ(version_diagnosis("1.0", "0.9").message, "server is version 0.9, this command is 1.0");
}

TEST(Doctor, knows_folders_and_files_that_are_open_to_others) {
  const TemporaryFolder folder;
  folder.write("token", "x");
  const auto token = folder.path() / "token";
  ::chmod(token.c_str(), 0644);
  EXPECT_EQ(secret_diagnosis(token).fix, "chmod 600 " + token.string());
  ::chmod(token.c_str(), 0600);
  EXPECT_EQ(secret_diagnosis(token).level, Level::ok);

  ::chmod(folder.path().c_str(), 0777);
  EXPECT_EQ(folder_diagnosis(folder.path()).fix, "chmod go-w " + folder.path().string());
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(folder_diagnosis(folder.path()).level, Level::ok);
  EXPECT_EQ(folder_diagnosis(folder.path() / "new").level, Level::ok);
  EXPECT_THAT(folder_diagnosis(token).message, HasSubstr("is not a folder"));
}

TEST(Doctor, writes_sizes_as_people_do) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1'200'000'000), "1.2 GB");
  EXPECT_EQ(size_text(340'000'000'000'000), "340 TB");
}

/// `carillon doctor` against a server that answers as a test says.
class DoctorAtWork : public ::testing::Test {
 protected:
  DoctorAtWork() {
    console.variables["HOME"] = folder.path() / "home";
    console.variables["CARILLON_SERVER"] = "https://bell.example";
    transport.answer("GET /api/v1/system", R"({"now": "2026-10-29T14:22:06Z", "tzdata": "2026b",
                                              "store": {"status": "ok"}, "commandsCanReadData": false})");
  }
  Told say(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"doctor", "--data", (folder.path() / "data").string()};
    words.insert(words.end(), more.begin(), more.end());
    return carillon_on(console, transport, words);
  }
  TemporaryFolder folder;
  ScriptedConsole console;
  ScriptedTransport transport;
};

TEST_F(DoctorAtWork, says_what_is_well_and_what_is_not) {
  transport.answer("GET /version", R"({"version": "0.0.0-other"})");

  const Told told = say();

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr("✔ no config files (1 from env)\n"));
  EXPECT_THAT(told.output, HasSubstr("✔ server https://bell.example answers\n"));
  EXPECT_THAT(told.output, HasSubstr("✔ server's clock agrees with this one\n"));
  EXPECT_THAT(told.output, HasSubstr("⚠ server is version 0.0.0-other, this command is "));
  EXPECT_THAT(told.output, HasSubstr("✔ lock is free\n"));
}

TEST_F(DoctorAtWork, finds_queues_that_are_paused) {
  transport.answer("GET /api/v1/queues", R"({"items": [{"name": "@command", "depth": 2, "running": 0, "paused": true},
                                                       {"name": "mail", "depth": 0, "running": 0, "paused": false}]})");

  const Told told = say();

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output,
              HasSubstr("⚠ queue @command is paused, 2 runs wait in it → carillon queue resume @command\n"));
  EXPECT_THAT(told.output, ::testing::Not(HasSubstr("queue mail")));
}

TEST_F(DoctorAtWork, tells_which_thread_of_a_server_hangs) {
  transport.answer("GET /livez", R"({"status": "stalled: worker for 42s"})", {}, 503);

  const Told told = say();

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr("✗ server is stuck: stalled: worker for 42s → "));
}

TEST_F(DoctorAtWork, has_colours_and_signs_as_the_terminal_has) {
  transport.is_reachable = false;
  console.variables["LANG"] = "C";

  EXPECT_THAT(say({"--color", "always"}).output, HasSubstr("\x1b[31mx\x1b[0m cannot reach carillon at "));
}

TEST_F(DoctorAtWork, goes_on_after_a_fault_and_tells_programs_too) {
  transport.is_reachable = false;

  const Told told = say({"-o", "json"});

  EXPECT_EQ(told.exit_code, 7);
  EXPECT_THAT(told.output, HasSubstr("\"check\": \"server\",\n    \"status\": \"error\""));
  EXPECT_THAT(told.output, HasSubstr("carillon serve"));
  EXPECT_THAT(told.output, HasSubstr("\"check\": \"disk\""));
}

}  // namespace
}  // namespace carillon::cli
