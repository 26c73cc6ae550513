#pragma once

#include "definitions/policies.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// Where a run waits: in a queue, beside all that ask for the same of their worker. A store keeps lanes by their names
/// and needs to know nothing else of them; the queue `reports` is every lane whose name is `reports` or begins with
/// `reports|`.
struct QueueLane {
  std::string queue;                                   // as the store calls it
  std::string type{};                                  // of a job; empty: the queue says what is performed
  std::vector<std::string> tags{};                     // that its worker must have, sorted
  std::optional<Policies::Concurrency> concurrency{};  // its key belongs to the queue
};

/// `queue|type|tag,tag|limit:key`, or the queue alone if nothing is asked for.
[[nodiscard]] std::string lane_name(const QueueLane& lane);
[[nodiscard]] QueueLane read_lane(std::string_view name);
/// The queue that a lane belongs to.
[[nodiscard]] std::string_view queue_of_lane(std::string_view name);

/// What a worker can do.
struct WorkerSkills {
  std::vector<std::string> types{};  // of jobs that it has a handler for; empty: any
  std::vector<std::string> tags{};
  friend auto operator<=>(const WorkerSkills&, const WorkerSkills&) = default;
};

/// Which lanes a worker takes runs from: those of its queues whose type it can perform and whose tags it has. A lane
/// without a type is for any worker of its queue.
class LaneFilter {
 public:
  LaneFilter(std::span<const std::string> queues, const WorkerSkills& skills);

  [[nodiscard]] bool admits(const QueueLane& lane) const;
  [[nodiscard]] bool admits(std::string_view lane) const { return admits(read_lane(lane)); }
  /// Its queues, sorted, each once.
  [[nodiscard]] const std::vector<std::string>& queues() const { return queues_; }

 private:
  std::vector<std::string> queues_;
  std::vector<std::string> types_;
  std::vector<std::string> tags_;
};

/// How many runs may still be claimed where queues and keys have limits. Filled with the limits and with what runs,
/// then asked and told claim by claim. A run takes a place from its claim to its end; while it waits for its next
/// attempt it takes none.
class ConcurrencyRoom {
 public:
  void limit_queue(std::string queue, std::int64_t limit) { queue_limits_[std::move(queue)] = limit; }
  void count_running(std::string_view lane, std::int64_t count);
  /// The limits of another one beside its own.
  void add_limits_of(const ConcurrencyRoom& other) {
    for (const auto& [queue, limit] : other.queue_limits_) queue_limits_.insert_or_assign(queue, limit);
  }

  /// Whether a lane has a limit of any kind: if none has, what runs need not be counted.
  [[nodiscard]] bool is_limited(const QueueLane& lane) const {
    return lane.concurrency || queue_limits_.contains(lane.queue);
  }
  [[nodiscard]] bool has_room(const QueueLane& lane) const;
  /// Takes a place; false if there is none.
  [[nodiscard]] bool take(std::string_view lane);

 private:
  using KeyInQueue = std::pair<std::string, std::string>;
  std::map<std::string, std::int64_t> queue_limits_;
  std::map<std::string, std::int64_t> running_in_queue_;
  std::map<KeyInQueue, std::int64_t> running_with_key_;
};

}  // namespace carillon
