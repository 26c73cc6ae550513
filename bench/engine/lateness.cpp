#include "fleet.hpp"
#include "measurements.hpp"
#include "meter.hpp"
#include "running_scheduler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

namespace carillon::bench {
namespace {

using namespace std::chrono_literals;

/// Notes how late attempts of the measured schedules begin.
class LaunchTimes {
 public:
  void note(const Envelope& envelope) {
    if (envelope.schedule_id.front() != 's') return;
    const double late = std::chrono::duration<double, std::milli>(clock_.now() - envelope.due).count();
    const std::scoped_lock lock{mutex_};
    late_.push_back(late);
  }
  [[nodiscard]] std::vector<double> milliseconds() {
    const std::scoped_lock lock{mutex_};
    return late_;
  }

 private:
  SystemClock clock_;
  std::mutex mutex_;
  std::vector<double> late_;
};

/// Creates, pauses, resumes and triggers schedules of its own at a steady pace, as an API would.
class BusyUsers {
 public:
  BusyUsers(ScheduleCommands& commands, std::size_t per_second)
      : commands_{commands}, pace_{1s / static_cast<double>(std::max<std::size_t>(per_second, 1))} {
    if (per_second > 0) thread_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
  }
  /// How long each command took, once nobody writes any more.
  std::vector<double> stop() {
    thread_ = {};
    return milliseconds_;
  }

 private:
  void work(const std::stop_token& stop) {
    auto next = std::chrono::steady_clock::now();
    for (std::size_t i = 0; !stop.stop_requested(); ++i) {
      const auto begun = std::chrono::steady_clock::now();
      command(i);
      milliseconds_.push_back(seconds_since(begun) * 1e3);
      next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(pace_);
      std::this_thread::sleep_until(next);
    }
  }
  void command(std::size_t i) {
    const ScheduleDocument document =
        document_of(fmt::format("user{}", i / 4), daily_from(Instant{} + std::chrono::hours{3}));
    const ScheduleKey key{document.name_space, document.id};
    switch (i % 4) {
      case 0: must(commands_.create(document, "bench")); break;
      case 1: must(commands_.change(key, Paused{.by = "bench"})); break;
      case 2: must(commands_.change(key, Resumed{.by = "bench"})); break;
      default: must(commands_.change(key, Triggered{.by = "bench", .id = fmt::format("t{}", i)})); break;
    }
  }

  ScheduleCommands& commands_;
  std::chrono::duration<double> pace_;
  std::vector<double> milliseconds_;
  std::jthread thread_;
};

/// Each is due once within the measured time, and again when nobody looks any more.
Spec once_within(Instant begin, const Options& options, std::mt19937& random) {
  const Duration length = std::chrono::seconds{options.seconds};
  Instant due = begin + Duration{std::uniform_int_distribution<Duration::rep>{0, length.count() - 1}(random)};
  if (options.is_aligned) due = std::chrono::floor<std::chrono::seconds>(due);
  Spec spec;
  spec.times = {due, due + std::chrono::days{1}};
  return spec;
}

/// What the disk takes alone for what a small transaction writes, in the same minutes: nobody can be faster.
std::vector<double> sync_alone(const std::filesystem::path& folder) {
  constexpr std::size_t count = 1'000;
  const std::filesystem::path file = folder / "sync-alone";
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) die(fail(ErrorCode::unavailable, "{} cannot be written", file.string()).error());
  const std::vector<char> bytes(std::size_t{5} * 4096);
  std::vector<double> milliseconds;
  auto next = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    if (::write(descriptor, bytes.data(), bytes.size()) < 0 || ::fdatasync(descriptor) < 0) std::abort();
    milliseconds.push_back(seconds_since(begun) * 1e3);
    next += 10ms;
    std::this_thread::sleep_until(next);
  }
  ::close(descriptor);
  std::filesystem::remove(file);
  return milliseconds;
}

}  // namespace

void measure_lateness(const Options& options) {
  LaunchTimes launches;
  RunningScheduler scheduler{database_file(options, "lateness"), options.capacity.value_or(capacity_of_nothing),
                             [&](const Envelope& envelope) { launches.note(envelope); }};
  const std::size_t count = options.rate * options.seconds;
  const Instant begin =
      std::chrono::ceil<std::chrono::seconds>(scheduler.now() + 4s + static_cast<Duration::rep>(count) * 200us);
  std::mt19937 random{7};
  make_fleet(scheduler.store(), scheduler.zones(),
             {.count = count, .order = options.order, .created_at = scheduler.now(), .spec = [&](std::size_t) {
                return once_within(begin, options, random);
              }});
  scheduler.start();
  std::this_thread::sleep_for(begin - scheduler.now() - 500ms);
  BusyUsers users{scheduler.commands(), options.user_writes};
  const double cpu_before = cpu_seconds();
  std::this_thread::sleep_for(begin + std::chrono::seconds{options.seconds} + 1s - scheduler.now());
  const double cpu = cpu_seconds() - cpu_before;
  auto commands = users.stop();
  auto late = launches.milliseconds();
  auto syncs = sync_alone(options.folder);
  print_line({{"what", options.what},
              {"rate", options.rate},
              {"aligned", options.is_aligned},
              {"planned", count},
              {"count", late.size()},
              {"p50_ms", number(quantile(late, 0.5))},
              {"p99_ms", number(quantile(late, 0.99))},
              {"max_ms", number(quantile(late, 1))},
              {"earliest_ms", number(quantile(late, 0))},
              {"user_writes", commands.size()},
              {"user_write_p50_ms", number(quantile(commands, 0.5))},
              {"user_write_p99_ms", number(quantile(commands, 0.99))},
              {"sync_p50_ms", number(quantile(syncs, 0.5))},
              {"sync_p99_ms", number(quantile(syncs, 0.99))},
              {"sync_max_ms", number(quantile(syncs, 1))},
              {"cpu_share", number(cpu / static_cast<double>(options.seconds + 1))}});
}

}  // namespace carillon::bench
