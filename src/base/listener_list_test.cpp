#include "base/listener_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace carillon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ListenerList, calls_all_listeners_in_the_order_in_which_they_came) {
  ListenerList<int> list;
  std::vector<int> heard;
  const auto first = list.add([&](int fact) { heard.push_back(fact); });
  const auto second = list.add([&](int fact) { heard.push_back(10 * fact); });

  list.call(1);
  list.call(2);

  EXPECT_THAT(heard, ElementsAre(1, 10, 2, 20));
}

TEST(ListenerList, calls_nobody_whose_registration_is_gone) {
  ListenerList<int> list;
  std::vector<int> heard;
  auto first = list.add([&](int fact) { heard.push_back(fact); });
  const auto second = list.add([&](int fact) { heard.push_back(10 * fact); });

  first.reset();
  list.call(1);

  EXPECT_THAT(heard, ElementsAre(10));
}

TEST(ListenerList, waits_for_a_call_under_way_before_a_registration_is_gone) {
  ListenerList<int> list;
  std::promise<void> is_inside;
  std::promise<void> may_leave;
  bool has_left = false;
  auto registration = list.add([&](int) {
    is_inside.set_value();
    may_leave.get_future().wait();
    has_left = true;
  });
  std::jthread caller{[&] { list.call(1); }};
  is_inside.get_future().wait();
  std::jthread helper{[&] { may_leave.set_value(); }};

  registration.reset();

  EXPECT_TRUE(has_left);
}

TEST(ListenerList, may_be_gone_before_a_registration) {
  std::vector<int> heard;
  std::shared_ptr<void> registration;
  {
    ListenerList<int> list;
    registration = list.add([&](int fact) { heard.push_back(fact); });
  }

  registration.reset();

  EXPECT_THAT(heard, IsEmpty());
}

}  // namespace
}  // namespace carillon
