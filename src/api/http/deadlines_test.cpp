#include "api/http/deadlines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class Waiting : public Expiring {
 public:
  Waiting(std::string name, std::vector<std::string>& expired) : name_{std::move(name)}, expired_{expired} {}
  void on_deadline(DeadlineKind kind) override { expired_.push_back(name_ + " " + std::string{to_text(kind)}); }
  void give_way() override {}

 private:
  std::string name_;
  std::vector<std::string>& expired_;
};

struct DeadlinesTest : ::testing::Test {
  SteadyTime start{};
  std::vector<std::string> expired;
  Waiting first{"first", expired};
  Waiting second{"second", expired};
  Deadlines deadlines{Limits{}};  // head 10 s, idle 60 s, write 30 s
};

TEST_F(DeadlinesTest, come_in_order_of_time_each_once) {
  deadlines.set(first, DeadlineKind::idle, start);
  deadlines.set(second, DeadlineKind::head, start + 20s);
  EXPECT_EQ(deadlines.earliest(), start + 30s);

  deadlines.expire(start + 29s);
  EXPECT_THAT(expired, IsEmpty());
  deadlines.expire(start + 30s);
  EXPECT_THAT(expired, ElementsAre("second head"));
  deadlines.expire(start + 100s);
  EXPECT_THAT(expired, ElementsAre("second head", "first idle"));
  EXPECT_EQ(deadlines.earliest(), std::nullopt);
}

TEST_F(DeadlinesTest, are_replaced_by_later_ones) {
  deadlines.set(first, DeadlineKind::head, start);
  deadlines.set(first, DeadlineKind::write, start);

  deadlines.expire(start + 29s);

  EXPECT_THAT(expired, IsEmpty());
  EXPECT_EQ(deadlines.earliest(), start + 30s);
}

TEST_F(DeadlinesTest, can_be_cleared_and_end_with_who_had_them) {
  deadlines.set(first, DeadlineKind::head, start);
  Deadlines::clear(first);
  {
    Waiting brief{"brief", expired};
    deadlines.set(brief, DeadlineKind::head, start);
  }

  deadlines.expire(start + 100s);

  EXPECT_THAT(expired, IsEmpty());
}

TEST_F(DeadlinesTest, know_who_has_waited_longest) {
  deadlines.set(first, DeadlineKind::idle, start);
  deadlines.set(second, DeadlineKind::idle, start + 1s);
  deadlines.set(first, DeadlineKind::idle, start + 2s);

  EXPECT_EQ(deadlines.longest_waiting(DeadlineKind::idle), &second);
  EXPECT_EQ(deadlines.longest_waiting(DeadlineKind::linger), nullptr);
}

}  // namespace
}  // namespace carillon::http
