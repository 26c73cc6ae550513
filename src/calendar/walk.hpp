#pragma once

#include "base/instant.hpp"
#include "calendar/budget.hpp"
#include "calendar/sources.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace carillon {

/// The occurrences of sources behind an instant, one after the other. What was found out about a source is kept, so
/// that no source is searched twice over the same time: many sources with rare occurrences cost as much as one pass.
class Walk {
 public:
  /// Sources and budget must outlive it. The search may give up behind `until`.
  Walk(const Sources& sources, Instant after, Instant until, Budget& budget);

  /// None: there is no other one, or the budget is spent.
  [[nodiscard]] std::optional<Instant> next();

 private:
  /// What is known of one source.
  struct Known {
    UtcSecond found = WallSource::none;  // its next instant, if it lies behind the last answer
    UtcSecond clear_until;               // it has none behind the last answer and up to here
  };
  template <typename Source>
  void look(const Source& source, Known& known, UtcSecond last, UtcSecond& best);

  const Sources* sources_;
  Budget* budget_;
  UtcSecond until_;
  Instant last_;
  std::vector<Known> walls_;
  std::vector<Known> intervals_;
  std::size_t next_time_;
};

}  // namespace carillon
