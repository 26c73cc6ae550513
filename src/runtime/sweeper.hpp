#pragma once

#include "base/error.hpp"
#include "definitions/policies.hpp"
#include "ports/clock.hpp"
#include "ports/lock_store.hpp"
#include "ports/log.hpp"
#include "ports/log_store.hpp"
#include "ports/retention.hpp"
#include "ports/schedule_store.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace carillon {

struct SweeperOptions {
  std::size_t page = 1'000;  // lines at a time
  Duration round_period = std::chrono::hours{6};
  /// Of several servers one sweeps: who holds this lock. None: there are no others. It saves work; two that sweep at
  /// the same time do no harm.
  LockStore* locks = nullptr;
  std::string lock_token{};
};

/// Forgets what schedules do not keep any more (`policies.keep`). Goes through the ledger from its beginning to its
/// end, and follows it there; after a while it begins again. A line goes when it is older than `days` and, if it has a
/// run, more than `runs` newer ones have come. Results go with the runs beyond `runs`. The logs of those are kept for a
/// while longer (`log_kept_for`), those of failed runs longest, within `old_logs_size_max`. Of a deleted schedule all
/// lines go by `days`, and when none is left, so do its name and definitions.
///
/// Driven from outside, by one thread that calls `tick`. Nothing that it does is urgent: it works a fifth of its time.
class Sweeper {
 public:
  /// The log store may be null.
  Sweeper(Retention& retention, ScheduleStore& schedules, LogStore* logs, Clock& clock, Log& log,
          SweeperOptions options = {});

  /// One page. When to call again, since boot.
  [[nodiscard]] Duration tick();

 private:
  [[nodiscard]] bool is_its_turn();
  [[nodiscard]] Result<std::size_t> sweep_page(Instant now);
  [[nodiscard]] Result<> forget_old(const std::vector<RetentionCandidate>& lines, Instant now);
  [[nodiscard]] Result<> forget_details(const std::vector<RetentionCandidate>& lines);
  [[nodiscard]] Result<> remove_logs(Uid uid, const std::vector<Seq>& runs);
  /// Collects the logs that have grown too old while their lines stay, and removes them when there are many.
  [[nodiscard]] Result<> forget_old_logs(const std::vector<RetentionCandidate>& lines, Instant now);
  [[nodiscard]] Result<> remove_old_logs();
  [[nodiscard]] Result<Policies::Keep> keep_of(Uid uid);
  /// Finds deleted schedules that are to go when the round has met no line of them.
  [[nodiscard]] Result<> begin_round(Instant now);
  [[nodiscard]] Result<> forget_deleted();

  Retention& retention_;
  ScheduleStore& schedules_;
  LogStore* logs_;
  Clock& clock_;
  Log& log_;
  SweeperOptions options_;
  Seq position_{};
  std::optional<Duration> round_began_;       // since boot
  std::map<Uid, Policies::Keep> keeps_;       // as read in this round
  std::map<Uid, std::vector<Seq>> old_logs_;  // to be removed together: each schedule costs a look at its folder
  std::size_t old_log_count_ = 0;
  std::set<Uid> deleted_;  // older than they are kept; no line of them was met in this round
  bool is_round_begun_ = false;
  bool is_holder_ = false;  // of the lock
  std::optional<std::string> last_error_;
};

}  // namespace carillon
