#include "service/service_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class WorkersTest : public testing::ServiceTest {
 protected:
  static Caller worker(std::string actor = "token:workerwo") {
    return {.actor = std::move(actor), .address = {}, .role = Role::worker};
  }
  std::string open(const Caller& caller) {
    return must(workers_.open(caller, {.name = "w", .queues = {"default"}})).id;
  }
  RunAnswer enqueue() {
    return must(runs_.enqueue(admin(), json(R"({"jobType":"mail","payload":{"to":"anna"}})"), {}));
  }
};

TEST_F(WorkersTest, get_jobs_with_all_that_belongs_to_them) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());

  const auto jobs = must(workers_.claim(worker(), session, 10));

  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().run_id, queued.id);
  EXPECT_EQ(jobs.front().type, "mail");
  EXPECT_THAT(jobs.front().envelope, HasSubstr(R"("payload":{"to":"anna"})"));
  EXPECT_TRUE(must(workers_.claim(worker(), session, 10)).empty());
}

TEST_F(WorkersTest, that_are_there_are_known_by_their_queues_for_as_long_as_their_lease_lasts) {
  ManualClock clock;
  WorkerPresence presence{clock};
  const std::vector<std::string> queues{"mail"};
  EXPECT_FALSE(presence.is_unserved("mail")) << "shortly after a start nobody can know";

  clock.advance(61s);
  EXPECT_TRUE(presence.is_unserved("mail"));
  EXPECT_FALSE(presence.is_unserved("@command"));
  presence.note(queues, 30s);
  EXPECT_FALSE(presence.is_unserved("mail"));
  clock.advance(30s);
  EXPECT_TRUE(presence.is_unserved("mail"));
}

TEST_F(WorkersTest, whose_queue_is_paused_leave_runs_that_say_who_paused_it) {
  must(system_.pause_queue(admin(), std::nullopt, "default", true));

  const RunAnswer queued = enqueue();

  ASSERT_TRUE(queued.waits_for);
  EXPECT_EQ(queued.waits_for->kind, WaitReason::Kind::paused_queue);
  EXPECT_EQ(queued.waits_for->paused_by, admin().actor);
  EXPECT_THAT(queued.why, HasSubstr("is paused by " + admin().actor));
}

TEST_F(WorkersTest, tell_how_it_went) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  must(workers_.append_log(worker(), session, queued.id, 1, "sent\n"));

  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1}, {.result = R"({"sent":1})"}));

  const RunAnswer ended = must(runs_.get(admin(), queued.id, std::nullopt));
  EXPECT_EQ(ended.record.run.state, RunState::succeeded);
  EXPECT_EQ(ended.record.result, R"({"sent":1})");
  EXPECT_EQ(must(runs_.log(admin(), queued.id, std::nullopt, {.count_max = 100})).page.bytes, "sent\n");
}

TEST_F(WorkersTest, a_run_that_is_started_again_says_of_which_it_is_a_retry) {
  create(R"({"id":"mail","spec":{},"action":{"job":{"type":"mail"}}})");
  const std::string first = must(schedules_.trigger(admin(), {.id = "mail"}, {}, {})).run.id;
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  must(workers_.finish(worker(), session, {.run_id = first, .attempt = 1}, {}));

  const RunAnswer again = must(runs_.retry(admin(), first, std::nullopt, {})).run;

  EXPECT_THAT(again.name, ::testing::EndsWith("-of-" + first));
  EXPECT_THAT(again.why, HasSubstr("started by hand as a retry of " + first));
  EXPECT_EQ(must(runs_.get(admin(), again.name, std::nullopt)).id, again.id);
}

TEST_F(WorkersTest, logs_of_old_runs_are_said_to_be_kept_no_longer) {
  create(R"({"id":"mail","spec":{},"action":{"job":{"type":"mail"}}})");
  const std::string run = must(schedules_.trigger(admin(), {.id = "mail"}, {}, {})).run.id;
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  must(workers_.finish(worker(), session, {.run_id = run, .attempt = 1}, {}));
  EXPECT_EQ(must(runs_.log(admin(), run, std::nullopt, {.count_max = 100})).page.bytes, "") << "it printed nothing";

  clock_.advance(std::chrono::days{7});
  const auto log = runs_.log(admin(), run, std::nullopt, {.count_max = 100});

  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().kind, Refusal::Kind::gone);
  EXPECT_EQ(log.error().code, "log_expired");
  EXPECT_THAT(log.error().hint, HasSubstr("policies.keep.runs"));
}

TEST_F(WorkersTest, that_fail_leave_it_to_the_next_attempt) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));

  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1},
                       {.outcome = AttemptOutcome::failed, .error = "no route"}));

  const RunAnswer after = must(runs_.get(admin(), queued.id, std::nullopt));
  EXPECT_EQ(after.record.run.state, RunState::retrying);
  EXPECT_EQ(after.error, "no route");
}

TEST_F(WorkersTest, cannot_answer_for_what_is_not_theirs) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const std::string other = open(worker());
  must(workers_.claim(worker(), session, 1));
  const HeldAttempt attempt{.run_id = queued.id, .attempt = 1};

  EXPECT_EQ(workers_.finish(worker(), other, attempt, {}).error().kind, Refusal::Kind::ended) << "another session";
  EXPECT_EQ(workers_.finish(worker("token:strangers"), session, attempt, {}).error().kind, Refusal::Kind::not_found)
      << "another token";
  EXPECT_EQ(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 2}, {}).error().kind,
            Refusal::Kind::ended)
      << "another attempt";
  must(workers_.finish(worker(), session, attempt, {}));
  EXPECT_EQ(workers_.finish(worker(), session, attempt, {}).error().kind, Refusal::Kind::ended) << "a second time";
}

TEST_F(WorkersTest, that_are_silent_too_long_are_over) {
  enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));

  clock_.advance(31s);

  const auto pulse = workers_.heartbeat(worker(), session);
  ASSERT_FALSE(pulse);
  EXPECT_EQ(pulse.error().code, "session_over");
}

TEST_F(WorkersTest, go_on_when_the_server_was_started_anew) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  Workers anew{parts_};

  must(anew.heartbeat(worker(), session));
  must(anew.finish(worker(), session, {.run_id = queued.id, .attempt = 1}, {}));
  const RunAnswer next = enqueue();
  const auto jobs = must(anew.claim(worker(), session, 1));

  EXPECT_EQ(must(runs_.get(admin(), queued.id, std::nullopt)).record.run.state, RunState::succeeded);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().run_id, next.id);
}

TEST_F(WorkersTest, cannot_make_up_a_session) {
  const std::string session = open(worker());
  ASSERT_TRUE(workers_.heartbeat(worker(), session));
  std::vector<std::string> forged{
      "", "w-", "w-0", session + "2c61", session + "6", session.substr(0, session.size() - 2)};
  for (std::size_t i = 0; i < session.size(); ++i) {
    forged.push_back(session);
    forged.back()[i] = session[i] == '1' ? '2' : '1';
  }

  for (const std::string& id : forged) {
    const auto pulse = workers_.heartbeat(worker(), id);
    ASSERT_FALSE(pulse) << id;
    EXPECT_EQ(pulse.error().code, "session_over") << id;
  }
}

TEST_F(WorkersTest, of_a_server_with_another_key_are_strangers) {
  const std::string session = open(worker());
  const RunIds other_key{RunIds::Key{8}};
  const ServiceParts others{.store = parts_.store,
                            .logs = *logs_,
                            .commands = commands_,
                            .definitions = definitions_,
                            .zones = zones_,
                            .clock = clock_,
                            .run_ids = other_key};
  Workers elsewhere{others};

  EXPECT_FALSE(elsewhere.heartbeat(worker(), session));
  EXPECT_FALSE(workers_.heartbeat(worker("token:strangers"), session));
  EXPECT_TRUE(workers_.heartbeat(worker(), session));
}

TEST_F(WorkersTest, serve_as_many_queues_as_an_address_can_name) {
  std::vector<std::string> queues;
  for (int i = 0; i < 100; ++i) queues.push_back(fmt::format("queue-{}", i));
  const std::string session = must(workers_.open(worker(), {.name = "w", .queues = queues})).id;
  must(runs_.enqueue(admin(), json(R"({"jobType":"mail","queue":"queue-99"})"), {}));

  EXPECT_EQ(must(workers_.claim(worker(), session, 10)).size(), 1U);
  for (std::string& queue : queues) queue.append(100, 'x');
  EXPECT_FALSE(workers_.open(worker(), {.name = "w", .queues = queues}));
}

TEST_F(WorkersTest, hear_at_the_next_heartbeat_what_is_to_stop) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));

  must(runs_.cancel(admin(), queued.id, std::nullopt, {}));
  const WorkerPulse pulse = must(workers_.heartbeat(worker(), session));
  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1},
                       {.outcome = AttemptOutcome::failed, .error = "stopped"}));

  ASSERT_EQ(pulse.stops.size(), 1U);
  EXPECT_EQ(pulse.stops.front().run_id, queued.id);
  EXPECT_EQ(must(runs_.get(admin(), queued.id, std::nullopt)).record.run.state, RunState::cancelled);
}

/// Claims whose answer may not have reached the worker.
TEST_F(WorkersTest, get_what_can_be_read_though_a_definition_cannot) {
  create(R"({"id":"broken","cron":"0 9 * * *","timezone":"Asia/Pyongyang","jobType":"mail"})");
  const RunAnswer broken = must(schedules_.trigger(admin(), {.id = "broken"}, {}, {})).run;
  const RunAnswer sound = enqueue();
  // A later server, whose zones have lost one.
  FixedZoneSource zones;
  zones.forget("Asia/Pyongyang");
  SharedDefinitions definitions{store_, zones};
  const ServiceParts parts = parts_with(commands_, definitions, zones);
  Workers workers{parts};
  const std::string session = must(workers.open(worker(), {.name = "w", .queues = {"default"}})).id;

  const auto jobs = must(workers.claim(worker(), session, 10));

  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().run_id, sound.id);
  EXPECT_EQ(must(runs_.get(admin(), broken.id, std::nullopt)).record.run.state, RunState::failed);
}

class LostClaims : public WorkersTest {
 protected:
  using Holds = std::vector<HeldAttempt>;
  RunRecordRow record(const RunAnswer& run) { return must(runs_.get(admin(), run.id, std::nullopt)).record; }
  RunState state(const RunAnswer& run) { return record(run).run.state; }
  void beat(const std::string& session, Duration after, const std::optional<Holds>& holds = {}) {
    clock_.advance(after);
    last_pulse_ = must(workers_.heartbeat(worker(), session, holds));
  }
  WorkerPulse last_pulse_;
};

TEST_F(LostClaims, of_a_worker_that_lists_what_it_holds_go_back_to_the_queue_and_cost_no_attempt) {
  const RunAnswer queued = must(
      runs_.enqueue(admin(), json(R"({"jobType":"mail","policies":{"retry":{"maxAttempts":1,"onLost":false}}})"), {}));
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));

  beat(session, 1s, Holds{});
  EXPECT_EQ(state(queued), RunState::running) << "the answer may be on its way";
  beat(session, 10s, Holds{});

  EXPECT_EQ(state(queued), RunState::queued);
  const auto again = must(workers_.claim(worker(), session, 1, Holds{}));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again.front().attempt, 2);
  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 2}, {}));
  EXPECT_EQ(state(queued), RunState::succeeded);
  EXPECT_EQ(record(queued).attempts.front().state, AttemptState::released);
}

TEST_F(LostClaims, are_found_after_a_restart_too) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1, Holds{}));
  Workers anew{parts_};

  must(anew.heartbeat(worker(), session, Holds{}));
  clock_.advance(10s);
  must(anew.heartbeat(worker(), session, Holds{}));

  EXPECT_EQ(state(queued), RunState::queued);
}

TEST_F(LostClaims, are_none_if_the_worker_lists_them) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));
  const Holds held{{.run_id = queued.id, .attempt = 1}};

  for (int i = 0; i < 6; ++i) beat(session, 10s, held);

  EXPECT_EQ(state(queued), RunState::running);
  EXPECT_EQ(record(queued).attempts.front().state, AttemptState::launched);
  EXPECT_TRUE(last_pulse_.stops.empty());
}

TEST_F(LostClaims, that_were_listed_before_are_lost_when_they_are_not_any_more) {
  const RunAnswer queued =
      must(runs_.enqueue(admin(), json(R"({"jobType":"mail","policies":{"retry":{"onLost":false}}})"), {}));
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));
  beat(session, 1s, Holds{{.run_id = queued.id, .attempt = 1}});

  beat(session, 5s, Holds{});
  beat(session, 10s, Holds{});

  EXPECT_EQ(state(queued), RunState::lost) << "it may have been performed";
}

TEST_F(LostClaims, are_none_while_the_answer_is_being_sent) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1, Holds{}));

  for (int i = 0; i < 3; ++i) beat(session, 10s, Holds{});

  EXPECT_EQ(state(queued), RunState::running);
  EXPECT_EQ(record(queued).run.attempt, 1);
}

TEST_F(LostClaims, are_not_made_by_a_claim_that_was_sent_before_its_worker_knew) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));

  for (int i = 0; i < 3; ++i) {
    clock_.advance(10s);
    EXPECT_TRUE(must(workers_.claim(worker(), session, 1, Holds{})).empty());
  }

  EXPECT_EQ(state(queued), RunState::running);
  EXPECT_EQ(record(queued).run.attempt, 1);
}

TEST_F(LostClaims, whose_answer_could_not_be_sent_are_given_back_at_once) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1));

  must(workers_.delivered(worker(), session, jobs, Delivery::broken, false));

  EXPECT_EQ(state(queued), RunState::queued);
  EXPECT_EQ(must(workers_.claim(worker(), session, 1)).size(), 1U);
}

TEST_F(LostClaims, of_a_worker_that_lists_nothing_count_as_launched_once_their_answer_was_sent) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1));

  must(workers_.delivered(worker(), session, jobs, Delivery::whole, false));
  for (int i = 0; i < 6; ++i) beat(session, 10s);

  EXPECT_EQ(state(queued), RunState::running) << "it may be at work on it for hours";
  EXPECT_EQ(record(queued).attempts.front().state, AttemptState::launched);
}

TEST_F(LostClaims, of_a_server_that_died_before_it_had_answered_are_lost_to_a_worker_that_lists_nothing) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  Workers anew{parts_};

  must(anew.heartbeat(worker(), session));
  EXPECT_EQ(state(queued), RunState::running);
  clock_.advance(10s);
  must(anew.heartbeat(worker(), session));

  EXPECT_EQ(state(queued), RunState::retrying) << "a job is repeated when it was lost";
}

TEST_F(LostClaims, tell_a_worker_to_stop_what_it_no_longer_has) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));
  beat(session, 1s, Holds{});
  beat(session, 10s, Holds{});

  beat(session, 1s, Holds{{.run_id = queued.id, .attempt = 1}});

  ASSERT_EQ(last_pulse_.stops.size(), 1U);
  EXPECT_EQ(last_pulse_.stops.front().run_id, queued.id);
  EXPECT_EQ(last_pulse_.stops.front().how, Stop::terminate);
}

TEST_F(LostClaims, leave_a_result_that_comes_before_the_worker_has_listed_it) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const auto jobs = must(workers_.claim(worker(), session, 1, Holds{}));
  must(workers_.delivered(worker(), session, jobs, Delivery::whole, true));
  clock_.advance(2s);

  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1}, {}));

  const AttemptRecord attempt = record(queued).attempts.front();
  EXPECT_EQ(attempt.state, AttemptState::succeeded);
  EXPECT_EQ(*attempt.ended_at - *attempt.launched_at, 2s);
}

TEST_F(WorkersTest, see_the_queues_of_their_namespace_only) {
  enqueue();
  Caller blue = worker();
  blue.name_space = NamespaceId::parse("blue").value();
  const std::string session = open(blue);

  EXPECT_TRUE(must(workers_.claim(blue, session, 10)).empty());
  EXPECT_FALSE(workers_.open(worker(), {.name = "w", .queues = {"@command"}})) << "that is the server's own";
}

TEST_F(WorkersTest, get_nothing_from_a_queue_that_is_paused) {
  enqueue();
  must(system_.pause_queue(admin(), std::nullopt, "default", true));
  const std::string session = open(worker());

  EXPECT_TRUE(must(workers_.claim(worker(), session, 10)).empty());
  must(system_.pause_queue(admin(), std::nullopt, "default", false));
  EXPECT_EQ(must(workers_.claim(worker(), session, 10)).size(), 1U);
}

TEST_F(WorkersTest, cannot_store_an_error_of_any_size) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));

  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1},
                       {.outcome = AttemptOutcome::failed, .error = std::string(1'000'000, 'E')}));

  const RunAnswer after = must(runs_.get(admin(), queued.id, std::nullopt));
  EXPECT_LE(after.error.size(), attempt_error_size_max);
  EXPECT_THAT(after.error, EndsWith("bytes left out)"));
  EXPECT_LE(after.why.size(), 500U) << "a sentence, not the whole text again";
}

}  // namespace
}  // namespace carillon
