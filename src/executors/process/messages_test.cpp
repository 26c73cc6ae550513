#include "executors/process/messages.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace carillon {
namespace {

std::string sample_text() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }
std::vector<std::string> sample_texts() {
  return *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
}

RC_GTEST_PROP(Messages, a_launch_is_read_as_it_was_written, ()) {
  LaunchRequest sent{.id = LaunchId{*rc::gen::arbitrary<std::uint64_t>()},
                     .launch_before = Duration{*rc::gen::arbitrary<std::int64_t>()},
                     .program = {.argv = sample_texts(),
                                 .environment = sample_texts(),
                                 .folder = sample_text(),
                                 .identity = {},
                                 .limits = {}}};
  if (*rc::gen::arbitrary<bool>()) {
    sent.program.identity = Identity{.name = sample_text(),
                                     .user = *rc::gen::arbitrary<uid_t>(),
                                     .group = *rc::gen::arbitrary<gid_t>(),
                                     .groups = *rc::gen::arbitrary<std::vector<gid_t>>()};
  }
  sent.program.limits.resize(*rc::gen::inRange<std::size_t>(0, 10));
  for (ResourceLimit& limit : sent.program.limits)
    limit = {.resource = *rc::gen::arbitrary<int>(), .value = *rc::gen::arbitrary<std::uint64_t>()};

  const std::string bytes = to_bytes(LauncherRequest{sent});
  const auto read = std::get<LaunchRequest>(request_from(bytes));

  RC_ASSERT(read.id == sent.id);
  RC_ASSERT(launch_id_from(bytes) == sent.id);
  RC_ASSERT(read.launch_before == sent.launch_before);
  RC_ASSERT(read.program.argv == sent.program.argv);
  RC_ASSERT(read.program.environment == sent.program.environment);
  RC_ASSERT(read.program.folder == sent.program.folder);
  RC_ASSERT(read.program.limits.size() == sent.program.limits.size());
  for (std::size_t i = 0; i < sent.program.limits.size(); ++i) {
    RC_ASSERT(read.program.limits[i].resource == sent.program.limits[i].resource);
    RC_ASSERT(read.program.limits[i].value == sent.program.limits[i].value);
  }
  RC_ASSERT(read.program.identity.has_value() == sent.program.identity.has_value());
  if (sent.program.identity) {
    RC_ASSERT(read.program.identity->name == sent.program.identity->name);
    RC_ASSERT(read.program.identity->user == sent.program.identity->user);
    RC_ASSERT(read.program.identity->group == sent.program.identity->group);
    RC_ASSERT(read.program.identity->groups == sent.program.identity->groups);
  }
}

TEST(Messages, every_kind_is_read_as_itself) {
  const auto stop = std::get<StopLaunchRequest>(
      request_from(to_bytes(LauncherRequest{StopLaunchRequest{LaunchId{7}, Stop::terminate}})));
  EXPECT_EQ(stop.id, LaunchId{7});
  EXPECT_EQ(stop.how, Stop::terminate);

  const auto extend = std::get<ExtendRequest>(request_from(to_bytes(LauncherRequest{ExtendRequest{Duration{-5}}})));
  EXPECT_EQ(extend.until, Duration{-5});

  const auto ready =
      std::get<LauncherReady>(reply_from(to_bytes(LauncherReply{LauncherReady{ErrorCode::conflict, "taken"}})));
  EXPECT_EQ(ready.code, ErrorCode::conflict);
  EXPECT_EQ(ready.error, "taken");

  EXPECT_EQ(std::get<LaunchBegan>(reply_from(to_bytes(LauncherReply{LaunchBegan{LaunchId{8}}}))).id, LaunchId{8});

  const auto refused = std::get<LaunchRefused>(reply_from(
      to_bytes(LauncherReply{LaunchRefused{.id = LaunchId{9}, .why = LaunchRefused::Why::stopped, .error = "no"}})));
  EXPECT_EQ(refused.id, LaunchId{9});
  EXPECT_EQ(refused.why, LaunchRefused::Why::stopped);
  EXPECT_EQ(refused.error, "no");

  const auto ended = std::get<LaunchEnded>(reply_from(to_bytes(
      LauncherReply{LaunchEnded{.id = LaunchId{10},
                                .cause = StopCause::lease,
                                .wait_status = 256,
                                .use = {.user_time = Duration{1}, .system_time = Duration{2}, .memory_max = 3}}})));
  EXPECT_EQ(ended.id, LaunchId{10});
  EXPECT_EQ(ended.cause, StopCause::lease);
  EXPECT_EQ(ended.wait_status, 256);
  EXPECT_EQ(ended.use.user_time, Duration{1});
  EXPECT_EQ(ended.use.system_time, Duration{2});
  EXPECT_EQ(ended.use.memory_max, 3);
}

TEST(Messages, only_a_launch_is_about_a_launch) {
  EXPECT_EQ(launch_id_from(to_bytes(LauncherRequest{StopLaunchRequest{LaunchId{7}, Stop::cancel}})), LaunchId::none);
  EXPECT_EQ(launch_id_from(""), LaunchId::none);
}

}  // namespace
}  // namespace carillon
