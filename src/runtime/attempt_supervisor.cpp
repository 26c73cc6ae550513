#include "runtime/attempt_supervisor.hpp"

#include "scheduling/adhoc_definition.hpp"
#include "scheduling/assignment.hpp"
#include "scheduling/still_wanted.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace carillon {
namespace {

using State = RunningAttempt::State;

/// How long it waits when the store could not be asked what to launch.
constexpr Duration launch_pause = std::chrono::milliseconds{500};

/// Whether its executor keeps something of it until its end is in the store: what outlives its server or is performed
/// elsewhere, and pipelines with their answers and results. Of others nobody has to be told, which counts where there
/// are thousands a second.
bool is_remembered(const RunningAttempt& attempt) {
  return may_outlive_server(attempt) || goes_on_elsewhere(attempt) ||
         (attempt.definition && std::holds_alternative<PipelineAction>(attempt.definition->action));
}

DefinitionName definition_name(const RunningAttempt& attempt) {
  return {.uid = attempt.claimed.row.uid, .revision = attempt.claimed.row.revision};
}

}  // namespace

AttemptSupervisor::AttemptSupervisor(RunningAttempts& attempts, ExecutorRegistry executors, ScheduleStore& store,
                                     SharedDefinitions& definitions, Clock& clock, Log& log, RunIdMaker run_id)
    : attempts_{attempts},
      executors_{std::move(executors)},
      store_{store},
      definitions_{definitions},
      clock_{clock},
      log_{log},
      run_id_{std::move(run_id)} {}

void AttemptSupervisor::launch_claimed(Duration launch_before) {
  const Duration now = clock_.since_boot();
  if (next_launch_ && now < *next_launch_) return;
  next_launch_.reset();
  std::vector<AttemptKey> keys;
  std::vector<DefinitionName> names;
  {
    auto table = attempts_.access();
    for (const auto& [key, attempt] : *table) {
      if (attempt.state != State::claimed || attempt.not_before.value_or(now) > now) continue;
      keys.push_back(key);
      if (attempt.claimed.row.uid != Uid{}) names.push_back(definition_name(attempt));
    }
  }
  if (keys.empty()) return;
  const auto definitions = definitions_.now();
  // Those that cannot be read show one by one.
  static_cast<void>(definitions->prefetch(names));
  for (const AttemptKey& key : keys) launch(key, *definitions, launch_before);
  tell_unlaunched();
}

void AttemptSupervisor::tell_unlaunched() {
  for (const AttemptNews& news : std::exchange(unlaunched_news_, {})) attempts_.observer()->attempt_ended(news);
}

void AttemptSupervisor::end_without_launch(RunningAttempt& attempt, const std::string& error) {
  end_unlaunched(attempt, error, attempts_.store_time().now_after(attempt.claimed.store_now));
  // An observer that has heard of its beginning hears of its end.
  if (attempt.is_postponed && attempts_.observer() != nullptr) unlaunched_news_.push_back(news_of(attempt));
}

bool AttemptSupervisor::is_wanted(const AttemptKey& key, const Definition& definition) {
  std::optional<QueuedRun> row;
  {
    auto table = attempts_.access();
    const RunningAttempt& attempt = table->at(key);
    // What was given back has been queued anew, and is claimed whatever became of its schedule meanwhile.
    if (attempt.is_postponed || attempt.claimed.row.run.released_count > 0) row = attempt.claimed.row;
  }
  if (!row) return true;
  const auto wanted = is_still_wanted(store_, definition.key, *row);
  if (wanted && *wanted) return true;
  auto table = attempts_.access();
  RunningAttempt& attempt = table->at(key);
  if (!wanted) {
    // What cannot be asked now is not launched now.
    attempt.not_before = clock_.since_boot() + launch_pause;
    return false;
  }
  attempt.cause = StopCause::request;
  end_without_launch(attempt, "its schedule was paused, disabled or deleted before it began");
  return false;
}

void AttemptSupervisor::launch(const AttemptKey& key, DefinitionCache& definitions, Duration launch_before) {
  DefinitionName name;
  bool is_detached = false;
  std::optional<QueuedRun> job;  // without a schedule
  {
    auto table = attempts_.access();
    const RunningAttempt& attempt = table->at(key);
    name = definition_name(attempt);
    is_detached = attempt.detached.has_value();
    if (name.uid == Uid{}) job = attempt.claimed.row;
  }
  const auto definition = job ? adhoc_definition(*job, definitions) : definitions.get(name);
  // The store could not be asked, and can be later.
  if (!definition && definition.error().code == ErrorCode::unavailable) {
    next_launch_ = clock_.since_boot() + launch_pause;
    return;
  }
  if (is_detached) return resume(key, definition);
  if (definition && !is_wanted(key, **definition)) return;
  auto prepared = prepare(key, definition, launch_before);
  if (!prepared) return;
  if (attempts_.observer() != nullptr && prepared->is_first)
    attempts_.observer()->attempt_began({.envelope = prepared->assignment.envelope});
  prepared->executor.launch(std::move(prepared->assignment));
}

std::optional<AttemptSupervisor::PreparedLaunch> AttemptSupervisor::prepare(const AttemptKey& key,
                                                                            const Result<DefinitionPtr>& definition,
                                                                            Duration launch_before) {
  auto table = attempts_.access();
  RunningAttempt& attempt = table->at(key);
  if (!definition) {
    end_without_launch(attempt, definition.error().message);
    return std::nullopt;
  }
  attempt.definition = *definition;
  if (attempt.stop != Stop::none) {
    attempt.cause = StopCause::request;
    end_without_launch(attempt, "it was cancelled before it began");
    return std::nullopt;
  }
  Executor* const executor = executors_.find(kind_of(attempt));
  if (executor == nullptr) {
    end_without_launch(attempt, "this server cannot perform such an action");
    return std::nullopt;
  }
  const Policies& policies = (*definition)->policies;
  attempt.state = State::launching;
  if (run_id_) attempt.run_id = run_id_(key.run);
  if (policies.timeout) attempt.timeout_at = clock_.since_boot() + *policies.timeout;
  return PreparedLaunch{.executor = *executor,
                        .assignment = {.key = key,
                                       .action = (*definition)->action,
                                       .envelope = envelope_of(attempt.claimed, **definition, attempt.run_id),
                                       .launch_before = launch_before,
                                       .timeout_at = attempt.timeout_at,
                                       .grace = policies.grace},
                        .is_first = !attempt.is_postponed};
}

void AttemptSupervisor::resume(const AttemptKey& key, const Result<DefinitionPtr>& definition) {
  Executor* executor = nullptr;
  Assignment assignment{.key = key, .action = {}, .envelope = {}};
  std::optional<StopOrder> order;
  {
    auto table = attempts_.access();
    RunningAttempt& attempt = table->at(key);
    if (definition) {
      attempt.definition = *definition;
      if (run_id_) attempt.run_id = run_id_(key.run);
      executor = executors_.find(kind_of(attempt));
    }
    if (executor != nullptr) {
      order = resume_attempt(attempt, clock_.since_boot(), attempts_.store_time().now());
      assignment.action = (*definition)->action;
      assignment.envelope = envelope_of(attempt.claimed, **definition, attempt.run_id);
      assignment.is_launched = attempt.is_launch_told;
    } else {
      end_without_launch(attempt,
                         definition ? "this server cannot perform such an action" : definition.error().message);
    }
  }
  if (executor == nullptr) {
    // Nobody could say what its end means; which executor has it is not known either.
    for (const ActionKind kind : executors_.kinds()) executors_.find(kind)->stop(key, Stop::terminate);
    return;
  }
  log_.info("attempt taken over", {{"run", static_cast<std::int64_t>(key.run)}, {"attempt", key.attempt}});
  executor->resume(std::move(assignment));
  if (order) send(std::span{&*order, 1});
}

void AttemptSupervisor::watch_time() {
  std::vector<StopOrder> orders;
  {
    auto table = attempts_.access();
    const Duration now = clock_.since_boot();
    const auto stop = [&](RunningAttempt& attempt, Stop how, StopCause cause) {
      if (const auto order = ask_to_stop(attempt, how, cause, now)) orders.push_back(*order);
    };
    for (auto& [key, attempt] : *table) {
      if (attempt.state != State::launching) continue;
      if (attempt.timeout_at && now >= *attempt.timeout_at) {
        attempt.timeout_at.reset();
        stop(attempt, Stop::cancel, StopCause::timeout);
      }
      if (attempt.kill_at && now >= *attempt.kill_at) stop(attempt, Stop::terminate, attempt.cause);
    }
  }
  send(orders);
}

void AttemptSupervisor::apply_stop_requests(std::span<const StopRequest> requests) {
  std::vector<StopOrder> orders;
  {
    auto table = attempts_.access();
    for (const StopRequest& request : requests) {
      const auto found = table->find({request.seq, request.attempt});
      if (found == table->end()) continue;
      if (const auto order = ask_to_stop(found->second, request.how, StopCause::request, clock_.since_boot()))
        orders.push_back(*order);
    }
  }
  send(orders);
}

void AttemptSupervisor::stop_all(Stop how) {
  std::vector<StopOrder> orders;
  {
    auto table = attempts_.access();
    for (auto& [key, attempt] : *table)
      if (const auto order = ask_to_stop(attempt, how, StopCause::shutdown, clock_.since_boot()))
        orders.push_back(*order);
  }
  send(orders);
}

void AttemptSupervisor::send(std::span<const StopOrder> orders) {
  for (const StopOrder& order : orders) executors_.find(order.kind)->stop(order.key, order.how);
}

void AttemptSupervisor::extend_until(Duration since_boot) {
  for (const ActionKind kind : executors_.kinds()) executors_.find(kind)->extend_until(since_boot);
}

std::size_t AttemptSupervisor::abandon(SessionId session) {
  std::vector<StopOrder> orders;
  std::vector<StopOrder> given_up;
  {
    auto table = attempts_.access();
    std::erase_if(*table, [&](const auto& entry) {
      const RunningAttempt& attempt = entry.second;
      if (attempt.claimed.row.session != session || attempt.state == State::ended) return false;
      if (attempt.state == State::launching) {
        const StopOrder order{.key = entry.first, .kind = kind_of(attempt), .how = Stop::terminate};
        if (!goes_on_elsewhere(attempt)) orders.push_back(order);
        if (is_remembered(attempt)) given_up.push_back(order);
      }
      return true;
    });
  }
  send(orders);
  for (const StopOrder& order : given_up) executors_.find(order.kind)->recorded(order.key);
  return orders.size();
}

void AttemptSupervisor::forget_recorded(std::span<const AttemptKey> keys) {
  std::vector<std::pair<Executor*, AttemptKey>> kept;
  {
    auto table = attempts_.access();
    for (const AttemptKey& key : keys) {
      const RunningAttempt& attempt = table->at(key);
      if (is_remembered(attempt)) kept.emplace_back(executors_.find(kind_of(attempt)), key);
      table->erase(key);
    }
  }
  for (const auto& [executor, key] : kept)
    if (executor != nullptr) executor->recorded(key);
}

std::optional<Duration> AttemptSupervisor::next_tick(Duration now) {
  std::optional<Duration> next;
  const auto at = [&](Duration time) { next = std::min(next.value_or(time), time); };
  auto table = attempts_.access();
  for (const auto& [key, attempt] : *table) {
    if (attempt.state == State::claimed) at(std::max(next_launch_.value_or(now), attempt.not_before.value_or(now)));
    if (attempt.timeout_at) at(*attempt.timeout_at);
    if (attempt.kill_at) at(*attempt.kill_at);
  }
  return next;
}

}  // namespace carillon
