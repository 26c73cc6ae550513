#include "library/handler_executor.hpp"

#include "base/quoted.hpp"
#include "base/utf8.hpp"
#include "document/document.hpp"
#include "ports/run_queue.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace carillon {
namespace {

/// The clock of the lease counts suspensions of the machine, the clock of a sleep does not.
constexpr Duration lease_look = std::chrono::seconds{1};

/// What the handler of one attempt writes to its log. Shared with copies of the handler's context, which may outlive
/// the attempt.
class AttemptLog {
 public:
  AttemptLog(AttemptEvents& events, const AttemptKey& key) : events_{&events}, key_{key} {}

  void write(std::string_view line) {
    const std::scoped_lock lock{mutex_};
    if (events_ != nullptr) events_->output(key_, OutputStream::out, std::string{line} + '\n');
  }
  void close() {
    const std::scoped_lock lock{mutex_};
    events_ = nullptr;
  }

 private:
  std::mutex mutex_;
  AttemptEvents* events_;  // guarded; null: the attempt has ended
  const AttemptKey key_;
};

RunContext context_of(const Assignment& assignment, std::stop_token stop, const std::shared_ptr<AttemptLog>& log) {
  const Envelope& envelope = assignment.envelope;
  return {.schedule_id = envelope.schedule_id,
          .run_id = envelope.run_id,
          .run_name = envelope.run_name,
          .nominal = envelope.nominal,
          .due = envelope.due,
          .attempt = envelope.attempt,
          .fence = envelope.fence,
          .payload = envelope.payload,
          .last_result = envelope.last_result,
          .last_failure = envelope.last_failure,
          .stop = std::move(stop),
          .log = HandlerLog{[log](std::string_view line) { log->write(line); }}};
}

HandlerResult call(const Handler& handler, const RunContext& context) {
  try {
    return handler(context);
  } catch (const std::exception& thrown) {
    return HandlerResult::failure(thrown.what());
  } catch (...) {
    return HandlerResult::failure("the handler threw something other than a std::exception");
  }
}

/// Fit for the ledger: bounded, and text.
std::string kept_error(std::string error) {
  if (error.empty()) return "the handler gave no reason";
  if (const auto end = find_malformed_utf8(error)) error.resize(*end);
  if (error.empty()) return "the handler's reason is not UTF-8";
  return shortened(std::move(error), attempt_error_size_max);
}

/// The result as JSON: a text that is none becomes a JSON string.
Result<std::string> kept_result(std::string result) {
  if (result.size() <= run_result_size_max && !parse_json(result)) {
    if (find_malformed_utf8(result)) return fail(ErrorCode::invalid_argument, "it is not UTF-8");
    result = boost::json::serialize(boost::json::string{result});
  }
  if (result.size() > run_result_size_max)
    return fail(ErrorCode::invalid_argument, "it has {} bytes, more than {}", result.size(), run_result_size_max);
  return result;
}

}  // namespace

HandlerExecutor::HandlerExecutor(Clock& clock, AttemptEvents& events, Log& log, std::size_t thread_count_max)
    : clock_{clock}, events_{events}, log_{log}, thread_count_max_{std::max<std::size_t>(thread_count_max, 1)} {}

HandlerExecutor::~HandlerExecutor() { close(); }

Result<> HandlerExecutor::add(const std::string& name, Handler handler) {
  const std::scoped_lock lock{mutex_};
  if (!handlers_.try_emplace(name, std::make_shared<const Handler>(std::move(handler))).second)
    return fail(ErrorCode::conflict, "handler {} already exists", quoted(name));
  return {};
}

void HandlerExecutor::remove(const std::string& name) {
  const std::scoped_lock lock{mutex_};
  handlers_.erase(name);
}

bool HandlerExecutor::has(std::string_view name) {
  const std::scoped_lock lock{mutex_};
  return handlers_.contains(name);
}

bool HandlerExecutor::start_thread() {
  if (waiting_.size() <= idle_count_ || threads_.size() >= thread_count_max_) return true;
  try {
    if (!lease_watch_.joinable())
      lease_watch_ = std::jthread{[this](const std::stop_token& token) { watch_lease(token); }};
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // Those that exist come to it later.
    return !threads_.empty();
  }
  return true;
}

void HandlerExecutor::launch(Assignment assignment) {
  const AttemptKey key = assignment.key;
  AttemptEnd refusal{.outcome = AttemptOutcome::failed, .error = "no thread can be started"};
  {
    const std::scoped_lock lock{mutex_};
    if (is_closed_) {
      refusal.error = "the scheduler was stopped";
    } else {
      // A new session's first attempts may come before the news of its lease.
      lease_end_ = std::max(lease_end_.value_or(assignment.launch_before), assignment.launch_before);
      live_.try_emplace(key);
      waiting_.push_back(std::move(assignment));
      if (start_thread()) {
        work_.notify_one();
        lease_.notify_all();
        return;
      }
      waiting_.pop_back();
      live_.erase(key);
    }
  }
  events_.ended(key, std::move(refusal));
}

void HandlerExecutor::stop(const AttemptKey& key, Stop /*how*/) {
  std::optional<std::stop_source> source;
  {
    const std::scoped_lock lock{mutex_};
    if (const auto found = live_.find(key); found != live_.end()) source = found->second;
  }
  // Without the lock: it calls what the host has bound to the token.
  if (source) source->request_stop();
}

void HandlerExecutor::extend_until(Duration since_boot) {
  const std::scoped_lock lock{mutex_};
  lease_end_ = since_boot;
  lease_.notify_all();
}

HandlerExecutor::HandlerPtr HandlerExecutor::handler_of(const Assignment& assignment) const {
  const auto* job = std::get_if<JobAction>(&assignment.action);
  if (job == nullptr) return nullptr;
  const auto found = handlers_.find(job->type);
  return found == handlers_.end() ? nullptr : found->second;
}

void HandlerExecutor::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    ++idle_count_;
    work_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
    --idle_count_;
    if (waiting_.empty()) return;
    const Assignment assignment = std::move(waiting_.front());
    waiting_.pop_front();
    const HandlerPtr handler = handler_of(assignment);
    const std::stop_source source = live_.at(assignment.key);
    lock.unlock();
    AttemptEnd end = perform(assignment, handler, source.get_token());
    lock.lock();
    live_.erase(assignment.key);
    lock.unlock();
    events_.ended(assignment.key, std::move(end));
    lock.lock();
  }
}

AttemptEnd HandlerExecutor::perform(const Assignment& assignment, const HandlerPtr& handler,
                                    const std::stop_token& stop) {
  using Outcome = AttemptOutcome;
  if (clock_.since_boot() >= assignment.launch_before)
    return {.outcome = Outcome::released, .error = "its lease ended before its turn came"};
  if (stop.stop_requested()) return {.outcome = Outcome::cancelled, .error = "it was stopped before it started"};
  if (!handler) {
    const auto* job = std::get_if<JobAction>(&assignment.action);
    return {.outcome = Outcome::failed,
            .error = fmt::format("handler {} not found", quoted(job == nullptr ? "" : job->type))};
  }
  events_.launched(assignment.key);
  const auto log = std::make_shared<AttemptLog>(events_, assignment.key);
  HandlerResult result = call(*handler, context_of(assignment, stop, log));
  log->close();
  return end_of(assignment, std::move(result), stop);
}

AttemptEnd HandlerExecutor::end_of(const Assignment& assignment, HandlerResult result, const std::stop_token& stop) {
  AttemptEnd end;
  if (result.error) {
    end.outcome = stop.stop_requested() ? AttemptOutcome::cancelled : AttemptOutcome::failed;
    end.error = kept_error(*std::move(result.error));
    if (result.retry_after) end.retry_after = std::max(*result.retry_after, Duration{0});
    return end;
  }
  if (!result.result) return end;
  auto kept = kept_result(*std::move(result.result));
  if (!kept)
    log_.warn("result of a handler is dropped",
              {{"run", assignment.envelope.run_name}, {"error", kept.error().message}});
  else
    end.result = *std::move(kept);
  return end;
}

void HandlerExecutor::watch_lease(const std::stop_token& token) {
  std::unique_lock lock{mutex_};
  while (!token.stop_requested()) {
    if (live_.empty() || !lease_end_) {
      lease_.wait(lock, token, [&] { return !live_.empty() && lease_end_; });
      continue;
    }
    const Duration left = *lease_end_ - clock_.since_boot();
    if (left > Duration{0}) {
      lease_.wait_for(lock, token, std::min(left, lease_look), [] { return false; });
      continue;
    }
    lease_end_.reset();
    const auto ended = live_;
    lock.unlock();
    for (auto [key, source] : ended) source.request_stop();
    lock.lock();
  }
}

void HandlerExecutor::close() {
  std::map<AttemptKey, std::stop_source> live;
  std::vector<std::jthread> threads;
  std::jthread lease_watch;
  {
    const std::scoped_lock lock{mutex_};
    is_closed_ = true;
    live = live_;
    threads = std::exchange(threads_, {});
    lease_watch = std::exchange(lease_watch_, {});
  }
  work_.notify_all();
  for (auto& [key, source] : live) source.request_stop();
  threads.clear();
}

}  // namespace carillon
