#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"
#include "ports/notifier.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/lane_selection.hpp"
#include "stores/sqlite/run_rows.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carillon::sqlite {

/// A run that waits, where it stands.
struct ReadyRun {
  std::int64_t queue = 0;
  Instant rank;
  Seq seq{};
  Instant claimable_from;
  std::optional<Instant> expires_at{};

  [[nodiscard]] bool may_be_claimed(Instant now) const {
    return claimable_from <= now && (!expires_at || *expires_at >= now);
  }
};

[[nodiscard]] ReadyRun ready_run_of(const StoredRun& run);

/// Runs that wait for a worker: in `ready` by rank, in `later` by time those whose time had not come when they were
/// last looked at, so that nobody steps over them.
class ReadyRows {
 public:
  /// Says in `change` if a run has come to wait.
  ReadyRows(Connection& connection, StoreChange& change);

  [[nodiscard]] Result<> put(const StoredRun& run, Instant now);
  [[nodiscard]] Result<> drop(const StoredRun& run);

  /// The lanes with waiting runs that are of the selection, ascending.
  [[nodiscard]] Result<std::vector<std::int64_t>> lanes(LaneSelection& selection);
  /// Runs of these lanes that may be claimed now, by rank and then by seq, at most so many of each lane. What has
  /// expired is left out.
  [[nodiscard]] Result<std::vector<ReadyRun>> first(std::span<const std::int64_t> queues, Instant now,
                                                    std::size_t count_max);
  /// Takes out one of these.
  [[nodiscard]] Result<> drop(const ReadyRun& entry);
  /// When the next run of these queues may be claimed, of those that could not be when `first` looked.
  [[nodiscard]] Result<std::optional<Instant>> next_claimable(std::span<const std::int64_t> queues);

  /// Whether `first` would find anything, or let something in.
  [[nodiscard]] Result<bool> has_claimable(std::span<const std::int64_t> queues, Instant now);

  /// Runs whose time to be claimed is over, at most so many.
  [[nodiscard]] Result<std::vector<Seq>> expired(Instant now, std::size_t count_max);

 private:
  [[nodiscard]] Result<> let_in(std::int64_t queue, Instant now);
  [[nodiscard]] Result<> collect(std::int64_t queue, Instant now, std::size_t count_max, std::vector<ReadyRun>& found);

  Connection& connection_;
  StoreChange& change_;
  Statement add_;
  Statement drop_;
  Statement first_;
  Statement add_later_;
  Statement drop_later_;
  Statement due_;
  Statement next_;
  Statement any_;
  Statement expired_;
  Statement ready_lane_;
  Statement later_lane_;
};

}  // namespace carillon::sqlite
