#include "support/command_line_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace carillon::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* store = "postgres://db/carillon";

TEST(ServeRole, takes_parts_of_a_server_on_a_shared_store) {
  const Told told = carillon_says({"serve", "--store", store, "--role", "api,scheduler", "--tags", "gpu,ssd"});

  ASSERT_TRUE(told.server.served) << told.error;
  EXPECT_TRUE(told.server.served->roles.api);
  EXPECT_TRUE(told.server.served->roles.scheduler);
  EXPECT_FALSE(told.server.served->roles.worker);
  EXPECT_THAT(told.server.served->tags, ElementsAre("gpu", "ssd"));
}

TEST(ServeRole, says_what_does_not_go_together) {
  EXPECT_THAT(carillon_says({"serve", "--role", "api"}).error, HasSubstr("--store"));
  EXPECT_THAT(carillon_says({"serve", "--store", store, "--role", "boss"}).error, HasSubstr("unknown role \"boss\""));
  EXPECT_THAT(carillon_says({"serve", "--store", store, "--role", "worker", "--watch", "d"}).error,
              HasSubstr("--watch needs the role api"));
  EXPECT_TRUE(carillon_says({"serve", "--role", "all"}).server.served);
}

TEST(WorkerCommand, on_a_store_is_a_server_that_only_performs) {
  const Told told = carillon_says({"worker", "--store", store, "--concurrency", "8", "--tags", "gpu", "--types",
                                   "command,train", "--handler", "train=/bin/train", "--handler", "mail=/bin/mail"});

  ASSERT_TRUE(told.server.served) << told.error;
  const ServeRequest& request = *told.server.served;
  EXPECT_FALSE(request.roles.api || request.roles.scheduler);
  EXPECT_EQ(request.data, "carillon-worker");
  EXPECT_EQ(request.worker_count, 8U);
  EXPECT_THAT(request.kinds, ElementsAre("command"));
  EXPECT_THAT(request.job_queues, ElementsAre("default"));
  ASSERT_EQ(request.handlers.size(), 1U);
  EXPECT_THAT(request.handlers.at("train").argv, ElementsAre("/bin/train"));
}

TEST(WorkerCommand, of_a_server_takes_the_types_it_has_handlers_for) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "handlers.yaml";
  std::ofstream{file} << "handlers:\n  report: {argv: [/bin/report, --pdf]}\n";

  const Told told = carillon_says({"worker", "--server", "http://127.0.0.1:1", "--queues", "a,b", "--handlers",
                                   file.string(), "--handler", "mail=/bin/mail", "--lease", "10s"});

  ASSERT_TRUE(told.server.worked) << told.error;
  EXPECT_EQ(told.server.worked->endpoint.url, "http://127.0.0.1:1");
  EXPECT_THAT(told.server.worked->queues, ElementsAre("a", "b"));
  EXPECT_THAT(told.server.worked->types, ElementsAre("mail", "report"));
  EXPECT_THAT(told.server.worked->handlers.at("report").argv, ElementsAre("/bin/report", "--pdf"));
  EXPECT_TRUE(told.server.worked->handlers.at("mail").shell);
  EXPECT_EQ(told.server.worked->lease, 10s);
}

TEST(WorkerCommand, says_what_is_missing) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"worker", "--server", "http://127.0.0.1:1"}, "needs handlers"},
      {{"worker", "--store", store, "--queues", "a"}, "--queues needs handlers: nothing here can perform jobs"},
      {{"worker", "--store", store, "--server", "http://127.0.0.1:1"}, "contradict"},
      {{"worker", "--server", "http://127.0.0.1:1", "--handler", "mail"}, "is not TYPE=COMMAND"},
      {{"worker", "--server", "http://127.0.0.1:1", "--handler", "a=b", "--types", "c"}, "no handler for \"c\""},
      {{"worker", "--server", "http://127.0.0.1:1", "--handler", "a=b", "--secret-env", "A"}, "with --store"},
      {{"worker", "--store", store, "--concurrency", "0"}, "is not a number from 1"},
  };
  for (const auto& [words, text] : cases) {
    const Told told = carillon_says(words);
    EXPECT_EQ(told.exit_code, 2) << told.error;
    EXPECT_THAT(told.error, HasSubstr(text));
  }
}

}  // namespace
}  // namespace carillon::cli
