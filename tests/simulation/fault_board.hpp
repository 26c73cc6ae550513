#pragma once

#include "simulation/actor.hpp"
#include "simulation/plan.hpp"
#include "simulation/sometimes.hpp"
#include "simulation/world.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::simulation {

/// A call of the store as the faults see it.
struct CallInfo {
  enum class Kind { read, write, commit };
  Kind kind = Kind::read;
  bool is_poisoned = false;  // it writes about a schedule that cannot be written
  bool has_others = false;   // and about others too
  bool is_command = false;   // a user waits for its answer
};

/// What happens to one call.
struct Fate {
  enum class End { normal, crash_before, crash_after, not_executed, answer_lost, late, refused };
  Duration pause_before{0};
  Duration pause_after{0};
  Duration late_by{0};           // after it was given up, if it is late
  bool is_without_rows = false;  // a claim finds all rows held by others
  End end = End::normal;
};

/// The faults that are going on.
class FaultBoard {
 public:
  FaultBoard(World& world, std::uint64_t seed, Tally& tally) : world_{world}, seed_{seed}, tally_{tally} {}

  void begin(const Fault& fault);
  void end(int number);
  /// All faults are over, for good.
  void heal();

  [[nodiscard]] Fate fate_of(const Actor& actor, std::int64_t call, const CallInfo& info);
  [[nodiscard]] bool is_poisoned(const std::string& schedule) const;
  /// The fault of this kind that an actor suffers from, by its rate and the luck of `key`.
  [[nodiscard]] bool strikes(FaultKind kind, int actor, std::uint64_t key) const;
  /// Somebody stands still in a call, which may last longer than the fault that made him.
  void begin_standing() { ++standing_count_; }
  void end_standing();
  /// Since when nothing is wrong; none while something is.
  [[nodiscard]] std::optional<Instant> calm_since() const;

 private:
  void apply(const Fault& fault, const Actor& actor, std::int64_t call, const CallInfo& info, Fate& fate);

  World& world_;
  std::uint64_t seed_;
  Tally& tally_;
  std::vector<Fault> active_;
  int standing_count_ = 0;
  Instant last_change_;
};

}  // namespace carillon::simulation
