#include "stores/sqlite/line_rows.hpp"

namespace carillon::sqlite {
namespace {

/// What is told of an attempt, as the columns have it.
struct StoredEnd {
  explicit StoredEnd(const AttemptEnd& end) {
    if (!end.error.empty()) error = end.error;
    if (!end.known_as.empty()) known_as = end.known_as;
    if (!end.use) return;
    user_time = end.use->user_time;
    system_time = end.use->system_time;
    memory_max = end.use->memory_max;
  }

  std::optional<std::string_view> error;
  std::optional<std::string_view> known_as;
  std::optional<Duration> user_time;
  std::optional<Duration> system_time;
  std::optional<std::int64_t> memory_max;
};

}  // namespace

LineRows::LineRows(Connection& connection)
    : void_{connection, "INSERT INTO voided_range VALUES (?1, ?2, ?3, ?4, ?5)"},
      range_{connection, "INSERT INTO skipped_range VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"},
      change_{connection, "INSERT INTO change VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
      change_backfill_{connection,
                       "UPDATE backfill SET at = ?3, id = ?4, first = ?5, last = ?6, direction = ?7, reprocess = ?8, "
                       "concurrency = ?9, is_exclusive = ?10, state = ?11, cursor = ?12, done = ?13, total = ?14, "
                       "started = ?15, overlap = ?16 WHERE uid = ?1 AND number = ?2"},
      backfill_{connection,
                "INSERT INTO backfill VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
                "?17)"},
      open_backfills_{connection, "SELECT count(*) FROM backfill WHERE uid = ?1 AND state <= 1"},
      attempt_{connection,
               "INSERT INTO attempt VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6, NULL, NULL, NULL, NULL, NULL, ?9, "
               "NULL, NULL, NULL, NULL)"},
      end_attempt_{connection,
                   "UPDATE attempt SET at = ?2, state = ?3, launched_at = coalesce(?4, launched_at), ended_at = ?5, "
                   "exit_code = ?6, signal = ?7, reason = ?8, user_time = ?9, system_time = ?10, memory_max = ?11, "
                   "known_as = coalesce(?12, known_as) WHERE seq = ?1"},
      change_attempt_{connection,
                      "UPDATE attempt SET "
                      "at = iif(state < 2 AND ?2 IS NOT NULL, ?3, at), "
                      "state = iif(state < 2 AND ?2 IS NOT NULL, ?2, state), "
                      "launched_at = coalesce(?5, launched_at, iif(state < 2 AND ?2 = 1, ?3, NULL)), "
                      "ended_at = coalesce(?6, ended_at, iif(state < 2 AND ?2 >= 2, ?4, NULL)), "
                      "exit_code = coalesce(?7, exit_code), signal = coalesce(?8, signal), "
                      "reason = coalesce(?9, reason), user_time = coalesce(?10, user_time), "
                      "system_time = coalesce(?11, system_time), memory_max = coalesce(?12, memory_max), "
                      "known_as = coalesce(?13, known_as) WHERE seq = ?1"},
      connection_{connection} {
  static_assert(static_cast<int>(BackfillState::paused) == 1);
  static_assert(static_cast<int>(AttemptState::launched) == 1 && static_cast<int>(AttemptState::succeeded) == 2);
}

Result<> LineRows::add(const LinePlace& place, const VoidedRange& range) {
  return void_.run(place.seq, place.uid, place.at, range.from, range.to);
}

Result<> LineRows::add(const LinePlace& place, const SkippedRange& range, std::int64_t revision) {
  return range_.run(place.seq, place.uid, place.at, revision, range.from, range.to, range.count, range.reason);
}

Result<> LineRows::add(const LinePlace& place, const Change& change) {
  return change_.run(place.seq, place.uid, place.at, change.revision, change.kind, change.by, change.reason,
                     change.until, change.document.has_value());
}

Result<bool> LineRows::change(Uid uid, Instant at, const Backfill& record) {
  TRY(change_backfill_.run(uid, record.number, at, record.id, record.from, record.to, record.order, record.reprocess,
                           record.concurrency, record.is_exclusive, record.state, record.cursor, record.done,
                           record.total, record.started, record.overlap));
  return connection_.change_count() > 0;
}

Result<> LineRows::add(const LinePlace& place, const Backfill& record) {
  return backfill_.run(place.seq, place.uid, record.number, place.at, record.id, record.from, record.to, record.order,
                       record.reprocess, record.concurrency, record.is_exclusive, record.state, record.cursor,
                       record.done, record.total, record.started, record.overlap);
}

Result<std::int64_t> LineRows::open_backfill_count(Uid uid) {
  Cursor row = open_backfills_.query(uid);
  TRY(row.next());
  return row.count(0);
}

Result<> LineRows::add(const LinePlace& place, const NewAttempt& attempt) {
  return attempt_.run(place.seq, place.uid, attempt.run, attempt.attempt, attempt.session, place.at,
                      AttemptState::claimed, attempt.claimable_from,
                      attempt.previous == Seq{} ? std::nullopt : std::optional{attempt.previous});
}

Result<> LineRows::end_attempt(Seq line, AttemptState state, Instant now, std::optional<Instant> ended_at,
                               const AttemptEnd& end) {
  const StoredEnd stored{end};
  return end_attempt_.run(line, now, state, end.launched_at, end.ended_at.value_or(ended_at.value_or(now)),
                          end.exit_code, end.signal, stored.error, stored.user_time, stored.system_time,
                          stored.memory_max, stored.known_as);
}

Result<> LineRows::change_attempt(Seq line, std::optional<AttemptState> state, Instant now,
                                  std::optional<Instant> ended_at, const AttemptEnd& end) {
  const StoredEnd stored{end};
  return change_attempt_.run(line, state, now, ended_at.value_or(now), end.launched_at, end.ended_at, end.exit_code,
                             end.signal, stored.error, stored.user_time, stored.system_time, stored.memory_max,
                             stored.known_as);
}

}  // namespace carillon::sqlite
