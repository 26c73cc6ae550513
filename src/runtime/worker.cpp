#include "runtime/worker.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

/// It looks at least this often.
constexpr Duration worker_period = std::chrono::seconds{1};

}  // namespace

Worker::Worker(const WorkerParts& parts, WorkerOptions options)
    : clock_{parts.clock},
      attempts_{parts.attempts},
      editions_{parts.store, parts.queue, parts.definitions},
      supervisor_{parts.attempts, parts.executors,          parts.store, parts.definitions, parts.clock,
                  parts.log,      std::move(options.run_id)},
      session_{parts.queue, parts.attempts, supervisor_, parts.clock, parts.log, std::move(options.session)},
      reporter_{parts.attempts, supervisor_, editions_, parts.clock, parts.log},
      adoption_{parts.queue, parts.attempts, supervisor_, parts.log} {}

Result<std::vector<AttemptKey>> Worker::take_over(SessionId session, std::span<const DetachedAttempt> detached) {
  auto taken = TRY(adoption_.take_over(session, detached));
  // They may have been asked to stop meanwhile.
  if (!taken.empty()) session_.look_for_stops();
  return taken;
}

void Worker::claim_and_launch(Duration now) {
  session_.adopt(now);
  session_.claim(now);
  supervisor_.launch_claimed(session_.lease_end());
}

Duration Worker::tick() {
  const Duration now = clock_.since_boot();
  editions_.refresh();
  // What comes next runs already while the ends of others are written.
  if (session_.is_held(now) && !session_.has_uncertain_claims()) claim_and_launch(now);
  reporter_.report(now);
  adoption_.leave_if_done();
  session_.end_if_over(now);
  // One that is stopped before its first turn still goes on with what it has taken over, to end it.
  const bool is_done = attempts_.is_draining() && attempts_.is_empty();
  if (!session_.is_open() && (is_done || !session_.open())) return now + worker_period;
  if (session_.must_beat(now)) {
    adoption_.beat();
    session_.beat();
  }
  session_.look_for_lost_claims();
  claim_and_launch(now);
  supervisor_.watch_time();
  session_.extend_executors();
  return next_tick(now);
}

Duration Worker::next_tick(Duration now) {
  Duration next = now + worker_period;
  for (const auto& wanted : {session_.next_tick(), supervisor_.next_tick(now), reporter_.next_tick(now)})
    next = std::min(next, wanted.value_or(next));
  return next;
}

void Worker::hand_over() {
  reporter_.report(clock_.since_boot());
  // Whoever follows them must know which were launched.
  if (session_.is_open()) session_.beat();
  session_.leave();
}

void Worker::leave() {
  adoption_.leave();
  session_.leave();
}

}  // namespace carillon
