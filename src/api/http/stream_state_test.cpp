#include "api/http/stream_state.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace carillon::http {
namespace {

/// Does what it is told when it is asked to.
class HeldTasks final : public TaskRunner {
 public:
  bool submit(Task task) override {
    if (is_over) return false;
    tasks.push_back(std::move(task));
    return true;
  }
  void run() {
    for (Task& task : std::exchange(tasks, {})) task();
  }

  std::vector<Task> tasks;
  bool is_over = false;
};

struct StreamStateTest : ::testing::Test {
  // Tasks hold streams, which hold the loop.
  ~StreamStateTest() override { loop->tasks.clear(); }

  std::shared_ptr<StreamState> make(StreamState::Form form = StreamState::Form::chunked, std::size_t size_max = 100) {
    return std::make_shared<StreamState>(loop, [this] { ++change_count; }, form, size_max);
  }

  std::shared_ptr<HeldTasks> loop = std::make_shared<HeldTasks>();
  int change_count = 0;
  std::string out;
};

TEST_F(StreamStateTest, gives_what_was_written_in_chunks) {
  const auto stream = make();
  EXPECT_TRUE(stream->write("one"));
  EXPECT_TRUE(stream->write("three"));

  EXPECT_EQ(stream->pull(out), StreamState::Pull::going_on);
  EXPECT_EQ(out, "3\r\none\r\n5\r\nthree\r\n");
}

TEST_F(StreamStateTest, never_ends_a_chunked_body_by_an_empty_write) {
  const auto stream = make();

  EXPECT_TRUE(stream->write(""));

  static_cast<void>(stream->pull(out));
  EXPECT_EQ(out, "");
}

TEST_F(StreamStateTest, tells_the_loop_once_for_many_writes) {
  const auto stream = make();
  stream->write("a");
  stream->write("b");
  loop->run();
  EXPECT_EQ(change_count, 1);

  static_cast<void>(stream->pull(out));
  stream->write("c");
  loop->run();

  EXPECT_EQ(change_count, 2);
}

TEST_F(StreamStateTest, overflows_when_the_reader_takes_nothing) {
  const auto stream = make(StreamState::Form::plain, 10);
  EXPECT_TRUE(stream->write("12345"));
  static_cast<void>(stream->pull(out));
  EXPECT_TRUE(stream->write("67890"));
  EXPECT_FALSE(stream->is_overflown());

  EXPECT_FALSE(stream->write("x"));

  EXPECT_TRUE(stream->is_overflown());
  EXPECT_FALSE(stream->is_open());
  EXPECT_FALSE(stream->write(""));
}

TEST_F(StreamStateTest, tells_the_loop_of_an_overflow_although_it_has_not_pulled) {
  const auto stream = make(StreamState::Form::plain, 4);
  stream->write("1234");
  loop->run();
  stream->write("5");
  loop->run();

  EXPECT_EQ(change_count, 2);
}

TEST_F(StreamStateTest, has_room_again_for_what_was_sent) {
  const auto stream = make(StreamState::Form::plain, 10);
  stream->write("1234567890");
  EXPECT_EQ(stream->room(), 0);
  static_cast<void>(stream->pull(out));

  stream->sent(10);

  EXPECT_TRUE(stream->write("1234567890"));
}

TEST_F(StreamStateTest, takes_a_write_that_fills_the_room) {
  const auto stream = make(StreamState::Form::chunked, 100);
  stream->write("some bytes");

  EXPECT_TRUE(stream->write(std::string(stream->room(), 'x')));
  EXPECT_EQ(stream->room(), 0);
}

TEST_F(StreamStateTest, says_when_everything_was_taken) {
  const auto stream = make(StreamState::Form::plain);
  int drained = 0;
  stream->write("12345");
  stream->when_drained([&] { ++drained; });
  static_cast<void>(stream->pull(out));

  stream->sent(4);
  EXPECT_EQ(drained, 0);
  stream->sent(1);
  EXPECT_EQ(drained, 1);
  stream->write("6");
  static_cast<void>(stream->pull(out));
  stream->sent(1);
  EXPECT_EQ(drained, 1);
}

TEST_F(StreamStateTest, says_so_through_the_loop_if_nothing_is_left_to_take) {
  const auto stream = make();
  int drained = 0;
  stream->when_drained([&] { ++drained; });
  EXPECT_EQ(drained, 0);

  loop->run();

  EXPECT_EQ(drained, 1);
}

TEST_F(StreamStateTest, is_closing_behind_what_was_written) {
  const auto stream = make(StreamState::Form::plain);
  stream->write("last");
  stream->close();
  stream->close();

  EXPECT_FALSE(stream->write("more"));
  EXPECT_EQ(stream->pull(out), StreamState::Pull::closing);
  EXPECT_EQ(out, "last");
}

TEST_F(StreamStateTest, says_once_that_it_is_over) {
  const auto stream = make();
  int closed = 0;
  int drained = 0;
  stream->write("x");
  stream->on_closed([&] { ++closed; });
  stream->when_drained([&] { ++drained; });

  stream->finish();
  stream->finish();

  EXPECT_EQ(closed, 1);
  EXPECT_EQ(drained, 1);
  EXPECT_FALSE(stream->write("y"));
}

TEST_F(StreamStateTest, says_it_also_to_those_who_ask_afterwards) {
  const auto stream = make();
  int closed = 0;
  stream->finish();
  stream->on_closed([&] { ++closed; });
  EXPECT_EQ(closed, 0);
  loop->run();
  EXPECT_EQ(closed, 1);

  loop->is_over = true;
  stream->on_closed([&] { ++closed; });

  EXPECT_EQ(closed, 2);
}

TEST_F(StreamStateTest, is_closed_when_nobody_holds_it_any_more) {
  const auto stream = make();
  {
    const ResponseStream handed_out{std::make_shared<StreamHandle>(stream)};
    const ResponseStream copy = handed_out;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_TRUE(copy.is_open());
  }

  EXPECT_FALSE(stream->is_open());
  EXPECT_EQ(stream->pull(out), StreamState::Pull::closing);
}

}  // namespace
}  // namespace carillon::http
