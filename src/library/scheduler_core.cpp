#include "library/scheduler_core.hpp"

#include "runtime/system_clock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

using std::chrono::steady_clock;

/// Whoever waits looks at least this often: the store may not tell of every change.
constexpr auto wait_look = std::chrono::seconds{1};
constexpr std::chrono::microseconds wait_max = std::chrono::days{3'650};

/// A clock of the host program is believed whatever it shows.
DeciderOptions decider_options(const HostClock& clock) {
  if (clock.own_wall() != nullptr) return {.is_clock_synchronised = [] { return true; }};
  return {.is_clock_synchronised = is_clock_synchronised, .clock_earliest = clock_earliest};
}

RuntimeOptions runtime_options(const SchedulerCoreOptions& options, const HostClock& clock, const RunIds& run_ids) {
  return {.worker = {.session = {.name = fmt::format("embedded-{}", ::getpid()),
                                 .queues = options.queues,
                                 .capacity = std::max<std::size_t>(options.worker_count, 1)},
                     .run_id = [&run_ids](Seq run) { return run_ids.id_of(run); }},
          .decider = decider_options(clock),
          .stop_timeout = std::max(options.stop_timeout, Duration{0})};
}

RuntimeParts runtime_parts(SchedulerBase& base, const ExecutorRegistry& executors) {
  return {.store = base.store.ports,
          .zones = base.around.zones,
          .clock = base.around.clock,
          .log = base.around.log,
          .attempts = base.attempts,
          .executors = executors,
          .logs = base.store.logs.get()};
}

ServiceParts service_parts(SchedulerBase& base, Runtime& runtime, const SchedulerCoreOptions& options) {
  ServiceParts parts{.store = base.store.ports,
                     .logs = *base.store.logs,
                     .commands = runtime.commands(),
                     .definitions = runtime.definitions(),
                     .zones = base.around.zones,
                     .clock = base.around.clock,
                     .run_ids = base.store.run_ids};
  parts.has_watched_folder = options.has_watched_folder;
  parts.source_findings = options.source_findings;
  return parts;
}

}  // namespace

SchedulerBase::SchedulerBase(SchedulerSurroundings& surroundings, SchedulerStore opened, SchedulerListeners& listeners)
    : around{surroundings},
      store{std::move(opened)},
      changes{store.ports.notifier},
      attempts{around.clock,
               around.log,
               {.logs = store.logs.get(), .observer = &listeners, .store_time = StoreTime::Source::own_clock}} {}

SchedulerCore::SchedulerCore(SchedulerBase& on, const ExecutorRegistry& executors, const SchedulerCoreOptions& options)
    : base{on},
      runtime{runtime_parts(base, executors), runtime_options(options, base.around.clock, base.store.run_ids)},
      service{service_parts(base, runtime, options)},
      caller{.actor = "code", .address = {}, .role = Role::admin},
      schedules{service},
      queries{service, schedules},
      runs{service, schedules} {
  if (WallClock* const wall = base.around.clock.own_wall(); wall != nullptr)
    wall->on_set([this] {
      runtime.wake_decider();
      base.attempts.alarm().ring();
    });
}

SchedulerCore::~SchedulerCore() {
  if (WallClock* const wall = base.around.clock.own_wall(); wall != nullptr) wall->on_set({});
}

Served<RunAnswer> SchedulerCore::wait(const std::string& run_id, std::chrono::microseconds timeout,
                                      const std::atomic<bool>& is_stopped) {
  const auto end = steady_clock::now() + std::clamp(timeout, std::chrono::microseconds{0}, wait_max);
  for (;;) {
    // Before the run is read: what is written after that is one more.
    const std::uint64_t known = base.changes.count();
    const bool was_stopped = is_stopped;
    auto run = runs.get(caller, run_id, std::nullopt);
    const auto now = steady_clock::now();
    if (!run || is_terminal(run->record.run.state) || was_stopped || now >= end) return run;
    base.changes.wait_beyond(known, std::min<steady_clock::time_point>(end, now + wait_look));
  }
}

}  // namespace carillon
