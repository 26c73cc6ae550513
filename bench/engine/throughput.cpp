#include "fleet.hpp"
#include "measurements.hpp"
#include "meter.hpp"
#include "no_op_executor.hpp"
#include "runtime/decider.hpp"
#include "runtime/worker.hpp"
#include "scheduling/edition_context.hpp"
#include "silent_log.hpp"
#include "stride_clock.hpp"
#include "watched_store.hpp"
#include "zones/system_zone_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

const Instant begin = parse_instant("2027-03-01T09:00:00Z").value();
/// Every schedule has a period of its own between these, so that those which are due together are others each time.
constexpr int period_min = 500;
constexpr int period_max = 1'500;
/// The mean of 1/period over that range, in 1/s.
constexpr double starts_per_schedule = 0.0010986;

Spec own_rhythm(std::mt19937& random) {
  const int period = std::uniform_int_distribution{period_min, period_max}(random);
  const int offset = std::uniform_int_distribution{0, period - 1}(random);
  Spec spec;
  spec.intervals = {
      {.every = std::chrono::seconds{period}, .offset = std::chrono::seconds{offset}, .anchor = Anchor::epoch}};
  return spec;
}

/// Many schedules, and a clock that is moved to the next of them.
struct Stage {
  explicit Stage(const Options& options)
      : store{must(SqliteStore::open(database_file(options, name_of(options)), store_clock))},
        stride{std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>{
            static_cast<double>(options.due) / starts_per_schedule / static_cast<double>(options.schedules)})} {
    if (must(store->read_page({}, 1)).views.empty()) {
      std::mt19937 random{7};
      make_fleet(*store, zones,
                 {.count = options.schedules, .order = options.order, .created_at = begin, .spec = [&](std::size_t) {
                    return own_rhythm(random);
                  }});
    }
    // Nothing that is due has been left: this is not before the time at which an earlier call has ended.
    clock.set(must(store->read_due({.count_max = 0})).next_wake.value() - Duration{1});
  }

  static std::string name_of(const Options& options) {
    return fmt::format("{}-{}", options.order == Order::scattered ? "scattered" : "neighbours", options.schedules);
  }

  StrideClock clock{begin};
  StoreStrideClock store_clock{clock};
  SystemZoneSource zones;
  SilentLog log;
  std::unique_ptr<SqliteStore> store;
  WatchedStore watched{*store};
  SharedDefinitions definitions{watched, zones};
  Duration stride;
};

constexpr std::size_t round_count = 50;

/// Claims and ends everything that waits, so that no schedule finds its last run still open.
class Broom {
 public:
  explicit Broom(Stage& stage)
      : store_{*stage.store},
        context_{store_, store_, stage.definitions, unique_number()},
        session_{must(store_.open_session("broom", std::chrono::days{30}))} {}

  void sweep() {
    while (true) {
      const ClaimResult claimed =
          must(store_.claim({.session = session_, .queues = {"@command"}, .count_max = std::size_t{1'000}}));
      if (claimed.runs.empty()) return;
      std::vector<Finish> finishes;
      for (const ClaimedRun& run : claimed.runs)
        finishes.push_back({.run = run.row, .end = {.launched_at = claimed.store_now, .exit_code = 0}});
      must(context_.finisher.finish(finishes));
    }
  }

 private:
  SqliteStore& store_;
  EditionContext context_;
  SessionId session_;
};

boost::json::object line_of(const Options& options, const Meter& meter) {
  return {{"what", options.what},
          {"schedules", options.schedules},
          {"due_per_round", options.due},
          {"warm_up", options.warm_up},
          {"order", options.order == Order::scattered ? "scattered" : "neighbours"},
          {"count", number(meter.count())},
          {"per_second", number(meter.per_second())},
          {"cpu_us_each", number(meter.cpu_microseconds_each())},
          {"longest_round_ms", number(meter.longest_milliseconds())},
          {"rss_mb", number(resident_megabytes())}};
}

/// A worker on a thread of its own, as in a runtime.
class WorkerThread {
 public:
  WorkerThread(Stage& stage, std::size_t capacity)
      : attempts_{stage.clock, stage.log, {.store_time = StoreTime::Source::own_clock}},
        executor_{attempts_},
        worker_{{.store = stage.watched,
                 .queue = stage.watched,
                 .definitions = stage.definitions,
                 .clock = stage.clock,
                 .log = stage.log,
                 .attempts = attempts_,
                 .executors = {{ActionKind::command, executor_}}},
                {.session = {.name = "bench",
                             .queues = {"@command"},
                             .capacity = capacity,
                             // By the clock that leaps; heartbeats come by the one that does not.
                             .lease = std::chrono::days{30}}}} {
    thread_ = std::jthread{[this, &clock = stage.clock](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const Duration next = worker_.tick();
        attempts_.alarm().sleep(std::max(next - clock.since_boot(), Duration{0}), stop);
      }
    }};
  }

  [[nodiscard]] LeasedSession& session() { return worker_.session(); }

 private:
  RunningAttempts attempts_;
  NoOpExecutor executor_;
  Worker worker_;
  std::jthread thread_;
};

}  // namespace

void measure_starts(const Options& options) {
  Stage stage{options};
  Decider decider{stage.watched, stage.watched, stage.definitions, stage.store_clock, stage.log, nullptr, {}};
  Broom broom{stage};
  broom.sweep();
  (void)decider.tick();
  const auto rounds = [&](std::size_t count, Meter& meter) {
    for (std::size_t round = 0; round < count; ++round) {
      stage.clock.advance(stage.stride);
      const std::size_t before = stage.watched.started();
      meter.start();
      (void)decider.tick();
      meter.stop(stage.watched.started() - before);
      broom.sweep();
    }
  };
  Meter ignored;
  rounds(options.warm_up, ignored);
  Meter meter;
  rounds(options.rounds.value_or(round_count), meter);
  print_line(line_of(options, meter));
}

void measure_runs(const Options& options) {
  Stage stage{options};
  Broom{stage}.sweep();
  WorkerThread worker{stage, options.capacity.value_or(capacity_of_nothing)};
  Decider decider{stage.watched, stage.watched, stage.definitions, stage.store_clock, stage.log, &worker.session(), {}};
  (void)decider.tick();
  const auto wait_until_open = [&](std::size_t count) {
    while (stage.watched.started() - stage.watched.finished() > count) std::this_thread::sleep_for(200us);
  };
  double longest_round = 0;  // seconds
  const auto rounds = [&](std::size_t count, Meter& meter) {
    const std::size_t before = stage.watched.finished();
    longest_round = 0;
    meter.start();
    for (std::size_t round = 0; round < count; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      stage.clock.advance(stage.stride);
      (void)decider.tick();
      // The next ones come due while the last ones are still performed, and no queue grows without end.
      wait_until_open(options.due);
      longest_round = std::max(longest_round, seconds_since(begin));
    }
    wait_until_open(0);
    meter.stop(stage.watched.finished() - before);
  };
  Meter ignored;
  rounds(options.warm_up, ignored);
  Meter meter;
  rounds(options.rounds.value_or(round_count), meter);
  boost::json::object line = line_of(options, meter);
  // The meter has measured all rounds as one, because they overlap.
  line["longest_round_ms"] = number(longest_round * 1e3);
  print_line(line);
}

}  // namespace carillon::bench
