#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServeCommand, has_a_default_for_everything) {
  const Told told = carillon_says({"serve"});

  ASSERT_TRUE(told.server.served);
  EXPECT_EQ(told.server.served->data, "carillon-data");
  EXPECT_EQ(told.server.served->worker_count, 16U);
  EXPECT_EQ(told.server.served->stop_timeout, 30s);
  EXPECT_EQ(told.server.served->listen, "127.0.0.1:7070");
  EXPECT_FALSE(told.server.served->is_insecure);
  EXPECT_TRUE(told.server.served->is_data_hidden);
  EXPECT_FALSE(told.server.served->may_dump_core);
}

TEST(ServeCommand, takes_what_makes_it_less_safe) {
  const Told told = carillon_says({"serve", "--commands-see-data", "--core-dumps"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_FALSE(told.server.served->is_data_hidden);
  EXPECT_TRUE(told.server.served->may_dump_core);
}

TEST(ServeCommand, takes_where_the_api_listens_and_whom_it_lets_in) {
  const Told told =
      carillon_says({"serve", "--listen", "0.0.0.0:443", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--allow-host",
                     "a.example", "--allow-origin", "https://b.example", "--insecure", "--metrics-schedules", "0"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->listen, "0.0.0.0:443");
  EXPECT_EQ(told.server.served->certificate_file, "c.pem");
  EXPECT_EQ(told.server.served->key_file, "k.pem");
  EXPECT_TRUE(told.server.served->is_insecure);
  EXPECT_THAT(told.server.served->allowed_hosts, ElementsAre("a.example"));
  EXPECT_THAT(told.server.served->allowed_origins, ElementsAre("https://b.example"));
  EXPECT_EQ(told.server.served->metrics_schedule_count, 0U);
}

TEST(ServeCommand, takes_folders_files_and_limits) {
  const Told told = carillon_says({"serve", "--data",         "d",          "--apply",        "a.yaml", "--apply",
                                   "b/",    "--workers",      "3",          "--stop-timeout", "5s",     "--log",
                                   "json",  "--allow-egress", "10.0.0.0/8", "--secret-dir",   "s",      "--secret-env",
                                   "A",     "--secret-env",   "B",          "--stall-after",  "5s",     "--lease",
                                   "6s"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->data, "d");
  EXPECT_THAT(told.server.served->applied, ElementsAre("a.yaml", "b/"));
  EXPECT_THAT(told.server.served->allowed_egress, ElementsAre("10.0.0.0/8"));
  EXPECT_EQ(told.server.served->secret_directory, "s");
  EXPECT_THAT(told.server.served->secret_variables, ElementsAre("A", "B"));
  EXPECT_EQ(told.server.served->stall_after, 5s);
  EXPECT_EQ(told.server.served->lease, 6s);
  EXPECT_EQ(told.server.served->worker_count, 3U);
  EXPECT_EQ(told.server.served->stop_timeout, 5s);
  EXPECT_EQ(told.server.served->log_form, ServeRequest::LogForm::json);
}

TEST(ServeCommand, takes_who_may_define_commands_and_whom_they_run_as) {
  const Told told = carillon_says({"serve", "--allow-commands", "billing", "--allow-commands", "etl", "--run-as",
                                   "jobs", "--allow-user", "backup", "--allow-user", "www-data"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_THAT(told.server.served->command_namespaces, ElementsAre("billing", "etl"));
  EXPECT_EQ(told.server.served->run_as, "jobs");
  EXPECT_THAT(told.server.served->command_users, ElementsAre("backup", "www-data"));
}

TEST(ServeCommand, says_what_is_wrong_with_a_value) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"serve", "--workers", "0"}, "--workers: \"0\" is not a number from 1 to 10000"},
      {{"serve", "--stop-timeout", "soon"}, "--stop-timeout: \"soon\" is not a duration"},
      {{"serve", "--lease", "4s"}, "--lease: \"4s\" is not a duration of at least 5s"},
      {{"serve", "--stall-after", "1s"}, "--stall-after: \"1s\" is not a duration of at least 3s"},
      {{"serve", "--log", "xml"}, "--log: unknown format \"xml\""},
      {{"serve", "--tls-cert", "c.pem"}, "--tls-cert and --tls-key must be used together"},
      {{"serve", "--metrics-schedules", "all"}, "--metrics-schedules: \"all\" is not a number from 0 to 10000"},
      {{"serve", "here"}, "serve takes no arguments, got \"here\""},
      {{"serve", "--date", "d"}, "did you mean --data?"}};
  for (const auto& [words, text] : cases) {
    const Told told = carillon_says(words);
    EXPECT_EQ(told.exit_code, 2) << text;
    EXPECT_THAT(told.error, HasSubstr(text));
    EXPECT_FALSE(told.server.served) << text;
  }
}

TEST(LedgerCommand, exports_what_is_in_a_folder) {
  EXPECT_EQ(carillon_says({"ledger", "export", "--data", "d"}).server.exported, "d");
  EXPECT_EQ(carillon_says({"ledger", "export"}).server.exported, "carillon-data");
}

TEST(LedgerCommand, has_nothing_else_to_do) {
  const Told told = carillon_says({"ledger"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("carillon ledger export"));
}

TEST(StartCommand, applies_files_as_serve_does) {
  const Told told = carillon_says({"scheduler", "start", "b.yaml", "--apply", "a.yaml", "--workers", "3"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->data, "carillon-data");
  EXPECT_EQ(told.server.served->worker_count, 3U);
  EXPECT_THAT(told.server.served->applied, ElementsAre("a.yaml", "b.yaml"));
  EXPECT_FALSE(told.server.served->watched);
}

TEST(StartCommand, watches_a_folder_of_pipelines_and_keeps_its_store_inside) {
  TemporaryFolder folder;
  const std::string path = folder.path().string();

  const Told told = carillon_says({"scheduler", "start", path, "--watch", "--removal-grace", "1m"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->data, path + "/.carillon");
  ASSERT_TRUE(told.server.served->watched);
  EXPECT_EQ(told.server.served->watched->folder, path);
  EXPECT_FALSE(told.server.served->watched->has_schedule_files);
  EXPECT_EQ(told.server.served->removal_grace, std::chrono::minutes{1});
}

TEST(StartCommand, says_which_folders_it_looked_for) {
  const Told told = carillon_says({"scheduler", "start"});

  EXPECT_FALSE(told.server.served);
  EXPECT_THAT(told.error, HasSubstr("neither .vscode/pipelines nor pipelines is here"));
}

TEST(StartCommand, watches_one_folder) {
  TemporaryFolder one;
  TemporaryFolder other;

  const Told told = carillon_says({"start", one.path().string(), other.path().string()});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("one folder can be watched"));
}

TEST(ServeCommand, watches_packages_and_schedule_files) {
  const Told told = carillon_says({"serve", "--watch", "schedules"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_EQ(told.server.served->data, "carillon-data");
  ASSERT_TRUE(told.server.served->watched);
  EXPECT_EQ(told.server.served->watched->folder, "schedules");
  EXPECT_TRUE(told.server.served->watched->has_schedule_files);
}

}  // namespace
}  // namespace carillon::cli
