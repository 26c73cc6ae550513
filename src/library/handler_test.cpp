#include <gtest/gtest.h>

#include <carillon/handler.hpp>

#include <functional>
#include <string>
#include <vector>

namespace carillon {
namespace {

int call_count = 0;
void count_call() { ++call_count; }

RunContext context() { return {.schedule_id = "tower", .run_id = "r-1", .run_name = "tower@x", .payload = "7"}; }

TEST(LibraryHandler, that_returns_nothing_has_succeeded) {
  std::string seen;
  const Handler handler = [&](const RunContext& run) { seen = run.payload; };

  const HandlerResult result = handler(context());

  EXPECT_EQ(seen, "7");
  EXPECT_EQ(result.error, std::nullopt);
  EXPECT_EQ(result.result, std::nullopt);
}

TEST(LibraryHandler, that_returns_a_result_hands_it_on) {
  const Handler handler = [](const RunContext& run) { return HandlerResult::success(run.payload); };

  EXPECT_EQ(handler(context()).result, "7");
}

TEST(LibraryHandler, may_ask_for_nothing) {
  const Handler plain = [] { return HandlerResult::failure("no disk"); };
  const Handler function = count_call;
  call_count = 0;

  EXPECT_EQ(plain(context()).error, "no disk");
  EXPECT_EQ(function(context()).error, std::nullopt);
  EXPECT_EQ(call_count, 1);
}

TEST(LibraryHandler, made_of_an_empty_function_is_empty) {
  void (*const no_pointer)() = nullptr;

  EXPECT_FALSE(Handler{});
  EXPECT_FALSE(Handler{nullptr});
  EXPECT_FALSE(Handler{std::function<void()>{}});
  EXPECT_FALSE(Handler{no_pointer});
  EXPECT_TRUE(Handler{count_call});
}

TEST(LibraryHandler, can_be_called_by_a_program_itself_with_a_log_of_its_own) {
  std::vector<std::string> lines;
  const Handler handler = [](const RunContext& run) { run.log("rung"); };
  RunContext run = context();

  handler(run);
  run.log = HandlerLog{[&](std::string_view line) { lines.emplace_back(line); }};
  handler(run);

  EXPECT_EQ(lines, std::vector<std::string>{"rung"});
}

}  // namespace
}  // namespace carillon
