#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"
#include "cli/terminal/table.hpp"
#include "client/client.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace carillon::cli {

/// What `watch` shows, as the server told it.
struct WatchData {
  std::vector<client::Run> running{};
  std::vector<client::Run> waiting{};
  std::vector<client::Schedule> paused{};
  std::vector<client::UpcomingStart> upcoming{};  // the next start of each schedule, soonest first
  std::size_t failed_count = 0;                   // in the last 24 hours; as many as we count at most
};

inline constexpr std::size_t failed_count_max = 100;

[[nodiscard]] Result<WatchData> read_watch_data(Client& client, Instant now);

/// One line of the view: a run, the waiting runs of a schedule, or a schedule.
struct WatchRow {
  enum class Kind { running, waiting, paused, next };
  Kind kind = Kind::next;
  std::string schedule{};
  std::string name_space{};
  std::string run{};  // an id; empty: of a schedule
  Cell sign{};
  std::string name{};  // as shown: `invoices ×3`
  std::string detail{};
};

/// What runs first, then what waits, is paused, and comes next. Texts of the server are fit for a terminal.
[[nodiscard]] std::vector<WatchRow> rows_of(const WatchData& data, const Zone& zone, Instant now);

}  // namespace carillon::cli
