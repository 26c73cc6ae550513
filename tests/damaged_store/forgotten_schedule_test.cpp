#include "damaged_store/store_world.hpp"
#include "runtime/sweeper.hpp"
#include "stores/logs/file_log_store.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <fstream>
#include <iterator>

namespace carillon::testing {
namespace {

using http::Method;
using namespace std::chrono_literals;

/// Files below a folder that have a text in them.
std::vector<std::string> files_with(const std::filesystem::path& folder, const std::string& text) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator{folder}) {
    if (!file.is_regular_file()) continue;
    std::ifstream in{file.path(), std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    if (bytes.contains(text)) files.push_back(file.path().filename());
  }
  return files;
}

/// A server's folder, without its loops.
struct Life {
  explicit Life(const std::filesystem::path& folder, ManualClock& clock)
      : store{SqliteStore::open(folder / "store.db", clock).value()},
        logs{FileLogStore::open(folder / "logs").value()},
        sweeper{*store, *store, logs.get(), clock, log} {}

  /// Two whole rounds.
  void sweep(ManualClock& clock) {
    for (int i = 0; i < 30; ++i) {
      clock.advance_boot(1h);
      (void)sweeper.tick();
    }
  }

  SilentLog log;
  std::unique_ptr<SqliteStore> store;
  std::unique_ptr<FileLogStore> logs;
  Sweeper sweeper;
};

TEST(ForgottenSchedule, leaves_nothing_on_the_disk_but_its_audit_records) {
  const std::string canary = "canary-9f3a";
  const TemporaryFolder folder;
  ManualClock clock{parse_instant("2026-06-01T12:00:00Z").value()};
  {
    Life life{folder.path(), clock};
    StoreWorld world{*life.store, clock};
    ASSERT_TRUE(world.context().scheduling.adopt_zone_rules());
    const std::string admin = world.issue(Role::admin);
    const std::string worker = world.issue(Role::worker);
    const auto post = [&](const std::string& target, const std::string& token, const std::string& body) {
      const http::Response response = world.ask(Method::post, "/api/v1" + target, token, body);
      EXPECT_LT(response.status, 300) << target << response.body;
      return boost::json::parse(response.body.empty() ? "null" : response.body);
    };
    post("/schedules", admin, R"({"id":"noisy","jobType":"t","payload":{"a":")" + canary + R"("}})");
    post("/schedules/noisy/trigger", admin, R"({"payload":{"b":")" + canary + R"("}})");
    const auto opened = post("/workers", worker, R"({"name":"w","queues":["default"],"lease":"1h"})");
    const std::string session{opened.at("worker").as_string()};
    const auto claimed = post("/workers/" + session + "/claim", worker, R"({"count":1,"wait":"0s"})");
    const std::string run{claimed.at_pointer("/jobs/0/runId").as_string()};
    const auto listed = life.store->list_runs({.count_max = 1}).value().items.at(0);
    life.logs->append(listed.uid, {.run = listed.seq, .attempt = 1}, OutputStream::out, canary);
    ASSERT_TRUE(life.logs->close(listed.uid, {.run = listed.seq, .attempt = 1}));
    post("/workers/" + session + "/complete", worker,
         R"({"runId":")" + run + R"(","attempt":1,"result":")" + canary + R"("})");
    ASSERT_EQ(world.ask(Method::del, "/api/v1/schedules/noisy", admin).status, 204);
    clock.advance(6 * 24h);
    life.sweep(clock);
  }
  EXPECT_THAT(files_with(folder.path(), canary), ::testing::SizeIs(2)) << "within a week: the store and the log";

  clock.advance(19 * 24h);
  {
    Life life{folder.path(), clock};
    life.sweep(clock);
  }
  EXPECT_THAT(files_with(folder.path(), canary), ::testing::SizeIs(1)) << "within keep.days: the store";

  clock.advance(6 * 24h);
  {
    Life life{folder.path(), clock};
    life.sweep(clock);
    EXPECT_THAT(life.store->read_deleted({}, 10).value(), ::testing::IsEmpty());
    EXPECT_FALSE(life.store->read_audit(std::nullopt, std::nullopt, 10).value().empty());
    EXPECT_EQ(life.store->find_broken_record().value(), std::nullopt);
    EXPECT_TRUE(life.store->check_integrity());
  }

  EXPECT_THAT(files_with(folder.path(), canary), ::testing::IsEmpty());
}

}  // namespace
}  // namespace carillon::testing
