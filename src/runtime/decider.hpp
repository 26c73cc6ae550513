#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "runtime/clock_watch.hpp"
#include "runtime/worker.hpp"
#include "scheduling/mind.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace carillon {

struct DeciderOptions {
  std::size_t batch = 1'000;
  ServerShare share{};
  std::function<bool()> is_clock_synchronised;  // none: nobody knows
};

/// The loop around `Scheduling`: decides what is due, watches the clock and the zone rules, ends what was lost or has
/// waited too long. Driven from outside, by one thread that calls `tick`. An error is told and tried again; one
/// schedule that cannot be decided stops no other.
class Decider {
 public:
  /// `worker` is handed what it may perform at once; null if nothing is performed here.
  Decider(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, Clock& clock, Log& log, Worker* worker,
          DeciderOptions options);

  /// Does what is due. When to call again at the latest, since boot.
  [[nodiscard]] Duration tick();

 private:
  void take_up_zones(Duration now);
  [[nodiscard]] bool may_decide(Duration now);
  /// When to look again, since boot.
  [[nodiscard]] Duration decide();
  [[nodiscard]] Result<Round> decide_in_batches(Duration until);
  [[nodiscard]] Result<Round> write(Prepared prepared);
  void keep_house(Duration now);
  void tell(std::string_view event, const Error& error);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  Clock& clock_;
  Log& log_;
  Worker* worker_;
  DeciderOptions options_;
  std::unique_ptr<Mind> mind_;
  ClockWatch clock_watch_;
  bool must_adopt_ = true;
  bool must_reopen_ = true;  // what a clock that was ahead has decided
  bool has_gone_back_ = false;
  bool is_held_told_ = false;
  std::optional<std::string> last_error_;  // told once, not every second
  Duration next_zone_look_{};
  Duration next_housekeeping_{};
};

}  // namespace carillon
