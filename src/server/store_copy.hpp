#pragma once

#include "base/error.hpp"

#include <string>

namespace carillon {

struct StoreCopyRequest {
  std::string from;  // sqlite:FOLDER or postgres://…
  std::string to;
};

/// Copies a store into an empty one, whole or not at all, and says what was copied. No server may use either. The
/// ledger, schedules, states, runs, audit log, tokens, and keys of requests go along, and the key of run ids; logs and
/// the events of those who watch stay behind. A folder that was copied from is marked: no server begins on it again by
/// mistake.
[[nodiscard]] Result<std::string> copy_store(const StoreCopyRequest& request);

/// An error `conflict` if the store of a folder was moved away.
[[nodiscard]] Result<> expect_not_moved(const std::string& folder);

}  // namespace carillon
