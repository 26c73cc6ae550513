#include "cli/settings/settings.hpp"

#include "cli/connection/server_connection.hpp"
#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

const std::string token = "carillon_0jgykyq4_" + std::string(40, 'z');

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
  void private_file(const fs::path& name, std::string_view text) {
    folder.write(name, text);
    fs::permissions(folder.path() / name, fs::perms::owner_read | fs::perms::owner_write);
  }
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
  private_file("home/.config/carillon/bell.token", token + "\n");
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", R"({"items": []})");

  say({"list"});

  EXPECT_EQ(transport.header("Authorization"), "Bearer " + token);
}

TEST_F(SettingsOfPeople, a_token_never_goes_to_a_server_that_it_does_not_belong_to) {
  user_file("contexts: {prod: {server: prod:1, tokenFile: prod.token}}\ncurrentContext: prod\n");
  private_file("home/.config/carillon/prod.token", token + "\n");

  say({"list", "--server", "other:1"});

  EXPECT_EQ(transport.header("Authorization"), "");
}

TEST_F(SettingsOfPeople, a_server_that_only_a_project_names_gets_no_token) {
  project_file("server: evil:1\n");
  console.variables["CARILLON_TOKEN"] = token;

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

TEST_F(SettingsOfPeople, what_is_no_token_is_sent_nowhere) {
  user_file("server: bell:1\ntokenFile: key\n");
  private_file("home/.config/carillon/key", "-----BEGIN PRIVATE KEY-----\nabc\n");

  const Told of_file = say({"list"});
  console.variables["CARILLON_TOKEN"] = "hunter2";
  const Told of_environment = say({"list"});

  EXPECT_THAT(of_file.error, HasSubstr(" does not contain a carillon token"));
  EXPECT_THAT(of_file.error, Not(HasSubstr("BEGIN")));
  EXPECT_THAT(of_environment.error, HasSubstr("CARILLON_TOKEN does not contain a carillon token"));
  EXPECT_THAT(of_environment.error, Not(HasSubstr("hunter2")));
  EXPECT_TRUE(transport.requests.empty());
}

TEST_F(SettingsOfPeople, a_token_file_that_others_can_read_gets_a_warning) {
  user_file("server: bell:1\ntokenFile: bell.token\n");
  private_file("home/.config/carillon/bell.token", token);
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", R"({"items": []})");
  EXPECT_THAT(say({"list"}).error, Not(HasSubstr("warning")));

  fs::permissions(folder.path() / "home/.config/carillon/bell.token", fs::perms::others_read, fs::perm_options::add);
  transport.answer("GET /api/v1/schedules?recent=10&limit=500", R"({"items": []})");

  EXPECT_THAT(say({"list"}).error, HasSubstr("warning: other users can read the token file"));
  EXPECT_EQ(transport.header("Authorization"), "Bearer " + token);
}

TEST_F(SettingsOfPeople, a_token_file_that_others_may_write_or_that_is_a_fifo_is_refused) {
  user_file("server: bell:1\ntokenFile: bell.token\n");
  private_file("home/.config/carillon/bell.token", token);
  const fs::path file = folder.path() / "home/.config/carillon/bell.token";
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(say({"list"}).error, HasSubstr("other users can write to the token file"));

  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(say({"list"}).error, HasSubstr("is a FIFO"));

  fs::remove(folder.path() / "home/.config/carillon/config.yaml");
  ASSERT_EQ(::mkfifo((folder.path() / "project/.carillon.yaml").c_str(), 0600), 0);
  EXPECT_THAT(say({"list"}).error, HasSubstr("is a FIFO"));
  EXPECT_TRUE(transport.requests.empty());
}

TEST_F(SettingsOfPeople, a_new_token_is_not_shown_by_debug) {
  console.variables["CARILLON_SERVER"] = "bell:1";
  transport.answer(
      "POST /api/v1/tokens",
      R"({"id": "0jgykyq4", "name": "me", "role": "viewer", "execute": false, "createdAt": "2026-10-29T14:22:05Z",
                       "token": ")" +
          token + R"("})");

  const Told told = say({"token", "create", "me", "--role", "viewer", "--debug"});

  EXPECT_EQ(told.output, token + "\n");
  EXPECT_THAT(told.error, HasSubstr("carillon_0jgykyq4_…"));
  EXPECT_THAT(told.error, Not(HasSubstr(token)));
}

TEST_F(SettingsOfPeople, a_secret_is_never_shown) {
  console.variables["CARILLON_TOKEN"] = token;

  EXPECT_THAT(say({"config", "show", "-o", "json"}).output, Not(HasSubstr(token.substr(18))));
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
    RecordedServer server;
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
}  // namespace carillon::cli
