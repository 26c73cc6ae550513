#pragma once

#include "ports/executor.hpp"
#include "simulation/actor.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/surroundings.hpp"

#include <functional>
#include <map>
#include <optional>

namespace carillon::simulation {

/// The store as the services of one life of a process see it. Notes what they were told, so that the process knows when
/// a look would find something new, and counts the situations that only show here.
class ObservedStore final : public PassingStore {
 public:
  /// `on_end_written` is called after the end of an attempt was written that this life had claimed.
  ObservedStore(Ports below, Surroundings& surroundings, Actor& actor,
                std::function<void(const QueuedRun&)> on_end_written);

  /// True times; none if nothing is known to come.
  [[nodiscard]] std::optional<Instant> next_wake() const { return next_wake_; }
  [[nodiscard]] std::optional<Instant> next_claimable() const { return next_claimable_; }
  /// When this life has first seen what the store's clock shows and when anybody has decided.
  [[nodiscard]] std::optional<Instant> first_look() const { return first_look_; }
  /// A service begins a turn.
  void begin_turn() {
    reads_in_turn_ = 0;
    has_committed_ = false;
  }
  /// Whether a commit was sent in this turn, with whatever outcome.
  [[nodiscard]] bool has_committed() const { return has_committed_; }

  Result<DueSchedules> read_due(const DueRequest& request) override;
  Result<CommitResult> commit(const Batch& batch) override;
  Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) override;
  Result<ClaimResult> claim(const ClaimRequest& request) override;
  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override;
  Result<std::vector<ClaimedRun>> read_held(SessionId session) override;

 private:
  void note_claimed(const std::vector<ClaimedRun>& runs);

  Surroundings& around_;
  Actor& actor_;
  std::function<void(const QueuedRun&)> on_end_written_;
  std::optional<Instant> next_wake_;
  std::optional<Instant> next_claimable_;
  std::optional<Instant> first_look_;
  std::map<AttemptKey, QueuedRun> claimed_;  // whose end has not been written
  int reads_in_turn_ = 0;
  bool has_committed_ = false;
};

}  // namespace carillon::simulation
