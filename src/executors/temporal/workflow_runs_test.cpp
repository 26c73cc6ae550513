#include "executors/temporal/workflow_runs.hpp"

#include "support/attempt_record.hpp"
#include "support/manual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace carillon::workflows {
namespace {

using namespace std::chrono_literals;
using grpc::StatusCode;
using ::testing::HasSubstr;

/// Keeps calls until the test answers them.
class KeptClusterCalls final : public ClusterCalls {
 public:
  struct Kept {
    std::string method;
    std::string message;
    Done done;
  };
  void call(std::string_view method, std::string message, Duration /*timeout*/, Done done) override {
    calls.push_back({std::string{method}, std::move(message), std::move(done)});
  }
  [[nodiscard]] std::size_t count(std::string_view method) const {
    return static_cast<std::size_t>(std::ranges::count(calls, method, &Kept::method));
  }
  Kept take(std::string_view method) {
    const auto found = std::ranges::find(calls, method, &Kept::method);
    if (found == calls.end()) throw std::runtime_error{fmt::format("no call of {}", method)};
    Kept kept = std::move(*found);
    calls.erase(found);
    return kept;
  }
  template <typename Message>
  void answer(std::string_view method, const Message& message) {
    take(method).done({.status = {}, .message = message.SerializeAsString()});
  }
  void refuse(std::string_view method, StatusCode code, bool is_unsent = false) {
    take(method).done({.status = {.code = code, .message = "no"}, .message = {}, .is_unsent = is_unsent});
  }
  std::deque<Kept> calls;
};

class WorkflowRunsTest : public testing::Test {
 protected:
  static Assignment assignment(std::int64_t number, bool is_launched = false) {
    WorkflowAction action;
    action.type = "T";
    action.task_queue = "q";
    Assignment made{.key = {static_cast<Seq>(number), 1}, .action = action, .envelope = {}};
    made.envelope.schedule_id = "s";
    made.envelope.run_id = fmt::format("r-{}", number);
    made.envelope.run_name = fmt::format("s@{}", number);
    made.envelope.nominal = Instant{std::chrono::seconds{number}};
    made.envelope.attempt = 1;
    made.envelope.payload = "{}";
    made.is_launched = is_launched;
    return made;
  }
  void start(std::int64_t number) {
    runs.launch(assignment(number));
    runs.tick();
    service_pb::StartWorkflowExecutionResponse started;
    started.set_run_id(fmt::format("run-{}", number));
    calls.answer("StartWorkflowExecution", started);
    runs.tick();
  }
  void close(std::string_view next_run = {}) {
    service_pb::GetWorkflowExecutionHistoryResponse history;
    auto* completed = history.mutable_history()->add_events()->mutable_workflow_execution_completed_event_attributes();
    completed->set_new_execution_run_id(std::string{next_run});
    calls.answer("GetWorkflowExecutionHistory", history);
    runs.tick();
  }
  void pass(Duration time) {
    clock.advance(time);
    runs.tick();
  }
  service_pb::DescribeWorkflowExecutionResponse description(std::int64_t number, std::string request_id) {
    service_pb::DescribeWorkflowExecutionResponse described;
    auto& info = *described.mutable_workflow_execution_info();
    info.mutable_execution()->set_run_id(fmt::format("newest-{}", number));
    (*info.mutable_memo()->mutable_fields())[std::string{memo_key}].set_data("\"" + request_id + "\"");
    return described;
  }
  AttemptKey key(std::int64_t number) { return {static_cast<Seq>(number), 1}; }

  ManualClock clock{Instant{std::chrono::seconds{1'000'000}}};
  KeptClusterCalls calls;
  AttemptRecord events;
  WorkflowRuns runs{calls, events, clock, {.name_space = "n", .identity = "i"}, {.poll_count_max = 2}};
};

TEST_F(WorkflowRunsTest, one_is_started_followed_through_its_chain_and_ended) {
  start(1);
  EXPECT_EQ(events.story(key(1)).launched_count, 1);
  close("second");
  service_pb::GetWorkflowExecutionHistoryRequest asked;
  ASSERT_TRUE(asked.ParseFromString(calls.calls.front().message));
  EXPECT_EQ(asked.execution().run_id(), "second");
  close();

  EXPECT_EQ(events.await_end(key(1)).outcome, AttemptOutcome::succeeded);
  EXPECT_TRUE(events.story(key(1)).is_in_order);
  EXPECT_EQ(runs.size(), 0U);
}

TEST_F(WorkflowRunsTest, a_start_without_an_answer_is_repeated_with_the_same_request) {
  runs.launch(assignment(1));
  runs.tick();
  const std::string first = calls.calls.front().message;
  calls.refuse("StartWorkflowExecution", StatusCode::unavailable);
  runs.tick();
  EXPECT_EQ(calls.calls.size(), 0U) << "not at once";

  pass(1s);

  EXPECT_EQ(calls.take("StartWorkflowExecution").message, first);
}

TEST_F(WorkflowRunsTest, nothing_is_started_when_the_right_to_do_so_is_over) {
  runs.extend_until(clock.since_boot());
  runs.launch(assignment(1));
  runs.tick();
  EXPECT_EQ(calls.calls.size(), 0U);

  runs.extend_until(clock.since_boot() + 1h);
  pass(2s);

  EXPECT_EQ(calls.count("StartWorkflowExecution"), 1U);
}

TEST_F(WorkflowRunsTest, what_never_reached_the_cluster_can_be_stopped_at_once) {
  runs.launch(assignment(1));
  runs.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::unavailable, true);

  runs.stop(key(1), Stop::cancel);

  EXPECT_EQ(events.await_end(key(1)).outcome, AttemptOutcome::cancelled);
}

TEST_F(WorkflowRunsTest, what_may_have_reached_it_is_started_again_and_then_stopped) {
  runs.launch(assignment(1));
  runs.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::deadline_exceeded);
  runs.stop(key(1), Stop::cancel);
  EXPECT_TRUE(events.story(key(1)).ends.empty());

  pass(1s);
  service_pb::StartWorkflowExecutionResponse started;
  started.set_run_id("x");
  calls.answer("StartWorkflowExecution", started);
  runs.tick();

  service_pb::RequestCancelWorkflowExecutionRequest cancel;
  ASSERT_TRUE(cancel.ParseFromString(calls.take("RequestCancelWorkflowExecution").message));
  EXPECT_EQ(cancel.first_execution_run_id(), "x");
}

TEST_F(WorkflowRunsTest, an_id_in_use_is_ours_if_the_memo_says_so) {
  runs.launch(assignment(1));
  runs.launch(assignment(2));
  runs.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::already_exists);
  calls.refuse("StartWorkflowExecution", StatusCode::already_exists);
  runs.tick();

  calls.answer("DescribeWorkflowExecution", description(1, "s@1/r-1#1"));
  calls.answer("DescribeWorkflowExecution", description(2, "another"));

  EXPECT_EQ(events.story(key(1)).launched_count, 1);
  EXPECT_THAT(events.await_end(key(2)).error, HasSubstr("already_started"));
}

TEST_F(WorkflowRunsTest, a_resumed_one_is_looked_for_and_started_only_if_it_was_not_before) {
  runs.resume(assignment(1, true));
  runs.resume(assignment(2, true));
  runs.resume(assignment(3, false));
  runs.tick();
  EXPECT_EQ(calls.count("StartWorkflowExecution"), 0U);

  calls.answer("DescribeWorkflowExecution", description(1, "s@1/r-1#1"));
  calls.refuse("DescribeWorkflowExecution", StatusCode::not_found);
  calls.refuse("DescribeWorkflowExecution", StatusCode::not_found);
  runs.tick();

  EXPECT_EQ(events.story(key(1)).launched_count, 0) << "that is known";
  EXPECT_EQ(calls.count("GetWorkflowExecutionHistory"), 1U);
  EXPECT_EQ(events.await_end(key(2)).outcome, AttemptOutcome::lost);
  EXPECT_EQ(calls.count("StartWorkflowExecution"), 1U);
}

TEST_F(WorkflowRunsTest, a_cluster_that_cannot_be_asked_makes_nothing_lost) {
  runs.resume(assignment(1, true));
  runs.tick();
  for (int i = 0; i < 5; ++i) {
    calls.refuse("DescribeWorkflowExecution", i % 2 == 0 ? StatusCode::unavailable : StatusCode::unauthenticated);
    pass(1min);
  }

  EXPECT_TRUE(events.story(key(1)).ends.empty());
}

TEST_F(WorkflowRunsTest, those_without_a_place_are_found_by_one_list_and_take_free_places) {
  for (int i = 1; i <= 4; ++i) start(i);
  EXPECT_EQ(runs.poll_count(), 2U);
  EXPECT_EQ(calls.count("GetWorkflowExecutionHistory"), 2U);
  ASSERT_EQ(calls.count("ListWorkflowExecutions"), 1U);

  service_pb::ListWorkflowExecutionsResponse listed;
  listed.add_executions()->mutable_execution()->set_workflow_id("s-1970-01-01T00:00:04Z");
  calls.answer("ListWorkflowExecutions", listed);
  runs.tick();
  EXPECT_EQ(calls.count("GetWorkflowExecutionHistory"), 3U);
  const auto fourth = std::move(calls.calls.back());
  calls.calls.pop_back();
  service_pb::GetWorkflowExecutionHistoryResponse history;
  history.mutable_history()->add_events()->mutable_workflow_execution_completed_event_attributes();
  fourth.done({.status = {}, .message = history.SerializeAsString()});

  EXPECT_EQ(events.await_end(key(4)).outcome, AttemptOutcome::succeeded);
  close();
  EXPECT_EQ(events.await_end(key(1)).outcome, AttemptOutcome::succeeded);
  EXPECT_EQ(runs.poll_count(), 2U) << "the third has got the place";
  EXPECT_EQ(calls.count("GetWorkflowExecutionHistory"), 2U);
}

TEST_F(WorkflowRunsTest, one_that_is_forgotten_is_not_told_of_any_more) {
  start(1);

  runs.forget(key(1));
  close();

  EXPECT_TRUE(events.story(key(1)).ends.empty());
}

TEST_F(WorkflowRunsTest, one_that_does_not_stop_is_terminated) {
  start(1);
  runs.stop(key(1), Stop::cancel);
  runs.tick();
  calls.answer("RequestCancelWorkflowExecution", service_pb::RequestCancelWorkflowExecutionResponse{});

  runs.stop(key(1), Stop::terminate);
  runs.tick();
  calls.refuse("TerminateWorkflowExecution", StatusCode::unavailable);
  pass(1s);
  calls.answer("TerminateWorkflowExecution", service_pb::TerminateWorkflowExecutionResponse{});
  service_pb::GetWorkflowExecutionHistoryResponse history;
  history.mutable_history()->add_events()->mutable_workflow_execution_terminated_event_attributes();
  calls.answer("GetWorkflowExecutionHistory", history);

  EXPECT_EQ(events.await_end(key(1)).outcome, AttemptOutcome::cancelled);
}

class CalledBackRunsTest : public WorkflowRunsTest {
 protected:
  service_pb::StartWorkflowExecutionRequest sent_start() {
    service_pb::StartWorkflowExecutionRequest sent;
    if (calls.count("StartWorkflowExecution") != 1 || !sent.ParseFromString(calls.calls.front().message))
      throw std::runtime_error{"no start"};
    return sent;
  }
  WorkflowRuns called{calls,
                      events,
                      clock,
                      {.name_space = "n",
                       .identity = "i",
                       .callback_url = "https://here/ended",
                       .callback_key = [](std::string_view attempt) { return fmt::format("key of {}", attempt); }},
                      {.poll_count_max = 0}};
};

TEST_F(CalledBackRunsTest, a_cluster_is_asked_to_tell_of_the_end_and_that_is_looked_at_at_once) {
  called.launch(assignment(1));
  called.tick();
  const auto callback = sent_start().completion_callbacks(0).nexus();
  EXPECT_EQ(callback.url(), "https://here/ended");
  EXPECT_EQ(callback.header().at("carillon-attempt"), "1/1");
  EXPECT_EQ(callback.header().at("carillon-key"), "key of 1/1");
  service_pb::StartWorkflowExecutionResponse started;
  started.set_run_id("run-1");
  calls.answer("StartWorkflowExecution", started);
  called.tick();
  ASSERT_EQ(calls.count("GetWorkflowExecutionHistory"), 0U) << "it waits for the list";

  called.look_at(key(1));
  called.look_at(key(2));
  called.tick();

  ASSERT_EQ(calls.count("GetWorkflowExecutionHistory"), 1U);
  close();
  EXPECT_EQ(events.story(key(1)).ends.size(), 1U);
}

TEST_F(CalledBackRunsTest, a_cluster_that_may_not_call_back_is_asked_without_it_and_not_asked_again) {
  called.launch(assignment(1));
  called.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::invalid_argument);
  called.tick();
  EXPECT_TRUE(sent_start().completion_callbacks().empty());
  EXPECT_EQ(sent_start().request_id(), "s@1/r-1#1");
  service_pb::StartWorkflowExecutionResponse started;
  started.set_run_id("run-1");
  calls.answer("StartWorkflowExecution", started);
  called.tick();

  EXPECT_THAT(called.callback_refusal(), HasSubstr("INVALID_ARGUMENT"));
  calls.calls.clear();
  called.launch(assignment(2));
  called.tick();
  EXPECT_TRUE(sent_start().completion_callbacks().empty());
}

TEST_F(CalledBackRunsTest, a_start_that_is_wrong_in_itself_is_refused_in_the_words_of_the_cluster) {
  called.launch(assignment(1));
  called.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::invalid_argument);
  called.tick();
  calls.refuse("StartWorkflowExecution", StatusCode::invalid_argument);
  called.tick();

  ASSERT_EQ(events.story(key(1)).ends.size(), 1U);
  EXPECT_EQ(events.story(key(1)).ends.front().outcome, AttemptOutcome::failed);
  EXPECT_EQ(called.callback_refusal(), "");
}

}  // namespace
}  // namespace carillon::workflows
