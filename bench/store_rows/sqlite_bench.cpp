// The statements on an SQLite file. usage: store_rows_sqlite FOLDER [schedules] [seconds per case]
//
// Cases are measured in turns of a quarter of a second, so that a busy machine slows all of them alike. A full batch is
// always due. Prints one line of JSON per measurement.

#include "checks.hpp"
#include "sqlite_rows.hpp"
#include "stand_in.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace carillon::store_rows {
namespace {

constexpr std::int64_t session = 1;
constexpr std::int64_t day = 86400 * second;

struct Options {
  std::filesystem::path folder;
  std::int64_t schedule_count = 100'000;
  double seconds = 4;
};

/// Wall and CPU time of what happens between `start` and `stop`, summed.
class Meter {
 public:
  void start() {
    cpu_ = process_cpu();
    begun_ = std::chrono::steady_clock::now();
  }
  void stop(std::int64_t count) {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    cpu_sum_ += process_cpu() - cpu_;
    count_ += static_cast<double>(count);
  }
  void print(const std::string& what, const std::string& variant, const std::string& note = {}) const {
    if (count_ > 0) report("sqlite", what, variant, count_, seconds_, cpu_sum_, note);
  }

 private:
  double cpu_ = 0;
  std::chrono::steady_clock::time_point begun_{};
  double seconds_ = 0;
  double cpu_sum_ = 0;
  double count_ = 0;
};

enum class Mode { starts, whole, separate_claim };

struct Case {
  std::string name;
  Mode mode;
  std::int64_t batch;
  std::unique_ptr<SqliteRows> rows;
  Meter all{}, start{}, claim{}, finish{};
  std::int64_t pages_before = 0;
  std::int64_t count = 0;
};

std::unique_ptr<SqliteRows> fresh(const Options& options, Live live, Order order, std::int64_t from,
                                  std::int64_t spread) {
  static int number = 0;
  auto rows = std::make_unique<SqliteRows>(options.folder / fmt::format("rows{}.db", ++number), live);
  rows->populate(new_schedules(options.schedule_count, from, spread, order));
  rows->add_worker(session, wall_now() + day);
  return rows;
}

std::vector<Transition> decide_all(const std::vector<DueState>& due, bool counts_open_runs) {
  std::vector<Transition> transitions;
  transitions.reserve(due.size());
  for (const DueState& state : due) transitions.push_back(decide(state, counts_open_runs));
  return transitions;
}

void one_batch(Case& of) {
  SqliteRows& rows = *of.rows;
  of.all.start();
  of.start.start();
  const std::vector<Transition> transitions = decide_all(rows.read_due(of.batch), of.mode == Mode::starts);
  CommitOutcome outcome = rows.commit(transitions, {session, of.mode == Mode::whole ? of.batch : 0});
  of.start.stop(of.batch);
  if (outcome.written_count != of.batch) die("a batch was not full: " + of.name);

  if (of.mode == Mode::separate_claim) {
    of.claim.start();
    outcome.claimed = rows.claim(session, 0, of.batch);
    of.claim.stop(of.batch);
  }
  if (of.mode != Mode::starts) {
    of.finish.start();
    std::vector<Finish> items;
    items.reserve(outcome.claimed.size());
    for (const ClaimResult& run : outcome.claimed) items.push_back({.run = run});
    if (rows.finish(session, items) != of.batch) die("a finish was refused: " + of.name);
    of.finish.stop(of.batch);
  }
  of.all.stop(of.batch);
  of.count += of.batch;
}

void in_turns(std::vector<Case>& cases, double seconds) {
  for (Case& one : cases) {
    // Once around, so that every schedule has a run behind it as in a system that has been up for a while.
    for (std::int64_t i = 0; i < one.rows->number("SELECT count(*) FROM state"); i += one.batch) one_batch(one);
    one.all = one.start = one.claim = one.finish = Meter{};
    one.count = 0;
    one.pages_before = one.rows->page_writes();
  }
  const int turns = static_cast<int>(seconds * 4);
  for (int turn = 0; turn < turns; ++turn) {
    for (Case& one : cases) {
      const std::int64_t until = wall_now() + second / 4;
      while (wall_now() < until) one_batch(one);
    }
  }
  for (const Case& one : cases) {
    const double pages = static_cast<double>(one.rows->page_writes() - one.pages_before);
    const std::string note = fmt::format("{:.2f} pages/row", pages / static_cast<double>(one.count));
    one.all.print(one.mode == Mode::starts  ? "starts"
                  : one.mode == Mode::whole ? "whole runs"
                                            : "whole runs, separate claim",
                  one.name, note);
    if (one.mode != Mode::starts) {
      one.start.print("  start of them", one.name);
      one.claim.print("  claim of them", one.name);
      one.finish.print("  finish of them", one.name);
    }
  }
}

void measure_rates(const Options& options) {
  const std::int64_t long_ago = wall_now() - day;
  for (const Mode mode : {Mode::starts, Mode::whole, Mode::separate_claim}) {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, Live live, Order order, std::int64_t batch) {
      cases.push_back(
          {.name = name, .mode = mode, .batch = batch, .rows = fresh(options, live, order, long_ago, period)});
    };
    add("scattered", Live::in_ledger, Order::scattered, 1000);
    add("phase ids", Live::in_ledger, Order::phase, 1000);
    add("scattered, live rows until counted", Live::until_counted, Order::scattered, 1000);
    if (mode == Mode::whole) {
      add("scattered, batch 500", Live::in_ledger, Order::scattered, 500);
      add("scattered, no index on running", Live::without_index, Order::scattered, 1000);
      add("scattered, live rows until ended", Live::until_ended, Order::scattered, 1000);
      add("phase ids, live rows until counted", Live::until_counted, Order::phase, 1000);
    }
    in_turns(cases, options.seconds);
  }
}

void measure_heartbeat(const Options& options) {
  const auto rows = fresh(options, Live::in_ledger, Order::scattered, wall_now() - day, period);
  const CommitOutcome outcome = rows->commit(decide_all(rows->read_due(1000), false), {session, 1000});
  Meter first;
  first.start();
  (void)rows->heartbeat(session, outcome.claimed);
  first.stop(1);
  first.print("heartbeats", "1,000 runs, all newly launched");
  Meter later;
  later.start();
  for (int i = 0; i < 500; ++i) (void)rows->heartbeat(session, {});
  later.stop(500);
  later.print("heartbeats", "1,000 runs, none newly launched");
}

void measure_burst(const Options& options, Order order) {
  const auto rows = fresh(options, Live::in_ledger, order, wall_now() - second, second);
  Meter meter;
  meter.start();
  std::int64_t count = 0;
  while (true) {
    const std::vector<DueState> due = rows->read_due(1000);
    if (due.empty()) break;
    count += rows->commit(decide_all(due, true), {}).written_count;
  }
  meter.stop(count);
  meter.print("burst", fmt::format("all due in one second, {}", order == Order::phase ? "phase ids" : "scattered"));
}

void check(const Options& options) {
  Options small = options;
  small.schedule_count = 10;
  const auto rows = fresh(small, Live::in_ledger, Order::scattered, wall_now() - day, period);
  Checks{*rows}.run();
}

}  // namespace
}  // namespace carillon::store_rows

int main(int argc, char** argv) {
  using namespace carillon::store_rows;
  if (argc < 2) die("usage: store_rows_sqlite FOLDER [schedules] [seconds per case]");
  Options options{.folder = argv[1]};
  if (argc > 2) options.schedule_count = std::stoll(argv[2]);
  if (argc > 3) options.seconds = std::stod(argv[3]);
  check(options);
  measure_rates(options);
  measure_heartbeat(options);
  measure_burst(options, Order::scattered);
  measure_burst(options, Order::phase);
}
