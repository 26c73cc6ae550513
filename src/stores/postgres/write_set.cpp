#include "stores/postgres/write_set.hpp"

#include "base/assertion.hpp"
#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"
#include "stored_rows/state_bytes.hpp"

#include <algorithm>

namespace carillon::postgres {
namespace {

/// Its wake time as it is looked for: nothing is left to decide for a tombstone.
std::optional<Instant> planned_wake(const StateRow& row) {
  return rows::has(row.flags, rows::state_flag::deleted) ? std::nullopt : row.wake;
}

}  // namespace

std::string compared_id(std::string_view id) {
  std::string lower{id};
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Result<> WriteSet::add_runs(const ResultRows& rows) {
  for (const Row row : rows) {
    StoredRun run = TRY(read_run(row));
    const Seq seq = run.row.seq;
    runs_.try_emplace(seq, RunEntry{.run = std::move(run)});
  }
  return {};
}

void WriteSet::add_states(const ResultRows& rows) {
  for (const Row row : rows) {
    StateRow state{.uid = row.as<Uid>(0),
                   .version = row.count(1),
                   .wake = row.instant_if(2),
                   .last = row.as<Seq>(3),
                   .live = {},
                   .backfills = row.count(5),
                   .flags = row.number(6)};
    for (const std::int64_t seq : row.numbers(4)) state.live.push_back(static_cast<Seq>(seq));
    states_.try_emplace(state.uid, StateEntry{.row = std::move(state)});
  }
}

void WriteSet::add_bearers(const ResultRows& rows) {
  for (const Row row : rows)
    bearers_[{row.text(0), row.text(1)}] = {
        .uid = row.as<Uid>(2), .incarnation = row.count(3), .is_deleted = row.flag(4)};
}

void WriteSet::add_backfills(const ResultRows& rows) {
  for (const Row row : rows) {
    Backfill record;
    record.number = row.count(1);
    record.state = row.one_of(2, BackfillState::cancelled);
    backfills_.try_emplace({row.as<Uid>(0), record.number}, BackfillEntry{.record = record, .at = {}});
  }
}

StoredRun* WriteSet::find_run(Seq seq) {
  const auto found = runs_.find(seq);
  if (found == runs_.end() || found->second.run.outcome == DecisionOutcome::skipped) return nullptr;
  return &found->second.run;
}

std::vector<Seq> WriteSet::known_runs() const {
  std::vector<Seq> seqs;
  for (const auto& [seq, entry] : runs_)
    if (!entry.is_new) seqs.push_back(seq);
  return seqs;
}

std::vector<StoredRun*> WriteSet::ready_runs() {
  std::vector<StoredRun*> ready;
  for (auto& [seq, entry] : runs_)
    if (entry.run.outcome == DecisionOutcome::started && rows::is_ready(entry.run.row.run)) ready.push_back(&entry.run);
  return ready;
}

StoredRun& WriteSet::add_run(StoredRun run) {
  const Seq seq = run.row.seq;
  run_order_.push_back(seq);
  if (run.outcome == DecisionOutcome::started) {
    use_queue(run.row.queue);
    change.has_claimable |= rows::is_ready(run.row.run);
  }
  return runs_.insert_or_assign(seq, RunEntry{.run = std::move(run), .is_new = true}).first->second.run;
}

void WriteSet::mark_changed(const StoredRun& run) { runs_.at(run.row.seq).is_changed = true; }

void WriteSet::change_run(StoredRun& run, const Run& next, const AttemptEnd& end) {
  const Run before = run.row.run;
  run.row.run = next;
  run.flags = rows::flags_after(run.flags, next);
  change.has_claimable |= rows::is_ready(next);
  mark_changed(run);
  if (run.attempt_line == Seq{}) return;
  const bool is_changed = before.attempt != next.attempt || before.attempt_state != next.attempt_state;
  if (!is_changed && !rows::has_content(end)) return;
  attempt_changes_.push_back({.line = run.attempt_line,
                              .state = is_changed ? next.attempt_state : std::nullopt,
                              .now = now,
                              .ended = next.ended_at.value_or(now),
                              .end = end});
}

const StateRow* WriteSet::find_state(Uid uid) const {
  const auto found = states_.find(uid);
  return found == states_.end() ? nullptr : &found->second.row;
}

void WriteSet::put_state(const StateRow& row, const ScheduleState& next, const Writer& writer, bool is_new) {
  StateRow after = row;
  after.version = next.version;
  after.flags = rows::flags_after(row.flags, next);
  StateEntry& entry = states_[row.uid];
  const auto from = is_new ? std::nullopt : planned_wake(entry.row);
  const auto to = planned_wake(after);
  change.has_wake |= to && (!from || *to < *from);
  entry.row = std::move(after);
  entry.is_new |= is_new;
  entry.is_changed = true;
  entry.revision = next.revision;
  entry.writer = writer;
  rows::write_body(next, entry.body);
}

const NameBearer* WriteSet::find_bearer(const ScheduleKey& key) const {
  const auto found = bearers_.find({std::string{key.name_space.text()}, compared_id(key.id.text())});
  return found == bearers_.end() ? nullptr : &found->second;
}

void WriteSet::add_name(Uid uid, const ScheduleKey& key, std::int64_t incarnation, Instant created_at,
                        const ScheduleFacts& facts) {
  names_.push_back({.uid = uid, .key = key, .incarnation = incarnation, .created_at = created_at, .facts = facts});
  bearers_[{std::string{key.name_space.text()}, compared_id(key.id.text())}] = {.uid = uid, .incarnation = incarnation};
}

void WriteSet::put_backfill(Uid uid, Instant at, const Backfill& record) {
  const auto [entry, is_unknown] =
      backfills_.try_emplace({uid, record.number}, BackfillEntry{.record = record, .at = at});
  if (is_unknown) entry->second.line = next_seq();
  entry->second.record = record;
  entry->second.at = at;
  entry->second.is_changed = true;
}

std::int64_t WriteSet::open_backfill_count(Uid uid) const {
  return std::ranges::count_if(backfills_, [&](const auto& entry) {
    return entry.first.first == uid && entry.second.record.state <= BackfillState::paused;
  });
}

void WriteSet::add_seqs(const ResultRows& rows) {
  // The newest that were taken are the largest, also of all that were taken before.
  std::vector<Seq> taken;
  for (const Row row : rows) taken.push_back(row.as<Seq>(0));
  std::ranges::reverse(taken);
  taken.insert(taken.end(), seqs_.begin(), seqs_.end());
  seqs_ = std::move(taken);
}

Seq WriteSet::next_seq() {
  CARILLON_ASSERT(!seqs_.empty());
  const Seq seq = seqs_.back();
  seqs_.pop_back();
  return seq;
}

void WriteSet::add_uids(const ResultRows& rows) {
  for (const Row row : rows) uids_.push_back(row.as<Uid>(0));
  std::ranges::reverse(uids_);
}

Uid WriteSet::next_uid() {
  CARILLON_ASSERT(!uids_.empty());
  const Uid uid = uids_.back();
  uids_.pop_back();
  return uid;
}

void WriteSet::note_answers(const std::vector<ResultRows>& answers) {
  change.has_events = feed_.count() > 0;
  if (feed_place_) feed_row_ = {.id = answers.at(*feed_place_)[0].number(0), .writer = writer_, .at = feed_.first_at()};
  if (listeners_place_) change.has_wake |= answers.at(*listeners_place_).changed_count() > 0;
}

}  // namespace carillon::postgres
