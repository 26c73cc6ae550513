#include "cli/pipelines/run_progress.hpp"

#include "support/scripted_console.hpp"

#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using namespace std::chrono_literals;

pipeline::RunProgress items(std::size_t done, std::size_t total) {
  return {.phase = pipeline::Phase::map, .items = {.total = done, .succeeded = done}, .total = total};
}

TEST(RunProgressDisplay, writes_a_line_now_and_then_where_there_is_no_terminal) {
  ScriptedConsole console;
  RunProgressDisplay display{console};

  for (int second = 0; second <= 20; ++second)
    display.show(items(static_cast<std::size_t>(second), 100), std::chrono::seconds{second});
  display.end();

  EXPECT_EQ(console.error, "10/100 items · about 1m30s left\n20/100 items · about 1m20s left\n");
}

TEST(RunProgressDisplay, takes_its_pace_from_what_is_asked_and_not_from_what_was_known) {
  ScriptedConsole console;
  console.has_terminal = true;
  RunProgressDisplay display{console};

  display.show(items(80, 100), 0s);
  display.show(items(90, 100), 10s);

  EXPECT_EQ(console.error,
            "\r████████████████░░░░  80/100 items\x1b[K"
            "\r██████████████████░░  90/100 items · about 10s left\x1b[K");
}

TEST(RunProgressDisplay, tells_failures_tokens_and_cost) {
  const Paint paint{false, true};
  pipeline::RunProgress progress = items(3, 4);
  progress.items.succeeded = 2;
  progress.spent = {.calls = 3, .input_tokens = 100, .output_tokens = 20, .cost = 0.01234};

  EXPECT_EQ(progress_text(progress, std::nullopt, paint, false), "3/4 items · 1 failed · 120 tokens · cost 0.0123");
}

}  // namespace
}  // namespace carillon::cli
