#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace conformance;
using testing::HasSubstr;

class SqliteFaults : public StoreFileTest {
 protected:
  /// Creates schedules until the store cannot take more; how many, at most a thousand.
  static int fill(SqliteStore& store, std::string_view prefix) {
    int count = 0;
    while (count < 1'000 && is_written(create(store, fmt::format("{}{}", prefix, count), std::string(20'000, 'x'))))
      ++count;
    return count;
  }
};

TEST_F(SqliteFaults, a_file_that_may_not_grow_is_unavailable_for_writing_and_keeps_what_it_has) {
  auto store = open({.page_count_max = 200});
  const int count = fill(*store, "s");
  ASSERT_GT(count, 0);
  ASSERT_LT(count, 1'000);

  const auto refused = create(*store, "more", std::string(20'000, 'x'));

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr(file_.string()));
  EXPECT_THAT(refused.error().message, HasSubstr("full"));
  EXPECT_NE(refused.error().hint, "");
  EXPECT_EQ(view(*store, "s0").state.version, 1);
  EXPECT_THAT(ledger(*store), testing::SizeIs(count));
  store.reset();
  store = open();
  EXPECT_TRUE(is_written(create(*store, "more", std::string(20'000, 'x'))));
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteFaults, a_file_that_took_the_place_of_the_store_is_not_read) {
  const auto store = open();
  ASSERT_TRUE(is_written(create(*store, "ours")));
  const std::filesystem::path moved = folder_.path() / "moved.db";
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::rename(file_.native() + suffix, moved.native() + suffix);
  {
    const auto foreign = open();
  }

  const auto found = store->find(key_of("ours"));

  ASSERT_FALSE(found.has_value()) << "the other file knows no such schedule, and was asked";
  EXPECT_EQ(found.error().code, ErrorCode::unavailable);
  EXPECT_THAT(found.error().message, HasSubstr("was replaced"));
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file_.native() + suffix);
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::rename(moved.native() + suffix, file_.native() + suffix);
  EXPECT_EQ(view(*store, "ours").state.version, 1);
}

TEST_F(SqliteFaults, a_disk_that_is_full_is_unavailable_and_the_store_goes_on_when_it_is_not) {
  const auto store = open();
  ASSERT_TRUE(is_written(create(*store, "before")));
  // A reader keeps the log in place when the writer opens the file anew; else it would begin anew, and have room.
  ASSERT_EQ(view(*store, "before").state.version, 1);

  {
    const FileSizeLimit limit{std::filesystem::file_size(file_.native() + "-wal") + 50'000};
    ASSERT_LT(fill(*store, "s"), 1'000);
    const auto refused = create(*store, "during", std::string(20'000, 'x'));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
    EXPECT_THAT(refused.error().message, HasSubstr(file_.string()));
    EXPECT_EQ(view(*store, "before").state.version, 1);
  }

  EXPECT_TRUE(is_written(create(*store, "after", std::string(20'000, 'x'))));
  EXPECT_EQ(view(*store, "before").state.version, 1);
  EXPECT_FALSE(store->find(key_of("during")).value().view.has_value());
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteFaults, a_row_that_is_too_big_fails_its_batch_and_can_be_found_by_halves) {
  const auto store = open({.row_size_max = 100'000});
  const std::vector<Transition> batch{creation(key_of("fine"), noon).transition(),
                                      creation(key_of("big"), noon, std::string(200'000, 'x')).transition()};

  const auto both = store->commit({.writer = {}, .transitions = batch});
  const auto fine = store->commit({.writer = {}, .transitions = std::span{batch}.first(1)});
  const auto big = store->commit({.writer = {}, .transitions = std::span{batch}.subspan(1)});

  ASSERT_FALSE(both.has_value());
  EXPECT_EQ(both.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(is_written(fine));
  ASSERT_FALSE(big.has_value());
  EXPECT_EQ(big.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(store->find(key_of("big")).value().view.has_value());
}

}  // namespace
}  // namespace carillon
