// The SQLite store under the real decider. usage: sqlite_store_bench FOLDER [schedules] [laps]
//
// Every schedule is due once per lap, a random hundredth of them at a time, and everything is durable. `starts` decides
// and queues; `whole runs` decides, claims in the same commit, and finishes. `neighbours` are schedules whose places
// the store could choose by their wake time; `scattered` ones were asleep when they were created.

#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"
#include "scheduling/scheduling.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "zones/system_zone_source.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;

constexpr Duration period = 1000s;
constexpr Duration stride = 10s;
constexpr std::size_t batch = 1000;
const Instant begin = parse_instant("2027-03-01T09:00:00Z").value();

[[noreturn]] void die(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (!result) die(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class StrideClock final : public Clock {
 public:
  Instant now() override { return Instant{Duration{now_.load()}}; }
  Duration since_boot() override { return Duration{now_.load()}; }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_ = begin.time_since_epoch().count();
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Wall and CPU time of what happens between `start` and `stop`, summed.
class Meter {
 public:
  void start() {
    cpu_ = cpu_seconds();
    begun_ = std::chrono::steady_clock::now();
  }
  void stop(std::size_t count) {
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    seconds_ += took;
    cpu_sum_ += cpu_seconds() - cpu_;
    longest_ = std::max(longest_, took);
    count_ += static_cast<double>(count);
  }
  void print(const char* what, const char* variant) const {
    fmt::print("{:<12} {:<12} {:>9.0f}/s  {:>6.1f} us CPU each  longest step {:>6.1f} ms\n", what, variant,
               count_ / seconds_, cpu_sum_ * 1e6 / count_, longest_ * 1e3);
  }

 private:
  double cpu_ = 0;
  std::chrono::steady_clock::time_point begun_{};
  double seconds_ = 0;
  double cpu_sum_ = 0;
  double longest_ = 0;
  double count_ = 0;
};

enum class Order { neighbours, scattered };

class Fleet {
 public:
  Fleet(const std::filesystem::path& file, std::size_t count, Order order)
      : store_{must(SqliteStore::open(file, clock_))}, definitions_{*store_, zones_, ZoneEdition::none, 2 * count} {
    std::mt19937 random{7};
    std::uniform_int_distribution<int> second{0, 999};
    Meter creating;
    for (std::size_t done = 0; done < count; done += batch) {
      std::vector<Transition> transitions;
      for (std::size_t i = done; i < std::min(count, done + batch); ++i)
        transitions.push_back(creation(i, std::chrono::seconds{second(random)}));
      creating.start();
      create(transitions, order);
      creating.stop(transitions.size());
    }
    creating.print("creations", order == Order::neighbours ? "neighbours" : "scattered");
    session_ = must(store_->open_session("bench", std::chrono::days{1}));
  }

  /// Once around: every schedule starts one run. Those that are not part of the measurement are finished all the same.
  void lap_of_starts(Meter& meter) {
    for (Duration passed{0}; passed < period; passed += stride) {
      clock_.advance(stride);
      meter.start();
      const std::size_t count = decide({});
      meter.stop(count);
      while (finish(must(store_->claim(claiming())).runs) > 0) continue;
    }
  }

  void lap_of_whole_runs(Meter& meter) {
    for (Duration passed{0}; passed < period; passed += stride) {
      clock_.advance(stride);
      meter.start();
      const std::size_t count = decide(claiming());
      meter.stop(count);
    }
  }

 private:
  Transition creation(std::size_t number, Duration offset) {
    CommandAction command;
    command.argv = {"/bin/true"};
    ScheduleDocument document{.id = ScheduleId::parse(fmt::format("s{}", number)).value(),
                              .name_space = NamespaceId::parse("default").value(),
                              .name = "bench",
                              .description = "",
                              .labels = {},
                              .enabled = true,
                              .spec = {},
                              .action = command,
                              .policies = {}};
    document.spec.intervals = {{.every = period, .offset = offset, .anchor = Anchor::epoch}};
    const DefinitionPtr definition = must(definitions_.compile_new(document, 1, begin));
    const std::string text = boost::json::serialize(write_schedule(document));
    return must(step(*definition, ScheduleView{}, Created{.by = "bench", .document = text}, begin));
  }

  void create(std::vector<Transition>& transitions, Order order) {
    std::vector<std::optional<Instant>> wakes;
    for (Transition& transition : transitions) {
      wakes.push_back(transition.next.wake);
      if (order == Order::scattered) transition.next.wake.reset();
    }
    const CommitResult created = must(store_->commit({.writer = {}, .transitions = transitions}));
    if (order == Order::neighbours) return;
    std::vector<Transition> awakenings(transitions.size());
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      awakenings[i].next = transitions[i].next;
      awakenings[i].next.uid = created.items[i].uid;
      awakenings[i].next.wake = wakes[i];
      ++awakenings[i].next.version;
      awakenings[i].decided_under = 1;
      awakenings[i].decided_at = begin;
    }
    must(store_->commit({.writer = {}, .transitions = awakenings}));
  }

  ClaimRequest claiming() const { return {.session = session_, .queues = {"@command"}, .count_max = batch}; }

  std::size_t decide(std::optional<ClaimRequest> claim) {
    std::size_t count = 0;
    while (true) {
      const Round round = must(server_.decide_due({.count_max = batch}, claim));
      count += round.written;
      if (claim) finish(round.claimed);
      if (!round.has_more) return count;
    }
  }

  std::size_t finish(const std::vector<ClaimedRun>& runs) {
    if (runs.empty()) return 0;
    std::vector<Finish> finishes;
    finishes.reserve(runs.size());
    for (const ClaimedRun& run : runs)
      finishes.push_back({.run = run.row, .end = {.launched_at = clock_.now(), .exit_code = 0}});
    static_cast<void>(must(finisher_.finish(finishes)));
    return runs.size();
  }

  StrideClock clock_;
  SystemZoneSource zones_;
  std::unique_ptr<SqliteStore> store_;
  DefinitionCache definitions_;
  Scheduling server_{*store_, definitions_, 1};
  RunFinisher finisher_{*store_, definitions_};
  SessionId session_{};
};

void measure(const std::filesystem::path& file, std::size_t count, int laps, Order order) {
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.native() + ending);
  Fleet fleet{file, count, order};
  const char* name = order == Order::neighbours ? "neighbours" : "scattered";
  // So that every schedule has a run behind it, and every definition has been read.
  Meter ignored;
  fleet.lap_of_starts(ignored);
  Meter starts;
  for (int lap = 0; lap < laps; ++lap) fleet.lap_of_starts(starts);
  starts.print("starts", name);
  Meter whole;
  for (int lap = 0; lap < laps; ++lap) fleet.lap_of_whole_runs(whole);
  whole.print("whole runs", name);
}

}  // namespace
}  // namespace carillon

int main(int argc, char** argv) {
  using namespace carillon;
  if (argc < 2) {
    fmt::print(stderr, "usage: sqlite_store_bench FOLDER [schedules] [laps]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const std::size_t count = argc > 2 ? std::stoul(argv[2]) : 100'000;
  const int laps = argc > 3 ? std::stoi(argv[3]) : 2;
  measure(folder / "neighbours.db", count, laps, Order::neighbours);
  measure(folder / "scattered.db", count, laps, Order::scattered);
}
