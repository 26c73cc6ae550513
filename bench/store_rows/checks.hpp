#pragma once

#include "rows.hpp"
#include "stand_in.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

/// What the statements must do whatever they cost, on ten schedules, for both stores. Fast and wrong is not a result.
namespace carillon::store_rows {

inline void expect(bool holds, const std::string& what) {
  if (!holds) die("does not hold: " + what);
}

/// A transition of `uid` from `version` that starts nothing and wakes in an hour.
inline Transition idle(std::int64_t uid, std::int64_t version) {
  return {
      .uid = uid, .version = version, .revision = 1, .wake_at = wall_now() + 3600 * second, .body = state_body(uid)};
}

template <typename Store>
class Checks {
 public:
  /// `store` holds schedules 1 to 10, all due, version 1, no runs.
  explicit Checks(Store& store) : store_(store) {}

  void run() {
    store_.add_worker(session, wall_now() + 60 * second);
    writes_only_what_is_unchanged();
    wakes_when_a_finish_comes_after_the_wait();
    wakes_when_a_finish_came_before_the_wait();
    compares_a_finish();
    queues_claims_and_retries();
    releases_and_cancels();
    ends_the_runs_of_a_lost_session();
  }

 private:
  static constexpr std::int64_t session = 77;

  std::int64_t of(std::int64_t uid, const std::string& column) {
    return store_.number(fmt::format("SELECT {} FROM state WHERE uid = {}", column, uid));
  }
  bool is_awake(std::int64_t uid) { return store_.wake_of(uid) <= wall_now(); }

  CommitOutcome write(Transition item, ClaimFor claim_for = {}) {
    const auto known = static_cast<std::int64_t>(store_.runs_of(item.uid).size());
    item.kept_count = known - static_cast<std::int64_t>(item.counted.size());
    return store_.commit(std::vector{item}, claim_for);
  }

  ClaimResult start(std::int64_t uid) {
    Transition item = idle(uid, of(uid, "version"));
    item.rows.push_back({.rank = 5});
    const CommitOutcome outcome = write(item, {session, 1});
    expect(outcome.claimed.size() == 1, "a commit hands a run to its own worker");
    return outcome.claimed[0];
  }

  void writes_only_what_is_unchanged() {
    Transition stale = idle(1, 7);
    stale.rows.push_back({});
    const CommitOutcome outcome = store_.commit(std::vector{stale, idle(2, 1)}, {});

    expect(outcome.written_count == 1 && outcome.refused_count == 1, "one of two is refused");
    expect(store_.number("SELECT count(*) FROM ledger") == 0, "nothing of a refused transition is written");
    expect(is_awake(1) && !is_awake(2), "only the written one has a new wake-up");
    expect(of(1, "version") == 1 && of(2, "version") == 2, "only the written one has a new version");
  }

  void wakes_when_a_finish_comes_after_the_wait() {
    const ClaimResult run = start(3);
    Transition waits = idle(3, of(3, "version"));
    waits.waits_on = {run.seq};
    waits.rows.push_back({.state = waiting});
    (void)write(waits);
    expect(!is_awake(3), "a schedule that waits sleeps");

    expect(store_.finish(session, std::vector{Finish{.run = run}}) == 1, "the finish is written");
    expect(is_awake(3), "the finish wakes the schedule that waits");
  }

  void wakes_when_a_finish_came_before_the_wait() {
    const ClaimResult run = start(4);
    const std::int64_t version = of(4, "version");
    expect(store_.finish(session, std::vector{Finish{.run = run}}) == 1, "the finish is written");
    expect(!is_awake(4), "a finish nobody waits for wakes nobody");

    Transition waits = idle(4, version);
    waits.waits_on = {run.seq};
    expect(write(waits).written_count == 1, "a finish does not refuse a decision");
    expect(is_awake(4), "waiting for what has ended wakes at once");
  }

  void compares_a_finish() {
    const ClaimResult run = start(5);
    ClaimResult other = run;
    other.attempt = 2;
    expect(store_.finish(session, std::vector{Finish{.run = other}}) == 0, "another attempt is refused");
    expect(store_.finish(session + 1, std::vector{Finish{.run = run}}) == 0, "another session is refused");

    Transition stops = idle(5, of(5, "version"));
    stops.cancel = {run.seq};
    (void)write(stops);
    expect(store_.finish(session, std::vector{Finish{.run = run}}) == 0, "a finish without the stop order is refused");
    const std::vector<ClaimResult> to_stop = store_.heartbeat(session, std::vector{run});
    expect(to_stop.size() == 1 && to_stop[0].seq == run.seq, "a heartbeat names the run to stop");
    expect(store_.finish(session, std::vector{Finish{.run = run, .stop = 1, .state = cancelled}}) == 1,
           "a finish that knows the stop order is written");
    expect(store_.heartbeat(session, {}).empty(), "an ended run is no longer to be stopped");
    expect(store_.finish(session, std::vector{Finish{.run = run, .stop = 1}}) == 0, "a run ends once");
  }

  void queues_claims_and_retries() {
    Transition item = idle(6, of(6, "version"));
    item.rows.push_back({.rank = 5});
    (void)write(item);
    Transition later = idle(7, of(7, "version"));
    later.rows.push_back({.rank = 6});
    expect(write(later, {session, 1}).claimed.empty(), "a run does not overtake one of better rank");

    const std::vector<ClaimResult> claimed = store_.claim(session, 0, 1);
    expect(claimed.size() == 1 && claimed[0].uid == 6 && claimed[0].attempt == 1, "the best rank is claimed first");
    Finish again{.run = claimed[0], .state = retrying, .claimable_from = wall_now() + 3600 * second};
    expect(store_.finish(session, std::vector{again}) == 1, "a retry is written");
    const std::vector<ClaimResult> rest = store_.claim(session, 0, 10);
    expect(rest.size() == 1 && rest[0].uid == 7, "a retry is not claimed before its time");
    expect(store_.claim(session + 1, 0, 10).empty(), "a session without a lease claims nothing");
    expect(store_.finish(session, std::vector{Finish{.run = rest[0]}}) == 1, "the finish is written");
    store_.execute("UPDATE ready SET claimable_from = 0");
    const std::vector<ClaimResult> retried = store_.claim(session, 0, 10);
    expect(retried.size() == 1 && retried[0].uid == 6, "a retry is claimed when its time has come");
  }

  void releases_and_cancels() {
    Transition item = idle(8, of(8, "version"));
    item.rows.push_back({.state = waiting, .rank = 1});
    item.rows.push_back({.state = waiting, .rank = 2});
    (void)write(item);
    const std::vector<LiveRow> runs = store_.runs_of(8);
    expect(runs.size() == 2, "several runs of a schedule are found");
    const std::int64_t first = runs[0].seq;
    Transition next = idle(8, of(8, "version"));
    next.release = {first};
    next.cancel = {first + 1};
    (void)write(next);
    expect(store_.number("SELECT count(*) FROM ready WHERE uid = 8") == 1, "a released run can be claimed");
    expect(store_.number(fmt::format("SELECT state FROM ledger WHERE seq = {}", first + 1)) == cancelled,
           "a waiting run is cancelled at once");

    Transition last = idle(8, of(8, "version"));
    last.cancel = {first};
    (void)write(last);
    expect(store_.number("SELECT count(*) FROM ready") == 0, "a cancelled run cannot be claimed");
    const std::vector<LiveRow> ended = store_.runs_of(8);
    expect(ended.size() == 2 && ended[0].state == cancelled && ended[1].state == cancelled,
           "ends are kept until counted");
    Transition counts = idle(8, of(8, "version"));
    counts.counted = {first, first + 1};
    (void)write(counts);
    expect(store_.runs_of(8).empty(), "what is counted is gone");
  }

  void ends_the_runs_of_a_lost_session() {
    const ClaimResult run = start(9);
    store_.add_worker(session, wall_now() - 1);
    expect(store_.heartbeat(session, {}).empty(), "an ended lease is not renewed");
    const auto runs = store_.lost_runs();
    bool is_there = false;
    for (const auto& [of_session, item] : runs) {
      expect(store_.finish(of_session, std::vector{item}) == 1, "the run of a lost session ends");
      is_there = is_there || item.run.seq == run.seq;
    }
    expect(is_there && store_.lost_runs().empty(), "all runs of a lost session are found, once");
  }

  Store& store_;
};

}  // namespace carillon::store_rows
