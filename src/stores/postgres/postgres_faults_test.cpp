#include "conformance/transition_builder.hpp"
#include "ports/store_health.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "stores/postgres/transaction.hpp"
#include "support/cutting_proxy.hpp"
#include "support/manual_clock.hpp"
#include "support/postgres_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <thread>

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

TEST_F(PostgresFaults, a_connection_is_direct_unless_a_pooler_stands_between) {
  const PostgresPooler pooler{*server};
  const auto through = postgres::parse_store_url(pooler.url("public")).value();

  EXPECT_TRUE(postgres::Connection::open(url("public"), {}).value()->is_direct().value());
  EXPECT_FALSE(postgres::Connection::open(through, {}).value()->is_direct().value());
}

TEST_F(PostgresFaults, a_store_that_listens_says_so_and_what_others_write_is_told) {
  PostgresStore::migrate(url("heard")).value();
  const auto store = open("heard");
  std::promise<void> told;
  std::atomic<bool> is_told = false;
  const auto subscription = store->subscribe([&](const StoreChange&) {
    if (!is_told.exchange(true)) told.set_value();
  });
  while (!store->is_prompt()) std::this_thread::yield();

  const auto other = open("heard");
  EXPECT_TRUE(other->enqueue(std::span{&a_job, 1}, {}));

  EXPECT_EQ(told.get_future().wait_for(30s), std::future_status::ready);
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

TEST_F(PostgresFaults, a_commit_whose_answer_is_lost_is_told_by_its_writer_and_never_done_twice) {
  constexpr int count = 20;
  PostgresStore::migrate(url("answers")).value();
  const auto direct = open("answers");
  CuttingProxy proxy{server->folder()};
  std::string through = server->url("answers");
  const auto encoded = [](const std::string& folder) {
    std::string text;
    for (const char c : folder) text += c == '/' ? std::string{"%2F"} : std::string{c};
    return text;
  };
  through.replace(through.find(encoded(server->folder())), encoded(server->folder()).size(), encoded(proxy.folder()));
  const auto store =
      PostgresStore::open(postgres::parse_store_url(through).value(), clock, {.is_watching = false}).value();

  for (int i = 0; i < count; ++i) {
    const std::string id = "s" + std::to_string(i);
    const Transition transition = conformance::creation(id, direct->store_now().value()).transition();
    const Writer writer{.server = 7, .batch = i + 1};
    proxy.lose_next_answer();

    const auto unanswered = store->commit({.writer = writer, .transitions = std::span{&transition, 1}});

    ASSERT_FALSE(unanswered);
    EXPECT_EQ(unanswered.error().code, ErrorCode::unavailable);
    const auto found = direct->find(conformance::key_of(id)).value();
    ASSERT_TRUE(found.view);
    EXPECT_EQ(found.view->state.writer, writer) << "who looks sees that it was his";
    const auto again = store->commit({.writer = writer, .transitions = std::span{&transition, 1}});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->items.at(0).outcome, WriteOutcome::Outcome::refused);
  }

  EXPECT_EQ(proxy.lost_count(), count);
  EXPECT_EQ(direct->read_totals().value().schedules, count);
}

TEST_F(PostgresFaults, every_transaction_has_its_time_limits) {
  const auto connection = postgres::Connection::open(url("public"), {}).value();
  for (const auto kind : {postgres::Transaction::Kind::read, postgres::Transaction::Kind::write}) {
    postgres::Transaction transaction{*connection, kind, {.schema = "public", .limits = {.statement = 4s, .lock = 3s}}};

    const auto row = transaction.query(
        "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'), "
        "current_setting('idle_in_transaction_session_timeout')");

    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ((*row)[0].text(0), "4s");
    EXPECT_EQ((*row)[0].text(1), "3s");
    EXPECT_EQ((*row)[0].text(2), "10s");
  }
}

TEST_F(PostgresFaults, a_program_may_use_a_newer_schema_that_says_so) {
  PostgresStore::migrate(url("newer")).value();
  run("INSERT INTO newer.carillon_schema(version) VALUES (4711)");
  EXPECT_TRUE(PostgresStore::open(url("newer"), clock));

  run("UPDATE newer.schema_compatibility SET oldest = 4711");
  const auto refused = PostgresStore::open(url("newer"), clock);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "store-schema");
}

TEST_F(PostgresFaults, a_database_that_cannot_be_written_is_told_from_one_that_refuses_us) {
  PostgresStore::migrate(url("frozen")).value();
  run("CREATE ROLE reader LOGIN");
  run("ALTER ROLE reader SET default_transaction_read_only = on");
  run("GRANT USAGE ON SCHEMA frozen TO reader");
  run("GRANT SELECT ON ALL TABLES IN SCHEMA frozen TO reader");
  const auto as = [&](const std::string& user, const std::string& database) {
    std::string text = server->url("frozen");
    text.replace(text.find("postgres@"), 8, user);
    text.replace(text.find("/postgres?"), 10, "/" + database + "?");
    return PostgresStore::open(postgres::parse_store_url(text).value(), clock).error();
  };

  EXPECT_EQ(as("reader", "postgres").rule, rule_of(StoreFailureKind::unwritable));
  EXPECT_EQ(as("nobody_knows", "postgres").rule, rule_of(StoreFailureKind::refused));
  EXPECT_EQ(as("postgres", "nowhere").rule, rule_of(StoreFailureKind::refused));
}

TEST_F(PostgresFaults, servers_of_a_store_are_listed_while_they_report) {
  PostgresStore::migrate(url("listed")).value();
  const auto store = open("listed");
  const ServerFacts facts{.id = "a1",
                          .host = "here",
                          .pid = 7,
                          .url = "http://127.0.0.1:7070",
                          .version = "1.2.3",
                          .tzdata = "2026a",
                          .zone_edition = ZoneEdition{3},
                          .roles = {"api", "worker"},
                          .running = 2,
                          .now = store->store_now().value() - 90s,
                          .started_at = Instant{1s}};
  ASSERT_TRUE(store->report_server(facts));
  ASSERT_TRUE(store->report_server(facts));

  const ServerList list = store->read_servers().value();
  ASSERT_EQ(list.servers.size(), 1U);
  EXPECT_EQ(list.servers[0].facts.roles, facts.roles);
  EXPECT_EQ(list.servers[0].facts.version, "1.2.3");
  EXPECT_GE(list.servers[0].clock_offset, 90s);
  EXPECT_LE(list.servers[0].seen_at, list.store_now);

  ASSERT_TRUE(store->remove_server("a1"));
  EXPECT_TRUE(store->read_servers().value().servers.empty());
}

TEST_F(PostgresFaults, servers_that_decide_have_a_part_each) {
  PostgresStore::migrate(url("parts")).value();
  const auto store = open("parts");
  const auto share_of = [&](const std::string& id, std::vector<std::string> roles) {
    ServerFacts facts;
    facts.id = id;
    facts.roles = std::move(roles);
    EXPECT_TRUE(store->report_server(facts));
    return store->share();
  };
  EXPECT_EQ(share_of("b", {"scheduler"}).count, 1U);
  share_of("c", {"api"});
  share_of("a", {"scheduler", "worker"});
  share_of("d", {"api", "scheduler"});

  for (const auto& [id, index] : std::map<std::string, std::uint32_t>{{"a", 0}, {"b", 1}, {"d", 2}}) {
    const ServerShare share = share_of(id, {"scheduler"});
    EXPECT_EQ(share.index, index) << id;
    EXPECT_EQ(share.count, 3U) << id;
  }
  run("UPDATE parts.server SET seen_at = seen_at - 31000000 WHERE id = 'a'");
  EXPECT_EQ(share_of("b", {"scheduler"}).index, 0U) << "one that is gone has none";
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
