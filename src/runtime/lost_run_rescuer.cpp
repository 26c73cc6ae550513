#include "runtime/lost_run_rescuer.hpp"

#include "runtime/unreadable_definitions.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration look_period = seconds{5};
/// How often it asks whether the clock is believed, before it is for the first time.
constexpr Duration first_look_period = milliseconds{100};
/// Runs at a time.
constexpr std::size_t rescue_max = 500;

}  // namespace

LostRunRescuer::LostRunRescuer(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions,
                               const ClockWatch& clock_watch, Clock& clock, Log& log,
                               std::vector<std::string> adopted_queues)
    : editions_{store, queue, definitions},
      clock_watch_{clock_watch},
      clock_{clock},
      log_{log},
      adopted_queues_{std::move(adopted_queues)} {}

void LostRunRescuer::tell(std::string_view event, const Error& error) {
  if (std::exchange(last_error_, error.message) != error.message) log_.error(event, {{"error", error.message}});
}

bool LostRunRescuer::end_runs() {
  RunFinisher& finisher = editions_.context().finisher;
  const auto lost = finisher.end_lost(rescue_max, adopted_queues_);
  if (!lost) {
    tell("lost runs cannot be ended", lost.error());
    return false;
  }
  if (*lost > 0) log_.warn("runs lost", {{"count", *lost}});
  log_unreadable_definitions(log_, finisher);
  const auto expired = finisher.end_expired(rescue_max);
  if (!expired) {
    tell("expired runs cannot be ended", expired.error());
    return false;
  }
  if (*expired > 0) log_.warn("runs expired", {{"count", *expired}});
  last_error_.reset();
  return *lost == rescue_max || *expired == rescue_max;
}

Duration LostRunRescuer::tick() {
  const Duration now = clock_.since_boot();
  // Leases and waits do not go by the wall clock: they end also while it is not believed. But a server that has only
  // seen a wrong one cannot tell which of them are over.
  if (!clock_watch_.has_been_believed()) return now + first_look_period;
  if (now < next_look_) return next_look_;
  editions_.refresh();
  next_look_ = end_runs() ? now : now + look_period;
  return next_look_;
}

}  // namespace carillon
