#pragma once

#include "base/error.hpp"
#include "ports/event_feed.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/counters.hpp"
#include "stores/sqlite/shared_rows.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace carillon::sqlite {

/// What happened, one row for each transaction: events are noted while it lasts and written when it ends, so that one
/// costs next to nothing.
class FeedRows {
 public:
  explicit FeedRows(Connection& connection);

  void note(const FeedEvent& event) { noted_.add(event); }
  void note(const std::optional<FeedEvent>& event) {
    if (event) noted_.add(*event);
  }

  // For who leads the transaction.
  void begin() { noted_.go_back({}); }
  [[nodiscard]] FeedPacker::Mark mark() const { return noted_.mark(); }
  void go_back(const FeedPacker::Mark& mark) { noted_.go_back(mark); }
  [[nodiscard]] bool has_events() const { return noted_.count() > 0; }
  /// Writes what was noted, and forgets what is old: a few rows.
  [[nodiscard]] Result<> save(Counters& counters);

  [[nodiscard]] Result<FeedPage> read(std::optional<std::int64_t> after, std::size_t count_max);

 private:
  FeedPacker noted_;
  std::int64_t since_forgotten_ = 0;  // events written since old ones were last looked for
  Statement insert_;
  Statement forget_;
  Statement ends_;
  Statement rows_;
};

}  // namespace carillon::sqlite
