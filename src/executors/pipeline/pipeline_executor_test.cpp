#include "executors/pipeline/pipeline_executor.hpp"

#include "executors/pipeline/echo_provider.hpp"
#include "executors/pipeline/file_size_limit_test.hpp"
#include "support/manual_clock.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Remembers what it is told, and lets tests wait for it.
class AttemptJournal final : public AttemptEvents {
 public:
  void launched(const AttemptKey&) override {
    const std::lock_guard lock{mutex_};
    ++launch_count_;
    changed_.notify_all();
  }
  void output(const AttemptKey&, OutputStream stream, std::string_view bytes) override {
    const std::lock_guard lock{mutex_};
    (stream == OutputStream::out ? output_ : progress_) += bytes;
  }
  void ended(const AttemptKey& key, AttemptEnd end) override {
    const std::lock_guard lock{mutex_};
    ends_.emplace(key, std::move(end));
    changed_.notify_all();
  }
  AttemptEnd await_end(const AttemptKey& key) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return ends_.contains(key); }));
    return ends_[key];
  }
  void await_launch() {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return launch_count_ > 0; }));
  }
  std::string output_text() {
    const std::lock_guard lock{mutex_};
    return output_;
  }
  std::string progress_text() {
    const std::lock_guard lock{mutex_};
    return progress_;
  }
  int launch_count() {
    const std::lock_guard lock{mutex_};
    return launch_count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int launch_count_ = 0;
  std::string output_;
  std::string progress_;
  std::map<AttemptKey, AttemptEnd> ends_;
};

/// Answers when it is stopped, and not before.
class WaitingProvider final : public pipeline::Provider {
 public:
  pipeline::ProviderResult ask(const pipeline::Question&, Duration, const std::stop_token& stop) override {
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any never;
    never.wait(lock, stop, [] { return false; });
    return std::unexpected(pipeline::ProviderFailure{.message = "cancelled", .is_cancelled = true});
  }
};

struct APipelineExecutor : testing::Test {
  APipelineExecutor() {
    folder.write("pipelines/daily/pipeline.yaml", "name: p\njob: {prompt: hello, provider: echo}\n");
    folder.write("pipelines/endless/pipeline.yaml", "name: p\njob: {prompt: hello, provider: waiting}\n");
    providers.add("echo", {}, std::make_unique<pipeline::EchoProvider>());
    providers.add("waiting", {}, std::make_unique<WaitingProvider>());
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
  [[nodiscard]] PipelineOptions options() const {
    return {.folder = folder.path() / "pipelines", .journals = folder.path() / "journals"};
  }
  [[nodiscard]] static Assignment assignment(const std::string& path, Duration launch_before = 1h) {
    Assignment assigned{.key = key, .action = PipelineAction{path}, .envelope = {}, .launch_before = launch_before};
    assigned.envelope.run_id = "run-1";
    return assigned;
  }
  [[nodiscard]] std::size_t journal_count() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{folder.path() / "journals"}) ++count;
    return count;
  }

  static constexpr AttemptKey key{.run = Seq{7}, .attempt = 1};
  TemporaryFolder folder;
  ManualClock clock;
  pipeline::Providers providers{clock};
  pipeline::PipelineRunner runner{clock, providers};
  AttemptJournal events;
};

TEST_F(APipelineExecutor, performs_a_pipeline_and_tells_how_it_went) {
  PipelineExecutor executor{clock, events, runner, options()};

  executor.launch(assignment("daily"));

  const AttemptEnd end = events.await_end(key);
  EXPECT_EQ(end.outcome, AttemptOutcome::succeeded) << end.error;
  EXPECT_EQ(boost::json::parse(end.result.value()).at("output"), "hello");
  EXPECT_EQ(events.output_text(), "hello\n");
  EXPECT_THAT(events.progress_text(), HasSubstr("1 calls"));
}

TEST_F(APipelineExecutor, forgets_the_answers_of_a_run_whose_success_is_recorded) {
  PipelineExecutor executor{clock, events, runner, options()};
  executor.launch(assignment("daily"));
  (void)events.await_end(key);
  ASSERT_EQ(journal_count(), 2U);

  executor.recorded(key);

  EXPECT_EQ(journal_count(), 0U);
}

TEST_F(APipelineExecutor, forgets_answers_that_are_older_than_a_month_when_it_is_made) {
  folder.write("journals/old.journal", "");
  folder.write("journals/new.journal", "");
  std::filesystem::last_write_time(folder.path() / "journals/old.journal",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::days{31});

  const PipelineExecutor executor{clock, events, runner, options()};

  EXPECT_FALSE(std::filesystem::exists(folder.path() / "journals/old.journal"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "journals/new.journal"));
}

TEST_F(APipelineExecutor, fails_one_run_whose_journal_finds_no_room_and_goes_on_with_others) {
  folder.write("pipelines/large/pipeline.yaml",
               "name: p\njob: {prompt: '" + std::string(1'500, 'x') + "', provider: echo}\n");
  PipelineExecutor executor{clock, events, runner, options()};
  Assignment large = assignment("large");
  large.key = {.run = Seq{8}, .attempt = 1};
  large.envelope.run_id = "run-2";
  {
    // Enough for its snapshot, and not for its answer beside the question.
    const pipeline::FileSizeLimit limit{1'750};
    executor.launch(large);
    executor.launch(assignment("daily"));
    EXPECT_EQ(events.await_end(key).outcome, AttemptOutcome::succeeded);
    const AttemptEnd failed = events.await_end(large.key);
    EXPECT_EQ(failed.outcome, AttemptOutcome::failed);
    EXPECT_THAT(failed.error, HasSubstr("File too large"));
  }
  large.key.attempt = 2;

  executor.launch(large);

  EXPECT_EQ(events.await_end(large.key).outcome, AttemptOutcome::succeeded);
}

TEST_F(APipelineExecutor, fails_where_there_is_no_such_package) {
  PipelineExecutor executor{clock, events, runner, options()};

  executor.launch(assignment("none"));

  const AttemptEnd end = events.await_end(key);
  EXPECT_EQ(end.outcome, AttemptOutcome::failed);
  EXPECT_THAT(end.error, HasSubstr("has no pipeline.yaml"));
}

TEST_F(APipelineExecutor, ends_an_attempt_that_is_to_be_stopped) {
  PipelineExecutor executor{clock, events, runner, options()};
  executor.launch(assignment("endless"));
  events.await_launch();

  executor.stop(key, Stop::cancel);

  EXPECT_EQ(events.await_end(key).outcome, AttemptOutcome::cancelled);
}

TEST_F(APipelineExecutor, ends_attempts_whose_right_to_run_is_over) {
  PipelineExecutor executor{clock, events, runner, options()};
  executor.launch(assignment("endless"));
  events.await_launch();

  executor.extend_until(5s);
  clock.advance(6s);

  EXPECT_EQ(events.await_end(key).outcome, AttemptOutcome::lost);
}

TEST_F(APipelineExecutor, launches_nothing_too_late) {
  PipelineExecutor executor{clock, events, runner, options()};
  clock.advance(2h);

  executor.launch(assignment("daily"));

  EXPECT_EQ(events.await_end(key).outcome, AttemptOutcome::released);
  EXPECT_EQ(events.launch_count(), 0);
}

TEST_F(APipelineExecutor, ends_what_is_under_way_with_itself) {
  {
    PipelineExecutor executor{clock, events, runner, options()};
    executor.launch(assignment("endless"));
    events.await_launch();
  }
}

}  // namespace
}  // namespace carillon
