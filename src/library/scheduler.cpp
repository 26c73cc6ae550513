#include "document/document.hpp"
#include "library/scheduler_documents.hpp"
#include "library/scheduler_history.hpp"
#include "library/scheduler_parts.hpp"
#include "scheduling/edition_context.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace carillon {
namespace {

template <typename T>
Expected<T> told(Result<T> result) {
  if (!result) return std::unexpected(failure_of(result.error()));
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return *std::move(result);
}

/// As `told`, for changes whose state nobody asked for.
Expected<> told_done(const Result<CommandResult>& result) {
  if (!result) return std::unexpected(failure_of(result.error()));
  return {};
}

void expect(const Expected<>& registered) {
  if (registered) return;
  const Failure& failure = registered.error();
  throw std::runtime_error{failure.hint.empty() ? failure.message
                                                : fmt::format("{} ({})", failure.message, failure.hint)};
}

Result<std::string> checked_payload(const std::string& payload) {
  TRY(while_doing(parse_json(payload), "reading the payload of a trigger"));
  return payload;
}

struct Decided {
  std::string run_id;
  TriggerResult operator()(const Waits&) const {
    return {.decision = TriggerResult::Decision::waiting, .run_id = run_id, .reason = {}};
  }
  TriggerResult operator()(const Starts&) const {
    return {.decision = TriggerResult::Decision::started, .run_id = run_id, .reason = {}};
  }
  TriggerResult operator()(const Skips& skips) const {
    return {.decision = TriggerResult::Decision::skipped, .run_id = {}, .reason = std::string{to_text(skips.reason)}};
  }
};

Result<TriggerResult> triggered(const Result<CommandResult>& changed, const RunIds& run_ids) {
  if (!changed) return std::unexpected(changed.error());
  if (!changed->verdict || changed->decisions.empty())
    return fail(ErrorCode::unavailable, "the trigger has been written, but its answer was lost: see the history");
  return std::visit(Decided{run_ids.id_of(changed->decisions.back())}, *changed->verdict);
}

/// Whose run it is.
Result<ScheduleKey> owner_of(ScheduleStore& store, RunQueue& queue, Seq seq) {
  const auto runs = TRY(queue.read_runs(std::span{&seq, 1}));
  if (!runs.front() || runs.front()->uid == Uid{}) return fail(ErrorCode::not_found, "there is no such run");
  const DefinitionName name{.uid = runs.front()->uid, .revision = runs.front()->revision};
  const auto stored = TRY(store.read_definitions(std::span{&name, 1}));
  if (!stored.front()) return fail(ErrorCode::not_found, "the schedule of this run is gone");
  return stored.front()->key;
}

}  // namespace

Scheduler::Scheduler(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
Scheduler::Scheduler(Scheduler&& other) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&& other) noexcept = default;
Scheduler::~Scheduler() = default;

Expected<Scheduler> Scheduler::open(SchedulerOptions options) {
  auto surroundings = std::make_unique<SchedulerSurroundings>(options);
  auto store = SchedulerStore::open(options.data, surroundings->clock);
  if (!store) return std::unexpected(failure_of(store.error()));
  auto parts = std::make_unique<Parts>(std::move(surroundings), *std::move(store), options);
  // What is created before the first tick must find the zone rules in force.
  if (const auto adopted = parts->runtime.commands().adopt_zone_rules(); !adopted)
    return std::unexpected(failure_of(adopted.error()));
  return Scheduler{std::move(parts)};
}

Expected<> Scheduler::start() { return told(parts_->start()); }
Expected<> Scheduler::stop() { return told(parts_->stop()); }
bool Scheduler::is_running() const { return parts_->is_running; }

void Scheduler::listen(Listener listener) { parts_->listeners.add(std::move(listener)); }

Expected<> Scheduler::register_handler(const std::string& name, Handler handler) {
  return told(parts_->add_handler(name, std::move(handler)));
}

Expected<> Scheduler::register_schedule(const ScheduleDefinition& definition) {
  const auto document = document_of(definition);
  if (!document) return std::unexpected(failure_of(document.error()));
  return told(parts_->add_schedule(*document));
}

Expected<> Scheduler::register_schedule(const ScheduleDefinition& definition, Handler handler) {
  const auto document = document_of(definition);
  if (!document) return std::unexpected(failure_of(document.error()));
  const std::string& name = definition.handler.empty() ? definition.id : definition.handler;
  if (auto added = register_handler(name, std::move(handler)); !added) return added;
  auto registered = told(parts_->add_schedule(*document, name));
  if (!registered) parts_->executor.remove(name);
  return registered;
}

Expected<> Scheduler::register_document(std::string_view text) {
  const auto document = document_of(text);
  if (!document) return std::unexpected(failure_of(document.error()));
  return told(parts_->add_schedule(*document));
}

void Scheduler::must_register(const ScheduleDefinition& definition) { expect(register_schedule(definition)); }

void Scheduler::must_register(const ScheduleDefinition& definition, Handler handler) {
  expect(register_schedule(definition, std::move(handler)));
}

Expected<> Scheduler::remove(std::string_view id) { return told(parts_->remove(id)); }

Expected<> Scheduler::pause(std::string_view id, const PauseOptions& options) {
  Paused event{.by = "code", .reason = options.reason};
  if (options.until) event.until = std::chrono::floor<Duration>(*options.until);
  return told_done(parts_->change(id, event));
}

Expected<> Scheduler::resume(std::string_view id) { return told_done(parts_->change(id, Resumed{.by = "code"})); }

Expected<> Scheduler::reset(std::string_view id) { return told_done(parts_->change(id, Reset{.by = "code"})); }

Expected<TriggerResult> Scheduler::trigger(std::string_view id, const TriggerOptions& options) {
  Triggered event{
      .by = "code", .id = fmt::format("{:x}", unique_number()), .overlap = static_cast<OverlapPolicy>(options.overlap)};
  if (options.payload) {
    auto payload = checked_payload(*options.payload);
    if (!payload) return std::unexpected(failure_of(payload.error()));
    event.payload = *std::move(payload);
  }
  return told(triggered(parts_->change(id, event), parts_->store.run_ids));
}

Expected<std::size_t> Scheduler::cancel(std::string_view id) {
  const auto found = parts_->find(id);
  if (!found) return std::unexpected(failure_of(found.error()));
  std::size_t count = 0;
  for (const LiveRun& run : found->view.live) {
    if (!is_open(run) && !is_waiting(run)) continue;
    const auto cancelled = parts_->change(id, CancelRequested{.run = run.seq});
    // One that has ended meanwhile needs no cancelling.
    if (!cancelled && cancelled.error().code != ErrorCode::conflict)
      return std::unexpected(failure_of(cancelled.error()));
    count += cancelled.has_value();
  }
  return count;
}

Expected<> Scheduler::cancel_run(std::string_view run_id) {
  const auto run = parts_->store.run_ids.run_of(run_id);
  if (!run) return std::unexpected(Failure{FailureCode::not_found, fmt::format("there is no run {}", run_id), {}});
  const auto key = owner_of(parts_->store.ports.schedules, parts_->store.ports.runs, *run);
  if (!key) return std::unexpected(failure_of(key.error()));
  return told_done(parts_->runtime.commands().change(*key, CancelRequested{.run = *run}));
}

Expected<std::vector<RunRecord>> Scheduler::history(std::string_view id, std::size_t limit) const {
  const auto found = parts_->find(id);
  if (!found) return std::unexpected(failure_of(found.error()));
  if (!found->definition) return std::unexpected(failure_of(found->definition.error()));
  SchedulerStore& store = parts_->store;
  return told(read_history(store.ports.schedules, store.ports.runs, store.run_ids, (*found->definition)->key, limit));
}

}  // namespace carillon
