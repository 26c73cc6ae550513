#include "running_scheduler.hpp"

#include "meter.hpp"

#include <utility>

namespace carillon::bench {

RunningScheduler::RunningScheduler(const std::filesystem::path& file, std::size_t capacity,
                                   std::function<void(const Envelope&)> on_launch)
    : store_{must(SqliteStore::open(file, clock_))},
      watched_{*store_},
      runtime_{{.store = watched_,
                .queue = watched_,
                .zones = zones_,
                .clock = clock_,
                .log = log_,
                .retention = store_.get()},
               {.worker = {.name = "bench", .queues = {"@command"}, .capacity = capacity, .has_store_clock = true},
                .decider = {.is_clock_synchronised = is_clock_synchronised}}},
      executor_{runtime_.events(), std::move(on_launch)} {}

RunningScheduler::~RunningScheduler() { runtime_.stop(); }

void RunningScheduler::start() {
  must(runtime_.commands().adopt_zone_rules());
  runtime_.start({.command = &executor_});
}

}  // namespace carillon::bench
