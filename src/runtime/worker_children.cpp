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
  AttemptOutcome outcome = AttemptOutcome::failed;
  if (end.kind == AttemptEnd::Kind::succeeded) {
    outcome = AttemptOutcome::succeeded;
  } else if (end.kind == AttemptEnd::Kind::lost) {
    outcome = AttemptOutcome::lost;
  } else if (child.cause == Cause::timeout) {
    outcome = AttemptOutcome::timed_out;
  } else if (child.cause == Cause::user || child.cause == Cause::shutdown) {
    outcome = AttemptOutcome::cancelled;
  }
  // Two readings of the store's clock may differ by as long as an answer takes.
  const Instant ended_at = std::max(store_time(), child.launched_at.value_or(instant_min));
  return {.run = child.claimed.row,
          .outcome = outcome,
          .report = report_of(end, child.launched_at, ended_at),
          .retry_after = end.retry_after};
}

void Worker::end_unlaunched(Child& child, const std::string& error) {
  child.state = Child::State::ended;
  child.finish = finish_of(child, {.kind = AttemptEnd::Kind::not_launched, .error = error});
}

void Worker::launch_claimed() {
  std::vector<AttemptKey> keys;
  std::vector<DefinitionName> names;
  {
    const std::scoped_lock lock{mutex_};
    for (const auto& [key, child] : children_) {
      if (child.state != Child::State::claimed) continue;
      keys.push_back(key);
      names.push_back({.uid = child.claimed.row.uid, .revision = child.claimed.row.revision});
    }
  }
  next_launch_.reset();
  if (keys.empty()) return;
  // Those that cannot be read show one by one.
  static_cast<void>(definitions_->prefetch(names));
  for (const AttemptKey& key : keys) launch(key);
}

void Worker::launch(const AttemptKey& key) {
  DefinitionName name;
  bool is_survivor = false;
  {
    const std::scoped_lock lock{mutex_};
    const QueuedRun& row = children_.at(key).claimed.row;
    name = {.uid = row.uid, .revision = row.revision};
    is_survivor = children_.at(key).survivor.has_value();
  }
  auto definition = definitions_->get(name);
  if (is_survivor) return resume(key, definition);

  Assignment assignment;
  Executor* executor = nullptr;
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
    if ((*definition)->policies.timeout) child.timeout_at = now + *(*definition)->policies.timeout;
    assignment = {.key = key,
                  .action = (*definition)->action,
                  .envelope = envelope_of(child.claimed, **definition,
                                          options_.run_id ? options_.run_id(key.run) : std::string{}),
                  .launch_before = session_ ? session_->lease_end : Duration{0},
                  .timeout_at = child.timeout_at,
                  .grace = (*definition)->policies.grace};
  }
  if (observer_ != nullptr) observer_->attempt_began({.envelope = assignment.envelope});
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
  if (!first_untold_) first_untold_ = now;
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
  const bool has_failed = finish.outcome == AttemptOutcome::failed || finish.outcome == AttemptOutcome::timed_out;
  const Run& run = child.claimed.row.run;
  return {.envelope = envelope_of(child.claimed, *child.definition,
                                  options_.run_id ? options_.run_id(child.claimed.row.seq) : ""),
          .outcome = finish.outcome,
          .error = finish.report.error,
          .result = finish.report.result,
          .duration = child.launched_at ? *finish.report.ended_at - *child.launched_at : Duration{0},
          .will_retry = has_failed && run.may_retry && run.attempt < child.definition->rules.retry.attempt_count_max};
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
    child.state = Child::State::ended;
    child.timeout_at.reset();
    child.kill_at.reset();
    if (child.cause == Cause::timeout && end.error.empty())
      end.error = fmt::format("took longer than {}", to_text(*child.definition->policies.timeout));
    if (child.cause == Cause::shutdown && end.error.empty()) end.error = "the server was stopped";
    child.finish = finish_of(child, end);
    if (observer_ != nullptr) news = news_of(child);
  }
  if (news) observer_->attempt_ended(*news);
  on_event_();
}

}  // namespace carillon
