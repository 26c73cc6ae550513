#include "conformance/store_test.hpp"

#include <latch>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

namespace carillon::conformance {
namespace {

/// Servers on threads of their own that share one store. They check at the end: assertions stay on the main thread.
class Concurrent : public StoreTest {
 protected:
  static constexpr int server_count = 4;

  [[nodiscard]] static int repetition_count() { return GetParam().repetition_count; }

  /// Runs the same on all servers and waits for them; what one throws fails the test.
  template <typename Work>
  void on_all_servers(const Work& work) {
    std::latch all_are_there{server_count};
    std::vector<std::jthread> servers;
    for (int server = 1; server <= server_count; ++server) {
      servers.emplace_back([&, server] {
        all_are_there.arrive_and_wait();
        try {
          work(server);
        } catch (const std::exception& error) {
          const std::scoped_lock lock{mutex_};
          errors_.emplace_back(error.what());
        }
      });
    }
    servers.clear();
    EXPECT_THAT(errors_, IsEmpty());
  }

  WriteOutcome commit_as(int server, std::int64_t batch, const TransitionBuilder& builder) {
    const Writer writer{.server = server, .batch = batch};
    const Batch one{.writer = writer, .transitions = std::span{&builder.transition(), 1}};
    return must(schedules().commit(one)).items.at(0);
  }

  std::mutex mutex_;
  std::vector<std::string> errors_;
};
CARILLON_RUN_FOR_EVERY_STORE(Concurrent);

TEST_P(Concurrent, each_version_of_a_schedule_is_written_once) {
  const std::int64_t versions_wanted = 10 * repetition_count();
  const std::vector<std::string> ids{"a", "b", "c"};
  for (const std::string& id : ids) create(id);
  std::map<std::pair<std::string, std::int64_t>, std::vector<Writer>> writers;

  on_all_servers([&](int server) {
    std::int64_t batch = 0;
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (const std::string& id : ids) {
        const ScheduleState state = must(schedules().find(key_of(id))).view.value().state;
        if (state.version >= versions_wanted) continue;
        is_done = false;
        const auto deciding = after(state, noon).decides(skipping(noon + state.version * 1s, SkipReason::overlap));
        if (commit_as(server, ++batch, deciding).outcome != WriteOutcome::Outcome::written) continue;
        const std::scoped_lock lock{mutex_};
        writers[{id, state.version + 1}].push_back({.server = server, .batch = batch});
      }
    }
  });

  for (const std::string& id : ids) {
    EXPECT_EQ(view(id).state.version, versions_wanted);
    for (std::int64_t version = 2; version <= versions_wanted; ++version) {
      EXPECT_THAT((writers[{id, version}]), SizeIs(1)) << id << " " << version;
    }
    EXPECT_EQ(view(id).state.writer, (writers[{id, versions_wanted}].at(0)));
  }
  std::set<std::pair<std::string, std::int64_t>> decided;
  for (const DecisionLine& line : lines<DecisionLine>()) {
    EXPECT_TRUE(decided.emplace(line.head.schedule.text(), line.version).second);
  }
  EXPECT_EQ(decided.size(), ids.size() * static_cast<std::size_t>(versions_wanted - 1));
}

TEST_P(Concurrent, an_id_is_created_once) {
  const int id_count = 5 * repetition_count();
  std::vector<Uid> uids;

  on_all_servers([&](int server) {
    for (int i = 0; i < id_count; ++i) {
      const auto written = commit_as(server, i + 1, creation("s" + std::to_string(i), noon));
      if (written.outcome != WriteOutcome::Outcome::written) continue;
      const std::scoped_lock lock{mutex_};
      uids.push_back(written.uid);
    }
  });

  EXPECT_THAT(uids, SizeIs(id_count));
  EXPECT_THAT(std::set<Uid>(uids.begin(), uids.end()), SizeIs(id_count));
  EXPECT_THAT(must(schedules().read_page(Uid{}, 100'000)).views, SizeIs(id_count));
}

TEST_P(Concurrent, no_attempt_is_handed_out_twice) {
  const auto run_count = static_cast<std::size_t>(10 * repetition_count());
  create("nightly");
  auto deciding = next("nightly");
  for (std::size_t i = 0; i < run_count; ++i) deciding.decides(starting(noon));
  const auto seqs = write(deciding).decisions;
  std::map<std::pair<Seq, std::int64_t>, int> handed_out;
  std::set<std::int64_t> fences;

  on_all_servers([&](int server) {
    const SessionId session = must(runs().open_session("worker-" + std::to_string(server), 1h));
    while (true) {
      const auto claimed = must(runs().claim({.session = session, .queues = {"default"}, .count_max = 3})).runs;
      if (claimed.empty()) return;
      std::vector<RunUpdate> updates;
      for (const ClaimedRun& one : claimed) {
        // Every run is tried twice.
        const Run next_run =
            one.row.run.attempt == 1 ? retried(one.row.run, noon) : ended(one.row.run, RunState::succeeded, noon);
        updates.push_back(update_of(one.row, next_run));
      }
      for (const RunWritten written : must(runs().write(updates))) {
        if (written != RunWritten::written) throw std::runtime_error{"the write of a claimed run was refused"};
      }
      const std::scoped_lock lock{mutex_};
      for (const ClaimedRun& one : claimed) {
        ++handed_out[{one.row.seq, one.row.run.attempt}];
        fences.insert(one.fence);
      }
    }
  });

  EXPECT_THAT(handed_out, SizeIs(2 * run_count));
  for (const auto& [attempt, count] : handed_out) EXPECT_EQ(count, 1);
  EXPECT_THAT(fences, SizeIs(2 * run_count));
  for (const Seq seq : seqs) EXPECT_EQ(run(seq).value().run.state, RunState::succeeded);
}

TEST_P(Concurrent, a_finish_and_a_decision_that_waits_for_it_never_miss_each_other) {
  const SessionId session = open_session(1h);
  for (int round = 0; round < repetition_count(); ++round) {
    const std::string id = "s" + std::to_string(round);
    const Uid uid = create(id);
    start(id);
    const ClaimedRun claimed = claim_one(session);
    const auto deciding = next(id).decides(waiting(noon)).listens().watches(claimed.row.seq);

    {
      const std::jthread finishing{[&] { std::ignore = finish(claimed.row, RunState::succeeded); }};
      const std::jthread decider{[&] { std::ignore = commit_as(1, 1000 + round, deciding); }};
    }

    ASSERT_EQ(view(id).state.version, 3);
    ASSERT_EQ(run(claimed.row.seq).value().run.state, RunState::succeeded);
    ASSERT_TRUE(is_due(uid)) << "in round " << round;
    write(next(id).sleeps());
  }
}

}  // namespace
}  // namespace carillon::conformance
