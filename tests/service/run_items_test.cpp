#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {
namespace {

using ::testing::HasSubstr;

/// Has the items it is given, and remembers what it was asked.
class ItemsInMemory final : public ItemStore {
 public:
  Result<ItemPage> read_items(const ItemsOwner& owner, const ItemQuery& query) override {
    asked = owner;
    wanted = query;
    if (failure) return std::unexpected(*failure);
    return page;
  }
  bool has_answers(const std::string& run_id) override { return answered.contains(run_id); }

  ItemPage page;
  std::optional<Error> failure;
  std::map<std::string, bool> answered;
  ItemsOwner asked;
  ItemQuery wanted;
};

/// What attempts under way have told.
class ProgressInMemory final : public ProgressSource {
 public:
  std::optional<RunProgress> progress_of(Seq run) override {
    const auto found = steps.find(run);
    return found == steps.end() ? std::nullopt : std::optional{found->second};
  }
  std::vector<AttemptProgress> changed_since(std::uint64_t&) override { return {}; }
  std::shared_ptr<void> listen(std::function<void()>) override { return nullptr; }

  std::map<Seq, RunProgress> steps;
};

struct RunItems : ServiceTest {
  RunItems() {
    parts_.has_watched_folder = true;
    parts_.items = &items;
    parts_.progress = &progress;
    create(R"({"id":"daily","every":"1h","action":{"pipeline":{"path":"daily-report"}}})");
  }

  /// A run of a schedule that a worker has launched.
  Seq launch(const std::string& schedule = "daily") {
    const RunRecordRow started = must(schedules_.trigger(admin(), {.id = schedule}, {}, {})).run.record;
    const Seq run = started.seq;
    session = must(store_.open_session("hand", std::chrono::hours{1}));
    must(store_.claim({.session = session, .queues = {std::string{queue_of_lane(started.queue)}}, .count_max = 1}));
    const LaunchNotice launched{.seq = run, .attempt = 1, .at = clock_.now()};
    must(store_.heartbeat({.session = session, .launched = {&launched, 1}}));
    return run;
  }
  std::string id_of(Seq run) { return run_ids_.id_of(run); }
  std::string finish_run(Seq run, AttemptOutcome outcome, const std::string& result) {
    const QueuedRun row = *must(store_.read_runs({&run, 1})).front();
    RunRules rules{.retry = {}, .retries_when_lost = false, .start_deadline = {}};
    rules.retry.attempt_count_max = 1;
    RunUpdate update{.seq = run,
                     .attempt = row.run.attempt,
                     .session = session,
                     .next = must(finish(row.run, row.run.attempt, outcome, rules, clock_.now(), 0)),
                     .end = {.outcome = outcome, .ended_at = clock_.now()}};
    if (!result.empty()) update.end.result = result;
    must(store_.write({&update, 1}));
    must(store_.close_session(session));
    return id_of(run);
  }
  std::string failed_run() {
    return finish_run(launch(), AttemptOutcome::failed,
                      R"({"itemsProcessed":3,"totalItems":3,"failedItems":1,"calls":4,"inputTokens":10,)"
                      R"("outputTokens":20,"cost":0.5,"possiblyPaidTwice":1,"resultFile":".results/x.json"})");
  }

  ItemsInMemory items;
  ProgressInMemory progress;
  SessionId session{};
};

TEST_F(RunItems, are_counted_by_what_a_run_has_left_even_if_it_failed) {
  const RunAnswer run = must(runs_.get(admin(), failed_run(), {}));

  ASSERT_TRUE(run.items);
  EXPECT_EQ(run.items->done, 3);
  EXPECT_EQ(run.items->failed, 1);
  EXPECT_EQ(run.items->total, 3);
  EXPECT_EQ(run.items->result_file, ".results/x.json");
  EXPECT_EQ(run.items->possibly_paid_twice, 1);
  EXPECT_EQ(run.items->usage, (RunUsage{.calls = 4, .input_tokens = 10, .output_tokens = 20, .cost = 0.5}));
  EXPECT_FALSE(run.items->progress);
}

TEST_F(RunItems, are_counted_by_what_an_attempt_tells_while_it_runs) {
  const Seq run = launch();
  progress.steps[run] = {.phase = "map", .done = 7, .failed = 2, .total = 10, .remaining = std::chrono::seconds{3}};

  const RunAnswer alone = must(runs_.get(admin(), id_of(run), {}));
  const RunPage listed = must(runs_.list(admin(), {.filter = {}, .before = {}, .count_max = 10}));

  for (const RunAnswer& answer : {alone, listed.items.front()}) {
    ASSERT_TRUE(answer.items);
    EXPECT_EQ(answer.items->done, 7);
    EXPECT_EQ(answer.items->total, 10);
    EXPECT_EQ(answer.items->progress.value().phase, "map");
  }
}

TEST_F(RunItems, are_not_told_of_by_results_of_other_actions) {
  EXPECT_FALSE(item_facts_in(R"({"bugs":3})"));
  EXPECT_FALSE(item_facts_in("itemsProcessed"));
  EXPECT_FALSE(item_facts_in(R"(["itemsProcessed"])"));
  EXPECT_FALSE(item_facts_in(R"({"itemsProcessed":-1})"));
  EXPECT_FALSE(item_facts_in(R"({"itemsProcessed":"many"})"));
  const auto few = item_facts_in(R"({"itemsProcessed":2,"resultFile":7,"calls":null})");
  ASSERT_TRUE(few);
  EXPECT_EQ(few->result_file, "");
  EXPECT_FALSE(few->usage);
}

TEST_F(RunItems, are_read_from_where_the_run_has_left_them) {
  const std::string id = failed_run();
  items.page.items.push_back({.index = 2, .is_success = true, .input = "{}", .output = "{}"});

  const ItemPage page = must(runs_.items(admin(), id, {}, {.choice = ItemChoice::failed, .count_max = 7}));

  EXPECT_EQ(page.items.size(), 1U);
  EXPECT_EQ(items.asked.package, "daily-report");
  EXPECT_EQ(items.asked.result_file, ".results/x.json");
  EXPECT_EQ(items.asked.run_id, id);
  EXPECT_EQ(items.wanted.count_max, 7U);
}

TEST_F(RunItems, of_another_namespace_do_not_exist) {
  const std::string id = failed_run();

  EXPECT_EQ(runs_.items(bound_to("other"), id, {}, {}).error().kind, Refusal::Kind::not_found);
}

TEST_F(RunItems, of_a_run_that_is_no_pipeline_are_refused_as_such) {
  create(R"({"id":"hello","every":"1h","jobType":"t"})");
  const Seq run = must(schedules_.trigger(admin(), {.id = "hello"}, {}, {})).run.record.seq;

  const auto refused = runs_.items(admin(), id_of(run), {}, {});

  EXPECT_EQ(refused.error().kind, Refusal::Kind::not_found);
  EXPECT_EQ(refused.error().code, "no_items");
}

TEST_F(RunItems, that_are_no_longer_kept_are_gone_and_it_says_what_is_missing) {
  const std::string id = failed_run();
  items.failure = fail(ErrorCode::not_found, "…").error();

  const auto refused = runs_.items(admin(), id, {}, {});

  EXPECT_EQ(refused.error().kind, Refusal::Kind::gone);
  EXPECT_EQ(refused.error().code, "items_expired");
  EXPECT_THAT(refused.error().message, HasSubstr(".results/x.json is gone"));
}

TEST_F(RunItems, of_a_run_that_has_just_begun_are_none) {
  const Seq run = launch();
  items.failure = fail(ErrorCode::not_found, "…").error();

  EXPECT_TRUE(must(runs_.items(admin(), id_of(run), {}, {})).items.empty());
}

TEST_F(RunItems, that_failed_are_asked_again_by_a_run_that_says_whose_answers_it_begins_with) {
  const std::string id = failed_run();
  items.answered[id] = true;

  const TriggerAnswer again = must(runs_.retry(admin(), id, {}, {}, Retry::failed_items));

  EXPECT_EQ(answers_reused_by(again.run.record.trigger), id);
  EXPECT_THAT(again.run.why, HasSubstr("started by hand as a retry of failed items of " + id));
}

TEST_F(RunItems, cannot_be_asked_again_alone_where_nothing_failed_or_the_answers_are_gone) {
  const std::string whole = finish_run(launch(), AttemptOutcome::succeeded,
                                       R"({"itemsProcessed":3,"totalItems":3,"failedItems":0,"calls":3})");
  items.answered[whole] = true;
  const std::string forgotten = failed_run();
  create(R"({"id":"hello","every":"1h","jobType":"t"})");
  const std::string other = finish_run(launch("hello"), AttemptOutcome::failed, "");

  EXPECT_EQ(runs_.retry(admin(), whole, {}, {}, Retry::failed_items).error().code, "wrong_status");
  EXPECT_EQ(runs_.retry(admin(), forgotten, {}, {}, Retry::failed_items).error().code, "answers_expired");
  EXPECT_EQ(runs_.retry(admin(), other, {}, {}, Retry::failed_items).error().code, "no_items");
}

/// One package, that has a fault.
class OnePackage final : public PipelineCatalog {
 public:
  Result<PipelineList> list(std::size_t, std::size_t) override {
    return PipelineList{.items = {{.path = "daily", .file = "daily/pipeline.yaml", .name = "Daily"}}, .total = 3};
  }
  Result<std::vector<PipelineFault>> check_package(const std::string& path) override {
    if (path != "daily") return fail(ErrorCode::not_found, "it is not there");
    return std::vector<PipelineFault>{{.file = "daily/pipeline.yaml", .line = 3, .column = 1, .code = "invalid"}};
  }
};

struct PipelineQueries : ServiceTest {
  PipelineQueries() { parts_.pipelines = &catalog; }
  OnePackage catalog;
  Pipelines pipelines{parts_};
};

TEST_F(PipelineQueries, list_packages_page_by_page) {
  const PipelinePage page = must(pipelines.list(admin(), 1, 1));

  EXPECT_EQ(page.list.items.front().path, "daily");
  EXPECT_EQ(page.next, 2U);
}

TEST_F(PipelineQueries, tell_nothing_to_who_does_not_know_the_namespace_of_packages) {
  EXPECT_TRUE(must(pipelines.list(bound_to("other"), 0, 10)).list.items.empty());
  EXPECT_EQ(pipelines.validate(bound_to("other"), json(R"({"path":"daily"})")).error().kind, Refusal::Kind::not_found);
}

TEST_F(PipelineQueries, check_a_package_or_a_document) {
  EXPECT_EQ(must(pipelines.validate(admin(), json(R"({"path":"daily"})"))).front().line, 3U);
  EXPECT_TRUE(must(pipelines.validate(admin(), json(R"({"document":"name: p\njob: {prompt: hi}\n"})"))).empty());
  const auto faults = must(pipelines.validate(admin(), json(R"({"document":"name: p\njob: {promt: hi}\n"})")));
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults.front().file, "pipeline.yaml");
}

TEST_F(PipelineQueries, refuse_what_is_neither) {
  for (const std::string_view request :
       {"[]", "{}", R"({"path":7})", R"({"path":"daily","document":""})", R"({"file":"daily"})"})
    EXPECT_EQ(pipelines.validate(admin(), json(request)).error().kind, Refusal::Kind::invalid) << request;
  EXPECT_EQ(pipelines.validate(admin(), json(R"({"path":"none"})")).error().kind, Refusal::Kind::not_found);
}

}  // namespace
}  // namespace carillon::testing
