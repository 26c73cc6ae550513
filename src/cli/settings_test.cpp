#include "cli/settings.hpp"

#include "cli/remote.hpp"
#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace carillon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

/// A home and a project of our own; we stand in a folder of that project.
class SettingsOfPeople : public ::testing::Test {
 protected:
  SettingsOfPeople() {
    fs::create_directories(folder.path() / "project" / "deep");
    fs::current_path(folder.path() / "project" / "deep");
    console.variables["HOME"] = folder.path() / "home";
  }
  ~SettingsOfPeople() override { fs::current_path(before); }

  void user_file(std::string_view text) { folder.write("home/.config/carillon/config.yaml", text); }
  void project_file(std::string_view text) { folder.write("project/.carillon.yaml", text); }
  std::string text_of_user_file() {
    std::ifstream stream{folder.path() / "home/.config/carillon/config.yaml"};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  Told say(const std::vector<std::string>& words) {
    console.output.clear();
    console.error.clear();
    return carillon_on(console, transport, words);
  }

  fs::path before = fs::current_path();
  TemporaryFolder folder;
  ScriptedConsole console;
  ScriptedTransport transport;
};

TEST_F(SettingsOfPeople, flags_beat_the_environment_that_the_project_that_the_users_file) {
  user_file("namespace: user\ntimezone: Europe/Berlin\nserver: bell:1\n");
  project_file("namespace: project\n");
  console.variables["CARILLON_SERVER"] = "bell:2";

  const Told told = say({"config", "show", "--origin", "--server", "bell:3/"});

  EXPECT_EQ(told.error, "");
  EXPECT_THAT(told.output, HasSubstr("server     http://bell:3  --server\n"));
  EXPECT_THAT(told.output, HasSubstr("namespace  project"));
  EXPECT_THAT(told.output, HasSubstr("/project/.carillon.yaml:1\n"));
  EXPECT_THAT(told.output, HasSubstr("/home/.config/carillon/config.yaml:2\n"));
}

TEST_F(SettingsOfPeople, an_unknown_key_is_an_error_with_its_line_and_the_nearest_one) {
  user_file("# mine\nsever: bell\n");

  const Told told = say({"list"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("in " + (folder.path() / "home/.config/carillon/config.yaml").string() + ":2\n"));
  EXPECT_THAT(told.error, HasSubstr("server"));
}

TEST_F(SettingsOfPeople, a_relative_token_file_is_relative_to_the_file_that_names_it) {
  user_file("server: bell:1\ntokenFile: bell.token\n");
  folder.write("home/.config/carillon/bell.token", "secret\n");
  transport.answer("GET /api/v1/schedules?limit=50", R"({"items": []})");

  say({"list"});

  EXPECT_EQ(transport.header("Authorization"), "Bearer secret");
}

TEST_F(SettingsOfPeople, a_token_never_goes_to_a_server_that_it_does_not_belong_to) {
  user_file("contexts: {prod: {server: prod:1, tokenFile: prod.token}}\ncurrentContext: prod\n");
  folder.write("home/.config/carillon/prod.token", "secret\n");

  say({"list", "--server", "other:1"});

  EXPECT_EQ(transport.header("Authorization"), "");
}

TEST_F(SettingsOfPeople, a_server_that_only_a_project_names_gets_no_token) {
  project_file("server: evil:1\n");
  console.variables["CARILLON_TOKEN"] = "secret";

  const Told told = say({"list"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("[untrusted-server]"));
  EXPECT_TRUE(transport.requests.empty());
}

TEST_F(SettingsOfPeople, a_project_cannot_make_us_read_a_file_outside_of_it) {
  folder.write("home/secret", "secret");
  for (const char* path : {"../home/secret", "~/secret"}) {
    project_file(std::string{"server: evil:1\ntokenFile: "} + path + "\n");

    const Told told = say({"list"});

    EXPECT_THAT(told.error, HasSubstr("[foreign-token-file]")) << path;
  }
  EXPECT_TRUE(transport.requests.empty());
}

TEST_F(SettingsOfPeople, a_secret_is_never_shown) {
  console.variables["CARILLON_TOKEN"] = "secret";

  EXPECT_THAT(say({"config", "show", "-o", "json"}).output, Not(HasSubstr("secret")));
}

TEST_F(SettingsOfPeople, what_is_set_is_written_and_comments_stay) {
  user_file(
      "# my servers\ncontexts:\n  # the real one\n  prod:\n    server: prod:1\n\n# where I live\ntimezone: UTC\n");

  EXPECT_EQ(say({"config", "set", "timezone", "Europe/Berlin"}).exit_code, 0);
  EXPECT_EQ(say({"config", "set", "namespace", "no"}).exit_code, 0);

  EXPECT_EQ(text_of_user_file(),
            "# my servers\ncontexts:\n  # the real one\n  prod:\n    server: prod:1\n\n# where I live\n"
            "timezone: Europe/Berlin\nnamespace: \"no\"\n");
  EXPECT_EQ(say({"config", "get", "namespace"}).output, "no\n");
  EXPECT_EQ(say({"config", "unset", "timezone"}).exit_code, 0);
  EXPECT_EQ(say({"config", "get", "timezone"}).exit_code, 3);
}

TEST_F(SettingsOfPeople, a_file_with_braces_is_written_anew_rather_than_broken) {
  user_file("{server: bell:1}\n");

  EXPECT_EQ(say({"config", "set", "namespace", "a"}).exit_code, 0);

  EXPECT_EQ(say({"config", "get", "server"}).output, "http://bell:1\n");
  EXPECT_EQ(say({"config", "get", "namespace"}).output, "a\n");
}

TEST_F(SettingsOfPeople, nothing_wrong_is_set) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"config", "set", "sever", "x"},
                                                                 {"config", "set", "server", "ftp://x"},
                                                                 {"config", "set", "timezone", "Atlantis/Center"},
                                                                 {"config", "set", "namespace", ""},
                                                                 {"config", "set", "namespace"}}) {
    EXPECT_EQ(say(words).exit_code, 2) << words[2];
  }
  EXPECT_FALSE(fs::exists(folder.path() / "home/.config"));
}

TEST_F(SettingsOfPeople, contexts_are_added_used_listed_and_removed) {
  EXPECT_EQ(say({"context", "add", "prod", "--server", "prod:1", "--namespace", "a", "--confirm"}).exit_code, 0);
  EXPECT_EQ(say({"context", "add", "test", "--server", "https://test:1/"}).exit_code, 0);
  EXPECT_EQ(say({"context", "add", "test", "--server", "test:2"}).exit_code, 5);
  EXPECT_EQ(say({"context", "use", "prd"}).exit_code, 3);
  EXPECT_THAT(console.error, HasSubstr("did you mean prod?"));
  EXPECT_EQ(say({"context", "use", "prod"}).exit_code, 0);

  EXPECT_EQ(say({"context", "list"}).output,
            "   NAME  SERVER          NAMESPACE  WRITES\n"
            "●  prod  http://prod:1   a          asks\n"
            "   test  https://test:1\n");
  EXPECT_EQ(say({"context", "list", "-q"}).output, "prod\ntest\n");

  EXPECT_EQ(say({"context", "remove", "prod"}).exit_code, 0);
  EXPECT_THAT(say({"context", "show"}).error, HasSubstr("no context is in use"));
  EXPECT_EQ(say({"list", "--context", "prod"}).exit_code, 3);
}

/// A context that wants to be asked, and a command that writes.
class ConfirmingContext : public SettingsOfPeople {
 protected:
  ConfirmingContext() {
    user_file("contexts: {prod: {server: prod:1, confirm: true}}\ncurrentContext: prod\n");
    transport.answer("POST /api/v1/schedules/a/trigger", R"({"id": "r-1"})");
  }
  Result<ApiAnswer> write(const std::vector<std::string>& words) {
    FixedZoneSource zones;
    ListedServer server;
    Session session{.console = console,
                    .zones = zones,
                    .server = server,
                    .transport = transport,
                    .now = console.time,
                    .paint = Paint{false, true}};
    const auto found = find_verb(std::vector<std::string>{"list"});
    const auto arguments = parse_arguments(*found->verb, words);
    auto client = connect(*arguments, session);
    if (!client) return std::unexpected(client.error());
    static_cast<void>(client->get("/system"));
    return client->post("/schedules/a/trigger", boost::json::object{});
  }
};

TEST_F(ConfirmingContext, asks_before_the_first_write) {
  console.has_terminal = true;
  console.input = "y\n";

  EXPECT_TRUE(write({}));

  EXPECT_THAT(console.error, HasSubstr("prod:\x1b[0m POST /api/v1/schedules/a/trigger at http://prod:1? [y/N] "));
}

TEST_F(ConfirmingContext, takes_silence_for_a_no) {
  console.has_terminal = true;

  const auto answer = write({});

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().rule, "declined");
  EXPECT_EQ(transport.requests.back().method, "GET");
}

TEST_F(ConfirmingContext, where_nobody_can_be_asked_it_has_to_be_named) {
  const auto refused = write({});

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("--context prod"));
  EXPECT_TRUE(write({"--context", "prod"}));
}

}  // namespace
}  // namespace carillon
