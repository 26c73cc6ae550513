#include "stores/sqlite/outage_rows.hpp"

#include <algorithm>

namespace carillon::sqlite {
namespace {

#define CARILLON_OUTAGES "SELECT seq, first, last, cause FROM outage "

// Rows stand newest first.
Result<std::vector<Outage>> read_all(Cursor row) {
  std::vector<Outage> outages;
  while (TRY(row.next()))
    outages.push_back({.seq = row.as<Seq>(0),
                       .from = row.instant(1),
                       .to = row.instant(2),
                       .cause = row.one_of(3, OutageCause::store)});
  TRY(row.check());
  std::ranges::reverse(outages);
  return outages;
}

}  // namespace

OutageRows::OutageRows(Connection& connection)
    : last_note_{connection, "SELECT decided_at FROM meta"},
      note_{connection, "UPDATE meta SET decided_at = ?1"},
      add_{connection, "INSERT INTO outage VALUES (?1, ?2, ?3, ?4, ?5)"},
      forget_{connection,
              "DELETE FROM outage WHERE seq <= (SELECT seq FROM outage ORDER BY seq DESC LIMIT 1 OFFSET ?1)"},
      newest_{connection, CARILLON_OUTAGES "ORDER BY seq DESC LIMIT ?1"},
      between_{connection, CARILLON_OUTAGES "WHERE first < ?2 AND last > ?1 ORDER BY seq DESC LIMIT ?3"} {}

Result<std::optional<Outage>> OutageRows::note(const Presence& presence, Counters& counters, Instant now) {
  std::optional<Instant> last;
  {
    Cursor row = last_note_.query();
    if (TRY(row.next())) last = row.instant_if(0);
  }
  TRY(note_.run(now));
  if (!last || presence.since - *last <= outage_min) return std::nullopt;
  const Outage outage{.seq = counters.next_seq(), .from = *last, .to = presence.since, .cause = presence.cause};
  TRY(add_.run(outage.seq, now, outage.from, outage.to, outage.cause));
  TRY(forget_.run(limit_of(outages_kept_max)));
  return outage;
}

Result<std::vector<Outage>> OutageRows::newest(std::size_t count_max) {
  return read_all(newest_.query(limit_of(count_max)));
}

Result<std::vector<Outage>> OutageRows::read(Instant from, Instant to, std::size_t count_max) {
  return read_all(between_.query(from, to, limit_of(count_max)));
}

}  // namespace carillon::sqlite
