#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace carillon {
namespace {

using testing::HasSubstr;
using Kind = StoreFailureKind;

class SqliteHealth : public StoreFileTest {
 protected:
  std::unique_ptr<SqliteStore> open_watched() {
    auto store = open();
    store->on_health_change = [this](const std::optional<StoreFailure>& failure) {
      changes_.push_back(failure ? std::optional{failure->kind} : std::nullopt);
    };
    return store;
  }
  /// Fills the root page of a table with what is no page.
  void destroy(const std::string& table) {
    std::int64_t page = 0;
    {
      const auto connection = sqlite::Connection::open(file_, {}).value();
      page = connection->number(fmt::format("SELECT rootpage FROM sqlite_schema WHERE name = '{}'", table)).value();
    }
    std::fstream out{file_, std::ios::binary | std::ios::in | std::ios::out};
    out.seekp((page - 1) * 4'096);
    out << std::string(4'096, '\xA5');
  }
  void alter(const std::string& sql) { ASSERT_TRUE(sqlite::Connection::open(file_, {}).value()->execute(sql)); }

  std::vector<std::optional<Kind>> changes_;
};

TEST_F(SqliteHealth, is_good_in_a_store_that_works) {
  const auto store = open_watched();
  create(*store, "nightly").value();
  store->read_due({.count_max = 10}).value();

  EXPECT_FALSE(store->health().failure());
  EXPECT_THAT(changes_, testing::IsEmpty());
}

TEST_F(SqliteHealth, is_bad_while_nothing_can_be_written_and_told_once) {
  const auto store = open_watched();
  ASSERT_TRUE(is_written(create(*store, "before")));
  ASSERT_EQ(view(*store, "before").state.version, 1);

  {
    const FileSizeLimit limit{16'384};
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(create(*store, fmt::format("s{}", i), std::string(20'000, 'x')));
    const auto failure = store->health().failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->since, noon);
    EXPECT_THAT(failure->cause, HasSubstr(file_.string()));
    EXPECT_EQ(changes_.size(), 1U);
  }
  store->read_lost(1).value();
  EXPECT_TRUE(store->health().failure()) << "what writes nothing proves nothing";

  EXPECT_TRUE(is_written(create(*store, "after")));

  EXPECT_FALSE(store->health().failure());
  EXPECT_EQ(changes_.size(), 2U);
}

TEST_F(SqliteHealth, says_that_the_disk_is_full) {
  const auto store = open({.page_count_max = 100});
  Result<CommitResult> refused = create(*store, "s0", std::string(20'000, 'x'));
  for (int i = 1; refused && i < 1'000; ++i) refused = create(*store, fmt::format("s{}", i), std::string(20'000, 'x'));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "store-full");
  EXPECT_EQ(store->health().failure().value().kind, Kind::full);
}

TEST_F(SqliteHealth, is_bad_for_good_after_a_damaged_page_and_nothing_new_is_taken) {
  commit(*open(), conformance::creation("nightly", noon).wakes_at(noon)).value();
  destroy("state");
  const auto store = open_watched();

  EXPECT_FALSE(store->read_due({.count_max = 10}));

  EXPECT_EQ(store->health().failure().value().kind, Kind::damaged);
  const auto refused = create(*store, "another");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "store-damaged");
  EXPECT_NE(refused.error().hint, "");
  EXPECT_EQ(store->claim({.session = {}, .queues = {"default"}, .count_max = 1}).error().rule, "store-damaged");
  EXPECT_TRUE(store->read_lost(1)) << "what runs may end";
  EXPECT_TRUE(store->health().failure());
  EXPECT_THAT(changes_, testing::ElementsAre(Kind::damaged));
}

TEST_F(SqliteHealth, is_bad_after_a_check_has_found_damage) {
  commit(*open(), conformance::creation("nightly", noon).wakes_at(noon)).value();
  alter("DELETE FROM wake");
  const auto store = open_watched();
  ASSERT_TRUE(is_written(create(*store, "another")));

  EXPECT_FALSE(store->check_integrity());

  EXPECT_EQ(store->health().failure().value().kind, Kind::damaged);
  EXPECT_EQ(create(*store, "third").error().rule, "store-damaged");
}

TEST_F(SqliteHealth, is_bad_while_a_row_prevents_decisions) {
  commit(*open(), conformance::creation("nightly", noon).wakes_at(noon)).value();
  alter("UPDATE state SET wake_at = 9223372036854775807");
  const auto store = open_watched();

  EXPECT_FALSE(store->read_due({.count_max = 10}));

  EXPECT_EQ(store->health().failure().value().kind, Kind::damaged);
  EXPECT_THAT(store->health().failure().value().cause, HasSubstr("table state, uid 1, column wake_at"));
  alter("UPDATE state SET wake_at = (SELECT at FROM wake)");
  EXPECT_TRUE(store->read_due({.count_max = 10}));
  EXPECT_FALSE(store->health().failure()) << "it was one row, and is mended";
}

}  // namespace
}  // namespace carillon
