#include "stores/sqlite/write_queue.hpp"

#include "stores/sqlite/opening.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

namespace carillon::sqlite {
namespace {

using testing::ElementsAre;

/// Work that writes down its name, in the database too.
class WriteQueueTest : public StoreFileTest {
 protected:
  static std::unique_ptr<Tables> tables(const std::filesystem::path& file) {
    auto connection = Connection::open(file, {}).value();
    EXPECT_TRUE(migrate(*connection));
    return std::make_unique<Tables>(std::move(connection));
  }
  WriteQueue::Work named(const std::string& name) {
    return [this, name](Tables& to) -> Result<> {
      performed_.push_back(name);
      return to.connection->execute(fmt::format("INSERT INTO queue(name) VALUES ('{}')", name));
    };
  }
  /// Lets others line up behind the work that is being done.
  void await_waiting(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (queue_.waiting_count() < count && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  }
  std::int64_t row_count() { return Connection::open(file_, {}).value()->number("SELECT count(*) FROM queue").value(); }

  WriteQueue queue_{[this] { return Result<std::unique_ptr<Tables>>{tables(file_)}; }, tables(file_)};
  std::vector<std::string> performed_;  // only whoever leads touches it
};

TEST_F(WriteQueueTest, does_at_once_what_comes_alone) {
  EXPECT_TRUE(queue_.run(Lane::due, named("a")));

  EXPECT_THAT(performed_, ElementsAre("a"));
  EXPECT_EQ(row_count(), 1);
}

TEST_F(WriteQueueTest, does_what_waits_by_lane_and_then_in_order) {
  std::vector<std::jthread> threads;
  const auto line_up = [&](Lane lane, const std::string& name) {
    threads.emplace_back([this, lane, name] { EXPECT_TRUE(queue_.run(lane, named(name))); });
    await_waiting(threads.size());
  };

  EXPECT_TRUE(queue_.run(Lane::housekeeping, [&](Tables&) -> Result<> {
    line_up(Lane::housekeeping, "prune");
    line_up(Lane::worker, "finish");
    line_up(Lane::due, "start");
    line_up(Lane::user, "trigger");
    line_up(Lane::user, "pause");
    return {};
  }));
  threads.clear();

  EXPECT_THAT(performed_, ElementsAre("trigger", "pause", "start", "finish", "prune"));
  EXPECT_EQ(row_count(), 5);
}

TEST_F(WriteQueueTest, stands_still_while_work_takes_too_long_and_not_while_there_is_none) {
  using namespace std::chrono_literals;
  Duration now = 1h;
  LoopMonitor loops{30s, [&] { return now; }};
  queue_.watch(loops);
  now += 1h;
  EXPECT_EQ(to_text(loops.stalled()), "");

  EXPECT_TRUE(queue_.run(Lane::due, [&](Tables&) -> Result<> {
    now += 31s;
    EXPECT_EQ(to_text(loops.stalled()), "store-writer for 31s");
    return {};
  }));

  now += 1h;
  EXPECT_EQ(to_text(loops.stalled()), "");
}

TEST_F(WriteQueueTest, takes_back_what_fails_and_nothing_else) {
  std::vector<std::jthread> threads;
  const auto fail_after = [](const WriteQueue::Work& work) {
    return [work](Tables& to) -> Result<> {
      TRY(work(to));
      return fail(ErrorCode::invalid_argument, "it cannot be");
    };
  };

  // The first of a group, one between, and the last.
  const auto first =
      queue_.run(Lane::user, fail_after([&](Tables& to) -> Result<> {
                   threads.emplace_back([this] { EXPECT_TRUE(queue_.run(Lane::due, named("a"))); });
                   await_waiting(1);
                   threads.emplace_back([&, this] { EXPECT_FALSE(queue_.run(Lane::due, fail_after(named("b")))); });
                   await_waiting(2);
                   threads.emplace_back([this] { EXPECT_TRUE(queue_.run(Lane::due, named("c"))); });
                   await_waiting(3);
                   threads.emplace_back([&, this] { EXPECT_FALSE(queue_.run(Lane::due, fail_after(named("d")))); });
                   await_waiting(4);
                   return named("z")(to);
                 }));
  threads.clear();

  EXPECT_FALSE(first);
  EXPECT_THAT(performed_, ElementsAre("z", "a", "b", "c", "d"));
  EXPECT_EQ(row_count(), 2);
}

TEST_F(WriteQueueTest, stands_still_for_one_who_wants_to_be_alone) {
  std::jthread writer;
  queue_.run_alone([&] {
    writer = std::jthread{[this] { EXPECT_TRUE(queue_.run(Lane::due, named("a"))); }};
    await_waiting(1);
    EXPECT_EQ(row_count(), 0);
    Result<> outcome{};
    EXPECT_FALSE(queue_.try_read([](Tables&) -> Result<> { return {}; }, outcome));
  });
  writer.join();

  EXPECT_EQ(row_count(), 1);
}

TEST_F(WriteQueueTest, lends_its_connection_to_a_reader_when_it_is_idle) {
  ASSERT_TRUE(queue_.run(Lane::due, named("a")));
  std::int64_t count = 0;
  Result<> outcome{};

  const bool was_idle = queue_.try_read(
      [&](Tables& from) -> Result<> {
        count = TRY(from.connection->number("SELECT count(*) FROM queue"));
        return {};
      },
      outcome);

  EXPECT_TRUE(was_idle);
  EXPECT_TRUE(outcome);
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(queue_.run(Lane::due, named("b")));
}

}  // namespace
}  // namespace carillon::sqlite
