#include "conformance/store_under_test.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "support/manual_clock.hpp"
#include "support/postgres_server.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace carillon::conformance {
namespace {

/// Asked for, because each program that runs its tests starts a database of its own. May be the address of another one,
/// to which schemas are added and from which they are removed: a pooler, another version.
const char* const asked_for = std::getenv("CARILLON_TEST_POSTGRES");

std::string url_of(const std::string& schema) {
  if (postgres::is_postgres_url(asked_for)) return std::string{asked_for} + "?schema=" + schema;
  static const PostgresServer server;  // one for all tests of this program
  return server.url(schema);
}

class PostgresStoreUnderTest final : public StoreUnderTest {
 public:
  PostgresStoreUnderTest() {
    static int count = 0;
    url_ = postgres::parse_store_url(url_of(fmt::format("test_{}", ++count))).value();
    PostgresStore::migrate(url_).value();
    connection_ = postgres::Connection::open(url_, {}).value();
    // The database's clock is in our hands: what the store asks it is what the test says.
    run(fmt::format("CREATE TABLE {}.test_clock(now int8 NOT NULL)", url_.schema));
    run(fmt::format("INSERT INTO {}.test_clock VALUES (0)", url_.schema));
    run(
        fmt::format("CREATE OR REPLACE FUNCTION {0}.store_now() RETURNS int8 LANGUAGE sql VOLATILE AS 'SELECT now FROM "
                    "{0}.test_clock'",
                    url_.schema));
    store_ = PostgresStore::open(url_, clock_).value();
  }
  ~PostgresStoreUnderTest() override {
    store_.reset();
    run(fmt::format("DROP SCHEMA {} CASCADE", url_.schema));
  }

  StorePorts ports() override { return store_->ports(); }
  void set_time(Instant now) override {
    pass_or_set(clock_, now);
    show_time();
  }
  void step_clock(Duration by) override {
    clock_.advance_wall(by);
    show_time();
  }

 private:
  void run(const std::string& sql) {
    connection_->send(sql);
    connection_->collect().value();
  }
  void show_time() {
    run(fmt::format("UPDATE {}.test_clock SET now = {}", url_.schema, clock_.now().time_since_epoch().count()));
  }

  postgres::StoreUrl url_;
  std::unique_ptr<postgres::Connection> connection_;
  ManualClock clock_;
  std::unique_ptr<PostgresStore> store_;
};

[[maybe_unused]] const bool is_postgres_registered =
    asked_for != nullptr && !PostgresServer::programs().empty() &&
    register_store({.name = "postgres",
                    .make = [] { return std::make_unique<PostgresStoreUnderTest>(); },
                    .repetition_count = 10});

}  // namespace
}  // namespace carillon::conformance
