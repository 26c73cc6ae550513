#pragma once

#include "base/instant.hpp"
#include "engine/transition.hpp"
#include "ports/schedule_store.hpp"
#include "stores/memory/tables.hpp"

#include <string>

namespace carillon::memory {

/// Writes one transition, or refuses it and changes nothing.
[[nodiscard]] WriteOutcome write_transition(Tables& tables, const Writer& writer, const Transition& transition,
                                            Instant now);

/// What the parts of writing a transition share.
struct Writing {
  Tables& tables;
  StoredSchedule& schedule;
  const Transition& transition;
  std::string server;  // who writes
  Instant at;          // what the lines say
  Instant now;
};

/// A decision, or the end of a wait, starts its run.
void start_run(Writing& writing, StoredRun& run, const Starts& starts);

/// The line says `started` from now on, and the run has its name.
void mark_started(Writing& writing, const StoredRun& run);

/// The line says `skipped` from now on, and there is no run any more.
void mark_skipped(Writing& writing, const StoredRun& run, SkipReason reason);

/// Obeys, as far as each run still lets it.
void carry_out_orders(Writing& writing);

}  // namespace carillon::memory
