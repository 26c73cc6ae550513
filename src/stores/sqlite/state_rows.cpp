#include "stores/sqlite/state_rows.hpp"

#include "stores/sqlite/shared_rows.hpp"

#include <algorithm>

namespace carillon::sqlite {
namespace {

constexpr int uid_bits = 36;
constexpr std::int64_t place_of_sleepers = 65'535;

/// Its wake time as it stands in `wake`: nothing is left to decide for a tombstone.
std::optional<Instant> planned(const StateRow& row) {
  return has(row.flags, state_flag::deleted) ? std::nullopt : row.wake;
}

StateRow after(StateRow row, const ScheduleState& next) {
  row.flags = rows::flags_after(row.flags, next);
  return row;
}

}  // namespace

std::int64_t place_of(Uid uid, const std::optional<Instant>& wake) {
  std::int64_t phase = place_of_sleepers;
  if (wake) {
    const auto of_day = *wake - std::chrono::floor<std::chrono::days>(*wake);
    phase = std::chrono::floor<std::chrono::seconds>(of_day).count() / 2;
  }
  return (phase << uid_bits) | static_cast<std::int64_t>(uid);
}

StateRows::StateRows(Connection& connection, StoreChange& change)
    : connection_{connection},
      change_{change},
      find_{connection,
            "SELECT place, version, wake_at, last_seq, run_seq, more, backfills, flags FROM state WHERE uid = ?1"},
      insert_{connection, "INSERT INTO state VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"},
      replace_{connection,
               "UPDATE state SET version = ?2, revision = ?3, wake_at = ?4, server = ?5, batch = ?6, last_seq = ?7, "
               "run_seq = ?8, more = ?9, backfills = ?10, flags = ?11, body = ?12 WHERE place = ?1"},
      set_wake_{connection, "UPDATE state SET wake_at = ?2, flags = ?3 WHERE place = ?1"},
      add_wake_{connection, "INSERT INTO wake VALUES (?1, ?2, ?3, ?4)"},
      move_wake_{connection, "UPDATE wake SET at = ?3, is_zoned = ?4 WHERE at = ?1 AND uid = ?2"},
      drop_wake_{connection, "DELETE FROM wake WHERE at = ?1 AND uid = ?2"},
      add_live_{connection, "INSERT INTO live VALUES (?1, ?2)"},
      drop_live_{connection, "DELETE FROM live WHERE uid = ?1 AND seq = ?2"},
      listen_to_run_{connection, "UPDATE ledger SET flags = flags | 4 WHERE seq = ?1"},
      listen_to_live_{connection,
                      "UPDATE ledger SET flags = flags | 4 WHERE seq IN (SELECT seq FROM live WHERE uid = ?1)"},
      set_aside_{connection, "INSERT OR REPLACE INTO quarantine VALUES (?1, ?2)"},
      take_back_{connection, "DELETE FROM quarantine WHERE uid = ?1"} {
  static_assert(run_flag::listened == 4);
}

Result<std::optional<StateRow>> StateRows::find(Uid uid) {
  Cursor found = find_.query(uid);
  if (!TRY(found.next())) return std::nullopt;
  return StateRow{.place = found.number(0),
                  .uid = uid,
                  .version = found.count(1),
                  .wake = found.instant_if(2),
                  .last = found.as<Seq>(3),
                  .run = found.as<Seq>(4),
                  .more = found.count(5),
                  .backfills = found.count(6),
                  .flags = found.number(7)};
}

Result<> StateRows::insert(const StateRow& row, const ScheduleState& next, const Writer& writer) {
  const StateRow full = after(row, next);
  write_body(next, body_);
  TRY(insert_.run(full.place, full.uid, next.version, next.revision, full.wake, writer.server, writer.batch, full.last,
                  full.run, full.more, full.backfills, full.flags, Blob{body_}));
  return move_wake({}, full);
}

Result<> StateRows::replace(const StateRow& before, const StateRow& row, const ScheduleState& next,
                            const Writer& writer) {
  const StateRow full = after(row, next);
  write_body(next, body_);
  TRY(replace_.run(full.place, next.version, next.revision, full.wake, writer.server, writer.batch, full.last, full.run,
                   full.more, full.backfills, full.flags, Blob{body_}));
  if (has(before.flags, state_flag::quarantined)) TRY(take_back_.run(full.uid));
  return move_wake(before, full);
}

Result<> StateRows::move_wake(const StateRow& before, const StateRow& after) {
  const auto from = planned(before);
  const auto to = planned(after);
  const bool is_zoned = has(after.flags, state_flag::zoned);
  if (from == to && has(before.flags, state_flag::zoned) == is_zoned) return {};
  change_.has_wake |= to && (!from || *to < *from);
  if (from && to) {
    TRY(move_wake_.run(*from, after.uid, *to, is_zoned));
    if (connection_.change_count() == 1) return {};
    return fail(ErrorCode::corrupt, "{}: schedule {} is not among the wake times", connection_.file().string(),
                static_cast<std::int64_t>(after.uid));
  }
  if (from) TRY(drop_wake_.run(*from, after.uid));
  if (to) TRY(add_wake_.run(*to, after.uid, after.place, is_zoned));
  return {};
}

Result<> StateRows::set_wake(const StateRow& before, Instant wake, std::int64_t flags) {
  StateRow after = before;
  after.wake = wake;
  after.flags = flags;
  TRY(set_wake_.run(after.place, after.wake, after.flags));
  return move_wake(before, after);
}

Result<> StateRows::wake_listener(Uid uid, Instant now) {
  const auto row = TRY(find(uid));
  if (!row || !has(row->flags, state_flag::listens) || has(row->flags, state_flag::deleted)) return {};
  if (row->wake && *row->wake <= now) return {};
  return set_wake(*row, now, row->flags);
}

Result<bool> StateRows::quarantine(Uid uid, std::int64_t version, const std::string& error, Instant retry_at) {
  const auto row = TRY(find(uid));
  if (!row || row->version != version) return false;
  TRY(set_aside_.run(uid, error));
  TRY(set_wake(*row, retry_at, row->flags | state_flag::quarantined));
  return true;
}

Result<> StateRows::add_live(StateRow& row, Seq run) {
  if (row.run == Seq{}) {
    row.run = run;
    return {};
  }
  ++row.more;
  return add_live_.run(row.uid, run);
}

Result<> StateRows::drop_live(StateRow& row, Seq run) {
  if (row.run == run) {
    row.run = Seq{};
    return {};
  }
  if (row.more == 0) return {};
  TRY(drop_live_.run(row.uid, run));
  row.more -= connection_.change_count();
  return {};
}

Result<> StateRows::listen_to_live(const StateRow& row) {
  if (row.run != Seq{}) TRY(listen_to_run_.run(row.run));
  if (row.more > 0) TRY(listen_to_live_.run(row.uid));
  return {};
}

}  // namespace carillon::sqlite
