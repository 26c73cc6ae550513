#include "fleet.hpp"
#include "measurements.hpp"
#include "meter.hpp"
#include "running_scheduler.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

/// Due between 2035 and 2046, whenever it is measured.
Spec far_ahead(std::mt19937& random) {
  const auto offset = std::chrono::days{std::uniform_int_distribution{4'000, 8'000}(random)} +
                      std::chrono::seconds{std::uniform_int_distribution{0, 86'399}(random)};
  Spec spec;
  spec.intervals = {{.every = std::chrono::days{20'000}, .offset = offset, .anchor = Anchor::epoch}};
  return spec;
}

// In a process of its own: what it leaves in memory is not the server's.
void make_sleepers(const Options& options, const std::filesystem::path& file) {
  const pid_t child = ::fork();
  if (child == 0) {
    {
      RunningScheduler scheduler{file};
      // As in a store that a server has had before: a start that finds new zone rules looks at every schedule.
      must(scheduler.commands().adopt_zone_rules());
      std::mt19937 random{7};
      if (must(scheduler.store().read_page({}, 1)).views.empty())
        make_fleet(scheduler.store(), scheduler.zones(),
                   {.count = options.schedules, .created_at = scheduler.now(), .spec = [&](std::size_t) {
                      return far_ahead(random);
                    }});
    }
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) std::exit(1);
}

}  // namespace

void measure_idle(const Options& options) {
  const auto file = database_file(options, fmt::format("idle-{}", options.schedules));
  make_sleepers(options, file);
  const auto begun = std::chrono::steady_clock::now();
  const double cpu_at_begin = cpu_seconds();
  RunningScheduler scheduler{file};
  const double opened = seconds_since(begun);
  scheduler.start();
  while (scheduler.watched().looks() == 0) std::this_thread::sleep_for(200us);
  const double ready = seconds_since(begun);
  const double cpu_before = cpu_seconds();
  const double megabytes = resident_megabytes();
  std::this_thread::sleep_for(std::chrono::seconds{options.seconds});
  const double cpu = cpu_seconds() - cpu_before;
  print_line({{"what", options.what},
              {"schedules", options.schedules},
              {"seconds_to_open", number(opened)},
              {"seconds_to_first_look", number(ready)},
              {"cpu_seconds_to_first_look", number(cpu_before - cpu_at_begin)},
              {"rss_mb", number(megabytes)},
              {"rss_mb_after", number(resident_megabytes())},
              {"cpu_share", number(cpu / static_cast<double>(options.seconds))}});
}

}  // namespace carillon::bench
