#include "simulation/bugs/bugs.hpp"
#include "simulation/bugs/spoiled_commits.hpp"

#include <algorithm>
#include <array>
#include <deque>

// What a mistake in the run machine, in a queue or in how leases are kept would do to runs.

namespace carillon::simulation {
namespace {

/// Changes what is to be written about runs.
template <auto spoil>
class SpoiledWrites final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    const Instant now = TRY(PassingStore::store_now());
    std::vector<RunUpdate> spoiled{updates.begin(), updates.end()};
    for (RunUpdate& update : spoiled) spoil(update, now);
    return PassingStore::write(spoiled);
  }
};

void retry(RunUpdate& update, Instant now) {
  update.next.state = RunState::retrying;
  update.next.ended_at.reset();
  update.next.claimable_from = now;
}

void ignore_backoff(RunUpdate& update, Instant now) {
  if (update.next.state == RunState::retrying) update.next.claimable_from = now;
}

void try_once_more(RunUpdate& update, Instant now) {
  if (update.next.state == RunState::failed && update.attempt < 6) retry(update, now);
}

void retry_lost(RunUpdate& update, Instant now) {
  if (update.next.state == RunState::lost) retry(update, now);
}

void retry_success(RunUpdate& update, Instant now) {
  if (update.next.state == RunState::succeeded && update.attempt == 1) retry(update, now);
}

/// Takes whatever a worker says, however late it is.
class LateResults final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<std::vector<RunWritten>> write(std::span<const RunUpdate> updates) override {
    std::vector<RunUpdate> accepted{updates.begin(), updates.end()};
    for (RunUpdate& update : accepted) {
      const auto rows = TRY(PassingStore::read_runs({&update.seq, 1}));
      if (!rows.front() || rows.front()->run.attempt != update.attempt) continue;
      update.session = rows.front()->session;
      update.state = rows.front()->run.state;
      update.stop = rows.front()->run.stop;
      update.may_retry = rows.front()->run.may_retry;
    }
    return PassingStore::write(accepted);
  }
};

/// Gives some runs to a second worker too.
class HandedOutTwice final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<ClaimResult> claim(const ClaimRequest& request) override {
    auto claimed = PassingStore::claim(request);
    if (!claimed) return claimed;
    if (!claimed->runs.empty()) {
      last_ = claimed->runs.front();
    } else if (last_ && last_->row.session != request.session) {
      claimed->runs.push_back(*std::exchange(last_, std::nullopt));
      claimed->runs.back().row.session = request.session;
    }
    return claimed;
  }

 private:
  std::optional<ClaimedRun> last_;
};

/// Ends leases long before the worker is told they end.
class LeaseToldTooLong final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<SessionId> open_session(const std::string& worker, Duration lease) override {
    return PassingStore::open_session(worker, lease / factor);
  }
  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override {
    auto pulse = PassingStore::heartbeat(heartbeat);
    if (pulse) pulse->lease_until = pulse->store_now + (pulse->lease_until - pulse->store_now) * factor;
    return pulse;
  }

 private:
  static constexpr int factor = 5;
};

/// Tells nobody to stop.
class SwallowedStops final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<Pulse> heartbeat(const Heartbeat& heartbeat) override {
    auto pulse = PassingStore::heartbeat(heartbeat);
    if (pulse) pulse->stops.clear();
    return pulse;
  }
};

/// Gives up runs whose worker is well.
class GivenUpTooEarly final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<ClaimResult> claim(const ClaimRequest& request) override {
    auto claimed = PassingStore::claim(request);
    if (claimed)
      for (const ClaimedRun& run : claimed->runs) given_.push_back(run.row.seq);
    return claimed;
  }
  Result<std::vector<QueuedRun>> read_lost(std::size_t count_max) override {
    auto lost = TRY(PassingStore::read_lost(count_max));
    if (given_.empty() || ++calls_ % 7 != 0) return lost;
    const Seq seq = given_.front();
    given_.pop_front();
    const auto rows = TRY(PassingStore::read_runs({&seq, 1}));
    if (rows.front() && rows.front()->run.state == RunState::running) lost.push_back(*rows.front());
    return lost;
  }

 private:
  std::deque<Seq> given_;
  int calls_ = 0;
};

/// Never finds out that a worker is gone.
class LostForEver final : public PassingStore {
 public:
  using PassingStore::PassingStore;
  Result<std::vector<QueuedRun>> read_lost(std::size_t) override { return std::vector<QueuedRun>{}; }
};

/// Shows the end of some attempts differently after a while.
class RewrittenHistory final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<std::vector<LedgerRecord>> read_ledger(Seq after, std::size_t count_max) override {
    auto lines = PassingStore::read_ledger(after, count_max);
    if (!lines || ++reads_ < 500) return lines;
    for (LedgerRecord& line : *lines)
      if (auto* attempt = std::get_if<AttemptLine>(&line); attempt != nullptr && attempt->attempt == 1)
        if (attempt->state == AttemptState::succeeded) attempt->state = AttemptState::failed;
    return lines;
  }

 private:
  int reads_ = 0;
};

/// Forgets one of the queues.
class ForgottenQueue final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Result<ClaimResult> claim(const ClaimRequest& request) override {
    ClaimRequest smaller = request;
    std::erase(smaller.queues, "reports");
    return PassingStore::claim(smaller);
  }
};

constexpr std::array bugs{
    Bug{"backoff_ignored", "retries come at once", make_store<SpoiledWrites<ignore_backoff>>},
    Bug{"one_attempt_too_many", "failed runs are tried again and again", make_store<SpoiledWrites<try_once_more>>},
    Bug{"lost_command_retried", "what may not be repeated is repeated", make_store<SpoiledWrites<retry_lost>>},
    Bug{"success_retried", "a run that succeeded runs again", make_store<SpoiledWrites<retry_success>>},
    Bug{"late_result_accepted", "a result counts after its attempt was given up", make_store<LateResults>},
    Bug{"handed_out_twice", "two workers get one run", make_store<HandedOutTwice>},
    Bug{"lease_told_too_long", "workers live on beyond their lease", make_store<LeaseToldTooLong>},
    Bug{"stops_swallowed", "nobody hears that he is to stop", make_store<SwallowedStops>},
    Bug{"given_up_too_early", "attempts are lost while they go on", make_store<GivenUpTooEarly>},
    Bug{"lost_for_ever", "dead workers are never noticed", make_store<LostForEver>},
    Bug{"history_rewritten", "what has ended ends differently", make_store<RewrittenHistory>, Bug::Place::before_store},
    Bug{"queue_forgotten", "nobody serves one of the queues", make_store<ForgottenQueue>},
};

}  // namespace

std::span<const Bug> running_bugs() { return bugs; }

}  // namespace carillon::simulation
