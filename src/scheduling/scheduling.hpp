#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/step.hpp"
#include "ports/schedule_store.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/prepared_definition.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// What one round of deciding did.
struct Round {
  Instant store_now;
  std::size_t written = 0;  // transitions
  std::size_t refused = 0;  // another server was faster; they are read again
  std::size_t quarantined = 0;
  std::size_t ordered = 0;  // of the written ones: those that tell runs to stop
  std::vector<ClaimedRun> claimed;
  std::optional<Instant> next_wake;
  bool has_more = false;  // as many as asked for were due: decide again at once
};

struct RoundLimits {
  std::size_t count_max = 500;
  ServerShare share{};
  std::optional<WakePlace> after{};  // what stands up to it is being written
};

/// Due schedules, decided but not written: so far nothing has changed.
struct PreparedBatch {
  Round round;
  std::vector<Transition> transitions;
  std::optional<WakePlace> last;  // of those that were read
};

/// What a user's command led to.
struct CommandResult {
  ScheduleState state;
  std::optional<Verdict> verdict{};  // of a trigger, unless the answer of its commit was lost
  std::vector<Seq> decisions{};      // rows it added; of a commit whose answer was lost the last one
  bool has_orders = true;            // runs may have been asked to stop; false: none was
};

/// Whether decisions may be made at the time that the store's clock shows. An error `unavailable` says why not.
using ClockCheck = std::function<Result<>(Instant store_now)>;

/// The revision that a caller has seen. With the uid it also tells a schedule from an earlier one of the same id.
struct KnownRevision {
  // Implicit: most callers know the number alone.
  KnownRevision(std::int64_t number) : revision{number} {}  // NOLINT(google-explicit-constructor)
  explicit KnownRevision(const ScheduleState& state) : uid{state.uid}, revision{state.revision} {}

  std::optional<Uid> uid{};
  std::int64_t revision = 0;
};

/// Whether a new schedule goes on where one of the same id was that has just been deleted.
enum class Continuing { allowed, never };

/// What a command would lead to if it were executed now.
struct DryRunOutcome {
  ScheduleView view;         // the schedule, with the state it would have
  Transition transition;     // what would be written
  DefinitionPtr definition;  // in force then
};

/// Load, step, commit: the only caller of `step` and of ScheduleStore::commit. A transition that is refused because
/// another server was faster is decided again. One that cannot be written is quarantined alone. A commit whose answer
/// was lost is looked up, never repeated blindly. Keeps no state that matters: a new object over the same store
/// continues where this one was.
///
/// For one thread, except that `prepare_due` and `write_due` may run at the same time on two.
class Scheduling {
 public:
  /// `server` is a number that no other Scheduling has. Nothing is decided at a time that `check_clock` refuses;
  /// without it every time is accepted.
  Scheduling(ScheduleStore& store, DefinitionCache& definitions, std::int64_t server, ClockCheck check_clock = {});

  /// Decides what is due, one batch. With `claim`, started runs are handed to that session in the same transaction.
  [[nodiscard]] Result<Round> decide_due(const RoundLimits& limits, const std::optional<ClaimRequest>& claim = {});

  /// The same in two steps: one thread may prepare the next batch while another writes the one before.
  [[nodiscard]] Result<PreparedBatch> prepare_due(const RoundLimits& limits);
  [[nodiscard]] Result<Round> write_due(PreparedBatch prepared, const std::optional<ClaimRequest>& claim);

  /// Registers a schedule. `request` is any number that no other command has: it tells whether this one has been
  /// granted already. Conflict if the id exists. `attached` is written with it, here and below.
  [[nodiscard]] Result<CommandResult> create(const PreparedDefinition& definition, const std::string& by,
                                             std::int64_t request, const CommandMetadata* attached = nullptr,
                                             Continuing continuing = Continuing::allowed);

  /// Replaces the definition. With `if_revision`, only that one: else conflict.
  [[nodiscard]] Result<CommandResult> edit(const PreparedDefinition& definition, const std::string& by,
                                           std::int64_t request, std::optional<KnownRevision> if_revision = {},
                                           const CommandMetadata* attached = nullptr);

  /// Any other command of a user: pause, resume, trigger, backfill, …
  [[nodiscard]] Result<CommandResult> change(const ScheduleKey& key, const Event& event, std::int64_t request,
                                             std::optional<KnownRevision> if_revision = {},
                                             const CommandMetadata* attached = nullptr);

  /// Records that this server decides (ScheduleStore::note_deciding).
  [[nodiscard]] Result<std::optional<Outage>> note_deciding(const Presence& presence);

  /// The same without writing anything: refused as the command itself would be.
  [[nodiscard]] Result<DryRunOutcome> try_create(const PreparedDefinition& definition, const std::string& by);
  [[nodiscard]] Result<DryRunOutcome> try_edit(const PreparedDefinition& definition, const std::string& by,
                                               std::optional<KnownRevision> if_revision = {});
  [[nodiscard]] Result<DryRunOutcome> try_change(const ScheduleKey& key, const Event& event,
                                                 std::optional<KnownRevision> if_revision = {});

  /// To be called when the store's clock went back: takes back skips that now lie in the future, and wakes schedules
  /// whose wake time was set by the wrong clock. `seen` is the latest time that this server has seen; later times at
  /// which something was written count too. Reads all schedules if the clock was ahead at all; returns how many were
  /// changed.
  [[nodiscard]] Result<std::size_t> reopen_future(Instant seen);

  /// Puts this server's zone rules in force if they are newer, and brings every schedule to them. Returns how many
  /// schedules were changed; none if the rules in force are newer.
  [[nodiscard]] Result<std::size_t> adopt_zone_rules();

 private:
  [[nodiscard]] Batch next_batch(std::span<const Transition> transitions);
  [[nodiscard]] Result<Transition> decide(ScheduleView& view, const Event& event, Instant now);
  [[nodiscard]] Result<> believe(Instant store_now) const {
    return check_clock_ ? check_clock_(store_now) : Result<>{};
  }
  [[nodiscard]] Result<ScheduleLookup> find(const ScheduleKey& key);
  [[nodiscard]] Result<> look_up_past(const Definition& definition, ScheduleView& view);
  [[nodiscard]] Result<> look_up_already_started(const Definition& definition, ScheduleView& view, Instant now);
  [[nodiscard]] Result<> commit_all(std::span<const Transition> transitions, std::optional<ClaimRequest> claim,
                                    Round& round);
  [[nodiscard]] Result<> set_aside(const ScheduleState& state, const Error& error, Round& round);
  [[nodiscard]] Result<bool> bring_to_rules(ScheduleView& view, Instant now, ZoneEdition in_force);

  /// A registration, decided but not written; `compiled` is the definition it would have.
  [[nodiscard]] Result<Transition> decide_creation(const ScheduleLookup& found, const PreparedDefinition& definition,
                                                   const std::string& by, Continuing continuing,
                                                   DefinitionPtr& compiled);
  /// The schedule as it would be brought to the rules in force.
  [[nodiscard]] Result<ScheduleView> view_by_rules(const ScheduleLookup& found);

  /// Executes a command: `prepare` makes the transition from the schedule that was found, again each time another
  /// writer was faster.
  template <typename Prepare>
  [[nodiscard]] Result<CommandResult> grant(const ScheduleKey& key, std::int64_t request,
                                            const CommandMetadata* attached, Prepare prepare);
  template <typename Choose>
  [[nodiscard]] Result<bool> touch_page(ScheduleScanPage& page, const Event& event, Choose choose, Round& round);
  template <typename Choose>
  [[nodiscard]] Result<Round> touch_all(const Event& event, Choose choose);

  ScheduleStore& store_;
  DefinitionCache& definitions_;
  Writer writer_;
  ClockCheck check_clock_;
};

}  // namespace carillon
