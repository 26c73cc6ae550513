#pragma once

#include "simulation/invariants/evidence.hpp"

#include <string>

namespace carillon::simulation {

/// Writes ledger.jsonl, history.jsonl, witness.jsonl, counters.jsonl and arguments (of the checker) into a folder, as
/// tests/checker reads them.
void export_records(const Evidence& evidence, Instant healed_at, const std::string& folder);

}  // namespace carillon::simulation
