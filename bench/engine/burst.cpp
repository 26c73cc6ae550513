#include "fleet.hpp"
#include "measurements.hpp"
#include "meter.hpp"
#include "running_scheduler.hpp"

#include <fmt/format.h>

#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

/// Makes schedules that are all due at one instant, which is returned and lies ahead.
Instant make_burst(RunningScheduler& scheduler, std::size_t count) {
  for (Duration allowance = 3s + static_cast<Duration::rep>(count) * 40us;; allowance *= 2) {
    const Instant due = std::chrono::ceil<std::chrono::seconds>(scheduler.now() + allowance);
    make_fleet(scheduler.store(), scheduler.zones(),
               {.count = count,
                .created_at = scheduler.now(),
                .prefix = fmt::format("s{}-", allowance.count()),
                .spec = [&](std::size_t) { return daily_from(due); }});
    if (scheduler.now() + 1s < due) return due;
  }
}

}  // namespace

void measure_burst(const Options& options) {
  const std::size_t count = options.schedules;
  RunningScheduler scheduler{database_file(options, "burst"), options.capacity.value_or(capacity_of_nothing)};
  const Instant due = make_burst(scheduler, count);
  scheduler.start();
  const auto seconds_until = [&](const auto& is_done) {
    while (!is_done()) std::this_thread::sleep_for(200us);
    return std::chrono::duration<double>(scheduler.now() - due).count();
  };
  const double cpu_before = cpu_seconds();
  const double first = seconds_until([&] { return scheduler.watched().started() > 0; });
  const double decided = seconds_until([&] { return scheduler.watched().started() >= count; });
  const double finished = seconds_until([&] { return scheduler.watched().finished() >= count; });
  print_line({{"what", options.what},
              {"schedules", count},
              {"seconds_to_first", number(first)},
              {"seconds_to_decided", number(decided)},
              {"seconds_to_finished", number(finished)},
              {"cpu_us_each", number((cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(count))},
              {"rss_mb", number(resident_megabytes())}});
}

}  // namespace carillon::bench
