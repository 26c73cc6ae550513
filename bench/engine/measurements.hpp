#pragma once

#include "options.hpp"

namespace carillon::bench {

// Each prints one line of JSON.

/// Decisions to start per second, durable, without a worker.
void measure_starts(const Options& options);
/// Runs per second from the decision to the recorded end, all durable.
void measure_runs(const Options& options);
/// Many schedules due at one instant of the real clock.
void measure_burst(const Options& options);
/// How late attempts begin, by the real clock, while users write.
void measure_lateness(const Options& options);
/// What schedules cost that are not due.
void measure_idle(const Options& options);
/// Processes per second through a whole server, beside a bare loop of posix_spawn.
void measure_commands(const Options& options);

}  // namespace carillon::bench
