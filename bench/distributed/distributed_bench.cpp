// One process of the benchmark of several servers on one PostgreSQL; `run` starts as many as it wants to measure.
//
//     distributed_bench make URL COUNT BEGIN EVERY SPREAD   schedules that come due EVERY seconds, within SPREAD
//     seconds distributed_bench serve URL CAPACITY                  a server that performs nothing; 0: it only decides
//     distributed_bench submit URL COUNT BATCH              jobs without a schedule
//     distributed_bench work URL CAPACITY                   a worker that performs nothing
//
// What serves or works says "ready", ends with its input, and then tells what it has used.
#include "fleet.hpp"
#include "meter.hpp"
#include "no_op_executor.hpp"
#include "runtime/runtime.hpp"
#include "runtime/system_clock.hpp"
#include "scheduling/edition_context.hpp"
#include "silent_log.hpp"
#include "stores/postgres/postgres_store.hpp"
#include "zones/system_zone_source.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* job_queue = "bench";

/// What all of these need.
struct Place {
  explicit Place(const std::string& url)
      : store{must(PostgresStore::open(must(postgres::parse_store_url(url)), clock))} {}

  SystemClock clock;
  SystemZoneSource zones;
  SilentLog log;
  std::unique_ptr<PostgresStore> store;
};

std::int64_t number_of(const char* text) { return std::strtoll(text, nullptr, 10); }

/// Every `every`, at a second of its own within the first `spread` of it.
Spec one_of_a_wave(std::mt19937& random, Instant begin, Duration every, Duration spread) {
  const std::int64_t last = std::chrono::floor<std::chrono::seconds>(spread).count();
  const std::chrono::seconds place{std::uniform_int_distribution<std::int64_t>{0, last}(random)};
  const Duration offset = (begin.time_since_epoch() + place) % every;
  Spec spec;
  spec.intervals = {{.every = every, .offset = offset, .anchor = Anchor::epoch}};
  return spec;
}

void make(const std::string& url, std::span<char*> words) {
  Place place{url};
  const auto count = static_cast<std::size_t>(number_of(words[0]));
  const Instant begin = Instant{std::chrono::seconds{number_of(words[1])}};
  const Duration every = std::chrono::seconds{number_of(words[2])};
  const Duration spread = std::chrono::seconds{number_of(words[3])};
  std::mt19937 random{7};
  make_fleet(*place.store, place.zones,
             {.count = count,
              .created_at = place.clock.now(),
              .spec = [&](std::size_t) { return one_of_a_wave(random, begin, every, spread); },
              .overlap = OverlapPolicy::allow_all});
}

void wait_for_end_of_input() {
  std::cout << "ready" << std::endl;
  while (std::cin.ignore(std::numeric_limits<std::streamsize>::max())) {
  }
}

void print_use() { print_line({{"cpu_seconds", number(cpu_seconds())}, {"rss_mb", number(resident_megabytes())}}); }

void serve(const std::string& url, std::size_t capacity) {
  Place place{url};
  RunningAttempts attempts{place.clock, place.log, {.store_time = StoreTime::Source::answers}};
  NoOpExecutor executor{attempts};
  Runtime runtime{{.store = place.store->ports(),
                   .zones = place.zones,
                   .clock = place.clock,
                   .log = place.log,
                   .attempts = attempts,
                   .executors = {{ActionKind::command, executor}}},
                  {.worker = {.session = {.name = "bench", .queues = {"@command"}, .capacity = capacity}},
                   .decider = {.is_clock_synchronised = is_clock_synchronised}}};
  must(runtime.commands().adopt_zone_rules());
  runtime.start();
  wait_for_end_of_input();
  runtime.stop();
  print_use();
}

void submit(const std::string& url, std::size_t count, std::size_t batch) {
  Place place{url};
  const std::string document = R"({"action":{"job":{"type":"bench","queue":"bench"}}})";
  std::mt19937_64 random{std::random_device{}()};
  const auto begun = std::chrono::steady_clock::now();
  std::vector<AdhocRun> jobs;
  for (std::size_t done = 0; done < count;) {
    jobs.clear();
    for (; jobs.size() < batch && done < count; ++done) {
      AdhocRun& job = jobs.emplace_back();
      job.document = document;
      job.name = fmt::format("~{:016x}{:08x}", random(), done);
      job.queue = job_queue;
    }
    must(place.store->enqueue(jobs, {}));
  }
  print_line({{"seconds", number(seconds_since(begun))}, {"cpu_seconds", number(cpu_seconds())}});
}

/// Claims jobs and ends them at once, so many at a time.
void work(const std::string& url, std::size_t capacity) {
  Place place{url};
  SharedDefinitions definitions{*place.store, place.zones};
  EditionContext context{*place.store, *place.store, definitions, unique_number()};
  const SessionId session = must(place.store->open_session("bench", std::chrono::days{1}));
  std::jthread thread{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const ClaimResult claimed =
          must(place.store->claim({.session = session, .queues = {job_queue}, .count_max = capacity}));
      std::vector<Finish> finishes;
      for (const ClaimedRun& run : claimed.runs)
        finishes.push_back({.run = run.row, .end = {.launched_at = claimed.store_now, .exit_code = 0}});
      if (finishes.empty())
        std::this_thread::sleep_for(5ms);
      else
        must(context.finisher.finish(finishes));
    }
  }};
  wait_for_end_of_input();
  thread.request_stop();
  thread.join();
  print_use();
}

int usage() {
  std::fputs("usage: distributed_bench make|serve|submit|work URL …; see the first lines of its source\n", stderr);
  return 64;
}

int run(std::span<char*> words) {
  if (words.size() < 4) return usage();
  const std::string what = words[1];
  const std::string url = words[2];
  const auto first = static_cast<std::size_t>(number_of(words[3]));
  if (what == "make" && words.size() == 7)
    make(url, words.subspan(3));
  else if (what == "serve")
    serve(url, first);
  else if (what == "submit" && words.size() == 5)
    submit(url, first, static_cast<std::size_t>(number_of(words[4])));
  else if (what == "work")
    work(url, first);
  else
    return usage();
  return 0;
}

}  // namespace
}  // namespace carillon::bench

int main(int argc, char** argv) { return carillon::bench::run({argv, static_cast<std::size_t>(argc)}); }
