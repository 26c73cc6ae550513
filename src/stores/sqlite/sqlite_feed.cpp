#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

Result<FeedPage> SqliteStore::read_events(std::optional<std::int64_t> after, std::size_t count_max) {
  return read<FeedPage>([&](sqlite::Tables& tables, Instant) { return tables.feed.read(after, count_max); });
}

}  // namespace carillon
