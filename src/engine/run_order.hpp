#pragma once

#include "definitions/words.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"

#include <optional>

namespace carillon {

/// An order of a schedule to one of its runs. Whether it still applies is known only when it is written, because a
/// worker may have claimed the run in between.
struct RunOrder {
  enum class Kind {
    cancel,       // end it, or ask its worker to stop
    terminate,    // the same, at once and by force
    withdraw,     // if it is not claimed, its decision becomes a skip
    hold_back,    // if it is not claimed, its decision waits again
    end_retries,  // the current attempt is the last
  };
  Seq seq{};
  Kind kind = Kind::cancel;
  SkipReason reason = SkipReason::paused;  // of a withdrawal
  friend bool operator==(const RunOrder&, const RunOrder&) = default;
};

/// The run after an order; none if the order does not apply to it any more.
[[nodiscard]] std::optional<Run> obey(const RunOrder& order, Run run, Instant now);

}  // namespace carillon
