#pragma once

#include "base/error.hpp"
#include "engine/run.hpp"
#include "ports/run_queue.hpp"
#include "scheduling/definition_cache.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carillon {

/// An attempt that has ended, as its worker reports it.
struct Finish {
  QueuedRun run;  // as claimed
  AttemptEnd end{};
};

/// A definition that could not be read when a run of it ended.
struct UnreadableDefinition {
  DefinitionName name;
  std::string error;
};

/// Ends attempts: asks the run machine what becomes of each run, and writes it. A run that changed between reading and
/// writing is decided again. A run whose definition cannot be read ends without another attempt, and its error says
/// why; it does not delay other runs. For one thread.
class RunFinisher {
 public:
  RunFinisher(RunQueue& queue, DefinitionCache& definitions);

  /// `refused`: the attempt was given up before, and nothing was changed.
  [[nodiscard]] Result<std::vector<RunWritten>> finish(std::span<const Finish> finishes);

  /// Ends attempts whose session has ended; returns how many.
  [[nodiscard]] Result<std::size_t> end_lost(std::size_t count_max, std::span<const std::string> spared_queues = {});

  /// Ends runs that are past their start deadline; returns how many.
  [[nodiscard]] Result<std::size_t> end_expired(std::size_t count_max);

  /// Definitions that could not be read. Each is reported once in the life of this object.
  [[nodiscard]] std::vector<UnreadableDefinition> take_unreadable() { return std::exchange(unreadable_, {}); }

 private:
  /// One of `finishes`, and its run as it was last seen.
  struct OpenFinish {
    std::size_t index;
    const QueuedRun* run;
  };
  [[nodiscard]] Result<RunRules> rules_of(const QueuedRun& row);
  [[nodiscard]] Result<RunUpdate> update_for(const QueuedRun& row, const Finish& told, Instant now);
  void note_unreadable(const QueuedRun& row, const Error& error);
  [[nodiscard]] Result<std::vector<std::optional<QueuedRun>>> read_again(std::span<const OpenFinish> refused);

  RunQueue& queue_;
  DefinitionCache& definitions_;
  std::set<DefinitionName> reported_;
  std::vector<UnreadableDefinition> unreadable_;
};

}  // namespace carillon
