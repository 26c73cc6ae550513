#include "library/handler_executor.hpp"

#include "ports/run_queue.hpp"
#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <stdexcept>
#include <utility>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using Outcome = AttemptOutcome;

constexpr auto patience = 30s;

class SilentLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

/// Keeps how attempts ended, for whoever waits for that.
class Ends final : public AttemptEvents {
 public:
  void launched(const AttemptKey&) override { ++launch_count; }
  void output(const AttemptKey&, OutputStream, std::string_view) override {}
  void ended(const AttemptKey& key, AttemptEnd end) override {
    const std::scoped_lock lock{mutex_};
    promises_[key].set_value(std::move(end));
  }

  [[nodiscard]] AttemptEnd wait(const AttemptKey& key) {
    std::future<AttemptEnd> future;
    {
      const std::scoped_lock lock{mutex_};
      future = promises_[key].get_future();
    }
    if (future.wait_for(patience) != std::future_status::ready) throw std::runtime_error{"it has not ended"};
    return future.get();
  }

  std::atomic<int> launch_count = 0;

 private:
  std::mutex mutex_;
  std::map<AttemptKey, std::promise<AttemptEnd>> promises_;
};

class HandlerExecutorTest : public ::testing::Test {
 protected:
  static Assignment job(std::int64_t run, std::string type = "work") {
    JobAction action;
    action.type = std::move(type);
    return {.key = {Seq{run}, 1},
            .action = action,
            .envelope = {.name_space = "default",
                         .schedule_id = "tower",
                         .schedule_name = "Tower",
                         .run_id = "r-1",
                         .run_name = "tower@2027-03-01T09:00:00Z",
                         .nominal = {},
                         .due = {},
                         .attempt = 1,
                         .fence = 7,
                         .last_result = {},
                         .payload = R"({"depth":3})"},
            .launch_before = 1h};
  }
  AttemptEnd perform(Handler handler) {
    EXPECT_TRUE(executor.add("work", std::move(handler)));
    executor.launch(job(1));
    return events.wait({Seq{1}, 1});
  }
  /// Waits until it is asked to stop.
  static HandlerResult obey(const RunContext& run) {
    std::promise<void> asked;
    const std::stop_callback callback{run.stop, [&] { asked.set_value(); }};
    if (asked.get_future().wait_for(patience) != std::future_status::ready) return {};
    return HandlerResult::failure("I was asked to stop");
  }

  ManualClock clock{Instant{}, 10min};
  SilentLog log;
  Ends events;
  HandlerExecutor executor{clock, events, log, 2};
};

TEST_F(HandlerExecutorTest, a_handler_is_told_about_its_attempt_and_its_result_is_kept) {
  const AttemptEnd end = perform([](const RunContext& run) {
    return HandlerResult::success(R"({"seen":")" + run.schedule_id + std::to_string(run.fence) + "\"}");
  });

  EXPECT_EQ(end.outcome, Outcome::succeeded);
  EXPECT_EQ(end.result, R"({"seen":"tower7"})");
  EXPECT_EQ(events.launch_count, 1);
}

TEST_F(HandlerExecutorTest, a_failure_is_an_attempt_that_failed_and_may_ask_for_a_delay) {
  const AttemptEnd end = perform([](const RunContext&) { return HandlerResult::failure("no disk", 5min); });

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "no disk");
  EXPECT_EQ(end.retry_after, 5min);
}

TEST_F(HandlerExecutorTest, an_exception_is_a_failure) {
  const AttemptEnd end =
      perform([](const RunContext&) -> HandlerResult { throw std::runtime_error{"the index is gone"}; });

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "the index is gone");
}

TEST_F(HandlerExecutorTest, a_result_that_is_no_json_is_kept_as_a_text) {
  const AttemptEnd end = perform([](const RunContext&) { return HandlerResult::success("say \"done\""); });

  EXPECT_EQ(end.outcome, Outcome::succeeded);
  EXPECT_EQ(end.result, R"("say \"done\"")");
}

TEST_F(HandlerExecutorTest, a_result_that_is_no_text_or_too_long_is_dropped) {
  EXPECT_TRUE(executor.add("bytes", [] { return HandlerResult::success("\xff\xfe"); }));
  EXPECT_TRUE(executor.add("long", [] { return HandlerResult::success(std::string(run_result_size_max + 1, 'x')); }));
  // It is short enough as it stands, but not as JSON.
  EXPECT_TRUE(executor.add("quotes", [] { return HandlerResult::success(std::string(run_result_size_max, '"')); }));

  std::int64_t run = 0;
  for (const char* type : {"bytes", "long", "quotes"}) {
    executor.launch(job(++run, type));
    const AttemptEnd end = events.wait({Seq{run}, 1});

    EXPECT_EQ(end.outcome, Outcome::succeeded) << type;
    EXPECT_EQ(end.result, std::nullopt) << type;
  }
}

TEST_F(HandlerExecutorTest, a_long_error_is_cut_between_characters) {
  std::string error;
  while (error.size() < 10'000) error += "€";

  const AttemptEnd end = perform([&](const RunContext&) { return HandlerResult::failure(error); });

  EXPECT_LE(end.error.size(), 4096U);
  EXPECT_TRUE(end.error.ends_with("€… (5955 bytes left out)")) << end.error;  // of 10,002, in characters of three
}

TEST_F(HandlerExecutorTest, an_attempt_without_a_handler_is_not_begun) {
  executor.launch(job(1, "unheard-of"));

  const AttemptEnd end = events.wait({Seq{1}, 1});
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, R"(handler "unheard-of" not found)");
  EXPECT_EQ(events.launch_count, 0);
}

TEST_F(HandlerExecutorTest, an_attempt_whose_time_is_over_is_not_begun) {
  clock.set_boot(2h);

  const AttemptEnd end = perform([](const RunContext&) { return HandlerResult{}; });

  EXPECT_EQ(end.outcome, Outcome::released);
  EXPECT_EQ(events.launch_count, 0);
}

TEST_F(HandlerExecutorTest, stopping_asks_the_token) {
  ASSERT_TRUE(executor.add("work", obey));
  executor.launch(job(1));

  executor.stop({Seq{1}, 1}, Stop::cancel);

  EXPECT_EQ(events.wait({Seq{1}, 1}).outcome, Outcome::cancelled);
}

TEST_F(HandlerExecutorTest, a_handler_that_finishes_although_it_was_asked_to_stop_has_succeeded) {
  std::promise<void> begun;
  ASSERT_TRUE(executor.add("work", [&](const RunContext& run) {
    begun.set_value();
    (void)obey(run);
    return HandlerResult{};
  }));
  executor.launch(job(1));
  ASSERT_EQ(begun.get_future().wait_for(patience), std::future_status::ready);

  executor.stop({Seq{1}, 1}, Stop::terminate);

  EXPECT_EQ(events.wait({Seq{1}, 1}).outcome, Outcome::succeeded);
}

TEST_F(HandlerExecutorTest, the_end_of_the_lease_asks_the_token) {
  ASSERT_TRUE(executor.add("work", obey));
  executor.launch(job(1));

  clock.set_boot(2h);
  executor.extend_until(1h);

  // Stopped while it ran, or not begun any more: both are rights that ended.
  EXPECT_NE(events.wait({Seq{1}, 1}).outcome, Outcome::succeeded);
}

TEST_F(HandlerExecutorTest, attempts_beyond_the_threads_wait_for_their_turn) {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future();
  std::atomic<int> begun = 0;
  std::promise<void> both;
  ASSERT_TRUE(executor.add("work", [&](const RunContext&) {
    if (++begun == 2) both.set_value();
    open.wait();
    return HandlerResult{};
  }));

  for (std::int64_t run = 1; run <= 3; ++run) executor.launch(job(run));
  ASSERT_EQ(both.get_future().wait_for(patience), std::future_status::ready);
  const int begun_at_once = begun;
  gate.set_value();

  for (std::int64_t run = 1; run <= 3; ++run) EXPECT_EQ(events.wait({Seq{run}, 1}).outcome, Outcome::succeeded);
  EXPECT_EQ(begun_at_once, 2);
  EXPECT_EQ(begun, 3);
}

TEST_F(HandlerExecutorTest, a_name_has_one_handler) {
  ASSERT_TRUE(executor.add("work", obey));

  const auto second = executor.add("work", obey);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
}

TEST_F(HandlerExecutorTest, closing_asks_all_to_stop_and_waits_for_them) {
  ASSERT_TRUE(executor.add("work", obey));
  executor.launch(job(1));
  executor.launch(job(2));

  executor.close();

  EXPECT_EQ(events.wait({Seq{1}, 1}).outcome, Outcome::cancelled);
  EXPECT_EQ(events.wait({Seq{2}, 1}).outcome, Outcome::cancelled);
  executor.launch(job(3));
  EXPECT_EQ(events.wait({Seq{3}, 1}).outcome, Outcome::failed);
}

}  // namespace
}  // namespace carillon
