#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/opening.hpp"
#include "stores/sqlite/store_file_test.hpp"
#include "stores/sqlite/write_queue.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

namespace carillon {
namespace {

using namespace conformance;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SqliteFeed : public StoreFileTest {
 protected:
  std::int64_t row_count() {
    return sqlite::Connection::open(file_, {}).value()->number("SELECT count(*) FROM feed").value();
  }
};

TEST_F(SqliteFeed, has_one_row_for_all_that_became_durable_together) {
  const auto store = open();
  const std::vector<Transition> batch{creation("a", noon).decides(starting(noon)).transition(),
                                      creation("b", noon).decides(starting(noon)).transition()};

  ASSERT_TRUE(store->commit({.writer = {}, .transitions = batch}));

  EXPECT_THAT(store->read_events(0, 100).value().events, SizeIs(4));
  EXPECT_EQ(row_count(), 1);
}

TEST_F(SqliteFeed, goes_on_where_it_ended_when_the_file_is_opened_again) {
  create(*open(), "a").value();
  const auto store = open();
  EXPECT_EQ(store->read_events(std::nullopt, 10).value().newest, 1);

  create(*store, "b").value();

  const FeedPage page = store->read_events(1, 10).value();
  ASSERT_THAT(page.events, SizeIs(1));
  EXPECT_EQ(page.events[0].position, 2);
  EXPECT_EQ(store->read_events(0, 10).value().events.size(), 2U);
}

TEST_F(SqliteFeed, forgets_the_oldest_when_there_are_too_many) {
  const auto store = open();
  create(*store, "a").value();
  for (int round = 0; round < 12; ++round) {
    auto deciding = after(view(*store, "a").state, noon);
    for (int i = 0; i < 10'000; ++i) deciding.decides(skipping(noon, SkipReason::overlap));
    commit(*store, deciding).value();
  }

  EXPECT_TRUE(store->read_events(0, 10).value().is_gap);
  EXPECT_TRUE(store->read_events(5'000, 10).value().is_gap);
  const FeedPage kept = store->read_events(120'001 - 100'000, 200'000).value();
  EXPECT_FALSE(kept.is_gap);
  EXPECT_THAT(kept.events, SizeIs(100'000));
  EXPECT_LE(row_count(), 12);
}

TEST_F(SqliteFeed, forgets_also_when_events_come_one_by_one) {
  const auto store = open({.cache_bytes = std::size_t{1} << 20});
  create(*store, "a").value();
  auto deciding = after(view(*store, "a").state, noon);
  for (int i = 0; i < 100'000; ++i) deciding.decides(skipping(noon, SkipReason::overlap));
  commit(*store, deciding).value();
  for (int i = 0; i < 600; ++i)
    commit(*store, after(view(*store, "a").state, noon).decides(skipping(noon, SkipReason::overlap))).value();

  // The first row had one event and is older than what is kept.
  EXPECT_TRUE(store->read_events(0, 10).value().is_gap);
  EXPECT_FALSE(store->read_events(700, 10).value().is_gap);
}

/// Works that note an event each, in one transaction.
class SqliteFeedGroup : public StoreFileTest {
 protected:
  static std::unique_ptr<sqlite::Tables> tables(const std::filesystem::path& file) {
    auto connection = sqlite::Connection::open(file, {}).value();
    EXPECT_TRUE(migrate(*connection));
    return std::make_unique<sqlite::Tables>(std::move(connection));
  }
  static sqlite::WriteQueue::Work noting(std::int64_t subject, bool fails) {
    return [subject, fails](sqlite::Tables& to) -> Result<> {
      to.feed.note({.at = noon, .kind = FeedKind::run_queued, .subject = static_cast<Seq>(subject)});
      if (fails) return fail(ErrorCode::invalid_argument, "it cannot be");
      return {};
    };
  }
  void line_up(std::int64_t subject, bool fails) {
    threads_.emplace_back([this, subject, fails] {
      EXPECT_EQ(queue_.run(sqlite::Lane::due, noting(subject, fails)).has_value(), !fails);
    });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (queue_.waiting_count() < threads_.size() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  }
  std::vector<std::int64_t> subjects() {
    std::vector<std::int64_t> found;
    const FeedPage page = tables(file_)->feed.read(0, 100).value();
    for (const FeedEvent& event : page.events) found.push_back(static_cast<std::int64_t>(event.subject));
    return found;
  }

  sqlite::WriteQueue queue_{[this] { return Result<std::unique_ptr<sqlite::Tables>>{tables(file_)}; }, tables(file_)};
  std::vector<std::jthread> threads_;
};

TEST_F(SqliteFeedGroup, keeps_the_events_of_works_that_succeed_and_of_no_others) {
  for (const bool first_fails : {true, false}) {
    const auto before = subjects();
    const auto first = queue_.run(sqlite::Lane::user, [&](sqlite::Tables& to) {
      line_up(2, false);
      line_up(3, true);
      line_up(4, false);
      line_up(5, true);
      return noting(1, first_fails)(to);
    });
    threads_.clear();

    EXPECT_EQ(first.has_value(), !first_fails);
    auto added = subjects();
    added.erase(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(before.size()));
    const std::vector<std::int64_t> expected =
        first_fails ? std::vector<std::int64_t>{2, 4} : std::vector<std::int64_t>{1, 2, 4};
    EXPECT_EQ(added, expected);
  }
}

TEST_F(SqliteFeedGroup, keeps_nothing_of_a_transaction_that_is_lost) {
  const auto lost = queue_.run(sqlite::Lane::user, [&](sqlite::Tables& to) -> Result<> {
    TRY(noting(1, false)(to));
    return to.connection->execute("ROLLBACK");
  });
  EXPECT_FALSE(lost);

  ASSERT_TRUE(queue_.run(sqlite::Lane::user, noting(2, false)));

  EXPECT_THAT(subjects(), ElementsAre(2));
}

TEST_F(SqliteFeedGroup, says_nothing_if_nothing_happened) {
  int calls = 0;
  queue_.on_change = [&](const StoreChange&) { ++calls; };

  ASSERT_FALSE(queue_.run(sqlite::Lane::user, noting(1, true)));

  EXPECT_EQ(calls, 0);
  EXPECT_THAT(subjects(), IsEmpty());
}

}  // namespace
}  // namespace carillon
