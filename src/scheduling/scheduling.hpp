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

/// What one look at the due schedules did.
struct Round {
  Instant store_now;
  std::size_t written = 0;  // transitions
  std::size_t refused = 0;  // somebody else was faster; they are read again
  std::size_t quarantined = 0;
  std::size_t ordered = 0;  // of the written ones: those that ask runs to stop
  std::vector<ClaimedRun> claimed;
  std::optional<Instant> next_wake;
  bool has_more = false;  // as many as asked for were due: look again at once
};

struct RoundLimits {
  std::size_t count_max = 500;
  ServerShare share{};
  std::optional<WakePlace> after{};  // what stands before it is being written
};

/// What is due, decided but not written: nothing has happened yet.
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
};

/// Whether decisions may be made by what the store's clock shows; an error `unavailable` says why not.
using ClockCheck = std::function<Result<>(Instant store_now)>;

/// Which definition a caller has seen. An id that was deleted and created again has another uid.
struct KnownRevision {
  // Implicit: most callers know the number alone.
  KnownRevision(std::int64_t number) : revision{number} {}  // NOLINT(google-explicit-constructor)
  explicit KnownRevision(const ScheduleState& state) : uid{state.uid}, revision{state.revision} {}

  std::optional<Uid> uid{};
  std::int64_t revision = 0;
};

/// What a command would lead to if it were granted now.
struct DryRunOutcome {
  ScheduleView view;         // what is there, with the state it would have
  Transition transition;     // what would be written
  DefinitionPtr definition;  // in force then
};

/// Load, step, commit: the only caller of both ends. What another server has decided meanwhile is decided again, what
/// cannot be written is set aside alone, and a commit whose answer was lost is looked up, never repeated blindly.
/// Holds nothing that matters: a new one over the same store goes on where this one was. One thread, but for the two
/// steps of `decide_due`.
class Scheduling {
 public:
  /// `server` names this server's life; no other may have the same. Nothing is decided by a time that `check_clock`
  /// refuses; without it every time is believed.
  Scheduling(ScheduleStore& store, DefinitionCache& definitions, std::int64_t server, ClockCheck check_clock = {});

  /// Decides what is due, one batch. `claim`: hand started runs straight to this session.
  [[nodiscard]] Result<Round> decide_due(const RoundLimits& limits, const std::optional<ClaimRequest>& claim = {});

  /// The same in two steps. One thread may prepare what comes next while another writes what was prepared before.
  [[nodiscard]] Result<PreparedBatch> prepare_due(const RoundLimits& limits);
  [[nodiscard]] Result<Round> write_due(PreparedBatch prepared, const std::optional<ClaimRequest>& claim);

  /// Registers a schedule. `request` is any number that no other command has: it tells whether this one has been
  /// granted already. Conflict if the id exists. `attached` is written with it, here and below.
  [[nodiscard]] Result<CommandResult> create(const PreparedDefinition& definition, const std::string& by,
                                             std::int64_t request, const CommandMetadata* attached = nullptr);

  /// Replaces the definition. With `if_revision`, only that one: else conflict.
  [[nodiscard]] Result<CommandResult> edit(const PreparedDefinition& definition, const std::string& by,
                                           std::int64_t request, std::optional<KnownRevision> if_revision = {},
                                           const CommandMetadata* attached = nullptr);

  /// Any other command of a user: pause, resume, trigger, backfill, …
  [[nodiscard]] Result<CommandResult> change(const ScheduleKey& key, const Event& event, std::int64_t request,
                                             std::optional<KnownRevision> if_revision = {},
                                             const CommandMetadata* attached = nullptr);

  /// Tells the store that this server decides (ScheduleStore::note_deciding).
  [[nodiscard]] Result<std::optional<Outage>> note_deciding(const Presence& presence);

  /// The same without writing anything: refused as the command itself would be.
  [[nodiscard]] Result<DryRunOutcome> try_create(const PreparedDefinition& definition, const std::string& by);
  [[nodiscard]] Result<DryRunOutcome> try_edit(const PreparedDefinition& definition, const std::string& by,
                                               std::optional<KnownRevision> if_revision = {});
  [[nodiscard]] Result<DryRunOutcome> try_change(const ScheduleKey& key, const Event& event,
                                                 std::optional<KnownRevision> if_revision = {});

  /// The store's clock went back: opens again what was skipped in the future, and looks anew at what was to be woken in
  /// a time that has not come yet. `seen` is the latest time the clock has shown here; what was written later counts as
  /// seen too. Goes over all schedules if the clock was ahead at all; tells how many it touched.
  [[nodiscard]] Result<std::size_t> reopen_future(Instant seen);

  /// Makes this server's zone rules the ones in force if they are newer, and brings every schedule to them. Tells how
  /// many it brought; none if the rules in force are newer than ours.
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
                                                   const std::string& by, DefinitionPtr& compiled);
  /// The schedule as it would be brought to the rules in force.
  [[nodiscard]] Result<ScheduleView> view_by_rules(const ScheduleLookup& found);

  /// Grants a command: `prepare` makes the transition from what was found, as often as somebody else was faster.
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
