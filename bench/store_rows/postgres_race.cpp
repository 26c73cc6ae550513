// A finish and a decision that makes something wait for the same run must not miss each other.
// usage: store_rows_race CONNECTION [rounds]
//
// First by hand: two connections, both orders, with the statements we chose. Then as a hammer: in every round one
// connection decides to wait for a run while another finishes it; a round is missed when nobody wakes the schedule.
// Three ways that were considered are hammered beside ours. Last, three connections do everything to the same few
// schedules at once, and the rows must agree with each other afterwards.

#include "checks.hpp"
#include "postgres_rows.hpp"
#include "stand_in.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace carillon::store_rows {
namespace {

constexpr std::int64_t day = 86400 * second;
constexpr std::int64_t session = 1;

/// Starts one run on each of the schedules 1 to count; they then have version 2.
std::vector<ClaimResult> start_all(PostgresRows& rows, std::int64_t count) {
  std::vector<ClaimResult> runs;
  for (std::int64_t first = 1; first <= count; first += 1000) {
    std::vector<Transition> batch;
    for (std::int64_t uid = first; uid < first + 1000 && uid <= count; ++uid) {
      batch.push_back(idle(uid, 1));
      batch.back().rows.push_back({});
    }
    const CommitOutcome outcome = rows.commit(batch, {session, 1000});
    runs.insert(runs.end(), outcome.claimed.begin(), outcome.claimed.end());
  }
  std::ranges::sort(runs, {}, &ClaimResult::uid);
  return runs;
}

Transition waits(const ClaimResult& run) {
  Transition item = idle(run.uid, 2);
  item.kept_count = 1;
  item.waits_on = {run.seq};
  return item;
}

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void by_hand(const std::string& where) {
  create_rows(where, Layout::wake_column, new_schedules(3, wall_now() - day, period, Order::scattered));
  PostgresRows decider(where, Layout::wake_column, {});
  PostgresRows worker(where, Layout::wake_column, {});
  worker.add_worker(session, wall_now() + day);
  const std::vector<ClaimResult> runs = start_all(decider, 3);

  say("order 1: the wait is written first");
  decider.execute("BEGIN");
  say("  decider: BEGIN; commit waits on run 1 (not yet committed)");
  expect(decider.commit(std::vector{waits(runs[0])}, {}).written_count == 1, "the wait is written");
  worker.send_finish(session, std::vector{Finish{.run = runs[0]}});
  expect(worker.connection().is_busy_for(200), "the finish waits for the decider");
  say("  worker:  finish of run 1 ... waits for the decider");
  decider.execute("COMMIT");
  expect(worker.connection().receive().row_count() == 1, "the finish is written");
  expect(decider.wake_of(1) <= wall_now(), "the finish saw the listener");
  say("  decider: COMMIT\n  worker:  sees listened, wakes the schedule");

  say("order 2: the finish is written first");
  worker.execute("BEGIN");
  expect(worker.finish(session, std::vector{Finish{.run = runs[1]}}) == 1, "the finish is written");
  say("  worker:  BEGIN; finish of run 2 (not yet committed; sees no listener)");
  decider.send_commit(std::vector{waits(runs[1])}, {});
  expect(decider.connection().is_busy_for(200), "the decider waits for the finish");
  say("  decider: commit waits on run 2 ... waits for the worker");
  worker.execute("COMMIT");
  expect(decider.connection().receive().row_count() == 1, "the wait is written");
  expect(decider.wake_of(2) <= wall_now(), "the commit saw the end");
  say("  worker:  COMMIT\n  decider: sees that run 2 has ended, writes wake_at = now");

  say("order 3: the finish is undone");
  worker.execute("BEGIN");
  expect(worker.finish(session, std::vector{Finish{.run = runs[2]}}) == 1, "the finish is written");
  decider.send_commit(std::vector{waits(runs[2])}, {});
  expect(decider.connection().is_busy_for(200), "the decider waits for the finish");
  worker.execute("ROLLBACK");
  expect(decider.connection().receive().row_count() == 1, "the wait is written");
  expect(decider.wake_of(3) > wall_now(), "the run is open, so the schedule sleeps");
  say("  worker:  finish, ROLLBACK\n  decider: waited, sees run 3 open, sleeps");
}

/// Runs both sides of each round at about the same moment.
void hammer(std::int64_t rounds, const std::function<void(std::int64_t)>& decide_one,
            const std::function<void(std::int64_t)>& finish_one) {
  std::barrier meet(2);
  const auto side = [&](std::uint64_t seed, const std::function<void(std::int64_t)>& action) {
    std::mt19937_64 random{seed};
    for (std::int64_t uid = 1; uid <= rounds; ++uid) {
      meet.arrive_and_wait();
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{random() % 150};
      while (std::chrono::steady_clock::now() < until) {
      }
      action(uid);
    }
  };
  std::jthread other([&] { side(2, finish_one); });
  side(1, decide_one);
}

void hammer_ours(const std::string& where, std::int64_t rounds) {
  create_rows(where, Layout::wake_column, new_schedules(rounds, wall_now() - day, period, Order::scattered));
  PostgresRows decider(where, Layout::wake_column, {});
  PostgresRows worker(where, Layout::wake_column, {});
  worker.add_worker(session, wall_now() + day);
  const std::vector<ClaimResult> runs = start_all(decider, rounds);
  decider.execute("VACUUM ANALYZE");
  decider.execute("SET synchronous_commit = off");
  worker.execute("SET synchronous_commit = off");
  const auto run_of = [&](std::int64_t uid) { return runs[static_cast<std::size_t>(uid - 1)]; };
  hammer(
      rounds,
      [&](std::int64_t uid) {
        expect(decider.commit(std::vector{waits(run_of(uid))}, {}).written_count == 1, "the wait is written");
      },
      [&](std::int64_t uid) {
        expect(worker.finish(session, std::vector{Finish{.run = run_of(uid)}}) == 1, "the finish is written");
      });
  const std::int64_t missed = decider.number(fmt::format("SELECT count(*) FROM state WHERE wake_at > {}", wall_now()));
  const std::int64_t heard = decider.number("SELECT count(*) FROM ledger WHERE listened");
  say(fmt::format(
      R"({{"race":"ours: both change the row of the run","rounds":{},"missed":{},"finish_was_second":{},"deadlocks":{}}})",
      rounds, missed, heard, decider.deadlock_count() + worker.deadlock_count()));
}

/// Ways that keep `listens` in the schedule's row, cut down to the columns that matter.
struct Considered {
  const char* name;
  const char* decide;
  const char* finish;         // one statement, or
  const char* finish_second;  // this as a second one of the same transaction
};

constexpr const char* decide_unlocked = R"sql(
UPDATE sketch_state SET listens = true,
  awake = NOT (SELECT open FROM sketch_run r WHERE r.uid = $1) WHERE uid = $1)sql";
constexpr const char* decide_locked = R"sql(
WITH run AS MATERIALIZED (SELECT open FROM sketch_run WHERE uid = $1 FOR SHARE)
UPDATE sketch_state SET listens = true, awake = NOT (SELECT open FROM run) WHERE uid = $1)sql";
constexpr const char* finish_in_one = R"sql(
WITH ended AS (UPDATE sketch_run SET open = false WHERE uid = $1 RETURNING uid)
UPDATE sketch_state s SET awake = true FROM ended e WHERE s.uid = e.uid AND s.listens)sql";
constexpr const char* finish_first = "UPDATE sketch_run SET open = false WHERE uid = $1";
constexpr const char* finish_then = "UPDATE sketch_state SET awake = true WHERE uid = $1 AND listens";

constexpr Considered considered[] = {
    {"no lock, finish in one statement", decide_unlocked, finish_in_one, nullptr},
    {"run locked FOR SHARE, finish in one statement", decide_locked, finish_in_one, nullptr},
    {"no lock, finish in two statements", decide_unlocked, finish_first, finish_then},
    {"run locked FOR SHARE, finish in two statements", decide_locked, finish_first, finish_then},
};

void hammer_considered(const std::string& where, const Considered& way, std::int64_t rounds) {
  PostgresConnection decider(where);
  PostgresConnection worker(where);
  decider.execute(fmt::format(R"sql(
    SET client_min_messages = warning; SET synchronous_commit = off; DROP TABLE IF EXISTS sketch_state, sketch_run;
    CREATE TABLE sketch_state(uid int8 PRIMARY KEY, listens bool, awake bool);
    CREATE TABLE sketch_run(uid int8 PRIMARY KEY, open bool);
    INSERT INTO sketch_state SELECT i, false, false FROM generate_series(1, {0}) i;
    INSERT INTO sketch_run SELECT i, true FROM generate_series(1, {0}) i)sql",
                              rounds));
  worker.execute("SET synchronous_commit = off");
  decider.prepare("decide", way.decide);
  worker.prepare("finish", way.finish);
  if (way.finish_second != nullptr) worker.prepare("second", way.finish_second);
  hammer(
      rounds, [&](std::int64_t uid) { (void)decider.call("decide", Parameters{}.number(uid)); },
      [&](std::int64_t uid) {
        if (way.finish_second != nullptr) worker.execute("BEGIN");
        (void)worker.call("finish", Parameters{}.number(uid));
        if (way.finish_second != nullptr) {
          (void)worker.call("second", Parameters{}.number(uid));
          worker.execute("COMMIT");
        }
      });
  decider.prepare("", "SELECT count(*) FROM sketch_state WHERE NOT awake");
  say(fmt::format(R"({{"race":"{}","rounds":{},"missed":{}}})", way.name, rounds, decider.call("", {}).number(0, 0)));
}

/// One server of the melee: decides, claims and finishes at random, always on what the others work on too.
void fight(PostgresRows& rows, std::int64_t me, std::int64_t until, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<ClaimResult> mine;
  while (wall_now() < until) {
    std::vector<Transition> batch;
    for (const DueState& state : rows.read_due(20)) {
      Transition item = decide(state, false);
      // Stays due, so that every server keeps reading the same schedules.
      item.wake_at = state.wake_at + static_cast<std::int64_t>(random() % 1000);
      for (const LiveRow& run : state.live) {
        if (run.state >= succeeded) continue;
        if (random() % 2 == 0) item.waits_on.push_back(run.seq);
        if (random() % 4 == 0) item.cancel.push_back(run.seq);
        if (run.state == waiting && random() % 2 == 0) item.release.push_back(run.seq);
      }
      if (state.live.size() > 4) item.rows.clear();
      for (LedgerRow& row : item.rows) row.state = random() % 3 == 0 ? waiting : queued;
      batch.push_back(item);
    }
    std::ranges::shuffle(batch, random);
    const CommitOutcome outcome = rows.commit(batch, {me, static_cast<std::int64_t>(random() % 10)});
    mine.insert(mine.end(), outcome.claimed.begin(), outcome.claimed.end());
    const std::vector<ClaimResult> claimed = rows.claim(me, 0, 10);
    mine.insert(mine.end(), claimed.begin(), claimed.end());
    const std::vector<ClaimResult> to_stop = rows.heartbeat(me, claimed);
    std::vector<Finish> items;
    for (const ClaimResult& run : mine) {
      const bool is_stopped =
          std::ranges::any_of(to_stop, [&](const ClaimResult& other) { return other.seq == run.seq; });
      const bool is_retry = !is_stopped && random() % 3 == 0;
      items.push_back({.run = run, .stop = is_stopped ? 1 : 0, .state = is_retry ? retrying : succeeded});
    }
    // What is refused got a stop order meanwhile, of which the next heartbeat tells.
    const std::int64_t written_count = rows.finish(me, items);
    if (written_count == static_cast<std::int64_t>(items.size())) {
      mine.clear();
    } else {
      std::erase_if(mine, [&](const ClaimResult& run) {
        return rows.number(fmt::format("SELECT count(*) FROM ledger WHERE seq = {} AND attempt = {} AND state = 3",
                                       run.seq, run.attempt)) == 0;
      });
    }
  }
}

void melee(const std::string& where) {
  constexpr std::int64_t servers = 3;
  create_rows(where, Layout::wake_column, new_schedules(60, wall_now() - day, period, Order::scattered));
  std::vector<std::unique_ptr<PostgresRows>> rows;
  for (std::int64_t i = 0; i < servers; ++i) {
    rows.push_back(std::make_unique<PostgresRows>(where, Layout::wake_column, Share{}));
    rows.back()->execute("SET synchronous_commit = off");
    rows.back()->add_worker(i + 1, wall_now() + day);
  }
  const std::int64_t until = wall_now() + 6 * second;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < servers; ++i) {
      threads.emplace_back(
          [&, i] { fight(*rows[static_cast<std::size_t>(i)], i + 1, until, static_cast<std::uint64_t>(i) + 11); });
    }
  }
  PostgresRows& after = *rows[0];
  const auto none = [&](const std::string& what, const std::string& query) {
    const std::int64_t count = after.number("SELECT count(*) FROM " + query);
    expect(count == 0, fmt::format("{} ({} rows)", what, count));
  };
  none("what can be claimed has a ready row",
       "ledger g WHERE state IN (1, 2) AND NOT EXISTS (SELECT FROM ready r WHERE r.seq = g.seq AND r.queue = g.queue "
       "AND r.rank = g.rank AND r.attempt = g.attempt)");
  none("what has a ready row can be claimed",
       "ready r WHERE NOT EXISTS (SELECT FROM ledger g WHERE g.seq = r.seq AND g.state IN (1, 2))");
  none("a stop order is about a running attempt",
       "stop s WHERE NOT EXISTS (SELECT FROM ledger g WHERE g.seq = s.seq AND g.state = 3 AND g.stop = 1 AND g.session "
       "= s.session AND g.attempt = s.attempt)");
  none("a running attempt that is to stop has a stop order",
       "ledger g WHERE state = 3 AND stop = 1 AND NOT EXISTS (SELECT FROM stop s WHERE s.seq = g.seq)");
  none(
      "an open run belongs to its schedule",
      "ledger g WHERE state < 4 AND NOT EXISTS (SELECT FROM state s WHERE s.uid = g.uid AND s.run_seq = g.seq) AND NOT "
      "EXISTS (SELECT FROM live l WHERE l.uid = g.uid AND l.seq = g.seq)");
  none("the numbers of a schedule grow", "ledger g WHERE prev_seq >= seq");
  none("no schedule overlooks runs that are listed",
       "state s WHERE more = 0 AND EXISTS (SELECT FROM live l WHERE l.uid = s.uid)");
  std::int64_t deadlocks = 0;
  for (const auto& one : rows) deadlocks += one->deadlock_count();
  say(fmt::format(R"({{"melee":"3 connections, 60 schedules","runs":{},"decisions":{},"deadlocks":{},"broken":0}})",
                  after.number("SELECT count(*) FROM ledger"), after.number("SELECT sum(version - 1) FROM state"),
                  deadlocks));
}

}  // namespace
}  // namespace carillon::store_rows

int main(int argc, char** argv) {
  using namespace carillon::store_rows;
  if (argc < 2) die("usage: store_rows_race CONNECTION [rounds]");
  const std::string where = argv[1];
  const std::int64_t rounds = argc > 2 ? std::stoll(argv[2]) : 10'000;
  by_hand(where);
  hammer_ours(where, rounds);
  for (const Considered& way : considered) hammer_considered(where, way, rounds);
  melee(where);
}
