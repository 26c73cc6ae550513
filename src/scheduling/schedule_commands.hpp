#pragma once

#include "base/error.hpp"
#include "engine/step.hpp"
#include "scheduling/edition_context.hpp"
#include "scheduling/prepared_definition.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Options of a command.
struct CommandOptions {
  std::optional<std::int64_t> request{};        // number of the command: calls with the same number have one effect
  std::optional<KnownRevision> if_revision{};   // the schedule must have this one; else an error conflict
  const CommandMetadata* attached = nullptr;    // written with it
  Continuing continuing = Continuing::allowed;  // of a creation
};

/// Users' commands. May be called from any thread; commands that wait at the same time are written in one transaction.
/// What a command has changed is durable when the call returns. An error `unavailable` leaves open whether the change
/// was made; a call with the same request number tells.
class ScheduleCommands {
 public:
  /// `on_orders` is called after each command that has, or may have, asked runs to stop, so that their worker hears of
  /// it at once. No command is executed at a time that `check_clock` refuses.
  ScheduleCommands(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions,
                   std::function<void()> on_orders, ClockCheck check_clock = {},
                   std::function<std::int64_t()> server_number = unique_number);

  [[nodiscard]] Result<CommandResult> create(const PreparedDefinition& definition, const std::string& by,
                                             const CommandOptions& terms = {});
  [[nodiscard]] Result<CommandResult> edit(const PreparedDefinition& definition, const std::string& by,
                                           const CommandOptions& terms = {});
  [[nodiscard]] Result<CommandResult> change(const ScheduleKey& key, const Event& event,
                                             const CommandOptions& terms = {});

  /// What each of them would do, without writing anything; refused as they would be.
  [[nodiscard]] Result<DryRunOutcome> try_create(const PreparedDefinition& definition, const std::string& by);
  [[nodiscard]] Result<DryRunOutcome> try_edit(const PreparedDefinition& definition, const std::string& by,
                                               std::optional<KnownRevision> if_revision = {});
  [[nodiscard]] Result<DryRunOutcome> try_change(const ScheduleKey& key, const Event& event,
                                                 std::optional<KnownRevision> if_revision = {});

  /// Puts the zone rules of this machine in force if they are newer. Must have been called before the first command
  /// about a schedule that depends on a zone.
  [[nodiscard]] Result<std::size_t> adopt_zone_rules();

  /// Creates the schedule, or replaces the definition of an existing one if it differs.
  enum class Applied { created, updated, unchanged };
  [[nodiscard]] Result<Applied> apply(const PreparedDefinition& definition, const std::string& by,
                                      const CommandMetadata* attached = nullptr);

 private:
  /// A context is for one thread at a time: a call takes one and puts it back.
  template <typename Work>
  [[nodiscard]] auto with_context(Work work);
  template <typename Work>
  [[nodiscard]] Result<CommandResult> execute(Work work);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  std::function<void()> on_orders_;
  ClockCheck check_clock_;
  std::function<std::int64_t()> server_number_;  // of each context
  std::mutex mutex_;
  // Guarded.
  std::vector<std::unique_ptr<EditionContext>> idle_;
  std::shared_ptr<const ZoneNames> names_;  // by whose rules the idle ones work
};

}  // namespace carillon
