#include "conformance/transition_builder.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "support/manual_clock.hpp"
#include "support/postgres_server.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using conformance::creation;

constexpr Instant begin{1'000s};
const AdhocRun waiting_job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};

/// One store whose loops share their looks, and another that writes. The database's clock stands still.
class IdleLookTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!PostgresServer::programs().empty()) server = std::make_unique<PostgresServer>();
  }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override {
    ASSERT_TRUE(server) << "PostgreSQL is not installed; ./test installs it";
    static int count = 0;
    schema = fmt::format("idle_{}", ++count);
    const auto url = postgres::parse_store_url(server->url(schema)).value();
    PostgresStore::migrate(url).value();
    run(fmt::format("CREATE OR REPLACE FUNCTION {}.store_now() RETURNS int8 LANGUAGE sql VOLATILE AS 'SELECT {}::int8'",
                    schema, begin.time_since_epoch().count()));
    // Nobody looks by himself while the test goes on: only after what the other one writes.
    store = PostgresStore::open(url, clock, {.poll_time = 1h, .has_idle_look = true}).value();
    other = PostgresStore::open(url, clock, {.is_watching = false}).value();
    subscription = store->subscribe([this](const StoreChange&) {
      const std::scoped_lock lock{mutex};
      ++heard;
      has_heard.notify_all();
    });
    session = store->open_session("worker", 1min).value();
    // Whether it is live is asked from then on.
    ASSERT_TRUE(store->claim(request()));
    ASSERT_TRUE(store->claim(request()));
  }
  void TearDown() override {
    store.reset();
    other.reset();
  }

  static void run(const std::string& sql) {
    const auto connection =
        postgres::Connection::open(postgres::parse_store_url(server->url("public")).value(), {}).value();
    connection->send(sql);
    connection->collect().value();
  }
  [[nodiscard]] ClaimRequest request() const { return {.session = session, .queues = {"default"}, .count_max = 1}; }
  /// Whatever is asked from now on fails.
  void hide_tables() const { run(fmt::format("ALTER SCHEMA {0} RENAME TO {0}_hidden", schema)); }

  /// Returns when the store has heard that something was written, and looked.
  void make_it_look() {
    std::unique_lock lock{mutex};
    const int before = heard;
    // It may not be listening yet.
    for (int tries = 0; heard == before && tries < 600; ++tries) {
      run(fmt::format("SELECT pg_notify('carillon_{}', 'somebody')", schema));
      has_heard.wait_for(lock, 100ms, [&] { return heard > before; });
    }
    ASSERT_GT(heard, before);
  }
  void create_elsewhere(const std::string& id, Instant wake) {
    const Transition transition = creation(id, begin).wakes_at(wake).transition();
    ASSERT_TRUE(other->commit({.writer = {.server = 7, .batch = 1}, .transitions = std::span{&transition, 1}}));
    make_it_look();
  }

  static inline std::unique_ptr<PostgresServer> server;
  std::string schema;
  ManualClock clock;
  std::mutex mutex;
  std::condition_variable has_heard;
  int heard = 0;
  std::unique_ptr<PostgresStore> store;
  std::unique_ptr<PostgresStore> other;
  NotifierSubscription subscription;
  SessionId session{};
};

TEST_F(IdleLookTest, while_nothing_happens_loops_are_answered_without_asking) {
  create_elsewhere("later", begin + 1h);
  hide_tables();

  clock.advance_boot(10s);
  const auto due = store->read_due({});

  EXPECT_EQ(store->store_now().value(), begin + 10s);
  ASSERT_TRUE(due) << due.error().message;
  EXPECT_EQ(due->store_now, begin + 10s);
  EXPECT_EQ(due->next_wake, begin + 1h);
  EXPECT_TRUE(store->claim(request()));
  EXPECT_TRUE(store->read_lost(10));
  EXPECT_TRUE(store->read_expired(10));
}

TEST_F(IdleLookTest, what_has_come_due_since_the_look_is_asked_for) {
  create_elsewhere("soon", begin + 5s);
  ASSERT_TRUE(store->read_due({})->views.empty());

  clock.advance_boot(5s);
  hide_tables();

  EXPECT_FALSE(store->read_due({})) << "only the database can say what it is";
}

TEST_F(IdleLookTest, what_another_process_writes_is_seen_once_it_is_heard_of) {
  create_elsewhere("later", begin + 1h);
  ASSERT_TRUE(store->read_due({})->views.empty());

  create_elsewhere("now", begin);

  EXPECT_EQ(store->read_due({})->views.size(), 1U);
}

TEST_F(IdleLookTest, what_this_process_writes_is_seen_at_once) {
  create_elsewhere("later", begin + 1h);

  ASSERT_TRUE(store->enqueue(std::span{&waiting_job, 1}, {}));

  EXPECT_EQ(store->claim(request())->runs.size(), 1U);
}

TEST_F(IdleLookTest, a_lease_that_has_ended_since_the_look_is_noticed) {
  create_elsewhere("later", begin + 1h);
  clock.advance_boot(59s);
  ASSERT_TRUE(store->claim(request()));
  hide_tables();

  clock.advance_boot(1s);

  EXPECT_FALSE(store->claim(request()));
  EXPECT_FALSE(store->read_lost(10));
}

TEST_F(IdleLookTest, without_new_looks_everybody_asks_again) {
  create_elsewhere("later", begin + 48h);
  hide_tables();
  ASSERT_TRUE(store->store_now());

  clock.advance_boot(2h);

  EXPECT_FALSE(store->store_now());
}

TEST_F(IdleLookTest, a_clock_that_was_set_is_left_to_those_who_ask) {
  create_elsewhere("later", begin + 48h);
  run(fmt::format("CREATE OR REPLACE FUNCTION {}.store_now() RETURNS int8 LANGUAGE sql VOLATILE AS 'SELECT {}::int8'",
                  schema, (begin + 1h).time_since_epoch().count()));

  make_it_look();
  EXPECT_EQ(store->store_now().value(), begin + 1h);
  hide_tables();

  EXPECT_FALSE(store->store_now()) << "nothing is answered from such a look";
}

}  // namespace
}  // namespace carillon
