#include "runtime/leased_session.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Nobody is believed to be right about the lease to its last moment.
constexpr Duration lease_margin = seconds{2};
constexpr Duration claim_period = seconds{1};
/// Where others' writes are told.
constexpr Duration patient_claim_period = seconds{5};
/// How often it looks for runs whose session has ended.
constexpr Duration adoption_period = seconds{3};
/// How long after a heartbeat that failed the next one comes.
constexpr Duration beat_again = seconds{1};
/// What runs longer than this is seen to have begun before it ends.
constexpr Duration launch_news = milliseconds{500};
constexpr std::size_t claim_max = 1'000;

}  // namespace

LeasedSession::LeasedSession(RunQueue& queue, RunningAttempts& attempts, AttemptSupervisor& supervisor, Clock& clock,
                             Log& log, SessionOptions options)
    : queue_{queue},
      attempts_{attempts},
      supervisor_{supervisor},
      clock_{clock},
      log_{log},
      options_{std::move(options)} {}

std::optional<ClaimRequest> LeasedSession::claim_request() {
  const std::scoped_lock lock{mutex_};
  if (!is_held(clock_.since_boot()) || is_looking_ || attempts_.is_draining()) return std::nullopt;
  const std::size_t count = std::min(attempts_.room(options_.capacity, reserved_), claim_max);
  if (count == 0) return std::nullopt;
  reserved_ += count;
  // Without room it stays: whoever makes some rings the alarm.
  must_claim_ = false;
  return ClaimRequest{
      .session = session_->id, .queues = options_.queues, .count_max = count, .skills = options_.skills};
}

void LeasedSession::accept(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer) {
  const std::scoped_lock lock{mutex_};
  reserved_ -= request.count_max;
  if (answer == Answer::lost) claims_uncertain_ = has_lost_answers_ = true;
  // There is probably more, for when there is room again.
  must_claim_ |= runs.size() >= request.count_max;
  auto table = attempts_.access();
  for (ClaimedRun& run : runs) {
    // The answer may have taken so long that the session it was claimed for is over.
    if (!session_ || run.row.session != session_->id) continue;
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    if (const auto [place, is_new] = table->try_emplace(key); is_new) place->second.claimed = std::move(run);
  }
}

void LeasedSession::take(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer) {
  const bool is_news = !runs.empty() || answer == Answer::lost;
  accept(request, std::move(runs), answer);
  if (is_news) attempts_.alarm().ring();
}

void LeasedSession::look_for_stops() {
  {
    const std::scoped_lock lock{mutex_};
    must_beat_ = true;
  }
  attempts_.alarm().ring();
}

void LeasedSession::look_for_runs() {
  {
    const std::scoped_lock lock{mutex_};
    if (std::exchange(must_claim_, true)) return;
  }
  attempts_.alarm().ring();
}

bool LeasedSession::is_time_to_claim(Duration now) {
  const std::scoped_lock lock{mutex_};
  return must_claim_ || !next_claim_ || now >= *next_claim_;
}

bool LeasedSession::has_reservations() {
  const std::scoped_lock lock{mutex_};
  return reserved_ > 0;
}

bool LeasedSession::has_uncertain_claims() {
  const std::scoped_lock lock{mutex_};
  return claims_uncertain_;
}

// With the lock held.
void LeasedSession::extend(Duration sent, Duration length) {
  session_->lease_end = sent + length - lease_margin;
  session_->next_beat = sent + length / 3;
  must_extend_ = true;
}

// The store's clock may have been set forward since the last heartbeat: then the lease ends sooner than was told.
void LeasedSession::shorten(Duration sent, Duration left) {
  const std::scoped_lock lock{mutex_};
  const Duration end = sent + left - lease_margin;
  if (!session_ || session_->lease_end <= end) return;
  session_->lease_end = end;
  must_extend_ = must_beat_ = true;
}

bool LeasedSession::open() {
  const Duration sent = clock_.since_boot();
  const auto store_now = queue_.store_now();
  const auto opened = queue_.open_session(options_.name, options_.lease);
  if (!store_now || !opened) {
    log_.warn("worker cannot open a session",
              {{"error", store_now ? opened.error().message : store_now.error().message}});
    return false;
  }
  attempts_.store_time().see(*store_now);
  const std::scoped_lock lock{mutex_};
  session_ = Session{.id = *opened};
  has_lost_answers_ = false;
  extend(sent, options_.lease);
  return true;
}

void LeasedSession::lose() {
  SessionId lost{};
  {
    const std::scoped_lock lock{mutex_};
    lost = session_->id;
    session_.reset();
  }
  log_.warn("worker lost its session", {{"ended by force", supervisor_.abandon(lost)}});
}

void LeasedSession::end_if_over(Duration now) {
  if (session_ && now >= session_->lease_end) lose();
}

bool LeasedSession::must_beat(Duration now) {
  const auto first = attempts_.first_unreported();
  const std::scoped_lock lock{mutex_};
  const bool has_news = first && now >= *first + launch_news;
  return session_ && (must_beat_ || has_news || now >= session_->next_beat);
}

void LeasedSession::beat() {
  {
    const std::scoped_lock lock{mutex_};
    must_beat_ = false;
  }
  const auto launched = attempts_.take_unreported_launches(session_->id);
  const Duration sent = clock_.since_boot();
  const auto pulse = queue_.heartbeat({.session = session_->id, .launched = launched});
  if (!pulse) {
    if (pulse.error().code == ErrorCode::not_found) return lose();
    const std::scoped_lock lock{mutex_};
    session_->next_beat = clock_.since_boot() + beat_again;
    return;
  }
  attempts_.store_time().see(pulse->store_now);
  attempts_.note_told(launched);
  {
    const std::scoped_lock lock{mutex_};
    extend(sent, pulse->lease_until - pulse->store_now);
    // A database that stood still may commit what was given up long ago: nobody else would ever hear of those runs.
    claims_uncertain_ |= has_lost_answers_;
  }
  supervisor_.apply_stop_requests(pulse->stops);
}

void LeasedSession::look_for_lost_claims() {
  {
    const std::scoped_lock lock{mutex_};
    // A commit under way may claim what is read here, and then hand it over a second time.
    if (!session_ || !claims_uncertain_ || reserved_ > 0) return;
    is_looking_ = true;
  }
  auto held = queue_.read_held(session_->id);
  const std::scoped_lock lock{mutex_};
  is_looking_ = false;
  if (!held) return;
  claims_uncertain_ = false;
  auto table = attempts_.access();
  for (ClaimedRun& run : *held) {
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    const Stop asked = run.row.run.stop;
    const bool is_launched = run.row.run.attempt_state != AttemptState::claimed;
    if (options_.hands_over && is_launched)
      table->try_emplace(key, followed_attempt(std::move(run)));
    else
      table->try_emplace(key, RunningAttempt{.claimed = std::move(run), .stop = asked});
  }
}

void LeasedSession::adopt(Duration now) {
  if (!options_.hands_over || !session_ || now < next_adoption_ || attempts_.is_draining()) return;
  next_adoption_ = now + adoption_period;
  const std::size_t count = std::min(attempts_.room(options_.capacity, 0), claim_max);
  if (count == 0) return;
  auto adopted = queue_.adopt({.session = session_->id, .queues = options_.queues, .count_max = count});
  if (!adopted) {
    if (adopted.error().code == ErrorCode::not_found) return lose();
    const std::scoped_lock lock{mutex_};
    claims_uncertain_ = has_lost_answers_ = true;
    return;
  }
  if (adopted->size() == count) next_adoption_ = now;
  if (!adopted->empty()) log_.info("following runs that another worker has left", {{"count", adopted->size()}});
  auto table = attempts_.access();
  for (ClaimedRun& run : *adopted) {
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    table->try_emplace(key, followed_attempt(std::move(run)));
  }
}

void LeasedSession::claim(Duration now) {
  if (!session_ || !is_time_to_claim(now)) return;
  const auto request = claim_request();
  if (!request) return;
  const Duration sent = clock_.since_boot();
  auto claimed = queue_.claim(*request);
  const Duration answered = clock_.since_boot();
  if (!claimed) accept(*request, {}, Answer::lost);
  if (!claimed && claimed.error().code == ErrorCode::not_found) return lose();
  const bool hears = options_.hears_of_changes && options_.hears_of_changes();
  next_claim_ = answered + (claimed && hears ? patient_claim_period : claim_period);
  if (!claimed) return;
  if (claimed->runs.size() >= request->count_max)
    next_claim_ = answered;
  else if (claimed->next_claimable)
    next_claim_ =
        std::min(*next_claim_, answered + std::max<Duration>(*claimed->next_claimable - claimed->store_now, {}));
  if (!claimed->runs.empty()) shorten(sent, claimed->runs.front().lease_until - claimed->store_now);
  accept(*request, std::move(claimed->runs), Answer::known);
}

void LeasedSession::extend_executors() {
  if (std::exchange(must_extend_, false) && session_) supervisor_.extend_until(session_->lease_end);
}

std::optional<Duration> LeasedSession::next_tick() {
  if (!session_) return std::nullopt;
  const std::scoped_lock lock{mutex_};
  Duration next = std::min(session_->next_beat, session_->lease_end);
  if (const auto first = attempts_.first_unreported()) next = std::min(next, *first + launch_news);
  const bool can_claim = !attempts_.is_draining() && attempts_.room(options_.capacity, reserved_) > 0;
  return next_claim_ && can_claim ? std::min(next, *next_claim_) : next;
}

void LeasedSession::leave() {
  std::optional<Session> session;
  {
    const std::scoped_lock lock{mutex_};
    session = std::exchange(session_, std::nullopt);
  }
  if (session) close_session(queue_, session->id, log_);
}

void close_session(RunQueue& queue, SessionId session, Log& log) {
  if (const auto closed = queue.close_session(session); !closed)
    log.warn("worker cannot close its session", {{"error", closed.error().message}});
}

}  // namespace carillon
