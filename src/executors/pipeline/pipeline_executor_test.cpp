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
#include <vector>

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
  void progress(const AttemptKey&, const RunProgress& progress) override {
    const std::lock_guard lock{mutex_};
    steps_.push_back(progress);
    changed_.notify_all();
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
  /// The newest step, once so many items have a result.
  RunProgress await_done(std::int64_t count) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [&] { return !steps_.empty() && steps_.back().done >= count; }));
    return steps_.back();
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
  std::vector<RunProgress> steps_;
  std::map<AttemptKey, AttemptEnd> ends_;
};

/// Answers with the question, except what it is told to refuse, or to wait with until it is stopped.
class PickyProvider final : public pipeline::Provider {
 public:
  explicit PickyProvider(std::vector<std::string>& asked) : asked_{asked} {}

  pipeline::ProviderResult ask(const pipeline::Question& question, Duration, const std::stop_token& stop) override {
    {
      const std::lock_guard lock{mutex};
      asked_.push_back(question.prompt);
    }
    if (question.prompt == waits_for) {
      std::mutex own;
      std::unique_lock lock{own};
      std::condition_variable_any never;
      never.wait(lock, stop, [] { return false; });
      return std::unexpected(pipeline::ProviderFailure{.message = "cancelled", .is_cancelled = true});
    }
    if (question.prompt == refused)
      return std::unexpected(
          pipeline::ProviderFailure{.kind = pipeline::FailureClass::permanent, .message = "refused"});
    return pipeline::ProviderAnswer{.text = question.prompt, .usage = {.input_tokens = 2, .output_tokens = 3}};
  }

  std::string refused;
  std::string waits_for;
  std::mutex mutex;

 private:
  std::vector<std::string>& asked_;
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
    folder.write("pipelines/rows/pipeline.yaml",
                 "name: p\ninput: {items: [{t: a}, {t: b}, {t: c}]}\n"
                 "map: {prompt: '{{t}}', provider: picky, parallel: 1}\nreduce: {type: text}\n");
    auto made = std::make_unique<PickyProvider>(asked);
    picky = made.get();
    providers.add("picky", {}, std::move(made));
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
  [[nodiscard]] static ItemsOwner owner(std::string result_file = {}) {
    return {.run = key.run, .run_id = "run-1", .package = "rows", .result_file = std::move(result_file)};
  }
  /// A run whose second item fails; it is in the store. Returns its result file.
  std::string fail_one_item(PipelineExecutor& executor) {
    picky->refused = "b";
    executor.launch(assignment("rows"));
    const AttemptEnd end = events.await_end(key);
    executor.recorded(key);
    EXPECT_EQ(end.outcome, AttemptOutcome::failed);
    return std::string{boost::json::parse(end.result.value()).at("resultFile").as_string()};
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
  std::vector<std::string> asked;
  PickyProvider* picky = nullptr;
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

TEST_F(APipelineExecutor, tells_the_counts_of_a_run_that_failed_too) {
  PipelineExecutor executor{clock, events, runner, options()};
  picky->refused = "b";

  executor.launch(assignment("rows"));

  const AttemptEnd end = events.await_end(key);
  EXPECT_EQ(end.outcome, AttemptOutcome::failed);
  const auto result = boost::json::parse(end.result.value());
  EXPECT_EQ(result.at("itemsProcessed"), 3);
  EXPECT_EQ(result.at("failedItems"), 1);
  EXPECT_EQ(result.at("calls"), 3);
  EXPECT_EQ(result.at("inputTokens"), 4);
  EXPECT_FALSE(result.as_object().contains("output"));
}

TEST_F(APipelineExecutor, tells_how_far_an_attempt_is_and_which_items_have_a_result) {
  PipelineExecutor executor{clock, events, runner, options()};
  picky->waits_for = "b";
  executor.launch(assignment("rows"));

  const RunProgress progress = events.await_done(1);

  EXPECT_EQ(progress.phase, "map");
  EXPECT_EQ(progress.total, 3);
  EXPECT_EQ(progress.failed, 0);
  const ItemPage page = executor.read_items(owner(), {}).value();
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items.front().input, R"({"t":"a"})");
  EXPECT_EQ(page.items.front().raw_text, "a");
  EXPECT_EQ(page.items.front().output_tokens, 3);
  executor.stop(key, Stop::cancel);
  (void)events.await_end(key);
}

TEST_F(APipelineExecutor, has_the_items_of_a_run_that_has_ended_in_its_result_file) {
  PipelineExecutor executor{clock, events, runner, options()};
  const std::string file = fail_one_item(executor);

  const ItemPage page = executor.read_items(owner(file), {.choice = ItemChoice::failed}).value();

  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items.front().index, 1);
  EXPECT_EQ(page.items.front().error, "refused");
  EXPECT_EQ(executor.read_items(owner(), {}).error().code, ErrorCode::not_found);
}

TEST_F(APipelineExecutor, asks_only_what_failed_in_a_run_that_begins_with_the_answers_of_another) {
  PipelineExecutor executor{clock, events, runner, options()};
  (void)fail_one_item(executor);
  ASSERT_TRUE(executor.has_answers("run-1"));
  picky->refused.clear();
  asked.clear();
  Assignment again = assignment("rows");
  again.key = {.run = Seq{8}, .attempt = 1};
  again.envelope.run_id = "run-2";
  again.envelope.answers_of = "run-1";

  executor.launch(again);

  const AttemptEnd end = events.await_end(again.key);
  EXPECT_EQ(end.outcome, AttemptOutcome::succeeded) << end.error;
  EXPECT_THAT(asked, testing::ElementsAre("b"));
  EXPECT_THAT(events.output_text(), HasSubstr("--- Item 3 ---"));
  // What the other run has spent is its own.
  EXPECT_EQ(boost::json::parse(end.result.value()).at("calls"), 1);
  EXPECT_EQ(boost::json::parse(end.result.value()).at("inputTokens"), 2);
}

TEST_F(APipelineExecutor, fails_where_the_answers_it_is_to_begin_with_are_gone) {
  PipelineExecutor executor{clock, events, runner, options()};
  Assignment again = assignment("rows");
  again.envelope.answers_of = "run-0";

  executor.launch(again);

  EXPECT_EQ(events.await_end(key).error, "the answers of run run-0 are no longer kept: retry it whole");
  EXPECT_TRUE(asked.empty());
}

TEST_F(APipelineExecutor, keeps_the_answers_of_a_success_with_failed_items) {
  folder.write("pipelines/rows/pipeline.yaml",
               "name: p\ninput: {items: [{t: a}, {t: b}]}\nmap: {prompt: '{{t}}', provider: picky}\n"
               "reduce: {type: text}\ntolerate: 1\n");
  PipelineExecutor executor{clock, events, runner, options()};
  picky->refused = "b";
  executor.launch(assignment("rows"));
  ASSERT_EQ(events.await_end(key).outcome, AttemptOutcome::succeeded);

  executor.recorded(key);

  EXPECT_TRUE(executor.has_answers("run-1"));
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
