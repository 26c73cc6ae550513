#pragma once

#include "definitions/policies.hpp"
#include "ports/run_queue.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"
#include "simulation/actor.hpp"
#include "simulation/plan.hpp"
#include "simulation/surroundings.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace carillon::simulation {

/// The part of a process that claims runs and performs them. Its children are ended by a keeper when the lease ends,
/// even while the process itself stands still, and die with it.
class Worker {
 public:
  Worker(Surroundings& surroundings, Actor& actor, const PlannedActor& planned);

  /// A life begins. What it works with lives as long.
  void begin(RunQueue& queue, RunFinisher& finisher, DefinitionCache& definitions);
  /// The process is gone, and its children with it.
  void end();
  /// There is a new run finisher, e.g. for new zone rules.
  void move_to(RunFinisher& finisher, DefinitionCache& definitions);

  /// Renews, claims, reports. Tells when it wants to be called again, if nothing happens before.
  [[nodiscard]] std::optional<Instant> tick();
  /// To claim inside a commit; none if there is no room or no session.
  [[nodiscard]] std::optional<ClaimRequest> claim_request() const;
  /// Performs runs that were claimed for it.
  void take(std::span<const ClaimedRun> runs);
  /// Some answer was lost: maybe there are runs it does not know of.
  void doubt() { claims_uncertain_ = true; }
  /// No limit any more: the world is healed.
  void widen() { capacity_ = 100'000; }

 private:
  using ChildKey = std::pair<Seq, std::int64_t>;
  struct Child {
    ClaimedRun claimed;
    enum class State { claimed, launched, ended } state = State::claimed;
    std::optional<std::size_t> launch{};  // in the witness log
    std::optional<Instant> launched_at{};
    bool is_launch_told = false;
    Stop stop = Stop::none;
    std::int64_t end_number = 0;  // tells a planned end from one that replaced it
    AttemptOutcome outcome = AttemptOutcome::succeeded;
  };

  [[nodiscard]] bool open_session();
  [[nodiscard]] bool beat();
  [[nodiscard]] std::optional<Instant> claim();
  void look_for_lost_claims();
  void extend_lease(Instant sent, Duration length);
  void lose_session();
  void launch(const ChildKey& key);
  void plan_end(const ChildKey& key, Child& child);
  void end_child_at(const ChildKey& key, Child& child, Instant time, AttemptOutcome outcome);
  void child_ended(const ChildKey& key, std::int64_t end_number);
  void obey(const StopRequest& request);
  void report(const ChildKey& key);
  void report_again(const Finish& finish, const ChildKey& key);
  void kill(Child& child);
  [[nodiscard]] std::uint64_t luck_of(const ChildKey& key, std::string_view what) const;
  /// Calls `action` in this life of the process, when it is free.
  template <typename Action>
  void later(Duration delay, Action action);

  Surroundings& around_;
  Actor& actor_;
  const PlannedActor& planned_;
  std::size_t capacity_;
  RunQueue* queue_ = nullptr;
  RunFinisher* finisher_ = nullptr;
  DefinitionCache* definitions_ = nullptr;
  std::string name_;
  std::optional<SessionId> session_;
  Instant lease_end_;  // by the boot clock of this machine
  Instant next_heartbeat_;
  bool claims_uncertain_ = false;
  std::map<ChildKey, Child> children_;
  std::set<ChildKey> seen_;
};

}  // namespace carillon::simulation
