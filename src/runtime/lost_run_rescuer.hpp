#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "runtime/clock_watch.hpp"
#include "scheduling/edition_source.hpp"
#include "scheduling/shared_definitions.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Ends runs that nobody else will end: those whose worker is gone, and those that have waited too long for a worker.
/// Any server does that for all of them. Driven from outside, by one thread that calls `tick`; it holds nothing that
/// matters.
class LostRunRescuer {
 public:
  LostRunRescuer(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, const ClockWatch& clock_watch,
                 Clock& clock, Log& log, std::vector<std::string> adopted_queues = {});

  /// One look, if it is time for one. When to call again, since boot.
  [[nodiscard]] Duration tick();

 private:
  /// True if there may be more.
  [[nodiscard]] bool end_runs();
  void tell(std::string_view event, const Error& error);

  EditionSource editions_;
  const ClockWatch& clock_watch_;
  Clock& clock_;
  Log& log_;
  const std::vector<std::string> adopted_queues_;  // whose runs have somebody who goes on with them
  Duration next_look_{};                           // since boot
  std::optional<std::string> last_error_;          // told once, not with every look
};

}  // namespace carillon
