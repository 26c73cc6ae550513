#include "stores/postgres/connection.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "support/manual_clock.hpp"
#include "support/postgres_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A database, and stores on it.
class PostgresFaults : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!PostgresServer::programs().empty()) server = std::make_unique<PostgresServer>();
  }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override { ASSERT_TRUE(server) << "PostgreSQL is not installed; ./test installs it"; }

  static postgres::StoreUrl url(const std::string& schema) {
    return postgres::parse_store_url(server->url(schema)).value();
  }
  std::unique_ptr<PostgresStore> open(const std::string& schema) {
    return PostgresStore::open(url(schema), clock).value();
  }
  static void run(const std::string& sql) {
    const auto connection = postgres::Connection::open(url("public"), {}).value();
    connection->send(sql);
    connection->collect().value();
  }

  static inline std::unique_ptr<PostgresServer> server;
  ManualClock clock;
};

const AdhocRun a_job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};

TEST_F(PostgresFaults, a_store_goes_on_after_the_database_has_crashed) {
  PostgresStore::migrate(url("crashing")).value();
  const auto store = open("crashing");
  ASSERT_TRUE(store->store_now());

  server->crash_and_restart();

  EXPECT_TRUE(store->enqueue(std::span{&a_job, 1}, {}));
  EXPECT_EQ(store->health().failure(), std::nullopt);
}

TEST_F(PostgresFaults, a_write_is_repeated_when_its_idle_connection_was_cut) {
  PostgresStore::migrate(url("cut")).value();
  const auto store = open("cut");
  ASSERT_TRUE(store->store_now());

  run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client "
      "backend'");

  EXPECT_TRUE(store->enqueue(std::span{&a_job, 1}, {}));
}

TEST_F(PostgresFaults, jobs_without_a_schedule_are_among_the_exported_lines) {
  PostgresStore::migrate(url("exported")).value();
  const auto store = open("exported");
  const AdhocRun job{.name_space = "blue", .document = "{}", .name = "~b", .queue = "default", .rules = {}};
  store->enqueue(std::span{&job, 1}, {}).value();
  const SessionId session = store->open_session("worker", 1h).value();
  store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value();

  const auto records = store->read_ledger_and_jobs(Seq{}, 100).value();

  ASSERT_EQ(records.size(), 2U);
  EXPECT_TRUE(store->read_ledger(Seq{}, 100).value().empty()) << "the story of schedules is told without them";
  EXPECT_THAT(to_json(records[0]), HasSubstr(R"("namespace":"blue","schedule":null)"));
  EXPECT_THAT(to_json(records[1]), HasSubstr(R"("schedule":null,"run":"~b","attempt":1,"worker":"worker")"));
}

TEST_F(PostgresFaults, nothing_is_launched_before_it_was_claimed_whatever_its_worker_says) {
  PostgresStore::migrate(url("estimated")).value();
  const auto store = open("estimated");
  store->enqueue(std::span{&a_job, 1}, {}).value();
  const SessionId session = store->open_session("worker", 1h).value();
  const auto claimed = store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value();
  const ClaimedRun& run = claimed.runs.at(0);

  const LaunchNotice launched{.seq = run.row.seq, .attempt = 1, .at = claimed.store_now - 20ms};
  store->heartbeat({.session = session, .launched = std::span{&launched, 1}}).value();

  const auto records = store->read_ledger_and_jobs(Seq{}, 100).value();
  const auto& line = std::get<AttemptLine>(records.at(1));
  EXPECT_EQ(line.launched_at, line.claimed_at);
}

TEST_F(PostgresFaults, a_database_that_has_lost_what_was_acknowledged_is_not_gone_on_with) {
  PostgresStore::migrate(url("behind")).value();
  const auto store = open("behind");
  const AdhocRun other{.document = "{}", .name = "~b", .queue = "default", .rules = {}};
  ASSERT_TRUE(store->enqueue(std::span{&a_job, 1}, {}));
  run("CREATE TABLE behind.copy AS SELECT * FROM behind.feed");
  ASSERT_TRUE(store->enqueue(std::span{&other, 1}, {}));

  // As a standby that had received the first and not the second.
  run("DELETE FROM behind.feed WHERE id > (SELECT max(id) FROM behind.copy)");
  run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client "
      "backend'");

  const auto refused = store->store_now();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("behind what this server knows"));
  EXPECT_EQ(store->health().failure().value().kind, StoreFailureKind::damaged);
  EXPECT_FALSE(store->open_session("worker", 1h)) << "nor is anything written";
  EXPECT_TRUE(open("behind")->store_now()) << "a server that is started anew";
}

TEST_F(PostgresFaults, a_store_without_its_schema_says_what_to_do) {
  const auto refused = PostgresStore::open(url("unmade"), clock);

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("carillon store migrate"));
}

TEST_F(PostgresFaults, a_user_without_rights_is_told_so) {
  PostgresStore::migrate(url("guarded")).value();
  run("CREATE ROLE stranger LOGIN");
  run("GRANT USAGE ON SCHEMA guarded TO stranger");
  run("GRANT SELECT ON guarded.carillon_schema TO stranger");
  auto strange = server->url("guarded");
  strange.replace(strange.find("postgres@"), 8, "stranger");

  const auto refused = PostgresStore::open(postgres::parse_store_url(strange).value(), clock);

  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("permission denied"));
  EXPECT_THAT(refused.error().hint, HasSubstr("grant"));
}

TEST_F(PostgresFaults, what_one_store_writes_another_hears_of) {
  PostgresStore::migrate(url("heard")).value();
  const auto writer = open("heard");
  const auto listener = open("heard");
  std::promise<void> heard;
  std::once_flag once;
  const auto subscription =
      listener->subscribe([&](const StoreChange&) { std::call_once(once, [&] { heard.set_value(); }); });

  ASSERT_TRUE(writer->enqueue(std::span{&a_job, 1}, {}));

  EXPECT_EQ(heard.get_future().wait_for(60s), std::future_status::ready);
}

TEST_F(PostgresFaults, a_client_that_hangs_with_locks_is_cut) {
  PostgresStore::migrate(url("hanging")).value();
  const auto store =
      PostgresStore::open(url("hanging"), clock, {.limits = {.lock = 20s, .idle_in_transaction = 200ms}}).value();
  const auto hanging = postgres::Connection::open(url("hanging"), {}).value();
  hanging->send("BEGIN");
  hanging->send("SET LOCAL idle_in_transaction_session_timeout = 200");
  hanging->send("SELECT FROM hanging.audit_head FOR UPDATE");
  ASSERT_TRUE(hanging->collect());

  EXPECT_TRUE(store->append({.actor = "code",
                             .address = {},
                             .operation = "login",
                             .name_space = {},
                             .target = {},
                             .outcome = "done",
                             .before = {},
                             .after = {}}));
}

}  // namespace
}  // namespace carillon
