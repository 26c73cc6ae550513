#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "calendar/budget.hpp"
#include "calendar/spec.hpp"
#include "calendar/zone.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// How clock changes touched one occurrence of the wall-clock rules.
struct ClockChange {
  enum class Kind {
    moved,        // its wall time was skipped; it happens at the first instant after the gap
    first_pass,   // its wall time is shown twice; this is the first, the second does not count
    both_passes,  // its wall time is shown twice and both count; this is one of them
  };
  Kind kind;
  WallSecond wall;              // the wall time it stands for, before it was moved
  bool is_second_pass = false;  // with both_passes: which of the two
};

/// A spec made ready for questions about time, in its zone. A value: copies are independent, const calls may run in
/// parallel. Every answer lies between 1900 and 2200, and the work for any answer is bounded whatever the spec.
class Timetable {
 public:
  /// `creation` anchors intervals that ask for it; it is cut to whole seconds. The zone must be the one the spec names.
  [[nodiscard]] static Result<Timetable> make(const Spec& spec, ZonePtr zone, Instant creation);

  Timetable(Timetable&&) noexcept;
  Timetable& operator=(Timetable&&) noexcept;
  Timetable(const Timetable&);
  Timetable& operator=(const Timetable&);
  ~Timetable();

  /// The first occurrence strictly after `after`.
  [[nodiscard]] std::optional<Instant> next(Instant after) const;
  /// The last occurrence strictly before `before`.
  [[nodiscard]] std::optional<Instant> previous(Instant before) const;
  /// How many occurrences lie in [from, to).
  [[nodiscard]] std::uint64_t count(Instant from, Instant to) const;
  /// The occurrences in [from, to), ascending, at most `limit`.
  [[nodiscard]] std::vector<Instant> occurrences(Instant from, Instant to, std::size_t limit) const;

  /// The same for those who must not wait long for an answer: when the budget is spent the search ends, and its answer
  /// means nothing.
  [[nodiscard]] std::optional<Instant> next(Instant after, Budget& budget) const;
  [[nodiscard]] std::optional<Instant> previous(Instant before, Budget& budget) const;
  [[nodiscard]] std::uint64_t count(Instant from, Instant to, Budget& budget) const;
  [[nodiscard]] std::vector<Instant> occurrences(Instant from, Instant to, std::size_t limit, Budget& budget) const;

  /// Whether the questions that every schedule is asked all the time (its next ten occurrences behind `now`, the one
  /// before, how many lie in an hour) take no more than spec_steps_max together; else an error of rule `too-complex`.
  [[nodiscard]] Result<> check_cost(Instant now) const;

  /// How long after its nominal time an occurrence is due: in [0, spec.jitter), never reaching the occurrence after it.
  /// `seed` is `<namespace>-<schedule id>`; equal seeds and times give equal jitter everywhere.
  [[nodiscard]] Duration jitter(Instant nominal, std::string_view seed) const;
  /// spec.jitter: none is longer.
  [[nodiscard]] Duration jitter_max() const;

  /// What clock changes did to this occurrence, if anything.
  [[nodiscard]] std::optional<ClockChange> clock_change(Instant nominal) const;

  [[nodiscard]] const Zone& zone() const;

 private:
  struct Compiled;
  explicit Timetable(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace carillon
