#include "running_scheduler.hpp"

#include "meter.hpp"

#include <utility>

namespace carillon::bench {
namespace {

/// The store's, but schedules and runs are watched.
StorePorts ports_of(SqliteStore& store, WatchedStore& watched) {
  const StorePorts own = store.ports();
  return {.schedules = watched,
          .runs = watched,
          .queries = own.queries,
          .retention = own.retention,
          .events = own.events,
          .audit = own.audit,
          .tokens = own.tokens,
          .idempotency = own.idempotency,
          .notifier = own.notifier,
          .health = own.health};
}

}  // namespace

RunningScheduler::RunningScheduler(const std::filesystem::path& file, std::size_t capacity,
                                   std::function<void(const Envelope&)> on_launch)
    : store_{must(SqliteStore::open(file, clock_))},
      watched_{*store_},
      attempts_{clock_, log_, {.store_time = StoreTime::Source::own_clock}},
      executor_{attempts_, std::move(on_launch)},
      runtime_{{.store = ports_of(*store_, watched_),
                .zones = zones_,
                .clock = clock_,
                .log = log_,
                .attempts = attempts_,
                .executors = {{ActionKind::command, executor_}}},
               {.worker = {.session = {.name = "bench", .queues = {"@command"}, .capacity = capacity}},
                .decider = {.is_clock_synchronised = is_clock_synchronised}}} {}

RunningScheduler::~RunningScheduler() { runtime_.stop(); }

void RunningScheduler::start() {
  must(runtime_.commands().adopt_zone_rules());
  runtime_.start();
}

}  // namespace carillon::bench
