#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/transition.hpp"
#include "ports/schedule_store.hpp"
#include "stores/sqlite/claiming.hpp"
#include "stores/sqlite/shared_rows.hpp"
#include "stores/sqlite/state_rows.hpp"
#include "stores/sqlite/tables.hpp"

#include <cstdint>
#include <vector>

namespace carillon::sqlite {

/// Writes one transition, or refuses it and changes nothing. The rows of runs that it starts are left to the caller, in
/// `fresh`, who may want to claim them.
[[nodiscard]] Result<WriteOutcome> write_transition(Tables& tables, const Writer& writer, const Transition& transition,
                                                    std::vector<FreshRun>& fresh, Instant now);

/// What the parts of writing a transition share.
struct Writing {
  Tables& tables;
  const Transition& transition;
  std::vector<FreshRun>& fresh;
  StateRow row;             // as it will be
  std::int64_t server = 0;  // who writes
  Instant at;               // what the lines say
  Instant now;

  [[nodiscard]] rows::LineStamp stamp() const { return {.server = server, .at = at}; }
};

/// Obeys, as far as each run still lets it.
[[nodiscard]] Result<> carry_out_orders(Writing& writing);

}  // namespace carillon::sqlite
