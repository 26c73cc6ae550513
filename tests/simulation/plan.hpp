#pragma once

#include "base/instant.hpp"
#include "definitions/schedule_document.hpp"
#include "definitions/words.hpp"
#include "simulation/texts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::simulation {

// Everything that will be done to one world, drawn from a seed before it begins. Plain data: an element may be taken
// out and the rest stays what it was. Times count from the beginning of the world.

/// How the runs of a schedule behave.
struct RunHabit {
  Duration length_max{0};
  double failure_rate = 0;
  double stubborn_rate = 0;  // of those asked to stop, the share that does not listen
};

struct PlannedSchedule {
  std::string id;
  RunHabit habit;
};

/// A server with its own workers, or a worker alone.
struct PlannedActor {
  int number = 0;
  bool is_server = true;
  Duration lease{};
  std::size_t capacity = 4;
  bool claims_in_commit = false;
  std::vector<std::string> queues{};
};

enum class CallKind {
  create,
  edit,
  pause,
  resume,
  enable,
  disable,
  trigger,
  backfill,
  backfill_pause,
  backfill_resume,
  backfill_cancel,
  cancel_run,
  reset,
  remove
};

/// What a client asks for.
struct PlannedCall {
  int number = 0;
  Duration at{};
  CallKind kind = CallKind::trigger;
  std::string schedule;
  std::optional<ScheduleDocument> document{};  // of create and edit
  std::optional<Duration> length{};            // of a pause that ends by itself
  OverlapPolicy overlap = OverlapPolicy::allow_all;
  Duration reach{};  // of a backfill: how far back it begins
  Duration span{};   // of a backfill: how much it covers
  BackfillOrder order = BackfillOrder::oldest_first;
  Reprocess reprocess = Reprocess::missing;
  std::int64_t concurrency = 1;
  bool is_exclusive = false;
  std::optional<OverlapPolicy> backfill_overlap{};  // through the schedule's slot
};

enum class FaultKind {
  crash,  // of an actor, at one of its next calls; comes back when the fault is over
  pause,  // an actor stops in the middle of a call while the others go on
  slow_calls,
  partition,      // an actor does not reach the store
  failing_calls,  // some calls are not executed
  lost_answers,   // some calls are executed, but their answer is lost
  store_full,     // nobody can write
  poison,         // what is decided about one schedule cannot be written
  clock_step,     // the store's clock is set
  suspend,        // everything stands still, time goes on
  zone_change,    // a new edition of the zone rules reaches the servers one by one
  slow_completions,
  repeated_completions,
  // Of a store on a disk.
  disk_full,
  disk_errors,  // some writes of the disk fail
  power_loss,   // what was not synchronised is gone, and nobody reaches the store for a while
  // Of a database that is shared over a network.
  late_writes,     // some writes whose answer is lost take effect a while after they were given up
  locked_rows,     // some claims find what they would take held by others, and go without
  ended_backends,  // all connections are cut, some of them after their work was done
};
inline constexpr std::size_t fault_kind_count = 19;
inline constexpr std::size_t call_fault_kind_count = 13;  // those before the disk, which any store can have
inline constexpr std::size_t disk_fault_kind_count = 3;

/// What a world keeps everything in. A shared one is in memory too, and fails as a PostgreSQL does that servers reach
/// over a network.
enum class StoreKind { memory, sqlite, shared };

/// Whether a store can have faults of that kind.
[[nodiscard]] constexpr bool can_have(StoreKind store, FaultKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  if (number < call_fault_kind_count) return true;
  const bool is_of_disk = number < call_fault_kind_count + disk_fault_kind_count;
  return store == (is_of_disk ? StoreKind::sqlite : StoreKind::shared);
}

struct Fault {
  int number = 0;
  FaultKind kind = FaultKind::crash;
  Duration at{};
  Duration length{};
  int actor = 0;           // where it is about one
  std::string schedule{};  // where it is about one
  double rate = 0;         // share of the calls that it hits
  Duration size{};         // of a pause or a step of the clock
};

struct Plan {
  std::uint64_t seed = 0;
  Instant begin;
  Duration troubled{};  // how long faults may happen
  Duration healed{};    // how long nothing does, afterwards
  std::vector<PlannedSchedule> schedules{};
  std::vector<PlannedActor> actors{};
  std::vector<PlannedCall> calls{};
  std::vector<Fault> faults{};
};

/// Equal seeds give equal plans. A world on a disk is shorter, since everything takes longer there.
[[nodiscard]] Plan draw_plan(std::uint64_t seed, StoreKind store = StoreKind::memory);

/// The plan as people read it.
[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] std::string_view to_text(CallKind kind);
[[nodiscard]] std::string_view to_text(FaultKind kind);

}  // namespace carillon::simulation
