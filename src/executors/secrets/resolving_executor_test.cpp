#include "executors/secrets/resolving_executor.hpp"

#include "executors/secrets/gated_secrets_test.hpp"
#include "support/attempt_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace carillon {
namespace {

using Outcome = AttemptOutcome;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Keeps what it is asked for, and lets others wait for it.
class ListedExecutor final : public Executor {
 public:
  void launch(Assignment assignment) override { note(launched_, std::move(assignment)); }
  void resume(Assignment assignment) override { note(resumed_, std::move(assignment)); }
  void stop(const AttemptKey& key, Stop /*how*/) override {
    const std::lock_guard lock{mutex_};
    stopped_.push_back(key);
  }
  void extend_until(Duration /*since_boot*/) override {}

  Assignment await_launched() { return await(launched_); }
  Assignment await_resumed() { return await(resumed_); }
  [[nodiscard]] std::vector<AttemptKey> stopped() {
    const std::lock_guard lock{mutex_};
    return stopped_;
  }
  [[nodiscard]] bool has_launched() {
    const std::lock_guard lock{mutex_};
    return launched_.has_value();
  }

 private:
  void note(std::optional<Assignment>& place, Assignment assignment) {
    const std::lock_guard lock{mutex_};
    place = std::move(assignment);
    changed_.notify_all();
  }
  Assignment await(std::optional<Assignment>& place) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, secrets_patience, [&] { return place.has_value(); }));
    return place.value_or(Assignment{});
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Assignment> launched_;
  std::optional<Assignment> resumed_;
  std::vector<AttemptKey> stopped_;
};

constexpr AttemptKey key{.run = Seq{1}, .attempt = 1};

Assignment with_variable(const std::string& value) {
  CommandAction command;
  command.env = {{"A", value}};
  return {.key = key, .action = command, .envelope = {}};
}

class ResolvingExecutorTest : public testing::Test {
 protected:
  GatedSecrets secrets_;
  AttemptRecord record_;
  ListedExecutor inner_;
  // Destroyed before the executor that it calls.
  std::unique_ptr<SecretReader> reader_ =
      std::make_unique<SecretReader>(secrets_.reader(), SecretReaderOptions{.deadline = std::chrono::hours{1}});
  ResolvingExecutor executor_{inner_, record_, *reader_};

  ~ResolvingExecutorTest() override { reader_.reset(); }
};

TEST_F(ResolvingExecutorTest, launches_what_needs_no_secret_at_once) {
  executor_.launch(with_variable("plain"));

  EXPECT_TRUE(inner_.has_launched());
  EXPECT_THAT(inner_.await_launched().secrets, IsEmpty());
}

TEST_F(ResolvingExecutorTest, launches_with_the_secrets_of_the_action) {
  executor_.launch(with_variable("x${secret:a}"));

  EXPECT_THAT(inner_.await_launched().secrets, ElementsAre(Pair("${secret:a}", "value of ${secret:a}")));
}

TEST_F(ResolvingExecutorTest, does_not_hold_up_its_caller_while_a_secret_hangs) {
  secrets_.hold("${secret:a}");

  executor_.launch(with_variable("${secret:a}"));
  secrets_.await_reader_of_held();
  executor_.launch({.key = {.run = Seq{2}, .attempt = 1}, .action = CommandAction{}, .envelope = {}});

  EXPECT_EQ(inner_.await_launched().key.run, Seq{2});
}

TEST_F(ResolvingExecutorTest, ends_an_attempt_whose_secret_cannot_be_had_as_failed) {
  executor_.launch(with_variable("${secret:missing}"));
  const AttemptEnd end = record_.await_end(key);

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "${secret:missing} is not there");
  EXPECT_EQ(record_.story(key).launched_count, 0);
  EXPECT_FALSE(inner_.has_launched());
}

TEST_F(ResolvingExecutorTest, ends_an_attempt_that_is_stopped_while_its_secret_hangs) {
  secrets_.hold("${secret:a}");
  executor_.launch(with_variable("${secret:a}"));
  secrets_.await_reader_of_held();

  executor_.stop(key, Stop::cancel);

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::cancelled);
  secrets_.release_all();
  EXPECT_FALSE(inner_.has_launched());
  EXPECT_THAT(inner_.stopped(), IsEmpty());
}

TEST_F(ResolvingExecutorTest, passes_a_stop_on_once_the_attempt_is_launched) {
  executor_.launch(with_variable("${secret:a}"));
  static_cast<void>(inner_.await_launched());

  executor_.stop(key, Stop::cancel);
  // It may be between the two: then it is passed on right after.
  reader_.reset();

  EXPECT_THAT(inner_.stopped(), ElementsAre(key));
}

TEST_F(ResolvingExecutorTest, resumes_a_detached_attempt_with_its_secrets) {
  executor_.resume(with_variable("${secret:a}"));

  const Assignment resumed = inner_.await_resumed();
  EXPECT_THAT(resumed.secrets, ElementsAre(Pair("${secret:a}", "value of ${secret:a}")));
  EXPECT_FALSE(resumed.is_output_withheld);
}

TEST_F(ResolvingExecutorTest, resumes_a_detached_attempt_whose_secrets_are_gone_without_its_output) {
  executor_.resume(with_variable("${secret:missing}"));

  EXPECT_TRUE(inner_.await_resumed().is_output_withheld);
}

}  // namespace
}  // namespace carillon
