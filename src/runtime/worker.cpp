#include "runtime/worker.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Nobody is believed to be right about the lease to its last moment.
constexpr Duration lease_margin = seconds{2};
constexpr Duration poll_period = seconds{1};
/// What runs longer than this is seen to have begun before it ends.
constexpr Duration launch_news = milliseconds{500};
constexpr Duration report_pause = milliseconds{500};
constexpr std::size_t claim_max = 1'000;

}  // namespace

Worker::Worker(RunQueue& queue, Clock& clock, Log& log, WorkerOptions options, std::function<void()> on_event,
               std::function<void()> on_told)
    : queue_{queue},
      clock_{clock},
      log_{log},
      options_{std::move(options)},
      on_event_{std::move(on_event)},
      on_told_{std::move(on_told)} {}

void Worker::use(Executors executors, LogStore* logs, RunObserver* observer) {
  executors_ = executors;
  logs_ = logs;
  observer_ = observer;
}

void Worker::use(DefinitionCache& definitions, RunFinisher& finisher) {
  definitions_ = &definitions;
  finisher_ = &finisher;
}

// The answer was given before it came here: times taken from this are never ahead of the store's.
void Worker::see_store_clock(Instant store_now) {
  store_seen_ = store_now;
  boot_seen_ = clock_.since_boot();
}

Instant Worker::store_time() const {
  return options_.has_store_clock ? clock_.now() : store_seen_ + (clock_.since_boot() - boot_seen_);
}

void Worker::extend(Duration sent, Duration length) {
  session_->lease_end = sent + length - lease_margin;
  session_->next_beat = sent + length / 3;
  must_extend_ = true;
}

// The store's clock may have been set forward since the last heartbeat: then the lease ends sooner than was told.
void Worker::shorten(Duration sent, Duration left) {
  const std::scoped_lock lock{mutex_};
  const Duration end = sent + left - lease_margin;
  if (!session_ || session_->lease_end <= end) return;
  session_->lease_end = end;
  must_extend_ = must_beat_ = true;
}

void Worker::tell_executors() {
  std::vector<StopOrder> orders;
  std::optional<Duration> lease_end;
  {
    const std::scoped_lock lock{mutex_};
    orders = std::exchange(stop_orders_, {});
    if (std::exchange(must_extend_, false) && session_) lease_end = session_->lease_end;
  }
  for (Executor* executor : {executors_.command, executors_.http, executors_.job})
    if (executor != nullptr && lease_end) executor->extend_until(*lease_end);
  for (const StopOrder& order : orders) order.executor->stop(order.key, order.how);
}

bool Worker::open_session() {
  const Duration sent = clock_.since_boot();
  const auto store_now = queue_.store_now();
  const auto opened = queue_.open_session(options_.name, options_.lease);
  if (!store_now || !opened) {
    log_.warn("worker cannot open a session",
              {{"error", store_now ? opened.error().message : store_now.error().message}});
    return false;
  }
  const std::scoped_lock lock{mutex_};
  see_store_clock(*store_now);
  session_ = Session{.id = *opened};
  extend(sent, options_.lease);
  return true;
}

// What has ended by itself can still be told; the rest is no longer ours, and the store will say that it is lost.
void Worker::lose_session() {
  std::size_t running = 0;
  std::vector<std::pair<Executor*, AttemptKey>> given_up;
  {
    const std::scoped_lock lock{mutex_};
    session_.reset();
    std::erase_if(children_, [&](const auto& entry) {
      const Child& child = entry.second;
      if (child.claimed.row.session == adopted_session_) return false;
      if (child.state == Child::State::launching) {
        ++running;
        if (may_outlive_server(child)) given_up.emplace_back(executor_of(child), entry.first);
        stop_orders_.push_back({.executor = executor_of(child), .key = entry.first, .how = Stop::terminate});
      }
      return child.state != Child::State::ended;
    });
  }
  tell_executors();
  for (const auto& [executor, key] : given_up) executor->recorded(key);
  log_.warn("worker lost its session", {{"ended by force", running}});
}

void Worker::beat() {
  std::vector<LaunchNotice> launched;
  SessionId session{};
  {
    const std::scoped_lock lock{mutex_};
    session = session_->id;
    must_beat_ = false;
    first_unreported_.reset();
    launched = unreported_launches(session);
  }
  const Duration sent = clock_.since_boot();
  const auto pulse = queue_.heartbeat({.session = session, .launched = launched});
  if (!pulse) {
    if (pulse.error().code == ErrorCode::not_found) return lose_session();
    const std::scoped_lock lock{mutex_};
    session_->next_beat = clock_.since_boot() + poll_period;
    return;
  }
  const std::scoped_lock lock{mutex_};
  see_store_clock(pulse->store_now);
  extend(sent, pulse->lease_until - pulse->store_now);
  note_told(launched);
  apply_stop_requests(pulse->stops, sent);
}

void Worker::note_told(std::span<const LaunchNotice> launched) {
  for (const LaunchNotice& told : launched)
    if (const auto child = children_.find({told.seq, told.attempt}); child != children_.end())
      child->second.is_launch_told = true;
}

std::vector<LaunchNotice> Worker::unreported_launches(SessionId session) const {
  std::vector<LaunchNotice> launched;
  for (const auto& [key, child] : children_)
    if (child.launched_at && !child.is_launch_told && child.claimed.row.session == session)
      launched.push_back({.seq = key.run, .attempt = key.attempt, .at = *child.launched_at});
  return launched;
}

void Worker::apply_stop_requests(const std::vector<StopRequest>& stops, Duration now) {
  for (const StopRequest& request : stops)
    if (const auto child = children_.find({request.seq, request.attempt}); child != children_.end())
      stop(child->second, request.how, Cause::user, now);
}

void Worker::look_for_lost_claims() {
  SessionId session{};
  {
    const std::scoped_lock lock{mutex_};
    // A commit under way may claim what is read here, and then hand it over a second time.
    if (reserved_ > 0) return;
    is_looking_ = true;
    session = session_->id;
  }
  auto held = queue_.read_held(session);
  const std::scoped_lock lock{mutex_};
  is_looking_ = false;
  if (!held) return;
  claims_uncertain_ = false;
  for (ClaimedRun& run : *held) {
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    const Stop asked = run.row.run.stop;
    children_.try_emplace(key, Child{.claimed = std::move(run), .stop = asked});
  }
}

// What has ended needs none any more, also if the store does not know of it yet; but ends that cannot be told must not
// pile up.
std::size_t Worker::room() const {
  const auto is_busy = [](const auto& entry) { return entry.second.state != Child::State::ended; };
  const auto busy = static_cast<std::size_t>(std::ranges::count_if(children_, is_busy));
  const std::size_t known_max = 2 * options_.capacity;
  return std::min(options_.capacity - std::min(busy + reserved_, options_.capacity),
                  known_max - std::min(children_.size() + reserved_, known_max));
}

std::optional<ClaimRequest> Worker::claim_request() {
  const std::scoped_lock lock{mutex_};
  const bool is_open = session_ && clock_.since_boot() < session_->lease_end;
  if (!is_open || is_draining_ || is_looking_) return std::nullopt;
  const std::size_t count = std::min(room(), claim_max);
  if (count == 0) return std::nullopt;
  reserved_ += count;
  return ClaimRequest{.session = session_->id, .queues = options_.queues, .count_max = count};
}

void Worker::accept(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer) {
  const std::scoped_lock lock{mutex_};
  reserved_ -= request.count_max;
  claims_uncertain_ |= answer == Answer::lost;
  for (ClaimedRun& run : runs) {
    // The answer may have taken so long that the session it was claimed for is over.
    if (!session_ || run.row.session != session_->id) continue;
    const AttemptKey key{run.row.seq, run.row.run.attempt};
    children_.try_emplace(key, Child{.claimed = std::move(run)});
  }
}

void Worker::take(const ClaimRequest& request, std::vector<ClaimedRun> runs, Answer answer) {
  const bool is_news = !runs.empty() || answer == Answer::lost;
  accept(request, std::move(runs), answer);
  if (is_news) on_event_();
}

void Worker::claim() {
  const auto request = claim_request();
  if (!request) return;
  const Duration sent = clock_.since_boot();
  auto claimed = queue_.claim(*request);
  const Duration now = clock_.since_boot();
  if (!claimed) {
    accept(*request, {}, Answer::lost);
    if (claimed.error().code == ErrorCode::not_found) return lose_session();
    next_claim_ = now + poll_period;
    return;
  }
  next_claim_ = now + poll_period;
  if (claimed->runs.size() >= request->count_max)
    next_claim_ = now;
  else if (claimed->next_claimable)
    next_claim_ = std::min(*next_claim_, now + std::max<Duration>(*claimed->next_claimable - claimed->store_now, {}));
  if (!claimed->runs.empty()) shorten(sent, claimed->runs.front().lease_until - claimed->store_now);
  accept(*request, std::move(claimed->runs), Answer::known);
}

void Worker::report_finished() {
  std::vector<Finish> finishes;
  std::vector<AttemptKey> keys;
  {
    const std::scoped_lock lock{mutex_};
    for (auto& [key, child] : children_) {
      if (!child.finish) continue;
      finishes.push_back(*child.finish);
      keys.push_back(key);
    }
  }
  if (finishes.empty()) return;
  const auto told = finisher_->finish(finishes);
  if (!told) {
    // Told again until the store has it: whoever gave up here would keep the runs for ever with its lease.
    log_.warn("ends of runs cannot be written", {{"count", finishes.size()}, {"error", told.error().message}});
    next_report_ = clock_.since_boot() + report_pause;
    return;
  }
  next_report_.reset();
  on_told_();
  for (const UnreadableDefinition& unreadable : finisher_->take_unreadable())
    log_.error("definition cannot be read, its runs are not tried again",
               {{"schedule", static_cast<std::int64_t>(unreadable.name.uid)},
                {"revision", unreadable.name.revision},
                {"error", unreadable.error}});
  for (std::size_t i = 0; i < keys.size(); ++i)
    if ((*told)[i] == FinishOutcome::late)
      log_.warn("result came too late",
                {{"run", static_cast<std::int64_t>(keys[i].run)}, {"attempt", keys[i].attempt}});
  std::vector<std::pair<Executor*, AttemptKey>> kept;
  {
    const std::scoped_lock lock{mutex_};
    for (const AttemptKey& key : keys) {
      const Child& child = children_.at(key);
      if (may_outlive_server(child)) kept.emplace_back(executor_of(child), key);
      children_.erase(key);
    }
  }
  for (const auto& [executor, key] : kept)
    if (executor != nullptr) executor->recorded(key);
}

void Worker::claim_and_launch(Duration now) {
  if (is_open() && (!next_claim_ || now >= *next_claim_)) claim();
  if (!next_launch_ || now >= *next_launch_) launch_claimed();
}

Duration Worker::tick() {
  const Duration now = clock_.since_boot();
  // Who comes next runs already while the ends of others are written.
  if (is_open() && now < session_->lease_end && !has_uncertain_claims()) claim_and_launch(now);
  if (!next_report_ || now >= *next_report_) report_finished();
  leave_adopted();
  if (is_open() && now >= session_->lease_end) lose_session();
  if (!is_open() && (is_draining() || !open_session())) return now + poll_period;
  if (must_beat(now)) {
    beat_adopted();
    beat();
  }
  if (is_open() && has_uncertain_claims()) look_for_lost_claims();
  claim_and_launch(now);
  watch_time();
  tell_executors();
  return next_tick(now);
}

// Only the thread that ticks opens and loses sessions.
bool Worker::is_open() const { return session_.has_value(); }

bool Worker::must_beat(Duration now) {
  const std::scoped_lock lock{mutex_};
  const bool has_news = first_unreported_ && now >= *first_unreported_ + launch_news;
  return session_ && (must_beat_ || has_news || now >= session_->next_beat);
}

bool Worker::has_uncertain_claims() {
  const std::scoped_lock lock{mutex_};
  return claims_uncertain_;
}

bool Worker::is_draining() {
  const std::scoped_lock lock{mutex_};
  return is_draining_;
}

Duration Worker::next_tick(Duration now) {
  const std::scoped_lock lock{mutex_};
  Duration next = now + poll_period;
  if (session_) next = std::min({next, session_->next_beat, session_->lease_end});
  if (session_ && first_unreported_) next = std::min(next, *first_unreported_ + launch_news);
  if (next_claim_ && room() > 0 && !is_draining_) next = std::min(next, *next_claim_);
  if (next_report_) next = std::min(next, *next_report_);
  for (const auto& [key, child] : children_) {
    if (child.state == Child::State::claimed)
      next = std::min(next, std::max(next_launch_.value_or(now), child.not_before.value_or(now)));
    if (child.finish && !next_report_) return now;
    if (child.timeout_at) next = std::min(next, *child.timeout_at);
    if (child.kill_at) next = std::min(next, *child.kill_at);
  }
  return next;
}

void Worker::look_for_stops() {
  {
    const std::scoped_lock lock{mutex_};
    must_beat_ = true;
  }
  on_event_();
}

void Worker::drain() {
  const std::scoped_lock lock{mutex_};
  is_draining_ = true;
}

bool Worker::is_idle() {
  const std::scoped_lock lock{mutex_};
  return children_.empty() && reserved_ == 0;
}

void Worker::leave() {
  std::optional<Session> session;
  std::optional<SessionId> adopted;
  {
    const std::scoped_lock lock{mutex_};
    session = std::exchange(session_, std::nullopt);
    adopted = std::exchange(adopted_session_, std::nullopt);
  }
  if (adopted) close(*adopted);
  if (!session) return;
  close(session->id);
}

void Worker::close(SessionId session) {
  if (const auto closed = queue_.close_session(session); !closed)
    log_.warn("worker cannot give its session back", {{"error", closed.error().message}});
}

}  // namespace carillon
