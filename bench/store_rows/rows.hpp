#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The values that cross the border between a decider and a store, as small as the measurements need them. Times are
/// microseconds since 1970, because here they only go into rows and come out of them.
namespace carillon::store_rows {

/// The order matters: below `succeeded` a run is open, from there on it has ended.
enum RunState : std::int64_t { waiting, queued, retrying, running, succeeded, failed, timed_out, lost, cancelled };

struct LiveRow {
  std::int64_t seq = 0;
  std::int64_t state = queued;
  std::int64_t attempt = 0;
};

struct DueState {
  std::int64_t uid = 0;
  std::int64_t version = 0;
  std::int64_t revision = 0;
  std::int64_t wake_at = 0;
  std::int64_t cursor = 0;
  std::int64_t last_seq = 0;  // newest ledger row
  std::int64_t more = 0;      // runs beside the one that the state names
  std::string body{};
  std::vector<LiveRow> live{};
};

struct LedgerRow {
  std::int64_t nominal = 0;
  std::int64_t due = 0;
  std::int64_t source = 0;
  std::int64_t outcome = 0;
  std::int64_t reason = 0;
  std::int64_t state = queued;
  std::int64_t queue = 0;
  std::int64_t rank = 0;
  bool is_listened = false;  // something already waits for this run's end
};

/// What is to be written for one schedule, together or not at all. A batch has at most one transition per schedule.
struct Transition {
  std::int64_t uid = 0;
  std::int64_t version = 0;  // decided from
  std::int64_t revision = 0;
  std::optional<std::int64_t> wake_at{};
  std::int64_t cursor = 0;
  std::int64_t last_seq = 0;  // newest ledger row before this
  std::string body{};
  std::vector<LedgerRow> rows{};
  std::int64_t kept_count = 0;           // runs that were read and are not counted yet
  std::vector<std::int64_t> counted{};   // ended runs that the counters now contain
  std::vector<std::int64_t> waits_on{};  // open runs whose end must wake this schedule
  std::vector<std::int64_t> release{};   // waiting runs that may be claimed from now on
  std::vector<std::int64_t> cancel{};    // runs to end, or to stop where a worker has them
};

/// The worker session of this server that may take runs straight from a commit.
struct ClaimFor {
  std::int64_t session = 0;
  std::int64_t slots = 0;
};

struct ClaimResult {
  std::int64_t uid = 0;
  std::int64_t seq = 0;
  std::int64_t attempt = 0;
};

struct CommitOutcome {
  std::int64_t written_count = 0;
  std::int64_t refused_count = 0;
  std::vector<ClaimResult> claimed{};
};

struct Finish {
  ClaimResult run{};
  std::int64_t stop = 0;  // the stop order the worker knew of
  std::int64_t state = succeeded;
  std::int64_t exit = 0;
  std::int64_t claimable_from = 0;  // when retrying
};

}  // namespace carillon::store_rows
