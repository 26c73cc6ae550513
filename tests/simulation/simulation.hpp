#pragma once

#include "simulation/bugs/bugs.hpp"
#include "simulation/plan.hpp"
#include "simulation/records.hpp"
#include "simulation/sometimes.hpp"
#include "simulation/violation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace carillon::simulation {

/// What became of one world.
struct Outcome {
  Findings findings;
  Tally tally;
  std::uint64_t trace = 0;  // equal for equal courses of events
  Duration simulated{};
  std::int64_t writes = 0;
  std::int64_t decisions = 0;
  std::int64_t launches = 0;
};

struct RunOptions {
  const Bug* bug = nullptr;
  StoreKind store = StoreKind::memory;
  bool goes_on = false;         // also after a promise was broken, so that another judge sees the whole
  std::string export_folder{};  // where to write ledger, history, witness and counters; empty = nowhere
};

/// Lives through a plan. Equal plans give equal outcomes. Ends early when a promise is broken.
[[nodiscard]] Outcome simulate(const Plan& plan, const RunOptions& options = {});

}  // namespace carillon::simulation
