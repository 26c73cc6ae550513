#include "base/duration_text.hpp"
#include "runtime/worker.hpp"
#include "scheduling/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr Duration launch_pause = std::chrono::milliseconds{500};

AttemptReport report_of(const AttemptEnd& end, std::optional<Instant> launched_at, Instant ended_at) {
  return {.launched_at = launched_at,
          .ended_at = ended_at,
          .exit_code = end.exit_code,
          .signal = end.signal,
          .error = end.error,
          .result = end.result};
}

}  // namespace

Executor* Worker::executor_of(const Child& child) const {
  if (!child.definition) return nullptr;
  struct Choose {
    const Executors& executors;
    Executor* operator()(const CommandAction&) const { return executors.command; }
    Executor* operator()(const HttpAction&) const { return executors.http; }
    Executor* operator()(const JobAction&) const { return executors.job; }
    Executor* operator()(const PipelineAction&) const { return nullptr; }
  };
  return std::visit(Choose{executors_}, child.definition->action);
}

bool Worker::may_outlive_server(const Child& child) {
  const auto* command = child.definition ? std::get_if<CommandAction>(&child.definition->action) : nullptr;
  return command != nullptr && command->on_owner_loss == OnOwnerLoss::adopt;
}

Finish Worker::finish_of(const Child& child, const AttemptEnd& end) const {
  const bool is_launched = child.launched_at || child.is_launch_told;
  // Two readings of the store's clock may differ by as long as an answer takes.
  const Instant ended_at = std::max(store_time(), child.launched_at.value_or(instant_min));
  return {.run = child.claimed.row,
          .outcome = outcome_of(end.kind, child.cause, is_launched),
          .report = report_of(end, child.launched_at, ended_at),
          .retry_after = end.retry_after};
}

void Worker::end_unlaunched(Child& child, const std::string& error) {
  child.state = Child::State::ended;
  child.finish = finish_of(child, {.kind = AttemptEnd::Kind::not_launched, .error = error});
  // Who has heard of its beginning hears of its end.
  if (child.is_postponed && observer_ != nullptr) unlaunched_news_.push_back(news_of(child));
}

// It keeps its claim, and with it the lease: only the launch is tried again.
void Worker::postpone(Child& child, const AttemptEnd& end) {
  if (!child.is_postponed)
    log_.warn("launch is postponed",
              {{"run", static_cast<std::int64_t>(child.claimed.row.seq)}, {"reason", end.error}});
  child.is_postponed = true;
  child.state = Child::State::claimed;
  child.timeout_at.reset();
  child.not_before = clock_.since_boot() + end.retry_after.value_or(Duration{0});
}

// Asked without the lock. What cannot be asked now is not launched now.
bool Worker::may_launch(const AttemptKey& key, const Definition& definition) {
  std::optional<QueuedRun> row;
  {
    const std::scoped_lock lock{mutex_};
    const Child& child = children_.at(key);
    // What was given back has been queued anew, and is claimed whatever became of its schedule meanwhile.
    const bool is_old = child.is_postponed || child.claimed.row.run.released_count > 0;
    if (is_old && options_.is_wanted) row = child.claimed.row;
  }
  if (!row) return true;
  const auto wanted = options_.is_wanted(definition.key, *row);
  if (wanted && *wanted) return true;
  const std::scoped_lock lock{mutex_};
  Child& child = children_.at(key);
  if (!wanted) {
    child.not_before = clock_.since_boot() + launch_pause;
    return false;
  }
  child.cause = Cause::user;
  end_unlaunched(child, "its schedule was paused, disabled or deleted before it began");
  return false;
}

void Worker::launch_claimed() {
  std::vector<AttemptKey> keys;
  std::vector<DefinitionName> names;
  {
    const std::scoped_lock lock{mutex_};
    const Duration now = clock_.since_boot();
    for (const auto& [key, child] : children_) {
      if (child.state != Child::State::claimed || child.not_before.value_or(now) > now) continue;
      keys.push_back(key);
      names.push_back({.uid = child.claimed.row.uid, .revision = child.claimed.row.revision});
    }
  }
  next_launch_.reset();
  if (keys.empty()) return;
  // Those that cannot be read show one by one.
  static_cast<void>(definitions_->prefetch(names));
  for (const AttemptKey& key : keys) launch(key);
  std::vector<AttemptNews> news;
  {
    const std::scoped_lock lock{mutex_};
    news = std::exchange(unlaunched_news_, {});
  }
  for (const AttemptNews& one : news) observer_->attempt_ended(one);
}

void Worker::launch(const AttemptKey& key) {
  DefinitionName name;
  bool is_detached = false;
  {
    const std::scoped_lock lock{mutex_};
    const QueuedRun& row = children_.at(key).claimed.row;
    name = {.uid = row.uid, .revision = row.revision};
    is_detached = children_.at(key).detached.has_value();
  }
  auto definition = definitions_->get(name);
  if (is_detached) return resume(key, definition);
  if (definition && !may_launch(key, **definition)) return;

  Assignment assignment;
  Executor* executor = nullptr;
  bool is_first = true;
  {
    const std::scoped_lock lock{mutex_};
    Child& child = children_.at(key);
    if (!definition) {
      // Not its fault: the store could not be asked, and can be later.
      if (definition.error().code == ErrorCode::unavailable) {
        next_launch_ = clock_.since_boot() + launch_pause;
        return;
      }
      return end_unlaunched(child, definition.error().message);
    }
    child.definition = *definition;
    if (child.stop != Stop::none) {
      child.cause = Cause::user;
      return end_unlaunched(child, "it was cancelled before it began");
    }
    executor = executor_of(child);
    if (executor == nullptr) return end_unlaunched(child, "nobody here performs such an action");
    const Duration now = clock_.since_boot();
    child.state = Child::State::launching;
    is_first = !child.is_postponed;
    if ((*definition)->policies.timeout) child.timeout_at = now + *(*definition)->policies.timeout;
    assignment = {.key = key,
                  .action = (*definition)->action,
                  .envelope = envelope_of(child.claimed, **definition,
                                          options_.run_id ? options_.run_id(key.run) : std::string{}),
                  .launch_before = session_ ? session_->lease_end : Duration{0},
                  .timeout_at = child.timeout_at,
                  .grace = (*definition)->policies.grace};
  }
  if (observer_ != nullptr && is_first) observer_->attempt_began({.envelope = assignment.envelope});
  executor->launch(std::move(assignment));
}

void Worker::stop(Child& child, Stop how, Cause cause, Duration now) {
  if (child.state == Child::State::ended || how <= child.stop) return;
  child.stop = how;
  // The first cause is the one that counts.
  if (child.cause == Cause::none) child.cause = cause;
  if (child.state == Child::State::claimed) return;
  const AttemptKey key{child.claimed.row.seq, child.claimed.row.run.attempt};
  if (how == Stop::cancel) child.kill_at = now + child.definition->policies.grace;
  if (how == Stop::terminate) child.kill_at.reset();
  stop_orders_.push_back({.executor = executor_of(child), .key = key, .how = how});
}

void Worker::watch_time() {
  const std::scoped_lock lock{mutex_};
  const Duration now = clock_.since_boot();
  for (auto& [key, child] : children_) {
    if (child.state != Child::State::launching) continue;
    if (child.timeout_at && now >= *child.timeout_at) {
      child.timeout_at.reset();
      stop(child, Stop::cancel, Cause::timeout, now);
    }
    if (child.kill_at && now >= *child.kill_at) stop(child, Stop::terminate, child.cause, now);
  }
}

void Worker::stop_all(Stop how) {
  {
    const std::scoped_lock lock{mutex_};
    for (auto& [key, child] : children_) stop(child, how, Cause::shutdown, clock_.since_boot());
  }
  tell_executors();
}

void Worker::launched(const AttemptKey& key) {
  const std::scoped_lock lock{mutex_};
  const auto child = children_.find(key);
  if (child == children_.end()) return;
  const Duration now = clock_.since_boot();
  child->second.launched_at = store_time();
  if (!first_unreported_) first_unreported_ = now;
}

void Worker::output(const AttemptKey& key, OutputStream stream, std::string_view bytes) {
  if (logs_ == nullptr) return;
  Uid uid{};
  {
    const std::scoped_lock lock{mutex_};
    const auto child = children_.find(key);
    if (child == children_.end()) return;
    child->second.has_output = true;
    uid = child->second.claimed.row.uid;
  }
  logs_->append(uid, key, stream, bytes);
}

AttemptNews Worker::news_of(const Child& child) const {
  const Finish& finish = *child.finish;
  Run run = child.claimed.row.run;
  if (child.cause == Cause::user) run.stop = std::max(run.stop, child.stop);
  return {.envelope = envelope_of(child.claimed, *child.definition,
                                  options_.run_id ? options_.run_id(child.claimed.row.seq) : ""),
          .outcome = finish.outcome,
          .error = finish.report.error,
          .result = finish.report.result,
          .duration = child.launched_at ? *finish.report.ended_at - *child.launched_at : Duration{0},
          .will_retry = is_tried_again(run, finish.outcome, child.definition->rules)};
}

void Worker::end_child(Child& child, AttemptEnd end) {
  child.state = Child::State::ended;
  child.timeout_at.reset();
  child.kill_at.reset();
  if (child.cause == Cause::timeout && end.error.empty())
    end.error = fmt::format("took longer than {}", to_text(*child.definition->policies.timeout));
  if (child.cause == Cause::shutdown && end.error.empty()) end.error = "the server was stopped";
  child.finish = finish_of(child, end);
}

void Worker::ended(const AttemptKey& key, AttemptEnd end) {
  std::optional<Uid> logged;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = children_.find(key);
    if (found == children_.end()) return;
    if (found->second.has_output) logged = found->second.claimed.row.uid;
  }
  // The log is complete before the run is told to have ended.
  if (logged)
    if (const auto closed = logs_->close(*logged, key); !closed)
      log_.warn("output cannot be kept",
                {{"run", static_cast<std::int64_t>(key.run)}, {"error", closed.error().message}});
  std::optional<AttemptNews> news;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = children_.find(key);
    if (found == children_.end()) return;
    Child& child = found->second;
    const bool is_over = end.kind != AttemptEnd::Kind::postponed || child.cause != Cause::none;
    if (is_over) {
      end_child(child, std::move(end));
      if (observer_ != nullptr) news = news_of(child);
    } else {
      postpone(child, end);
    }
  }
  if (news) observer_->attempt_ended(*news);
  on_event_();
}

}  // namespace carillon
