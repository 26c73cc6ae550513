#include "service/job_claims.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace carillon {

JobClaims::JobClaims(const ServiceParts& parts, Access& access, Workers& workers, LoopMonitor* loops)
    : access_{access},
      workers_{workers},
      waiters_{[&runs = parts.store.runs](std::span<const std::string> queues, const WorkerSkills& skills) {
                 const auto found = runs.has_claimable(queues, skills);
                 return !found || *found;  // a claim tells what is wrong
               },
               loops} {}

void JobClaims::claim(const Caller& caller, JobClaim claim, std::shared_ptr<ClaimSink> sink) {
  // Shared by what the waiting claim is asked.
  const auto pending =
      std::make_shared<const Pending>(Pending{.caller = caller, .claim = std::move(claim), .sink = std::move(sink)});
  if (try_to_claim(*pending)) return;
  const Duration wait = std::min(pending->claim.wait, wait_max);
  if (wait <= Duration{}) return pending->sink->answer(std::vector<ClaimedJob>{}, {});
  auto wanted = workers_.wanted_by(pending->caller, pending->claim.session);
  if (!wanted) return pending->sink->answer(std::unexpected(std::move(wanted).error()), {});
  waiters_.add({.queues = std::move(wanted->queues),
                .skills = std::move(wanted->skills),
                .deadline = WaitingClaim::Clock::now() + wait,
                .is_over = [this, pending] { return is_over(*pending); },
                .claim = [this, pending] { return try_to_claim(*pending); },
                .end = [pending] { pending->sink->answer(std::vector<ClaimedJob>{}, {}); },
                .renew = [this, pending] { return renew(*pending); }});
}

bool JobClaims::try_to_claim(const Pending& pending) {
  // For nobody nothing is claimed; a sink without a client is answered when its time is over.
  if (!pending.sink->is_open()) return false;
  auto jobs = workers_.claim(pending.caller, pending.claim.session, pending.claim.count_max, pending.claim.holds);
  if (!jobs) {
    pending.sink->answer(std::unexpected(std::move(jobs).error()), {});
    return true;
  }
  if (jobs->empty()) return false;
  give(pending, *std::move(jobs));
  return true;
}

void JobClaims::give(const Pending& pending, std::vector<ClaimedJob> jobs) {
  const ReportDelivery report = [&workers = workers_, caller = pending.caller, session = pending.claim.session, jobs,
                                 is_listing = pending.claim.holds.has_value()](Delivery delivery) {
    // What cannot be noted now is found with the worker's next heartbeat.
    static_cast<void>(workers.delivered(caller, session, jobs, delivery, is_listing));
  };
  if (pending.sink->is_open()) return pending.sink->answer(std::move(jobs), report);
  report(Delivery::broken);
  pending.sink->answer(std::vector<ClaimedJob>{}, {});
}

bool JobClaims::is_over(const Pending& pending) {
  if (!pending.sink->is_open()) {
    pending.sink->answer(std::vector<ClaimedJob>{}, {});
    return true;
  }
  if (access_.is_still_valid(pending.caller)) return false;
  pending.sink->answer(refuse(Refusal::Kind::unauthenticated, "unauthenticated", "a valid token is needed"), {});
  return true;
}

std::optional<WaitingClaim::Clock::duration> JobClaims::renew(const Pending& pending) {
  const auto left = workers_.renew(pending.caller, pending.claim.session);
  if (left) return std::chrono::duration_cast<WaitingClaim::Clock::duration>(*left / 2);
  // What could not be asked is asked again soon.
  if (left.error().kind != Refusal::Kind::not_found) return std::chrono::seconds{1};
  pending.sink->answer(std::unexpected(left.error()), {});
  return std::nullopt;
}

}  // namespace carillon
