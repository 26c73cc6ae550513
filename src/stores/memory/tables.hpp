#pragma once

#include "base/instant.hpp"
#include "engine/backfill.hpp"
#include "engine/keys.hpp"
#include "engine/ledger_record.hpp"
#include "engine/schedule_state.hpp"
#include "ports/audit_log.hpp"
#include "ports/event_feed.hpp"
#include "ports/idempotency_store.hpp"
#include "ports/lock_store.hpp"
#include "ports/notifier.hpp"
#include "ports/query_store.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "ports/token_store.hpp"
#include "stores/memory/ledger.hpp"
#include "stores/memory/ready_runs.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace carillon::memory {

/// How long requests are remembered.
inline constexpr Duration request_memory = std::chrono::days{1};

/// A decision that waits or has started, or a job without a schedule.
struct StoredRun {
  QueuedRun row;
  Seq attempt_line{};      // of the newest attempt; zero = none
  std::int64_t fence = 0;  // of the newest claim
  std::optional<std::string> result{};
  std::vector<AttemptRecord> attempts{};
};

struct StoredBackfill {
  Backfill record;
  Seq line{};
};

struct StoredSchedule {
  ScheduleKey key;
  std::int64_t incarnation = 0;
  ScheduleState state;
  std::map<Seq, LiveRun> live{};
  std::map<std::int64_t, StoredBackfill> backfills{};  // by number
  std::set<std::int64_t> open_backfills{};
  std::map<std::int64_t, std::string> documents{};  // by the revision that brought them
  std::map<Instant, std::set<Seq>> started{};       // runs by nominal time
  std::optional<std::string> quarantine{};          // why it is set aside
  Seq last_decision{};
  Seq forgotten{};  // up to there runs have no details any more
  std::string owner{};
  Instant updated_at{};
  ScheduleRecord::Pause newest_pause{};
  std::string newest_note{};
};

/// A worker whose lease lasts; those that are over are forgotten.
struct StoredSession {
  std::string worker;
  Duration lease;
  Instant lease_until;
  std::set<Seq> held{};
  std::set<Seq> stopping{};  // those of them that are to end
};

/// What users have said of a queue.
struct StoredQueue {
  bool is_paused = false;
  std::optional<std::int64_t> limit{};  // how many of its runs at a time
  bool keeps_failed = false;            // as dead letters
};

struct HeldLock {
  std::string token;
  LockRecord lock;
};

/// Everything that is stored. Members that repeat what others say are indices; the functions here and in
/// run_changes.hpp keep them in step.
struct Tables {
  using NameKey = std::pair<std::string, std::string>;  // namespace, and id in lower case

  Ledger ledger;
  std::map<Uid, StoredSchedule> schedules;
  std::map<NameKey, std::vector<Uid>> names;         // all that ever had the name, oldest first
  std::set<std::pair<Instant, Uid>> wakes;           // index
  std::set<std::pair<Instant, Uid>> zoneless_wakes;  // index: those that do not depend on zone rules
  std::map<Seq, StoredRun> runs;
  std::map<Seq, QueuedRun> skips;              // decisions that were skipped
  std::map<Seq, Seq> run_of_attempt;           // by their lines
  ReadyRuns ready;                             // index
  std::set<std::pair<Instant, Seq>> expiring;  // index: queued runs that wait for a limited time
  std::map<SessionId, StoredSession> sessions;
  std::set<std::pair<Instant, SessionId>> leases;  // index
  std::set<Seq> lost;                              // index: running, without a session
  std::set<std::string> job_names;
  std::map<std::int64_t, WrittenRequest> requests;
  std::deque<std::pair<Instant, std::int64_t>> requests_by_time;  // index: when they were written
  std::map<std::string, IdempotencyRecord> named_requests;        // by key
  std::map<std::string, StoredQueue> queues;                      // all there ever were
  std::map<std::string, std::int64_t> running_in_lane;            // index: how many runs workers have
  std::deque<FeedEvent> feed;                                     // the newest
  std::int64_t feed_position = 0;
  std::vector<AuditRecord> audit;
  std::map<std::string, StoredToken> tokens;  // by id
  std::map<std::string, HeldLock> locks;      // by name
  std::int64_t lock_fence = 0;
  ZoneEdition zone_edition = ZoneEdition::none;
  ZoneEdition settled_edition = ZoneEdition::none;
  Instant newest_write{};
  std::optional<Instant> decided_at{};   // when a server last told that it decides
  std::vector<Outage> outages{};         // ascending
  std::optional<Duration> clock_offset;  // as the times of leases and waits were written
  std::int64_t session_count = 0;
  std::int64_t claim_count = 0;
  StoreChange change{};  // what listeners have not been told of yet

  /// To be called before `advance`: if the wall clock was set, leases and waits move along.
  void follow_clock(Duration offset);
  /// To be called before anything else at a new moment: sessions whose lease has ended by now are over.
  void advance(Instant now);

  [[nodiscard]] StoredSchedule* find_schedule(Uid uid);
  [[nodiscard]] StoredRun* find_run(Seq seq);
  [[nodiscard]] StoredSession* find_session(SessionId id);

  /// The lanes with waiting runs that a claim may take from: none of a paused queue.
  [[nodiscard]] std::vector<std::string> open_lanes(const LaneFilter& filter) const;
  /// The limits, and what runs.
  [[nodiscard]] ConcurrencyRoom concurrency_room() const;

  void set_wake(StoredSchedule& schedule, std::optional<Instant> wake);

  SessionId open_session(const std::string& worker, Duration lease, Instant now);
  void renew_lease(SessionId id, StoredSession& session, Instant now);
  /// Its runs are lost from now on.
  void end_session(SessionId id);

  /// See ScheduleStore::note_deciding.
  std::optional<Outage> note_deciding(const Presence& presence, Instant now);
  [[nodiscard]] std::vector<Outage> newest_outages() const;

  void remember_request(std::int64_t request, const WrittenRequest& written, Instant now);
};

[[nodiscard]] Tables::NameKey name_key_of(const ScheduleKey& key);
[[nodiscard]] ScheduleView view_of(const StoredSchedule& schedule);
[[nodiscard]] LineHead head_of(const StoredSchedule& schedule, Instant at);

}  // namespace carillon::memory
