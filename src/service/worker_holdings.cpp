#include "scheduling/run_finisher.hpp"
#include "service/workers.hpp"

#include <utility>

namespace carillon {
namespace {

AttemptKey key_of(const ClaimedRun& claimed) { return {claimed.row.seq, claimed.row.run.attempt}; }
bool is_unconfirmed(const ClaimedRun& claimed) { return claimed.row.run.attempt_state == AttemptState::claimed; }

constexpr std::string_view never_reached = "the worker did not receive the claimed run; nothing was started";
constexpr std::string_view perhaps_reached = "it is unknown whether the worker received the claimed run";
constexpr std::string_view forgotten = "its worker no longer reports it; the outcome is unknown";

}  // namespace

std::set<AttemptKey> Workers::keys_of(const std::vector<HeldAttempt>& holds) const {
  std::set<AttemptKey> keys;
  for (const HeldAttempt& held : holds)
    if (const auto seq = parts_.run_ids.run_of(held.run_id)) keys.insert({*seq, held.attempt});
  return keys;
}

Served<Pulse> Workers::beat(const Session& session, const std::optional<std::vector<HeldAttempt>>& holds,
                            Missing missing) {
  const bool is_listing = holds.has_value();
  const std::set<AttemptKey> listed = holds ? keys_of(*holds) : std::set<AttemptKey>{};
  const auto held = TRY(parts_.store.runs.read_held(session.id));
  const Instant now = TRY(parts_.store.runs.store_now());
  std::vector<LaunchNotice> launched;
  std::vector<ClaimedRun> given_up;
  std::set<AttemptKey> gone = listed;
  for (const ClaimedRun& run : held) {
    const AttemptKey key = key_of(run);
    gone.erase(key);
    const auto answered_at = handed_out_.answered_at(key);
    const bool is_confirmed = is_listing ? listed.contains(key) : answered_at.has_value();
    if (is_unconfirmed(run) && is_confirmed)
      launched.push_back({.seq = key.run, .attempt = key.attempt, .at = answered_at.value_or(now)});
    const bool is_known = is_confirmed || (!is_listing && !is_unconfirmed(run));
    if (is_known) {
      handed_out_.forget(key);
    } else if (missing == Missing::given_up || !is_listing) {
      // A claim may lie waiting with an old list: what is missing there says nothing.
      if (handed_out_.is_overdue(key, parts_.clock.since_boot())) given_up.push_back(run);
    }
  }
  Pulse pulse = TRY(parts_.store.runs.heartbeat({.session = session.id, .launched = launched}));
  note_presence(session, pulse.lease_until - pulse.store_now);
  for (const AttemptKey& key : gone)
    pulse.stops.push_back({.seq = key.run, .attempt = key.attempt, .how = Stop::terminate});
  if (!given_up.empty()) TRY(give_up(given_up, is_listing));
  return pulse;
}

Served<> Workers::give_up(std::span<const ClaimedRun> runs, bool is_listing) {
  std::vector<Finish> finishes;
  for (const ClaimedRun& run : runs) {
    const bool is_released = is_listing && is_unconfirmed(run);
    const std::string_view why = is_released ? never_reached : is_unconfirmed(run) ? perhaps_reached : forgotten;
    finishes.push_back(
        {.run = run.row,
         .end = {.outcome = is_released ? AttemptOutcome::released : AttemptOutcome::lost, .error = std::string{why}}});
  }
  const auto definitions = parts_.definitions.now();
  RunFinisher finisher{parts_.store.runs, *definitions};
  TRY(finisher.finish(finishes));
  for (const ClaimedRun& run : runs) handed_out_.forget(key_of(run));
  return {};
}

Served<> Workers::delivered(const Caller& caller, const std::string& session, std::span<const ClaimedJob> jobs,
                            Delivery delivery, bool is_listing) {
  const Session own = TRY(find(caller, session));
  std::set<AttemptKey> keys;
  for (const ClaimedJob& job : jobs)
    if (const auto seq = parts_.run_ids.run_of(job.run_id)) keys.insert({*seq, job.attempt});
  for (const AttemptKey& key : keys) handed_out_.note_answer(key);
  if (delivery == Delivery::whole && is_listing) return {};
  if (delivery == Delivery::whole) {
    std::vector<LaunchNotice> launched;
    for (const AttemptKey& key : keys)
      if (const auto at = handed_out_.answered_at(key))
        launched.push_back({.seq = key.run, .attempt = key.attempt, .at = *at});
    // If it cannot be written now, the next heartbeat does it.
    TRY(parts_.store.runs.heartbeat({.session = own.id, .launched = launched}));
    for (const LaunchNotice& one : launched) handed_out_.forget({one.seq, one.attempt});
    return {};
  }
  for (const AttemptKey& key : keys) handed_out_.forget(key);
  std::vector<ClaimedRun> unsent;
  for (ClaimedRun& run : TRY(parts_.store.runs.read_held(own.id)))
    if (keys.contains(key_of(run)) && is_unconfirmed(run)) unsent.push_back(std::move(run));
  return give_up(unsent, true);
}

}  // namespace carillon
