#include "executors/pipeline/launched_programs.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "executors/pipeline/interruptible_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon::pipeline {
namespace {

constexpr std::size_t error_output_size_max = 1'000;
constexpr Duration timeout_max = std::chrono::days{30};

bool is_program(const AttemptKey& key) { return key.run < Seq{0}; }

/// How it ended, if nobody here has ended it.
ProgramEnd::How how_of(const AttemptEnd& end) {
  if (end.signal) return ProgramEnd::How::signalled;
  if (end.exit_code) return ProgramEnd::How::exited;
  return end.outcome == AttemptOutcome::failed ? ProgramEnd::How::not_started : ProgramEnd::How::lost;
}

}  // namespace

LaunchedPrograms::LaunchedPrograms(Clock& clock)
    : clock_{clock}, tag_{fmt::format("question-{:016x}", random_number())} {}

LaunchedPrograms& LaunchedPrograms::passing_on_to(AttemptEvents& others) {
  others_ = &others;
  return *this;
}

AttemptKey LaunchedPrograms::launch(const ProgramRequest& request, Duration deadline,
                                    const std::shared_ptr<Launch>& launch) {
  const std::int64_t number = ++last_number_;
  const AttemptKey key{.run = Seq{-number}, .attempt = 1};
  {
    const std::lock_guard lock{mutex_};
    launches_.emplace(key, launch);
  }
  Assignment assignment;
  assignment.key = key;
  assignment.action = request.command;
  assignment.envelope.run_id = fmt::format("{}-{}", tag_, number);
  assignment.envelope.attempt = key.attempt;
  assignment.launch_before = deadline;
  assignment.grace = request.grace;
  assignment.secrets = request.secrets;
  commands_->launch(std::move(assignment));
  return key;
}

/// The executor waits for no longer than this does: what the system cannot end is left to it.
void LaunchedPrograms::end_by_force(const AttemptKey& key, Launch& launch, Duration grace,
                                    std::unique_lock<std::mutex>& lock) {
  for (const Stop how : {Stop::cancel, Stop::terminate}) {
    lock.unlock();
    commands_->stop(key, how);
    lock.lock();
    if (launch.changed.wait_for(lock, grace, [&] { return launch.end.has_value(); })) return;
  }
}

ProgramEnd LaunchedPrograms::run(const ProgramRequest& request, const std::stop_token& stop) {
  CARILLON_ASSERT(commands_ != nullptr);
  const Duration deadline = clock_.since_boot() + std::min(request.timeout, timeout_max);
  for (;;) {
    const auto state = std::make_shared<Launch>(request.output_size_max);
    const AttemptKey key = launch(request, deadline, state);
    std::unique_lock lock{state->mutex};
    const Duration left = std::max(deadline - clock_.since_boot(), Duration{0});
    (void)state->changed.wait_for(lock, stop, left, [&] { return state->end || state->is_too_large; });
    if (!state->end) return ended_early(request, key, *state, lock, stop);
    if (!may_be_launched_again(*state->end) || stop.stop_requested() || clock_.since_boot() >= deadline)
      return end_of(*state);
    const Duration pause = *state->end->retry_after;
    lock.unlock();
    wait_for(pause, stop);
  }
}

ProgramEnd LaunchedPrograms::ended_early(const ProgramRequest& request, const AttemptKey& key, Launch& launch,
                                         std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  ProgramEnd end{.how = ProgramEnd::How::timed_out};
  if (launch.is_too_large)
    end.how = ProgramEnd::How::wrote_too_much;
  else if (stop.stop_requested())
    end.how = ProgramEnd::How::cancelled;
  end_by_force(key, launch, request.grace, lock);
  return end;
}

ProgramEnd LaunchedPrograms::end_of(Launch& launch) {
  return {.how = launch.is_too_large ? ProgramEnd::How::wrote_too_much : how_of(*launch.end),
          .code = launch.end->signal ? *launch.end->signal : launch.end->exit_code.value_or(0),
          .output = std::move(launch.output),
          .error_output = std::move(launch.error_output),
          .error = std::move(launch.end->error)};
}

std::shared_ptr<LaunchedPrograms::Launch> LaunchedPrograms::find(const AttemptKey& key) {
  const std::lock_guard lock{mutex_};
  const auto found = launches_.find(key);
  return found == launches_.end() ? nullptr : found->second;
}

void LaunchedPrograms::launched(const AttemptKey& key) {
  if (!is_program(key) && others_ != nullptr) others_->launched(key);
}

void LaunchedPrograms::output(const AttemptKey& key, OutputStream stream, std::string_view bytes) {
  if (!is_program(key)) {
    if (others_ != nullptr) others_->output(key, stream, bytes);
    return;
  }
  const auto launch = find(key);
  if (!launch) return;
  const std::lock_guard lock{launch->mutex};
  if (stream == OutputStream::error) {
    launch->error_output += bytes;
    if (launch->error_output.size() > error_output_size_max)
      launch->error_output.erase(0, launch->error_output.size() - error_output_size_max);
    return;
  }
  if (launch->is_too_large) return;
  launch->is_too_large = launch->output.size() + bytes.size() > launch->output_size_max;
  if (!launch->is_too_large) {
    launch->output += bytes;
    return;
  }
  launch->output = {};
  launch->changed.notify_all();
}

void LaunchedPrograms::ended(const AttemptKey& key, AttemptEnd end) {
  if (!is_program(key)) {
    if (others_ != nullptr) others_->ended(key, std::move(end));
    return;
  }
  std::shared_ptr<Launch> launch;
  {
    const std::lock_guard lock{mutex_};
    auto found = launches_.extract(key);
    if (found.empty()) return;
    launch = std::move(found.mapped());
  }
  const std::lock_guard lock{launch->mutex};
  launch->end = std::move(end);
  launch->changed.notify_all();
}

}  // namespace carillon::pipeline
