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

/// Which schedules a server prefers: those whose uid falls into its part. Where these do not fill a batch it takes any
/// that is `overdue_for_all` late, so that nothing hangs on one server. Its own come first: under load all servers
/// would else read, and lose, the same rows.
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

/// Where a schedule stands in the order in which they come due.
struct WakePlace {
  Instant wake;
  Uid uid{};
  friend auto operator<=>(const WakePlace&, const WakePlace&) = default;
};

struct DueRequest {
  std::size_t count_max = 500;
  ServerShare share{};
  ZoneEdition rules{};               // the zone rules this server has
  std::optional<WakePlace> after{};  // only those behind it: the others have been read and are being decided
};

/// What was read at one moment of the store's clock.
struct DueSchedules {
  Instant store_now;
  ZoneEdition zone_edition{};       // in force
  std::vector<ScheduleView> views;  // own part first, then by wake
  /// When this server should look again for what was not handed out: a wake time, for another server's part the time
  /// at which it is late enough for all; none = nothing is planned.
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

/// A server tells that it decides.
struct Presence {
  Instant since;                          // it has looked at everything that came due from then on
  OutageCause cause = OutageCause::down;  // why nobody did before, if nobody did
};

/// So many outages are told with what is due, and so many are kept at all.
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

/// Transitions to be written in one transaction, each for itself: one that is refused does not touch the others.
struct Batch {
  Writer writer;
  std::span<const Transition> transitions;
  /// After writing, claims for this session as RunQueue::claim does, in the same transaction.
  std::optional<ClaimRequest> claim{};
  /// Belongs to the one transition of this batch.
  const CommandMetadata* attached = nullptr;
};

struct WriteOutcome {
  enum class Outcome {
    written,
    refused,  // the schedule has another version by now, or the id is taken: decide again
  };
  Outcome outcome = Outcome::refused;
  Uid uid{};                   // of a creation: the new one
  std::vector<Seq> decisions;  // rows of its decisions, in order
};

/// What a request of a user wrote: its own result, whatever others have written since.
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

/// Where schedules and their ledger live. Values only: nothing is held between two calls, any number of servers may
/// share a store, and all times come from its clock.
///
/// An error `unavailable` leaves open whether a write has happened: the writer in the state tells, or `find_written`.
class ScheduleStore {
 public:
  virtual ~ScheduleStore() = default;

  /// Schedules whose wake time has come. Those that depend on zone rules (state.zone_edition is not none) are left out
  /// unless the server has the rules in force: two servers must not decide by different calendars.
  [[nodiscard]] virtual Result<DueSchedules> read_due(const DueRequest& request) = 0;

  /// Writes each transition whose schedule still has the version it was decided from. One transaction: after an error
  /// nothing is written, or all of it.
  [[nodiscard]] virtual Result<CommitResult> commit(const Batch& batch) = 0;

  /// The schedule of that name, or its newest tombstone. Ids differ only if they differ without case.
  [[nodiscard]] virtual Result<ScheduleLookup> find(const ScheduleKey& key) = 0;

  /// All schedules in pages, for what concerns every one: zone rules or clocks that changed.
  [[nodiscard]] virtual Result<ScheduleScanPage> read_page(Uid after, std::size_t count_max) = 0;

  /// In the order of the names; none where there is no such definition.
  [[nodiscard]] virtual Result<std::vector<std::optional<StoredDefinition>>> read_definitions(
      std::span<const DefinitionName> names) = 0;

  /// The newest started run of each occurrence in [from, to), ascending.
  [[nodiscard]] virtual Result<std::vector<PastRun>> read_past_runs(Uid uid, Instant from, Instant to) = 0;

  /// What the transition with this request wrote; none if it has not been written. Kept for a day.
  [[nodiscard]] virtual Result<std::optional<WrittenRequest>> find_written(std::int64_t request) = 0;

  /// Sets a schedule aside that cannot be decided: it sleeps until `retry_at` and shows the error. Refused (false) if
  /// it has another version by now. The next transition that is written ends it.
  [[nodiscard]] virtual Result<bool> quarantine(Uid uid, std::int64_t version, const std::string& error,
                                                Instant retry_at) = 0;
  /// Why a schedule is set aside, if it is.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_quarantine(Uid uid) = 0;

  /// Makes an edition of the zone rules the one in force, if `expected` still is; tells whether it did.
  [[nodiscard]] virtual Result<bool> adopt_zone_edition(ZoneEdition expected, ZoneEdition next) = 0;

  /// Notes that every schedule has been brought to an edition, if it still is the one in force.
  [[nodiscard]] virtual Result<> settle_zone_edition(ZoneEdition edition) = 0;

  /// Notes that a server decides. If the last note is older than `presence.since` by more than `outage_min`, nobody
  /// decided between the two: that outage is written to the ledger and returned. A server does this before it decides
  /// for the first time, and often enough that the end of its last note is about the end of its deciding. Lost answers
  /// need no care: a second call finds the note of the first.
  [[nodiscard]] virtual Result<std::optional<Outage>> note_deciding(const Presence& presence) = 0;

  /// The ledger after a seq, ascending, at most `count_max` rows.
  [[nodiscard]] virtual Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) = 0;
};

}  // namespace carillon
