#include "runtime/decider.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration zone_period = minutes{1};
/// How much longer it waits where others' writes are told. Shorter than `outage_min`: it must be known to be there.
constexpr double patience = 2.5;
/// How often the store is told that this server decides: so exactly is known when one that was killed has ended.
constexpr Duration presence_period = seconds{2};

}  // namespace

Decider::Decider(ScheduleStore& store, RunQueue& queue, SharedDefinitions& definitions, Clock& clock, Log& log,
                 LeasedSession* session, DeciderOptions options)
    : store_{store},
      queue_{queue},
      definitions_{definitions},
      clock_{clock},
      log_{log},
      session_{session},
      options_{std::move(options)},
      share_{options_.share},
      clock_watch_{options_.clock_earliest},
      editions_{store, queue, definitions, [this](Instant store_now) { return check_clock(store_now); },
                options_.server_number} {}

Result<> Decider::check_clock(Instant store_now) {
  const ClockWatch::Sight sight{.store_now = store_now, .since_boot = clock_.since_boot()};
  auto checked = clock_watch_.check(sight);
  if (checked || !options_.is_clock_synchronised) return checked;
  return clock_watch_.check({.store_now = sight.store_now,
                             .since_boot = sight.since_boot,
                             .is_synchronised = options_.is_clock_synchronised()});
}

void Decider::tell(std::string_view event, const Error& error) {
  if (last_error_ == error.message) return;
  last_error_ = error.message;
  log_.error(event, {{"error", error.message}});
}

bool Decider::is_settled(Duration now) const {
  const bool must_act = must_reopen_ || must_adopt_ || is_held_told_ || has_stepped_ || has_lost_store_;
  return present_since_ && !must_act && now < next_zone_look_ && now - last_look_ <= outage_min;
}

// An error is told by the questions that follow, one by one.
std::optional<Decider::ReadAhead> Decider::read_ahead(Duration now) {
  ReadAhead ahead{.sent = now, .limits = limits(), .batch = {}};
  auto batch = scheduling().prepare_due(ahead.limits);
  if (!batch) return std::nullopt;
  ahead.batch = *std::move(batch);
  return ahead;
}

void Decider::take_up_zones(Duration now) {
  if (now >= next_zone_look_) {
    next_zone_look_ = now + zone_period;
    (void)definitions_.zones().refresh();
  }
  if (editions_.refresh()) {
    must_adopt_ = true;
    ahead_.reset();
    log_.info("zone rules changed", {{"version", definitions_.zones().names()->version}});
  }
  if (!must_adopt_) return;
  const auto adopted = scheduling().adopt_zone_rules();
  if (!adopted) return tell("new zone rules cannot be applied", adopted.error());
  must_adopt_ = false;
  if (*adopted > 0) log_.info("schedules updated to new zone rules", {{"count", *adopted}});
}

bool Decider::may_decide(Duration now) {
  const auto store_now = ahead_ ? Result<Instant>{ahead_->batch.round.store_now} : queue_.store_now();
  if (!store_now) {
    has_lost_store_ = true;
    tell("store cannot be reached", store_now.error());
    return false;
  }
  const auto seen = look_at_clock(now, *store_now);
  if (!seen) {
    has_lost_store_ = true;
    tell("store cannot be reached", seen.error());
    return false;
  }
  const ClockWatch::Verdict verdict = *seen;
  if (verdict != ClockWatch::Verdict::steady) ahead_.reset();
  if (verdict == ClockWatch::Verdict::went_back) must_reopen_ = has_gone_back_ = true;
  has_stepped_ |= verdict != ClockWatch::Verdict::steady;
  const bool is_held = verdict == ClockWatch::Verdict::held;
  if (verdict != ClockWatch::Verdict::steady && !std::exchange(is_held_told_, is_held))
    log_.warn("clock stepped", {{"now", *store_now}, {"step", clock_watch_.last_step()}, {"held", is_held}});
  is_held_told_ = is_held;
  if (is_held || !note_presence(now, *store_now)) return false;
  take_up_zones(now);
  return !must_reopen_ || reopen_future(*store_now);
}

Result<ClockWatch::Verdict> Decider::look_at_clock(Duration now, Instant store_now) {
  const bool is_synchronised = options_.is_clock_synchronised && options_.is_clock_synchronised();
  // Until it is believed for the first time, it is compared with what the store knows.
  const Instant known = present_since_ ? instant_min : TRY(store_.read_page(Uid{}, 0)).decided_at.value_or(instant_min);
  return clock_watch_.look({.store_now = store_now, .since_boot = now, .is_synchronised = is_synchronised}, known);
}

// What is decided late must be known to be late because nobody was there: the note comes before all decisions.
bool Decider::note_presence(Duration now, Instant store_now) {
  const bool has_been_away = !present_since_ || has_stepped_ || now - last_look_ > outage_min;
  if (!has_been_away && now < next_note_) {
    last_look_ = now;
    return true;
  }
  const OutageCause cause = !present_since_   ? OutageCause::down
                            : has_stepped_    ? OutageCause::clock
                            : has_lost_store_ ? OutageCause::store
                                              : OutageCause::halted;
  const auto outage =
      scheduling().note_deciding({.since = has_been_away ? store_now : *present_since_, .cause = cause});
  if (!outage) {
    // Without the note nothing is decided: until it can be written, this server is away.
    has_lost_store_ = true;
    tell("cannot record in the store that this server is active", outage.error());
    return false;
  }
  if (*outage) {
    ahead_.reset();
    log_.warn("no server was active for a while",
              {{"from", (*outage)->from}, {"to", (*outage)->to}, {"cause", to_text((*outage)->cause)}});
  }
  if (has_been_away) present_since_ = store_now;
  has_stepped_ = has_lost_store_ = false;
  last_look_ = now;
  next_note_ = now + presence_period;
  return true;
}

void Decider::leave() {
  if (!present_since_) return;
  const auto noted = scheduling().note_deciding({.since = *present_since_, .cause = OutageCause::halted});
  if (!noted) tell("cannot record in the store that this server stops", noted.error());
}

bool Decider::reopen_future(Instant store_now) {
  // At the start nothing is known of what the clock has shown before.
  const Instant seen = has_gone_back_ ? clock_watch_.newest_seen() : instant_min;
  const auto reopened = scheduling().reopen_future(seen);
  if (!reopened) {
    tell("decisions about future times cannot be taken back", reopened.error());
    return false;
  }
  must_reopen_ = has_gone_back_ = false;
  clock_watch_.reopened(store_now);
  if (*reopened > 0) log_.warn("decisions made while the clock was ahead taken back", {{"schedules", *reopened}});
  return true;
}

Result<Round> Decider::write_claiming(PreparedBatch prepared, const std::optional<ClaimRequest>& claim) {
  try {
    return scheduling().write_due(std::move(prepared), claim);
  } catch (...) {
    // What was claimed for the worker is in the store, and nobody has heard of it.
    if (claim) session_->take(*claim, {}, LeasedSession::Answer::lost);
    throw;
  }
}

Result<Round> Decider::write(PreparedBatch prepared) {
  // What nobody starts here the worker claims by itself.
  const bool may_start = session_ != nullptr && !prepared.transitions.empty();
  const auto claim = may_start ? session_->claim_request() : std::nullopt;
  auto round = write_claiming(std::move(prepared), claim);
  if (claim)
    session_->take(*claim, round ? std::move(round->claimed) : std::vector<ClaimedRun>{},
                   round ? LeasedSession::Answer::known : LeasedSession::Answer::lost);
  if (!round) return round;
  // Who is to stop here hears of it now, not with the next heartbeat.
  if (session_ != nullptr && round->ordered > 0) session_->look_for_stops();
  if (round->quarantined > 0)
    log_.error("schedules set aside for a minute after an error", {{"count", round->quarantined}});
  return round;
}

// While one batch becomes durable the next one is read and decided, which needs another core and no thread if few are
// due. Behind the last one that was read stand others; whatever came to stand before it is found by the next look.
Result<Round> Decider::decide_in_batches(Duration until, std::optional<ReadAhead> ahead) {
  RoundLimits limits = ahead ? ahead->limits : this->limits();
  PreparedBatch prepared = ahead ? std::move(ahead->batch) : TRY(scheduling().prepare_due(limits));
  // In shares, what is due is not in one order.
  const bool has_order = limits.share.count == 1;
  // Deferred if there can be no thread: then one comes after the other.
  const auto policy = options_.threads == DeciderOptions::Threads::alone ? std::launch::deferred
                                                                         : std::launch::async | std::launch::deferred;
  while (prepared.round.has_more && has_order && clock_.since_boot() < until) {
    limits.after = prepared.last;
    auto written = std::async(policy, [this, &prepared] { return write(std::move(prepared)); });
    auto next = scheduling().prepare_due(limits);
    TRY(written.get());
    prepared = TRY(std::move(next));
  }
  Round round = TRY(write(std::move(prepared)));
  round.has_more |= limits.after.has_value();
  return round;
}

// Due times are known beforehand, and changes are heard of: then looking is for what nobody has told.
Duration Decider::poll_period() const {
  const bool hears = options_.hears_of_changes && options_.hears_of_changes();
  return hears ? std::chrono::duration_cast<Duration>(patience * options_.poll_period) : options_.poll_period;
}

Duration Decider::decide() {
  const Duration until = clock_.since_boot() + options_.poll_period;
  for (;;) {
    auto ahead = std::exchange(ahead_, std::nullopt);
    const Duration sent = ahead ? ahead->sent : clock_.since_boot();
    const auto round = decide_in_batches(until, std::move(ahead));
    if (!round) {
      tell("due schedules cannot be decided", round.error());
      return clock_.since_boot() + options_.poll_period;
    }
    last_error_.reset();
    // However much is due, clocks are looked at in between.
    if (round->has_more && clock_.since_boot() >= until) return clock_.since_boot();
    if (round->has_more) continue;
    if (round->refused > 0) return clock_.since_boot();
    const Duration poll = sent + poll_period();
    return round->next_wake ? std::min(poll, sent + (*round->next_wake - round->store_now)) : poll;
  }
}

Duration Decider::tick() {
  const Duration now = clock_.since_boot();
  // Mostly one question tells it all: what time it is, and that nothing is due.
  ahead_ = is_settled(now) ? read_ahead(now) : std::nullopt;
  return may_decide(now) ? decide() : now + options_.poll_period;
}

}  // namespace carillon
