#pragma once

#include "simulation/invariants/evidence.hpp"

#include <map>
#include <string>

namespace carillon::simulation {

struct Healing {
  Instant at;                                  // all faults were over
  std::map<std::string, Instant> set_aside{};  // schedules that could not be written before, and are tried again then
};

/// Writes ledger.jsonl, history.jsonl, witness.jsonl, counters.jsonl and arguments (of the checker) into a folder, as
/// tests/checker reads them.
void export_records(const Evidence& evidence, const Healing& healing, const std::string& folder);

}  // namespace carillon::simulation
