#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::packages {

/// The name of the state file in the folder of a package.
inline constexpr std::string_view state_file_name = ".schedule-state.json";
/// How many runs a state file tells of, and how many at most; how large one may be that is read.
inline constexpr std::size_t history_count_default = 50;
inline constexpr std::size_t history_count_max = 500;
inline constexpr std::size_t state_file_size_max = 1024 * 1024;

enum class PackageStatus { idle, running, paused, error, disabled };

/// What the status of a package is chosen by.
struct PackageConditions {
  bool is_disabled = false;
  bool is_paused = false;
  bool is_running = false;
  bool has_failed = false;  // its last run did
};
/// The first that holds: disabled, paused, running, error; else idle.
[[nodiscard]] PackageStatus status_of(const PackageConditions& conditions);

/// One run, whatever number of attempts it took.
struct PackageRun {
  Instant started_at;
  std::optional<Instant> completed_at{};
  bool is_success = false;
  std::optional<std::int64_t> duration_ms{};
  std::optional<std::int64_t> items_processed{};
  std::string result_file{};                    // relative to the package; empty: none
  std::string error{};                          // empty: none
  std::optional<std::int64_t> retry_attempt{};  // number of its last retry; none: it took one attempt
  friend bool operator==(const PackageRun&, const PackageRun&) = default;
};

struct PackageStats {
  std::int64_t total_runs = 0;
  std::int64_t successful_runs = 0;
  std::int64_t failed_runs = 0;
  std::optional<Instant> last_failure{};
  std::optional<std::int64_t> average_duration_ms{};
  friend bool operator==(const PackageStats&, const PackageStats&) = default;
};

/// What a `.schedule-state.json` says of a package.
struct PackageState {
  std::string schedule_id;
  std::string pipeline_id;
  PackageStatus status = PackageStatus::idle;
  bool is_enabled = true;
  std::optional<PackageRun> last_run{};
  std::optional<Instant> next_run{};
  PackageStats stats{};
  std::vector<PackageRun> history{};  // newest first
  friend bool operator==(const PackageState&, const PackageState&) = default;
};

/// Version 1 of the format, indented by two, times with milliseconds. Only the newest history_count_max runs are
/// written, and no next run of a package that is paused or disabled.
[[nodiscard]] std::string write_package_state(const PackageState& state);

/// Reads what write_package_state writes; members nobody knows are passed over. A text that is no state, and one of a
/// newer version, is an error: what it means is not known, and it must not be taken for a package that never ran.
[[nodiscard]] Result<PackageState> read_package_state(std::string_view text);

}  // namespace carillon::packages
