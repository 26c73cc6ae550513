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
  std::vector<client::Run> failed{};              // in the last 24 hours, newest first, failed_count_max at most
  std::vector<client::Schedule> found{};  // those that a filter asks for, whether anything happens to them or not
};

inline constexpr std::size_t failed_count_max = 100;

/// With a filter also the schedules that have its text in their id or name.
[[nodiscard]] Result<WatchData> read_watch_data(Client& client, Instant now, const std::string& filter = {});

/// One line of the view: a run, the waiting runs of a schedule, or a schedule.
struct WatchRow {
  enum class Kind { running, waiting, paused, next, failed, found };
  Kind kind = Kind::next;
  std::string schedule{};
  std::string name_space{};
  std::string run{};  // an id; empty: of a schedule
  Cell sign{};
  std::string name{};  // as shown: `invoices ×3`
  std::string detail{};
};

/// What runs first, then what waits, is paused, comes next, and was found beside all that. Texts of the server are fit
/// for a terminal.
[[nodiscard]] std::vector<WatchRow> rows_of(const WatchData& data, const Zone& zone, Instant now, const Paint& paint);
/// Whether something is under way whose progress can be seen.
[[nodiscard]] bool has_progress(const WatchData& data);
/// The runs that have failed, newest first.
[[nodiscard]] std::vector<WatchRow> failure_rows_of(const WatchData& data, const Zone& zone, Instant now);

}  // namespace carillon::cli
