#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
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

  /// How long after its nominal time an occurrence is due: in [0, spec.jitter), never reaching the occurrence after it.
  /// `seed` is `<namespace>-<schedule id>`; equal seeds and times give equal jitter everywhere.
  [[nodiscard]] Duration jitter(Instant nominal, std::string_view seed) const;

  /// What clock changes did to this occurrence, if anything.
  [[nodiscard]] std::optional<ClockChange> clock_change(Instant nominal) const;

  [[nodiscard]] const Zone& zone() const;

 private:
  struct Compiled;
  explicit Timetable(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace carillon
