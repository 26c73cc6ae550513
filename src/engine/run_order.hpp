#pragma once

#include "definitions/words.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"

#include <optional>

namespace carillon {

/// What a schedule wants of one of its runs. Whether it can be had is known only when it is written, because a worker
/// may have claimed the run meanwhile.
struct RunOrder {
  enum class Kind {
    cancel,       // end it, or ask its worker to stop
    terminate,    // the same, at once and by force
    withdraw,     // if nobody has claimed it, it never happened: the decision becomes a skip
    hold_back,    // if nobody has claimed it, its decision waits again
    end_retries,  // the attempt it is in is the last
  };
  Seq seq{};
  Kind kind = Kind::cancel;
  SkipReason reason = SkipReason::paused;  // of a withdrawal
  friend bool operator==(const RunOrder&, const RunOrder&) = default;
};

/// The run after an order, or none if it is past the point where the order means anything.
[[nodiscard]] std::optional<Run> obey(const RunOrder& order, Run run, Instant now);

}  // namespace carillon
