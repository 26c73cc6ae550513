#include "stores/sqlite/opening.hpp"

#include "stores/sqlite/schema.hpp"
#include "stores/sqlite/statement.hpp"

#include <array>
#include <string>
#include <utility>

namespace carillon::sqlite {
namespace {

std::int64_t present_version() { return migrations().back().version; }

std::unexpected<Error> damaged(const Connection& connection, const std::string& what) {
  auto error = fail(ErrorCode::corrupt, "{}: {}", connection.file().string(), what);
  error.error().hint = "stop, keep a copy of the file, and restore a backup";
  return error;
}

Result<> check_version(Connection& connection) {
  const auto version = TRY(connection.number("PRAGMA user_version"));
  if (version <= present_version()) return {};
  auto error = fail(ErrorCode::conflict, "{}: the file has format {}, and this program knows formats up to {}",
                    connection.file().string(), version, present_version());
  error.error().hint = "use the version of carillon that wrote it, or a newer one";
  return error;
}

/// What a query finds, as one text; empty if nothing.
Result<std::string> findings(Connection& connection, const std::string& query) {
  std::string found;
  Statement statement{connection, query};
  Cursor row = statement.query();
  while (TRY(row.next())) {
    if (!found.empty()) found += "; ";
    found += row.text(0);
  }
  return found;
}

}  // namespace

Result<> check_owner(Connection& connection) {
  const auto owner = TRY(connection.number("PRAGMA application_id"));
  if (owner == application_id) return check_version(connection);
  const auto table_count = TRY(connection.number("SELECT count(*) FROM sqlite_schema"));
  if (owner == 0 && table_count == 0) return {};
  auto error = fail(ErrorCode::conflict, "{}: this is the database of another program", connection.file().string());
  error.error().hint = "name another file";
  return error;
}

Result<> migrate(Connection& connection) {
  TRY(connection.execute("PRAGMA journal_mode = WAL"));
  TRY(connection.execute(Bound::begin_to_write));
  // Somebody else may have done it since the file was looked at.
  auto done = check_owner(connection);
  auto version = done ? connection.number("PRAGMA user_version") : Result<std::int64_t>{std::int64_t{0}};
  if (!version) done = std::unexpected(version.error());
  if (done && *version > 0) done = check_schema(connection, *version);
  for (const Migration& migration : migrations()) {
    if (!done || migration.version <= *version) continue;
    done = connection.execute(std::string{migration.sql});
    if (done)
      done = connection.execute(
          fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, migration.version));
  }
  if (done) done = connection.execute(Bound::commit);
  if (!done && connection.is_in_transaction()) static_cast<void>(connection.execute(Bound::roll_back));
  // A file that has nothing but a header yet would be taken for a new one if its log were lost.
  if (done && *version < present_version()) done = connection.checkpoint_all();
  return done;
}

Result<> expect_present_version(Connection& connection) {
  const auto version = TRY(connection.number("PRAGMA user_version"));
  if (version == present_version()) return {};
  auto error = fail(ErrorCode::conflict, "{}: the file has format {}, older than this program's",
                    connection.file().string(), version);
  error.error().hint = "start a server on it once, which brings it up to date";
  return error;
}

Result<> check_tables(Connection& connection) {
  TRY(check_schema(connection, present_version()));
  if (TRY(connection.number("SELECT count(*) FROM meta")) != 1)
    return damaged(connection, "the row of table meta is missing");
  const auto seq = TRY(connection.number("SELECT seq FROM meta"));
  for (const char* table : {"ledger", "attempt", "change", "skipped_range", "voided_range", "backfill", "outage"})
    if (TRY(connection.number(fmt::format("SELECT coalesce(max(seq), 0) FROM {}", table))) > seq)
      return damaged(connection, fmt::format("{} has lines that were never numbered", table));
  const auto fed = TRY(connection.number("SELECT coalesce(max(position), 0) > (SELECT feed FROM meta) FROM feed"));
  if (fed != 0) return damaged(connection, "feed has events that were never numbered");
  const auto uid = TRY(connection.number("SELECT uid FROM meta"));
  const auto newest = TRY(connection.number("SELECT coalesce(max(uid), 0) FROM schedule"));
  if (newest > uid) return damaged(connection, "there are schedules that were never numbered");
  return {};
}

Result<> check_everything(Connection& connection) {
  const std::string faults = TRY(findings(connection, "PRAGMA integrity_check(10)"));
  if (faults != "ok") return damaged(connection, faults);
  // What is kept twice for speed must agree.
  static constexpr std::array<std::pair<const char*, const char*>, 8> comparisons{{
      {"a schedule is not among the wake times",
       "SELECT CAST(s.uid AS TEXT) FROM state s WHERE s.wake_at IS NOT NULL AND s.flags & 2 = 0 AND NOT EXISTS (SELECT "
       "1 FROM wake w "
       "WHERE w.at = s.wake_at AND w.uid = s.uid AND w.place = s.place) LIMIT 1"},
      {"a wake time has no schedule",
       "SELECT CAST(w.uid AS TEXT) FROM wake w WHERE NOT EXISTS (SELECT 1 FROM state s WHERE s.place = w.place AND "
       "s.uid = w.uid "
       "AND s.wake_at = w.at AND s.flags & 2 = 0) LIMIT 1"},
      {"a schedule has no name",
       "SELECT CAST(s.uid AS TEXT) FROM state s WHERE NOT EXISTS (SELECT 1 FROM schedule n WHERE n.uid = s.uid) LIMIT "
       "1"},
      {"a schedule is not listed as it is",
       "SELECT CAST(s.uid AS TEXT) FROM state s WHERE s.flags & 2 = 0 AND NOT EXISTS (SELECT 1 FROM schedule n CROSS "
       "JOIN listing l "
       "ON l.namespace = n.namespace AND l.id = n.id WHERE n.uid = s.uid AND l.uid = s.uid "
       "AND l.status = (s.flags >> 5) & 7) LIMIT 1"},
      {"a schedule is listed that is not there",
       "SELECT CAST(l.uid AS TEXT) FROM listing l WHERE NOT EXISTS (SELECT 1 FROM state s WHERE s.uid = l.uid AND "
       "s.flags & 2 = 0) "
       "LIMIT 1"},
      {"the schedules of a namespace are miscounted",
       "SELECT n.name FROM namespace n WHERE n.schedules <> (SELECT count(*) FROM listing l "
       "WHERE l.namespace = n.name) LIMIT 1"},
      {"a run that waits in a queue is not queued",
       "SELECT CAST(r.seq AS TEXT) FROM (SELECT seq FROM ready UNION ALL SELECT seq FROM later) r WHERE NOT EXISTS "
       "(SELECT 1 FROM ledger g WHERE g.seq = r.seq AND g.outcome = 1 AND g.state IN (1, 3)) LIMIT 1"},
      {"a run is queued and waits in no queue",
       "SELECT CAST(g.seq AS TEXT) FROM ledger g WHERE g.outcome = 1 AND g.state IN (1, 3) AND g.seq NOT IN (SELECT "
       "seq FROM ready) "
       "AND g.seq NOT IN (SELECT seq FROM later) LIMIT 1"},
  }};
  for (const auto& [what, query] : comparisons) {
    const std::string found = TRY(findings(connection, query));
    if (!found.empty()) return damaged(connection, fmt::format("{}: {}", what, found));
  }
  return {};
}

}  // namespace carillon::sqlite
