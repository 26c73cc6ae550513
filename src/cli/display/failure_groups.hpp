#pragma once

#include "base/instant.hpp"
#include "client/types/run_types.hpp"
#include "client/types/schedule_types.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// What went wrong in the same way: runs of one namespace that ended in one state with the same first line of their
/// error, or schedules that stand still because of failures.
struct FailureGroup {
  std::string state{};  // of the runs: failed, timed_out, lost, expired; of the schedules: dead, paused
  std::string error{};  // its first line
  std::string name_space{};
  std::vector<std::string> schedules{};  // ids, ascending, each once; none: jobs without a schedule
  std::int64_t count = 0;                // runs, or schedules
  std::optional<Instant> first{};        // end of the oldest run, or begin of the oldest pause
  std::optional<Instant> last{};
  std::string run{};   // id of the newest run; empty: it is about schedules
  std::string next{};  // the command to go on with
};

/// The states of runs that count as failures, as a server is asked for them.
inline constexpr std::string_view failure_states = "failed,timed_out,lost,expired";

/// Whether its newest run that has ended failed, timed out or was lost, or it is dead. One that is disabled is not:
/// nothing is expected of it.
[[nodiscard]] bool is_failing(const client::Schedule& schedule);

/// Whether it stands still until somebody acts, because runs have failed: dead, or paused by its policy.
[[nodiscard]] bool is_stopped_by_failure(const client::Schedule& schedule);

/// Groups of schedules first, then those of runs; of each kind the newest first. Equal arguments give equal results.
[[nodiscard]] std::vector<FailureGroup> failure_groups(const std::vector<client::Run>& runs,
                                                       const std::vector<client::Schedule>& stopped);

/// The group as programs get it.
[[nodiscard]] boost::json::value document_of(const FailureGroup& group);

}  // namespace carillon::cli
