#include "stores/sqlite/feed_rows.hpp"

namespace carillon::sqlite {
namespace {

constexpr std::int64_t kept_count = 100'000;
/// Between two looks for old rows at most as many rows are written as events, so that this is always enough.
constexpr std::int64_t forgetting_distance = 256;
constexpr std::int64_t forgotten_at_once = 2 * forgetting_distance;

}  // namespace

FeedRows::FeedRows(Connection& connection)
    : insert_{connection, "INSERT INTO feed VALUES (?1, ?2, ?3)"},
      // Nothing goes of the row in which the oldest event that is kept stands.
      forget_{connection,
              "DELETE FROM feed WHERE position IN (SELECT position FROM feed WHERE position < "
              "(SELECT max(position) FROM feed WHERE position <= ?1) ORDER BY position LIMIT ?2)"},
      ends_{connection, "SELECT feed, (SELECT min(position) FROM feed) FROM meta"},
      rows_{connection,
            "SELECT position, at, events FROM feed WHERE position >= "
            "(SELECT max(position) FROM feed WHERE position <= ?1) ORDER BY position"} {}

Result<> FeedRows::save(Counters& counters) {
  if (!has_events()) return {};
  const std::int64_t first = counters.take_positions(noted_.count());
  TRY(insert_.run(first, noted_.first_at(), Blob{noted_.bytes()}));
  since_forgotten_ += noted_.count();
  if (since_forgotten_ < forgetting_distance) return {};
  since_forgotten_ = 0;
  return forget_.run(first + noted_.count() - kept_count, forgotten_at_once);
}

Result<FeedPage> FeedRows::read(std::optional<std::int64_t> after, std::size_t count_max) {
  FeedPage page;
  std::optional<std::int64_t> oldest;
  {
    Cursor ends = ends_.query();
    TRY(ends.next());
    page.newest = ends.count(0);
    oldest = ends.number_if(1);
  }
  if (!after || *after == page.newest) return page;
  // Positions are given without gaps, and one that was never given is of another life of this file.
  page.is_gap = *after > page.newest || !oldest || *after + 1 < *oldest;
  if (page.is_gap) return page;
  Cursor row = rows_.query(*after + 1);
  while (page.events.size() < count_max && TRY(row.next()))
    for (const FeedEvent& event : TRY(unpack_events(row.bytes(2), row.count(0), row.instant(1))))
      if (event.position > *after && page.events.size() < count_max) page.events.push_back(event);
  return page;
}

}  // namespace carillon::sqlite
