#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/schedule_filter.hpp"
#include "engine/attempt_end.hpp"
#include "engine/feed_event.hpp"
#include "engine/lane.hpp"
#include "engine/transition.hpp"
#include "ports/notifier.hpp"
#include "ports/schedule_store.hpp"
#include "stored_rows/feed_bytes.hpp"
#include "stores/postgres/ledger_rows.hpp"
#include "stores/postgres/lineage.hpp"
#include "stores/postgres/transaction.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace carillon::postgres {

/// A row of `state` without its body: what writing needs to know of the present one.
struct StateRow {
  Uid uid{};
  std::int64_t version = 0;
  std::optional<Instant> wake{};
  Seq last{};               // newest decision
  std::vector<Seq> live{};  // runs that are not counted yet, ascending
  std::int64_t backfills = 0;
  std::int64_t flags = 0;
};

/// The newest bearer of a name.
struct NameBearer {
  Uid uid{};
  std::int64_t incarnation = 0;
  bool is_deleted = false;
};

/// Makes the rows of queues that have none.
inline constexpr const char* new_queues_query =
    "INSERT INTO queue(name, is_paused) SELECT name, false FROM unnest($1) AS u(name) ON CONFLICT DO NOTHING";

/// What one transaction has read and locked, and what it will write: rows are changed here, and go to the database
/// together, one statement for each table (`send`). Rows that are not here cannot be changed.
class WriteSet {
 public:
  WriteSet(Transaction& transaction, std::int64_t writer) : transaction_{transaction}, writer_{writer} {}

  Instant now;           // by the database's clock
  StoreChange change{};  // for those who wait; `has_events` is known at the end

  // Rows that were locked.
  [[nodiscard]] Result<> add_runs(const ResultRows& rows);
  void add_states(const ResultRows& rows);
  void add_bearers(const ResultRows& rows);
  void add_backfills(const ResultRows& rows);

  /// A run that has one or waits for one; null if it was not found.
  [[nodiscard]] StoredRun* find_run(Seq seq);
  [[nodiscard]] bool has_loaded(Seq seq) const { return runs_.contains(seq); }
  [[nodiscard]] std::vector<Seq> known_runs() const;
  /// Runs that wait for a worker because of what was done here; not in the database yet.
  [[nodiscard]] std::vector<StoredRun*> ready_runs();
  StoredRun& add_run(StoredRun run);
  void mark_changed(const StoredRun& run);
  /// Makes a run what it is from now on, and notes it in the line of its newest attempt, with how that ended.
  void change_run(StoredRun& run, const Run& next, const AttemptEnd& end = {});

  [[nodiscard]] const StateRow* find_state(Uid uid) const;
  void put_state(const StateRow& row, const ScheduleState& next, const Writer& writer, bool is_new);
  [[nodiscard]] const NameBearer* find_bearer(const ScheduleKey& key) const;
  void add_name(Uid uid, const ScheduleKey& key, std::int64_t incarnation, Instant created_at,
                const ScheduleFacts& facts);
  void set_facts(Uid uid, const ScheduleFacts& facts) { facts_[uid] = facts; }
  void mark_deleted(Uid uid) { deleted_.push_back(uid); }
  void set_document(Uid uid, std::int64_t revision, const std::string& document) {
    documents_[{uid, revision}] = document;
  }
  void set_result(Seq seq, const std::string& value) { results_[seq] = value; }
  void end_quarantine(Uid uid) { unquarantined_.push_back(uid); }
  void remember(std::int64_t request, const WrittenRequest& written) { requests_.emplace_back(request, written); }
  void wake_listener(Uid uid) { listeners_.insert(uid); }
  void use_queue(const std::string& lane) { queues_.emplace(queue_of_lane(lane)); }

  struct Place {
    Seq seq{};
    Uid uid{};
    Instant at;
  };
  void add_line(const Place& place, const VoidedRange& range) { voids_.emplace_back(place, range); }
  void add_line(const Place& place, const SkippedRange& range, std::int64_t revision) {
    ranges_.push_back({place, range, revision});
  }
  void add_line(const Place& place, const Change& change) { changes_.emplace_back(place, change); }
  struct NewAttempt {
    Seq run{};
    std::int64_t attempt = 0;
    SessionId session{};
    Instant claimable_from;
  };
  void add_line(const Place& place, const NewAttempt& attempt) { attempts_.emplace_back(place, attempt); }
  /// Writes a backfill as it is now; one that is not known gets a line of its own.
  void put_backfill(Uid uid, Instant at, const Backfill& record);
  [[nodiscard]] std::int64_t open_backfill_count(Uid uid) const;

  void note(const FeedEvent& event) { feed_.add(event); }
  void note(const std::optional<FeedEvent>& event) {
    if (event) feed_.add(*event);
  }

  /// Numbers that were taken in this transaction, after its locks: those of one schedule ascend whoever writes.
  void add_seqs(const ResultRows& rows);
  [[nodiscard]] Seq next_seq();
  void add_uids(const ResultRows& rows);
  [[nodiscard]] Uid next_uid();

  /// Sends all that is to be written. The place of the answer about woken schedules among the answers, if there is one.
  void send();
  /// To be given the answers of `send`: completes `change`.
  void note_answers(const std::vector<ResultRows>& answers);
  /// What was written to the feed, once it is durable.
  [[nodiscard]] const std::optional<Lineage::FeedRow>& feed_row() const { return feed_row_; }
  [[nodiscard]] const std::set<std::string>& queues() const { return queues_; }

 private:
  struct RunEntry {
    StoredRun run;
    bool is_new = false;
    bool is_changed = false;
  };
  struct StateEntry {
    StateRow row;
    bool is_new = false;
    bool is_changed = false;
    std::int64_t revision = 0;
    Writer writer{};
    std::string body{};
  };
  struct RangeLineRow {
    Place place;
    SkippedRange range;
    std::int64_t revision = 0;
  };
  struct AttemptChange {
    Seq line{};
    std::optional<AttemptState> state{};
    Instant now;
    Instant ended;
    AttemptEnd end{};
  };
  struct BackfillEntry {
    Backfill record;
    Instant at;
    std::optional<Seq> line{};  // of a new one
    bool is_changed = false;
  };
  struct NewName {
    Uid uid{};
    ScheduleKey key;
    std::int64_t incarnation = 0;
    Instant created_at;
    ScheduleFacts facts;
  };

  void send_runs();
  void send_states();
  void send_names();
  void send_lines();
  void send_attempts();
  void send_attempt_changes(std::vector<AttemptChange> changes);
  void send_backfills();
  void send_requests();
  void send_feed();

  Transaction& transaction_;
  std::int64_t writer_;  // who this process is in the rows of the feed
  std::unordered_map<Seq, RunEntry> runs_;
  std::vector<Seq> run_order_;  // of those that are new
  std::map<Uid, StateEntry> states_;
  std::map<std::pair<std::string, std::string>, NameBearer> bearers_;  // by namespace and id in small letters
  std::map<std::pair<Uid, std::int64_t>, BackfillEntry> backfills_;
  std::vector<NewName> names_;
  std::map<Uid, ScheduleFacts> facts_;
  std::vector<Uid> deleted_;
  std::map<std::pair<Uid, std::int64_t>, std::string> documents_;
  std::map<Seq, std::string> results_;
  std::vector<Uid> unquarantined_;
  std::vector<std::pair<std::int64_t, WrittenRequest>> requests_;
  std::set<Uid> listeners_;
  std::set<std::string> queues_;
  std::vector<std::pair<Place, VoidedRange>> voids_;
  std::vector<RangeLineRow> ranges_;
  std::vector<std::pair<Place, Change>> changes_;
  std::vector<std::pair<Place, NewAttempt>> attempts_;
  std::vector<AttemptChange> attempt_changes_;
  rows::FeedPacker feed_;
  std::vector<Seq> seqs_;  // the next one last
  std::vector<Uid> uids_;
  std::size_t sent_count_ = 0;
  std::optional<std::size_t> listeners_place_;
  std::optional<std::size_t> feed_place_;
  std::optional<Lineage::FeedRow> feed_row_;
};

/// An id as it is compared: ids that differ only in case are the same id.
[[nodiscard]] std::string compared_id(std::string_view id);

/// Takes so many numbers.
inline constexpr const char* seqs_query = "SELECT nextval('ledger_seq') FROM generate_series(1, $1)";
inline constexpr const char* uids_query = "SELECT nextval('uid_seq') FROM generate_series(1, $1)";

}  // namespace carillon::postgres
