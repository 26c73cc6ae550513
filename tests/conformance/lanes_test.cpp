#include "conformance/store_test.hpp"

#include <algorithm>
#include <latch>
#include <thread>

namespace carillon::conformance {
namespace {

/// Lanes of queues: what workers can do, and how many of their runs at a time.
class Lanes : public StoreTest {
 protected:
  std::vector<Seq> claim_as(SessionId session, const WorkerSkills& skills, std::size_t count_max = 100,
                            std::vector<std::string> queues = {"default"}) {
    return seqs_of(
        must(runs().claim({.session = session, .queues = std::move(queues), .count_max = count_max, .skills = skills}))
            .runs);
  }
  bool limit(const std::string& queue, std::optional<std::int64_t> limit) {
    return must(runs().limit_queue(queue, limit, {}));
  }
  QueueRecord record(const std::string& name) {
    const auto all = must(query_store().read_queues());
    const auto found = std::ranges::find(all, name, &QueueRecord::name);
    return found == all.end() ? QueueRecord{.name = "none"} : *found;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Lanes);

TEST_P(Lanes, hand_out_only_what_a_worker_has_type_and_tags_for) {
  const Seq mail = enqueue("~mail", "default|mail||");
  const Seq report = enqueue("~report", "default|report||");
  const Seq on_gpu = enqueue("~gpu", "default|report|gpu|");
  const Seq plain = enqueue("~plain", "default");
  static_cast<void>(enqueue("~other", "default-2|mail||"));
  const SessionId session = open_session();

  EXPECT_THAT(claim_as(session, {.types = {"mail"}}, 1), ElementsAre(mail));
  EXPECT_THAT(claim_as(session, {.types = {"report"}, .tags = {"gpu", "ssd"}}), ElementsAre(report, on_gpu, plain));
  EXPECT_THAT(claim_as(session, {.tags = {"gpu"}}), IsEmpty());
}

TEST_P(Lanes, know_whether_such_a_worker_could_claim_something) {
  static_cast<void>(enqueue("~report", "default|report|gpu|"));
  const std::vector<std::string> queues{"default"};

  EXPECT_FALSE(must(runs().has_claimable(queues, {})));
  EXPECT_FALSE(must(runs().has_claimable(queues, {.types = {"mail"}, .tags = {"gpu"}})));
  EXPECT_TRUE(must(runs().has_claimable(queues, {.types = {"report"}, .tags = {"gpu"}})));
}

TEST_P(Lanes, of_a_queue_stand_in_one_order) {
  const Seq first = enqueue("~a", "default|mail||");
  advance(1s);
  const Seq second = enqueue("~b", "default|report||");
  advance(1s);
  const Seq third = enqueue("~c", "default|mail||");

  EXPECT_THAT(claim_as(open_session(), {}), ElementsAre(first, second, third));
}

TEST_P(Lanes, let_no_high_priority_starve_a_low_one) {
  const auto put = [&](std::string name, std::int64_t priority) {
    const AdhocRun job{
        .document = "{}", .name = std::move(name), .queue = "default|mail||", .priority = priority, .rules = {}};
    return must(runs().enqueue(std::span{&job, 1}, {})).at(0);
  };
  const Seq low = put("~low", -50);
  advance(1h);
  const Seq soon = put("~soon", 50);
  advance(41min);
  const Seq late = put("~late", 50);
  const SessionId session = open_session();

  // 100 steps of priority are worth 100 minutes of waiting, and not one more.
  EXPECT_THAT(claim_as(session, {}, 1), ElementsAre(soon));
  EXPECT_THAT(claim_as(session, {}, 1), ElementsAre(low));
  EXPECT_THAT(claim_as(session, {}, 1), ElementsAre(late));
}

TEST_P(Lanes, belong_to_their_queue_in_what_is_told) {
  static_cast<void>(enqueue("~a", "default|mail||"));
  static_cast<void>(enqueue("~b", "default|report|gpu|"));
  const SessionId session = open_session();
  ASSERT_THAT(claim_as(session, {}, 1), SizeIs(1));

  EXPECT_EQ(record("default").depth, 1);
  EXPECT_EQ(record("default").running, 1);
  EXPECT_THAT(must(query_store().read_queues()), SizeIs(1));
  const RunListRequest of_queue{.filter = {.queue = "default"}, .before = {}};
  EXPECT_THAT(must(query_store().list_runs(of_queue)).items, SizeIs(2));
  must(runs().pause_queue("default", true, {}));
  EXPECT_THAT(claim_as(session, {.tags = {"gpu"}}), IsEmpty());
}

TEST_P(Lanes, of_a_limited_queue_share_its_limit) {
  const Seq first = enqueue("~a", "default|mail||");
  advance(1s);
  const Seq second = enqueue("~b", "default|report||");
  advance(1s);
  const Seq third = enqueue("~c", "default|mail||");
  advance(1s);
  const Seq other = enqueue("~d", "free");
  EXPECT_TRUE(limit("default", 2));
  EXPECT_FALSE(limit("default", 2));
  EXPECT_EQ(record("default").limit, 2);
  const SessionId session = open_session();

  EXPECT_THAT(claim_as(session, {}, 10, {"default", "free"}), ElementsAre(first, second, other));
  EXPECT_THAT(claim_as(open_session(), {}, 10, {"default", "free"}), IsEmpty());

  EXPECT_EQ(finish(*run(first), RunState::succeeded), RunWritten::written);
  EXPECT_THAT(claim_as(session, {}), ElementsAre(third));
  EXPECT_TRUE(limit("default", std::nullopt));
  EXPECT_FALSE(record("default").limit);
}

TEST_P(Lanes, with_a_key_hold_back_only_what_has_the_same_key) {
  const Seq first = enqueue("~a", "default|mail||1:ann");
  advance(1s);
  const Seq second = enqueue("~b", "default|report||1:ann");
  advance(1s);
  const Seq third = enqueue("~c", "default|mail||1:bob");
  const SessionId session = open_session();

  EXPECT_THAT(claim_as(session, {}), ElementsAre(first, third));
  EXPECT_THAT(claim_as(session, {}), IsEmpty());

  EXPECT_EQ(write(update_of(*run(first), retried(run(first)->run, now() + 1h))), RunWritten::written);
  EXPECT_THAT(claim_as(session, {}), ElementsAre(second));
}

TEST_P(Lanes, with_limits_hold_back_inside_a_commit_too) {
  create("nightly");
  must(runs().limit_queue("default", 1, {}));
  const SessionId session = open_session();
  const auto deciding = next("nightly")
                            .decides(starting(noon).queue("default"))
                            .decides(starting(noon).queue("default"))
                            .decides(starting(noon).queue("keyed|mail||1:ann"))
                            .decides(starting(noon).queue("keyed|mail||1:ann"));

  const auto committed = commit(std::span{&deciding.transition(), 1},
                                ClaimRequest{.session = session, .queues = {"default", "keyed"}, .count_max = 10});

  EXPECT_THAT(committed.claimed, SizeIs(2));
  EXPECT_THAT(claim(session, 10, {"default", "keyed"}), IsEmpty());
}

TEST_P(Lanes, with_limits_keep_them_however_many_claim_at_once) {
  must(runs().limit_queue("default", 3, {}));
  for (int i = 0; i < 20; ++i) static_cast<void>(enqueue("~" + std::to_string(i), "default|mail||2:ann"));
  for (int i = 20; i < 40; ++i) static_cast<void>(enqueue("~" + std::to_string(i), "default|mail||"));
  constexpr int worker_count = 4;
  std::vector<SessionId> sessions;
  for (int i = 0; i < worker_count; ++i) sessions.push_back(open_session());
  std::vector<std::vector<ClaimedRun>> claimed(worker_count);
  std::latch all_are_there{worker_count};
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < worker_count; ++i)
      workers.emplace_back([&, i] {
        all_are_there.arrive_and_wait();
        auto got = runs().claim({.session = sessions.at(i), .queues = {"default"}, .count_max = 10});
        if (got) claimed.at(i) = std::move(got->runs);
      });
  }

  std::size_t all = 0;
  std::ptrdiff_t keyed = 0;
  for (const auto& runs : claimed) {
    all += runs.size();
    keyed += std::ranges::count_if(runs, [](const ClaimedRun& run) { return run.row.queue.ends_with("2:ann"); });
  }
  EXPECT_EQ(all, 3U);
  EXPECT_LE(keyed, 2);
}

TEST_P(Lanes, wake_who_waits_when_a_limited_run_has_ended) {
  must(runs().limit_queue("default", 1, {}));
  const Seq first = enqueue("~a");
  static_cast<void>(enqueue("~b"));
  ASSERT_THAT(claim_as(open_session(), {}), ElementsAre(first));
  StoreChange told{};
  {
    const auto listening =
        notifier().subscribe([&](const StoreChange& change) { told.has_claimable |= change.has_claimable; });
    EXPECT_EQ(finish(*run(first), RunState::succeeded), RunWritten::written);
  }

  EXPECT_TRUE(told.has_claimable);
}

/// Runs that were given up and wait for a person.
class DeadLetters : public Lanes {
 protected:
  std::vector<Seq> dead() { return must(query_store().read_dead_letters(std::nullopt, 100)); }
  Run parked(Run run) {
    run = ended(run, RunState::lost, now());
    run.lost_count = 3;
    run.is_parked = true;
    return run;
  }
  static CommandMetadata retry_of(Seq run) {
    CommandMetadata retry = attached("deadLetter.retry");
    retry.dead_letter = run;
    return retry;
  }
  Result<std::vector<Seq>> enqueue_as(std::string name, const CommandMetadata& attached) {
    const AdhocRun job{.document = "{}", .name = std::move(name), .queue = "default", .rules = {}};
    return runs().enqueue(std::span{&job, 1}, attached);
  }
  template <typename Value>
  static void expect_dealt_with(const Result<Value>& answer) {
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code, ErrorCode::conflict);
    EXPECT_EQ(answer.error().rule, dealt_with);
  }
};
CARILLON_RUN_FOR_EVERY_STORE(DeadLetters);

TEST_P(DeadLetters, are_kept_until_somebody_deals_with_them) {
  const Seq first = enqueue("~a");
  const Seq second = enqueue("~b");
  const SessionId session = open_session();
  ASSERT_THAT(claim(session), SizeIs(2));
  EXPECT_THAT(dead(), IsEmpty());

  EXPECT_EQ(write(update_of(*run(first), parked(run(first)->run))), RunWritten::written);
  EXPECT_EQ(write(update_of(*run(second), parked(run(second)->run))), RunWritten::written);

  EXPECT_THAT(dead(), ElementsAre(second, first));
  EXPECT_THAT(must(query_store().read_dead_letters(second, 100)), ElementsAre(first));
  EXPECT_EQ(run(first)->run.lost_count, 3);
  EXPECT_EQ(record("default").dead, 2);
  EXPECT_TRUE(must(runs().unpark(first, attached("deadLetter.discard"))));
  EXPECT_FALSE(must(runs().unpark(first, {})));
  EXPECT_THAT(dead(), ElementsAre(second));
  EXPECT_EQ(run(first)->run.state, RunState::lost);
}

TEST_P(DeadLetters, are_retried_once_however_many_try) {
  static_cast<void>(create("nightly"));
  const Seq first = enqueue("~a");
  const Seq second = enqueue("~b");
  ASSERT_THAT(claim(open_session()), SizeIs(2));
  for (const Seq seq : {first, second})
    EXPECT_EQ(write(update_of(*run(seq), parked(run(seq)->run))), RunWritten::written);

  // A trigger of a schedule, then a job under another name.
  must(commit(next("nightly").decides(starting(noon)), retry_of(first)));
  EXPECT_THAT(dead(), ElementsAre(second));
  expect_dealt_with(commit(next("nightly").decides(starting(noon)), retry_of(first)));
  expect_dealt_with(enqueue_as("~a2", retry_of(first)));
  EXPECT_THAT(claim(open_session()), SizeIs(1));

  constexpr int caller_count = 4;
  std::vector<std::optional<Result<std::vector<Seq>>>> answers(caller_count);
  std::latch all_are_there{caller_count};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < caller_count; ++i)
      callers.emplace_back([&, i] {
        all_are_there.arrive_and_wait();
        answers.at(i) = enqueue_as("~b" + std::to_string(i), retry_of(second));
      });
  }

  EXPECT_THAT(dead(), IsEmpty());
  EXPECT_EQ(std::ranges::count_if(answers, [](const auto& answer) { return answer->has_value(); }), 1);
  EXPECT_THAT(claim(open_session()), SizeIs(1));
}

TEST_P(DeadLetters, stay_where_their_retry_is_refused) {
  const Seq first = enqueue("~a");
  ASSERT_THAT(claim(open_session()), SizeIs(1));
  EXPECT_EQ(write(update_of(*run(first), parked(run(first)->run))), RunWritten::written);

  EXPECT_FALSE(enqueue_as("~a", retry_of(first)));  // a name that is taken

  EXPECT_THAT(dead(), ElementsAre(first));
}

TEST_P(DeadLetters, come_from_failed_runs_where_their_queue_keeps_them) {
  const Seq kept = enqueue("~a", "careful|mail||");
  const Seq gone = enqueue("~b", "default|mail||");
  const Seq fine = enqueue("~c", "careful|mail||");
  EXPECT_TRUE(must(runs().keep_failed("careful", true, {})));
  EXPECT_FALSE(must(runs().keep_failed("careful", true, {})));
  const SessionId session = open_session();
  ASSERT_THAT(claim(session, 10, {"careful", "default"}), SizeIs(3));

  for (const Seq seq : {kept, gone}) EXPECT_EQ(finish(*run(seq), RunState::failed), RunWritten::written);
  EXPECT_EQ(finish(*run(fine), RunState::succeeded), RunWritten::written);

  EXPECT_THAT(dead(), ElementsAre(kept));
  EXPECT_TRUE(record("careful").keeps_failed);
  EXPECT_TRUE(must(runs().keep_failed("careful", false, {})));
}

}  // namespace
}  // namespace carillon::conformance
