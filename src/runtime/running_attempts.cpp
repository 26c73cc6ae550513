#include "runtime/running_attempts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace carillon {

RunningAttempts::RunningAttempts(Clock& clock, Log& log, AttemptOptions options)
    : clock_{clock}, log_{log}, options_{options}, store_time_{clock, options.store_time} {}

std::size_t RunningAttempts::room(std::size_t capacity, std::size_t reserved) {
  const std::scoped_lock lock{mutex_};
  const auto is_busy = [](const auto& entry) { return entry.second.state != RunningAttempt::State::ended; };
  const auto busy = static_cast<std::size_t>(std::ranges::count_if(table_, is_busy));
  const std::size_t known_max = 2 * capacity;
  return std::min(capacity - std::min(busy + reserved, capacity),
                  known_max - std::min(table_.size() + reserved, known_max));
}

bool RunningAttempts::is_empty() {
  const std::scoped_lock lock{mutex_};
  return table_.empty();
}

std::size_t RunningAttempts::count() {
  const std::scoped_lock lock{mutex_};
  return table_.size();
}

void RunningAttempts::drain() {
  const std::scoped_lock lock{mutex_};
  is_draining_ = true;
}

bool RunningAttempts::is_draining() {
  const std::scoped_lock lock{mutex_};
  return is_draining_;
}

std::vector<LaunchNotice> RunningAttempts::take_unreported_launches(SessionId session) {
  const std::scoped_lock lock{mutex_};
  first_unreported_.reset();
  std::vector<LaunchNotice> launches;
  for (const auto& [key, attempt] : table_)
    if (attempt.launched_at && !attempt.is_launch_told && attempt.claimed.row.session == session)
      launches.push_back(
          {.seq = key.run, .attempt = key.attempt, .at = *attempt.launched_at, .known_as = attempt.known_as});
  return launches;
}

std::optional<Duration> RunningAttempts::first_unreported() {
  const std::scoped_lock lock{mutex_};
  return first_unreported_;
}

void RunningAttempts::note_told(std::span<const LaunchNotice> launches) {
  const std::scoped_lock lock{mutex_};
  for (const LaunchNotice& told : launches)
    if (const auto found = table_.find({told.seq, told.attempt}); found != table_.end())
      found->second.is_launch_told = true;
}

void RunningAttempts::known_as(const AttemptKey& key, std::string_view name) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = table_.find(key); found != table_.end()) found->second.known_as = name;
}

void RunningAttempts::launched(const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  const auto found = table_.find(key);
  if (found == table_.end()) return;
  found->second.launched_at = store_time_.now_after(found->second.claimed.store_now);
  if (!first_unreported_) first_unreported_ = clock_.since_boot();
}

void RunningAttempts::output(const AttemptKey& key, OutputStream stream, std::string_view bytes) {
  if (options_.logs == nullptr) return;
  Uid uid{};
  {
    const std::scoped_lock lock{mutex_};
    const auto found = table_.find(key);
    if (found == table_.end()) return;
    found->second.has_output = true;
    uid = found->second.claimed.row.uid;
  }
  options_.logs->append(uid, key, stream, bytes);
}

void RunningAttempts::progress(const AttemptKey& key, const RunProgress& progress) {
  {
    const std::scoped_lock lock{mutex_};
    const auto found = table_.find(key);
    if (found == table_.end() || found->second.state == RunningAttempt::State::ended) return;
    found->second.progress = progress;
    found->second.progress_mark = ++progress_count_;
  }
  listeners_.call(key);
}

std::optional<RunProgress> RunningAttempts::progress_of(Seq run) {
  const std::scoped_lock lock{mutex_};
  std::optional<RunProgress> newest;
  for (auto at = table_.lower_bound({.run = run, .attempt = 0}); at != table_.end() && at->first.run == run; ++at)
    if (at->second.state != RunningAttempt::State::ended) newest = at->second.progress;
  return newest;
}

std::vector<AttemptProgress> RunningAttempts::changed_since(std::uint64_t& mark) {
  const std::scoped_lock lock{mutex_};
  std::vector<AttemptProgress> changed;
  if (mark == progress_count_) return changed;
  for (const auto& [key, attempt] : table_)
    if (attempt.progress && attempt.progress_mark > mark && attempt.state != RunningAttempt::State::ended)
      changed.push_back({.key = key, .progress = *attempt.progress});
  mark = progress_count_;
  return changed;
}

std::shared_ptr<void> RunningAttempts::listen(std::function<void()> listener) {
  return listeners_.add([listener = std::move(listener)](const AttemptKey&) { listener(); });
}

void RunningAttempts::close_log(const AttemptKey& key) {
  std::optional<Uid> logged;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = table_.find(key);
    if (found != table_.end() && found->second.has_output) logged = found->second.claimed.row.uid;
  }
  if (!logged) return;
  if (const auto closed = options_.logs->close(*logged, key); !closed)
    log_.warn("output cannot be kept",
              {{"run", static_cast<std::int64_t>(key.run)}, {"error", closed.error().message}});
}

std::optional<AttemptNews> RunningAttempts::note_end(const AttemptKey& key, AttemptEnd end) {
  const std::scoped_lock lock{mutex_};
  const auto found = table_.find(key);
  if (found == table_.end()) return std::nullopt;
  RunningAttempt& attempt = found->second;
  const bool is_over = !may_be_launched_again(end) || attempt.cause != StopCause::none;
  if (is_over) {
    end_attempt(attempt, std::move(end), store_time_.now_after(attempt.claimed.store_now));
    return options_.observer != nullptr ? std::optional{news_of(attempt)} : std::nullopt;
  }
  if (!attempt.is_postponed)
    log_.warn("launch is postponed", {{"run", static_cast<std::int64_t>(key.run)}, {"reason", end.error}});
  postpone(attempt, end, clock_.since_boot());
  return std::nullopt;
}

void RunningAttempts::ended(const AttemptKey& key, AttemptEnd end) {
  close_log(key);
  if (const auto news = note_end(key, std::move(end))) options_.observer->attempt_ended(*news);
  alarm_.ring();
}

}  // namespace carillon
