#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "base/mix.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "engine/outage.hpp"
#include "engine/schedule_state.hpp"
#include "engine/transition.hpp"
#include "ports/command_metadata.hpp"
#include "ports/run_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// The part of the schedules that one of several servers decides first: those whose uid falls into part `index` of
/// `count`. If its own part does not fill a batch, a server also takes schedules of other parts that are overdue by
/// `overdue_for_all`, so that no schedule depends on one server. The own part comes first because under load all
/// servers would otherwise read the same rows, and all but one would be refused.
struct ServerShare {
  std::uint32_t index = 0;
  std::uint32_t count = 1;
};
inline constexpr Duration overdue_for_all = std::chrono::milliseconds{250};

/// Whether a schedule is in a server's part.
[[nodiscard]] constexpr bool is_in(ServerShare share, Uid uid) {
  // Neighbouring uids are due together and must not all fall to one server.
  return (spread(static_cast<std::uint64_t>(uid)) >> 32) % share.count == share.index;
}

/// The place of a schedule in the order of wake times. Equal times are ordered by uid.
struct WakePlace {
  Instant wake;
  Uid uid{};
  friend auto operator<=>(const WakePlace&, const WakePlace&) = default;
};

struct DueRequest {
  std::size_t count_max = 500;
  ServerShare share{};
  ZoneEdition rules{};               // the zone rules this server has
  std::optional<WakePlace> after{};  // only schedules behind this place: those up to it are being decided already
};

/// What was read at one moment of the store's clock.
struct DueSchedules {
  Instant store_now;
  ZoneEdition zone_edition{};       // in force
  std::vector<ScheduleView> views;  // own part first, then by wake
  /// When this server should read again: the earliest wake time among the schedules that were not returned; for a
  /// schedule of another server's part, the time at which it is overdue for all. None: no schedule has a wake time.
  std::optional<Instant> next_wake;
  std::vector<Outage> outages{};  // the newest, ascending; at most `outages_told_max`
};

struct ScheduleLookup {
  Instant store_now;
  ZoneEdition zone_edition{};
  std::optional<ScheduleView> view;  // of a tombstone: deleted_at is set
  std::vector<Outage> outages{};     // the newest, ascending
};

struct ScheduleScanPage {
  Instant store_now;
  ZoneEdition zone_edition{};           // in force
  ZoneEdition settled_edition{};        // to which every schedule has been brought
  Instant newest_write;                 // the latest time the clock has shown when something was written
  std::vector<ScheduleView> views;      // ascending by uid, without tombstones
  std::vector<Outage> outages{};        // the newest, ascending
  std::optional<Instant> decided_at{};  // when a server last told that it decides
};

/// What a server reports while it decides (see ScheduleStore::note_deciding).
struct Presence {
  Instant since;                          // it has decided everything that came due from then on
  OutageCause cause = OutageCause::down;  // why no server decided before, if none did
};

/// How many outages are returned with due schedules, and how many are kept at all.
inline constexpr std::size_t outages_told_max = 32;
inline constexpr std::size_t outages_kept_max = 1'000;

/// Names a stored document: the newest one of the schedule that is not newer than the revision.
struct DefinitionName {
  Uid uid{};
  std::int64_t revision = 0;
  friend auto operator<=>(const DefinitionName&, const DefinitionName&) = default;
};

struct StoredDefinition {
  ScheduleKey key;
  std::string document;  // canonical JSON
  Instant created_at;
};

/// Transitions to be written in one transaction. Each is compared with its own schedule: one that is refused does not
/// affect the others.
struct Batch {
  Writer writer;
  std::span<const Transition> transitions;
  /// If set, runs are claimed for this session after writing, as RunQueue::claim does, in the same transaction.
  std::optional<ClaimRequest> claim{};
  /// If set, the batch has exactly one transition, and this is written together with it.
  const CommandMetadata* attached = nullptr;
};

struct WriteOutcome {
  enum class Outcome {
    written,
    refused,  // the schedule has another version by now, the id is taken, or the clock was set back: decide again
  };
  Outcome outcome = Outcome::refused;
  Uid uid{};                   // of a creation: the new one
  std::vector<Seq> decisions;  // rows of its decisions, in order
};

/// What a user's request wrote. Later changes by others do not show here.
struct WrittenRequest {
  Uid uid{};
  std::int64_t revision = 0;  // that it left; 0 if the store has not kept it
  Seq decision{};             // the last row it decided; zero = none
  friend bool operator==(const WrittenRequest&, const WrittenRequest&) = default;
};

struct CommitResult {
  Instant store_now;
  std::vector<WriteOutcome> items;  // one for each transition
  std::vector<ClaimedRun> claimed;
};

/// Keeps schedules and their ledger. Calls take and return values: nothing is held between two calls, any number of
/// servers may share a store, and all times come from the store's clock, never from a caller. May be called from
/// several threads.
///
/// After an error `unavailable` a write may or may not have happened: the writer in the state row tells, or
/// `find_written`. An error `corrupt` means that what is stored is not what was written.
class ScheduleStore {
 public:
  virtual ~ScheduleStore() = default;

  /// Schedules whose wake time has come. A schedule that depends on zone rules (state.zone_edition is not none) is
  /// returned only if `request.rules` are the rules in force: two servers must not decide by different calendars.
  [[nodiscard]] virtual Result<DueSchedules> read_due(const DueRequest& request) = 0;

  /// Writes each transition whose schedule still has the version it was decided from, and says for each whether it was
  /// written. One transaction: after an error either nothing is written, or all of it.
  [[nodiscard]] virtual Result<CommitResult> commit(const Batch& batch) = 0;

  /// The schedule of that name or, if it was deleted, its newest tombstone. Ids that differ only in case are the same
  /// id.
  [[nodiscard]] virtual Result<ScheduleLookup> find(const ScheduleKey& key) = 0;

  /// Schedules after a uid, ascending: for a change of zone rules or clocks, which concerns every schedule. The last
  /// uid of a page leads to the next one; an empty page is the end.
  [[nodiscard]] virtual Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) = 0;

  /// In the order of the names; none where there is no such definition.
  [[nodiscard]] virtual Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) = 0;

  /// The newest started run of each occurrence in [from, to), ascending.
  [[nodiscard]] virtual Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) = 0;

  /// What the transition with this request number wrote; none if it was not written. Remembered for a day.
  [[nodiscard]] virtual Result<std::optional<WrittenRequest>> find_written(std::int64_t request) = 0;

  /// Puts a schedule in quarantine that cannot be decided: it is not due before `retry_at`, and users are shown the
  /// error. Returns false and changes nothing if the schedule has another version by now. The next transition that is
  /// written ends the quarantine.
  [[nodiscard]] virtual Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error,
                                                Instant retry_at) = 0;
  /// Why a schedule is in quarantine; none if it is not.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_quarantine(Uid uid) = 0;

  /// Puts an edition of the zone rules in force if `expected` still is the one in force. Returns whether it did.
  [[nodiscard]] virtual Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) = 0;

  /// Records that every schedule has been brought to an edition. Does nothing if that is not the one in force any more.
  [[nodiscard]] virtual Result<> settle_zone_edition(ZoneEdition edition) = 0;

  /// Records that a server decides. If the last record is older than `presence.since` by more than `outage_min`, no
  /// server decided in between: that outage is written to the ledger and returned. A server calls this before it
  /// decides for the first time, and then often enough that its last call is close to its last decision. After a lost
  /// answer the call may be repeated: it finds the record of the first one.
  [[nodiscard]] virtual Result<std::optional<Outage>> note_deciding(const Presence& presence) = 0;

  /// The ledger after a seq, ascending, at most `count_max` rows.
  [[nodiscard]] virtual Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) = 0;
};

}  // namespace carillon
