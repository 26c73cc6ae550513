#include "server/refusing_executor.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace carillon {
namespace {

class AttemptEnds final : public AttemptEvents {
 public:
  void launched(const AttemptKey&) override {}
  void output(const AttemptKey&, OutputStream, std::string_view) override {}
  void ended(const AttemptKey&, AttemptEnd end) override { ends.push_back(std::move(end)); }

  std::vector<AttemptEnd> ends;
};

TEST(RefusingExecutor, fails_every_attempt_and_says_why) {
  AttemptEnds events;
  RefusingExecutor executor{events, "this server performs no pipelines"};

  executor.launch({.key = {.run = Seq{7}, .attempt = 1}, .action = PipelineAction{.path = "daily"}, .envelope = {}});

  ASSERT_EQ(events.ends.size(), 1U);
  EXPECT_EQ(events.ends.front().outcome, AttemptOutcome::failed);
  EXPECT_EQ(events.ends.front().error, "this server performs no pipelines");
}

}  // namespace
}  // namespace carillon
