#pragma once

#include "ports/idempotency_store.hpp"

#include <cstdint>
#include <optional>

namespace carillon {

/// How a change is to be made.
struct WriteTerms {
  std::optional<std::int64_t> if_revision{};  // only if the schedule still has it
  std::optional<IdempotencyKey> key{};        // remembered with the change
  bool is_dry_run = false;                    // nothing is written; the answer says what would be
};

}  // namespace carillon
