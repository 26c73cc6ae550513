#include "conformance/store_test.hpp"

#include <latch>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace carillon::conformance {
namespace {

class Feed : public StoreTest {
 protected:
  std::vector<FeedEvent> events(std::int64_t after = 0) { return must(feed().read_events(after, 1'000'000)).events; }
  std::int64_t newest() { return must(feed().read_events(std::nullopt, 0)).newest; }
  std::vector<FeedKind> kinds(std::int64_t after = 0) {
    std::vector<FeedKind> found;
    for (const FeedEvent& event : events(after)) found.push_back(event.kind);
    return found;
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Feed);

TEST_P(Feed, tells_the_life_of_a_run) {
  const Uid uid = create("nightly");
  const std::int64_t before = newest();
  const Seq seq = start("nightly");
  const SessionId session = open_session(1h);
  const QueuedRun first = claim_one(session).row;
  advance(1min);
  write(update_of(first, retried(first.run, now())));
  finish(claim_one(session).row, RunState::succeeded);

  const auto told = events(before);

  ASSERT_THAT(told, SizeIs(5));
  EXPECT_THAT(kinds(before), ElementsAre(FeedKind::run_queued, FeedKind::run_started, FeedKind::run_retrying,
                                         FeedKind::run_started, FeedKind::run_finished));
  for (const FeedEvent& event : told) {
    EXPECT_EQ(event.uid, uid);
    EXPECT_EQ(event.subject, seq);
  }
  EXPECT_EQ(told[0].at, noon);
  EXPECT_EQ(told[0].state, RunState::queued);
  EXPECT_EQ(told[1].state, RunState::running);
  EXPECT_EQ(told[2].state, RunState::retrying);
  EXPECT_EQ(told[4].state, RunState::succeeded);
  EXPECT_EQ(told[4].at, noon + 1min);
}

TEST_P(Feed, tells_of_a_run_that_is_handed_over_at_once_that_it_was_queued_and_started) {
  create("nightly");
  const std::int64_t before = newest();
  const auto deciding = next("nightly").decides(starting(noon));

  commit(std::span{&deciding.transition(), 1},
         ClaimRequest{.session = open_session(), .queues = {"default"}, .count_max = 1});

  EXPECT_THAT(kinds(before), ElementsAre(FeedKind::run_queued, FeedKind::run_started));
}

TEST_P(Feed, tells_what_users_do_to_a_schedule) {
  const Uid uid = create("nightly");
  write(next("nightly").edits("{}"));
  write(next("nightly").deletes());

  const auto told = events();

  ASSERT_THAT(told, SizeIs(3));
  EXPECT_EQ(told[0].kind, FeedKind::schedule_changed);
  EXPECT_EQ(told[0].change, ChangeKind::created);
  EXPECT_EQ(told[0].uid, uid);
  EXPECT_EQ(told[0].state, std::nullopt);
  EXPECT_EQ(told[1].change, ChangeKind::updated);
  EXPECT_EQ(told[2].change, ChangeKind::deleted);
  const auto changes = lines<ChangeLine>();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(told[i].subject, changes.at(i).head.seq);
}

TEST_P(Feed, tells_that_a_schedule_was_set_aside) {
  const Uid uid = create("nightly");
  const std::int64_t before = newest();

  ASSERT_TRUE(must(schedules().quarantine(uid, 1, "its zone is unknown", noon + 1min)));
  ASSERT_FALSE(must(schedules().quarantine(uid, 4711, "its zone is unknown", noon + 1min)));

  const auto told = events(before);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].kind, FeedKind::schedule_changed);
  EXPECT_EQ(told[0].uid, uid);
  EXPECT_EQ(told[0].change, std::nullopt);
}

TEST_P(Feed, tells_of_occurrences_that_are_skipped_one_by_one_or_in_a_row) {
  const Uid uid = create("nightly");
  const Seq waits = decide("nightly", waiting(noon));
  const Seq queued = start("nightly");
  const std::int64_t before = newest();
  const Seq skipped = decide("nightly", skipping(noon, SkipReason::overlap));
  write(next("nightly").skips_range({.from = noon, .to = noon + 1min, .count = 9}));
  write(next("nightly").resolves(waits, Skips{SkipReason::superseded}));
  write(next("nightly").orders(RunOrder::Kind::withdraw, queued));

  const auto told = events(before);

  ASSERT_THAT(told, SizeIs(4));
  for (const FeedEvent& event : told) {
    EXPECT_EQ(event.kind, FeedKind::occurrence_skipped);
    EXPECT_EQ(event.uid, uid);
    EXPECT_EQ(event.state, std::nullopt);
  }
  EXPECT_EQ(told[0].subject, skipped);
  EXPECT_EQ(told[1].subject, lines<RangeLine>().at(0).head.seq);
  EXPECT_EQ(told[2].subject, waits);
  EXPECT_EQ(told[3].subject, queued);
}

TEST_P(Feed, tells_when_a_wait_ends_in_a_start_and_when_a_run_is_cancelled) {
  create("nightly");
  const Seq seq = decide("nightly", waiting(noon));
  const std::int64_t before = newest();
  EXPECT_EQ(events().back().kind, FeedKind::schedule_changed);

  write(next("nightly").resolves(seq, a_start(noon)));
  write(next("nightly").orders(RunOrder::Kind::cancel, seq));

  const auto told = events(before);
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].kind, FeedKind::run_queued);
  EXPECT_EQ(told[1].kind, FeedKind::run_finished);
  EXPECT_EQ(told[1].state, RunState::cancelled);
}

TEST_P(Feed, tells_how_a_backfill_goes_on) {
  const Uid uid = create("nightly");
  const std::int64_t before = newest();
  Backfill backfill{.number = 1, .id = "bf", .from = noon - 1h, .to = noon, .cursor = noon - 1h, .total = 60};
  write(next("nightly").has_backfill(backfill));
  backfill.done = 7;
  write(next("nightly").has_backfill(backfill));

  const auto told = events(before);

  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[1].kind, FeedKind::backfill_progress);
  EXPECT_EQ(told[1].uid, uid);
  EXPECT_EQ(told[1].backfill, 1);
  EXPECT_EQ(told[1].subject, Seq{});
}

TEST_P(Feed, tells_of_jobs_without_a_schedule) {
  const Seq seq = enqueue("~a");
  finish(claim_one(open_session()).row, RunState::failed);

  const auto told = events();

  ASSERT_THAT(told, SizeIs(3));
  EXPECT_THAT(kinds(), ElementsAre(FeedKind::run_queued, FeedKind::run_started, FeedKind::run_finished));
  EXPECT_EQ(told[0].uid, Uid{});
  EXPECT_EQ(told[2].subject, seq);
  EXPECT_EQ(told[2].state, RunState::failed);
}

TEST_P(Feed, tells_of_what_a_user_does_to_a_run) {
  const QueuedRun row = run(enqueue("~a")).value();
  must(runs().write_command(update_of(row, ended(row.run, RunState::cancelled, now())), {}));

  EXPECT_THAT(kinds(), ElementsAre(FeedKind::run_queued, FeedKind::run_finished));
}

TEST_P(Feed, says_nothing_of_what_was_refused) {
  create("nightly");
  const ScheduleState state = view("nightly").state;
  const Seq seq = start("nightly");
  const QueuedRun row = claim_one(open_session()).row;
  finish(row, RunState::succeeded);
  const std::int64_t before = newest();

  commit(after(state, noon).decides(starting(noon)));
  commit(creation("nightly", noon));
  finish(row, RunState::failed);
  EXPECT_FALSE(runs().claim({.session = SessionId{4711}, .queues = {"default"}, .count_max = 1}));

  EXPECT_EQ(newest(), before);
  EXPECT_THAT(events(before), IsEmpty());
  EXPECT_EQ(run(seq).value().run.state, RunState::succeeded);
}

TEST_P(Feed, says_nothing_of_what_was_taken_back) {
  enqueue("~a");
  const std::vector<AdhocRun> jobs{{.document = "{}", .name = "~b", .queue = "default", .rules = {}},
                                   {.document = "{}", .name = "~a", .queue = "default", .rules = {}}};

  EXPECT_FALSE(runs().enqueue(jobs, {}));

  EXPECT_THAT(events(), SizeIs(1));
}

TEST_P(Feed, is_read_from_where_one_has_come_to) {
  for (const char* id : {"a", "b", "c", "d"}) create(id);
  const auto told = events();
  ASSERT_THAT(told, SizeIs(4));

  const FeedPage page = must(feed().read_events(told[0].position, 2));

  EXPECT_FALSE(page.is_gap);
  ASSERT_THAT(page.events, SizeIs(2));
  EXPECT_EQ(page.events[0], told[1]);
  EXPECT_EQ(page.events[1], told[2]);
  EXPECT_EQ(page.newest, told[3].position);
  EXPECT_THAT(events(page.newest), IsEmpty());
}

TEST_P(Feed, begins_with_what_comes_now_for_who_comes_from_nowhere) {
  create("a");

  const FeedPage start = must(feed().read_events(std::nullopt, 10));

  EXPECT_THAT(start.events, IsEmpty());
  EXPECT_FALSE(start.is_gap);
  create("b");
  EXPECT_THAT(events(start.newest), SizeIs(1));
}

TEST_P(Feed, of_nothing_is_empty) {
  const FeedPage page = must(feed().read_events(0, 10));

  EXPECT_THAT(page.events, IsEmpty());
  EXPECT_FALSE(page.is_gap);
}

TEST_P(Feed, has_a_gap_for_who_comes_from_a_position_that_never_was) {
  create("a");

  const FeedPage page = must(feed().read_events(4'711, 10));

  EXPECT_TRUE(page.is_gap);
  EXPECT_THAT(page.events, IsEmpty());
}

TEST_P(Feed, keeps_only_what_is_young) {
  create("nightly");
  auto deciding = next("nightly");
  for (int i = 0; i < 60'000; ++i) deciding.decides(skipping(noon, SkipReason::missed));
  write(deciding);
  const std::int64_t first = newest();
  for (int round = 0; round < 2; ++round) {
    auto more = next("nightly");
    for (int i = 0; i < 60'000; ++i) more.decides(skipping(noon, SkipReason::missed));
    write(more);
  }

  EXPECT_TRUE(must(feed().read_events(0, 10)).is_gap);
  EXPECT_FALSE(must(feed().read_events(first + 60'000, 10)).is_gap);
  EXPECT_THAT(must(feed().read_events(first + 60'000, 100'000)).events, SizeIs(60'000));
}

TEST_P(Feed, tells_everything_once_and_in_order_when_many_write_at_once) {
  constexpr int server_count = 4;
  const int repetition_count = 2 * GetParam().repetition_count;
  std::mutex mutex;
  std::set<Seq> queued;
  std::set<Seq> finished;
  std::vector<std::string> errors;
  std::latch all_are_there{server_count};
  {
    std::vector<std::jthread> servers;
    for (int server = 0; server < server_count; ++server) {
      servers.emplace_back([&, server] {
        all_are_there.arrive_and_wait();
        try {
          const SessionId session = must(runs().open_session("worker", 1h));
          for (int i = 0; i < repetition_count; ++i) {
            // Every other call fails after it has queued one job: a name exists once.
            const std::string name = "~" + std::to_string(i);
            const std::string own = name + "-" + std::to_string(server);
            const std::vector<AdhocRun> jobs{{.document = "{}", .name = own, .queue = "default", .rules = {}},
                                             {.document = "{}", .name = name, .queue = "default", .rules = {}}};
            const auto added = runs().enqueue(jobs, {});
            const auto claimed = must(runs().claim({.session = session, .queues = {"default"}, .count_max = 3})).runs;
            std::vector<RunUpdate> updates;
            for (const ClaimedRun& one : claimed)
              updates.push_back(update_of(one.row, ended(one.row.run, RunState::succeeded, noon)));
            must(runs().write(updates));
            const std::scoped_lock lock{mutex};
            if (added) queued.insert(added->begin(), added->end());
            for (const ClaimedRun& one : claimed) finished.insert(one.row.seq);
          }
        } catch (const std::exception& error) {
          const std::scoped_lock lock{mutex};
          errors.emplace_back(error.what());
        }
      });
    }
  }
  ASSERT_THAT(errors, IsEmpty());

  std::map<Seq, std::vector<FeedKind>> told;
  for (const FeedEvent& event : events()) told[event.subject].push_back(event.kind);

  EXPECT_EQ(told.size(), queued.size());
  EXPECT_FALSE(finished.empty());
  for (const Seq seq : queued) {
    if (finished.contains(seq)) {
      EXPECT_THAT(told[seq], ElementsAre(FeedKind::run_queued, FeedKind::run_started, FeedKind::run_finished));
    } else {
      EXPECT_THAT(told[seq], ElementsAre(FeedKind::run_queued));
    }
  }
}

}  // namespace
}  // namespace carillon::conformance
