#include "api/temporal/workflow_callbacks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::temporal {
namespace {

class WorkflowCallbacksTest : public testing::Test {
 protected:
  static http::Request request(std::string target, std::string_view attempt, std::string_view key,
                               http::Method method = http::Method::post) {
    http::Request made{.method = method, .target = std::move(target)};
    if (!attempt.empty()) made.headers.add("Carillon-Attempt", attempt);
    if (!key.empty()) made.headers.add("Carillon-Key", key);
    return made;
  }
  int status_of(const http::Request& request) const {
    const auto answer = callbacks.answer(request);
    return answer ? answer->status : 0;
  }

  std::vector<std::string> looked_at;
  WorkflowCallbacks callbacks{[this](std::string_view attempt, std::string_view key) {
    if (key != "right") return false;
    looked_at.emplace_back(attempt);
    return true;
  }};
};

TEST_F(WorkflowCallbacksTest, have_an_attempt_looked_at_for_those_who_were_asked_to_tell) {
  EXPECT_EQ(status_of(request("/temporal/workflow-ended", "17/1", "right")), 200);
  EXPECT_EQ(status_of(request("/temporal/workflow-ended", "18/1", "wrong")), 401);
  EXPECT_EQ(status_of(request("/temporal/workflow-ended", "18/1", "")), 401);
  EXPECT_EQ(status_of(request("/temporal/workflow-ended", "", "right")), 401);

  EXPECT_EQ(looked_at, std::vector<std::string>{"17/1"});
}

TEST_F(WorkflowCallbacksTest, are_posted_to_their_own_path_alone) {
  EXPECT_EQ(status_of(request("/temporal/workflow-ended", "17/1", "right", http::Method::get)), 405);
  EXPECT_EQ(status_of(request("/temporal/workflow-ended/x", "17/1", "right")), 0);
  EXPECT_EQ(status_of(request("/api/v1/schedules", "17/1", "right")), 0);

  EXPECT_TRUE(looked_at.empty());
}

}  // namespace
}  // namespace carillon::temporal
