#pragma once

#include "base/error.hpp"
#include "definitions/schedule_document.hpp"
#include "engine/step.hpp"
#include "scheduling/edition_context.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// How a command is to be granted.
struct CommandOptions {
  std::optional<std::int64_t> request{};       // names the command, so that a repeated call has one effect
  std::optional<KnownRevision> if_revision{};  // of the schedule; else conflict
  const CommandMetadata* attached = nullptr;   // written with it
};

/// What users want done, from any thread; those who come at the same time are written together. What is granted is
/// durable when the call returns.
class ScheduleCommands {
 public:
  /// `on_executed` is called after each that was granted, so that the loop looks at it at once.
  /// Nothing is granted by a time that `check_clock` refuses.
  ScheduleCommands(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions,
                   std::function<void()> on_executed, ClockCheck check_clock = {},
                   std::function<std::int64_t()> server_number = unique_number);

  [[nodiscard]] Result<CommandResult> create(const ScheduleDocument& document, const std::string& by,
                                             const CommandOptions& terms = {});
  [[nodiscard]] Result<CommandResult> edit(const ScheduleDocument& document, const std::string& by,
                                           const CommandOptions& terms = {});
  [[nodiscard]] Result<CommandResult> change(const ScheduleKey& key, const Event& event,
                                             const CommandOptions& terms = {});

  /// What each of them would do, without writing anything; refused as they would be.
  [[nodiscard]] Result<DryRunOutcome> try_create(const ScheduleDocument& document, const std::string& by);
  [[nodiscard]] Result<DryRunOutcome> try_edit(const ScheduleDocument& document, const std::string& by,
                                               std::optional<KnownRevision> if_revision = {});
  [[nodiscard]] Result<DryRunOutcome> try_change(const ScheduleKey& key, const Event& event,
                                                 std::optional<KnownRevision> if_revision = {});

  /// Brings the store to the zone rules of this machine, if they are newer. ScheduleCommands about zoned schedules need
  /// that.
  [[nodiscard]] Result<std::size_t> adopt_zone_rules();

  /// Creates it, or makes an existing one equal to it.
  enum class Applied { created, updated, unchanged };
  [[nodiscard]] Result<Applied> apply(const ScheduleDocument& document, const std::string& by,
                                      const CommandMetadata* attached = nullptr);

 private:
  /// A context is for one thread at a time: it is taken for a call and put back.
  template <typename Work>
  [[nodiscard]] auto with_context(Work work);
  template <typename Work>
  [[nodiscard]] Result<CommandResult> execute(Work work);

  ScheduleStore& store_;
  RunQueue& queue_;
  SharedDefinitions& definitions_;
  std::function<void()> on_executed_;
  ClockCheck check_clock_;
  std::function<std::int64_t()> server_number_;  // of each context
  std::mutex mutex_;
  // Guarded.
  std::vector<std::unique_ptr<EditionContext>> idle_;
  std::shared_ptr<const ZoneNames> names_;  // by whose rules the idle ones work
};

}  // namespace carillon
