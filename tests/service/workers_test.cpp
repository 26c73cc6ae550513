#include "service/service_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
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

TEST_F(WorkersTest, tell_how_it_went) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));
  must(workers_.append_log(worker(), session, queued.id, 1, "sent\n"));

  must(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 1, .result = R"({"sent":1})"}));

  const RunAnswer ended = must(runs_.get(admin(), queued.id, std::nullopt));
  EXPECT_EQ(ended.record.row.run.state, RunState::succeeded);
  EXPECT_EQ(ended.record.result, R"({"sent":1})");
  EXPECT_EQ(must(runs_.log(admin(), queued.id, std::nullopt, {.count_max = 100})).page.bytes, "sent\n");
}

TEST_F(WorkersTest, that_fail_leave_it_to_the_next_attempt) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  must(workers_.claim(worker(), session, 1));

  must(workers_.finish(worker(), session,
                       {.run_id = queued.id, .attempt = 1, .outcome = AttemptOutcome::failed, .error = "no route"}));

  const RunAnswer after = must(runs_.get(admin(), queued.id, std::nullopt));
  EXPECT_EQ(after.record.row.run.state, RunState::retrying);
  EXPECT_EQ(after.error, "no route");
}

TEST_F(WorkersTest, cannot_answer_for_what_is_not_theirs) {
  const RunAnswer queued = enqueue();
  const std::string session = open(worker());
  const std::string other = open(worker());
  must(workers_.claim(worker(), session, 1));
  const JobEnd end{.run_id = queued.id, .attempt = 1};

  EXPECT_EQ(workers_.finish(worker(), other, end).error().kind, Refusal::Kind::ended) << "another session";
  EXPECT_EQ(workers_.finish(worker("token:strangers"), session, end).error().kind, Refusal::Kind::not_found)
      << "another token";
  EXPECT_EQ(workers_.finish(worker(), session, {.run_id = queued.id, .attempt = 2}).error().kind, Refusal::Kind::ended)
      << "another attempt";
  must(workers_.finish(worker(), session, end));
  EXPECT_EQ(workers_.finish(worker(), session, end).error().kind, Refusal::Kind::ended) << "a second time";
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
  must(anew.finish(worker(), session, {.run_id = queued.id, .attempt = 1}));
  const RunAnswer next = enqueue();
  const auto jobs = must(anew.claim(worker(), session, 1));

  EXPECT_EQ(must(runs_.get(admin(), queued.id, std::nullopt)).record.row.run.state, RunState::succeeded);
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
  const ServiceParts others{.store = store_,
                            .queue = store_,
                            .catalogue = store_,
                            .feed = store_,
                            .audit = store_,
                            .tokens = store_,
                            .requests = store_,
                            .logs = *logs_,
                            .wishes = wishes_,
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
  must(workers_.finish(worker(), session,
                       {.run_id = queued.id, .attempt = 1, .outcome = AttemptOutcome::failed, .error = "stopped"}));

  ASSERT_EQ(pulse.stops.size(), 1U);
  EXPECT_EQ(pulse.stops.front().run_id, queued.id);
  EXPECT_EQ(must(runs_.get(admin(), queued.id, std::nullopt)).record.row.run.state, RunState::cancelled);
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

}  // namespace
}  // namespace carillon
