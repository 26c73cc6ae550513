#include "damaged_store/store_world.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace carillon::testing {
namespace {

using http::Method;

TEST(FailingStore, whose_disk_is_full_is_answered_with_507_and_told_in_the_status) {
  const TemporaryFolder folder;
  ManualClock clock{parse_instant("2026-06-01T12:00:00Z").value()};
  const auto store = SqliteStore::open(folder.path() / "store.db", clock, {.page_count_max = 150}).value();
  StoreWorld world{*store, clock};
  ASSERT_TRUE(world.context().scheduling.adopt_zone_rules());
  const std::string admin = world.issue(Role::admin);
  const std::string payload(20'000, 'x');
  const auto create = [&](int number) {
    return world.ask(Method::post, "/api/v1/schedules", admin,
                     fmt::format(R"({{"id":"s{}","jobType":"t","payload":"{}"}})", number, payload));
  };

  http::Response response = create(0);
  for (int i = 1; response.status == 201 && i < 100; ++i) {
    response = create(i);
  }

  EXPECT_EQ(response.status, 507) << response.body;
  const auto problem = boost::json::parse(response.body);
  EXPECT_EQ(problem.at("code"), "store-full");
  EXPECT_EQ(problem.at("detail"), "the disk of the store is full");
  const auto system = boost::json::parse(world.ask(Method::get, "/api/v1/system", admin).body);
  EXPECT_EQ(system.at_pointer("/store/status"), "store-full");
  EXPECT_EQ(system.at_pointer("/store/since"), "2026-06-01T12:00:00Z");
}

}  // namespace
}  // namespace carillon::testing
