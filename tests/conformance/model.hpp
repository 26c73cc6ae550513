#pragma once

#include "ports/event_feed.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace carillon::conformance {

/// What a store ought to hold, kept as naively as possible: plain vectors that are searched from end to end, and orders
/// read a second time instead of the engine's. Numbers that a store is free to choose (uids, seqs, sessions, fences)
/// are taken over from its answers. Time does not go back here.
class Model {
 public:
  struct Schedule {
    ScheduleKey key;
    ScheduleState state;
    std::vector<LiveRun> live;
    std::vector<Backfill> backfills;
    std::vector<std::pair<std::int64_t, StoredDefinition>> definitions;  // by revision
    std::optional<std::string> quarantine;
    std::string pause_reason{};  // of the newest pause
  };
  /// A decision, and its run once it has started. A job without a schedule is one that has started.
  struct Row {
    Seq seq{};
    DecisionOutcome outcome = DecisionOutcome::waiting;
    bool has_waited = false;
    bool was_cancelled_waiting = false;  // then its run never came to be and has few fields
    QueuedRun run{};
    std::int64_t fence = 0;
    std::optional<std::string> result{};
  };
  struct Session {
    SessionId id{};
    std::string worker;
    Duration lease{};
    Instant lease_until;
  };
  struct Line {
    Uid uid{};
    LedgerRecord record;        // seq zero until the store has shown it
    Seq run{};                  // of an attempt
    std::int64_t number = 0;    // of a backfill
    bool is_redecided = false;  // a decision that became another one: whose revision and version it shows is open
  };

  /// What those who watch are told.
  struct Event {
    FeedEvent event;
    std::optional<std::size_t> line{};  // of the ledger, whose seq is the subject
  };

  Instant now;
  ZoneEdition zone_edition = ZoneEdition::none;
  std::vector<Schedule> schedules;
  std::vector<Row> rows;
  std::vector<Session> sessions;
  std::vector<Line> ledger;
  std::map<std::int64_t, bool> requests;  // whether they were written
  std::set<std::string> adhoc_names;
  std::map<std::string, bool> queues;  // all that had a run or were paused: whether they are
  std::vector<Event> events;

  // Schedules.
  [[nodiscard]] bool accepts(const Transition& transition) const;
  /// Of one that is accepted; `given` has the numbers.
  void write(const Transition& transition, const Writer& writer, const WriteOutcome& given);
  bool quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at);
  [[nodiscard]] const Schedule* find(const ScheduleKey& key) const;
  [[nodiscard]] std::vector<const Schedule*> living() const;
  [[nodiscard]] std::vector<const Schedule*> due(ServerShare share, ZoneEdition rules) const;
  [[nodiscard]] std::vector<PastRun> past_runs(Uid uid) const;
  [[nodiscard]] Schedule* schedule(Uid uid);
  [[nodiscard]] const Schedule* schedule(Uid uid) const;

  // Runs.
  [[nodiscard]] bool is_over(SessionId session) const;
  [[nodiscard]] std::vector<Seq> claimable(const ClaimRequest& request) const;
  [[nodiscard]] std::optional<Instant> next_claimable(const ClaimRequest& request) const;
  void claim(Seq seq, SessionId session, std::int64_t fence);
  [[nodiscard]] bool accepts(const RunUpdate& update) const;
  void write(const RunUpdate& update);
  void heartbeat(SessionId session, std::span<const LaunchNotice> launched);
  void enqueue(const AdhocRun& job, Seq seq);
  /// Whether it changed anything.
  bool pause_queue(const std::string& queue, bool is_paused);
  [[nodiscard]] std::vector<Seq> held(SessionId session) const;
  [[nodiscard]] std::vector<Seq> lost() const;
  [[nodiscard]] std::vector<Seq> expired() const;
  [[nodiscard]] std::vector<StopRequest> stops(SessionId session) const;
  [[nodiscard]] Row* row(Seq seq);
  [[nodiscard]] const Row* row(Seq seq) const;
  [[nodiscard]] const Session* session(SessionId id) const;

 private:
  void start(Row& row, const Starts& how);
  void skip(Row& row, SkipReason reason);
  void resolve(Schedule& schedule, const Resolution& resolution);
  void decide(Schedule& schedule, const Transition& transition, const Decision& decision, Seq seq);
  void keep(Schedule& schedule, const Change& change);
  void keep(Schedule& schedule, const Backfill& backfill);
  void obey(Schedule& schedule, const RunOrder& order);
  void end(Row& row, RunState state);
  void tell(FeedKind kind, const Row& row);
  /// About the newest line.
  void tell(FeedKind kind, Uid uid, std::optional<ChangeKind> change = {});
  /// Brings the live entry and the line of a decision to its row.
  void refresh(const Row& row);

  [[nodiscard]] LineHead head_of(const Schedule& schedule) const;
  DecisionLine& line_of(Seq decision);
  void mark_redecided(Seq decision);
  AttemptLine& newest_attempt_of(Seq run);
};

/// Of a run, or of what waits for one.
[[nodiscard]] std::string name_of(const Model::Schedule& schedule, const QueuedRun& run);
[[nodiscard]] std::string folded(std::string text);
[[nodiscard]] bool has_equal_name(const ScheduleKey& left, const ScheduleKey& right);

}  // namespace carillon::conformance
