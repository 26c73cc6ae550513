#include "library/embedded_pipelines.hpp"
#include "library/pipeline_answers.hpp"
#include "library/scheduler_failure.hpp"
#include "library/scheduler_life.hpp"
#include "packages/state_projection.hpp"
#include "service/managed_definition.hpp"

#include <carillon/pipeline_scheduler.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t pipeline_page = 200;
constexpr std::size_t pipeline_run_page = 100;
constexpr std::size_t upcoming_pipelines_max = 10'000;

ScheduleName pipeline_schedule(std::string_view id) { return {.id = std::string{id}}; }

std::unexpected<Failure> not_started() {
  return std::unexpected(Failure{.code = FailureCode::unavailable,
                                 .message = "the scheduler was not started",
                                 .hint = "call start(), and look at what it returns"});
}

}  // namespace

struct PipelineScheduler::Parts {
  explicit Parts(PipelineSchedulerOptions given)
      : options{std::move(given)},
        surroundings{options.clock, options.log},
        listeners{this, surroundings.log, [this](const std::string& id) { return opened.load()->names().of(id); }},
        life{this, listeners} {}
  ~Parts() { (void)stop(std::chrono::seconds{30}); }

  [[nodiscard]] Result<> start() {
    return life.start([this]() -> Result<> {
      pipelines = TRY(EmbeddedPipelines::open(
          {.options = options, .around = surroundings, .listeners = listeners, .scheduler = this}));
      opened = pipelines.get();
      pipelines->start();
      return {};
    });
  }
  [[nodiscard]] Result<> stop(std::chrono::microseconds timeout) {
    auto stopped = life.stop([&] { pipelines->stop(timeout); });
    if (EmbeddedPipelines* const now = opened) now->wake_waiting();
    return stopped;
  }

  const PipelineSchedulerOptions options;
  SchedulerSurroundings surroundings;
  SchedulerListeners listeners;
  SchedulerLife life;
  std::unique_ptr<EmbeddedPipelines> pipelines;
  std::atomic<EmbeddedPipelines*> opened = nullptr;  // null: it was not started
};

PipelineScheduler::PipelineScheduler(PipelineSchedulerOptions options)
    : parts_{std::make_unique<Parts>(std::move(options))} {}
PipelineScheduler::PipelineScheduler(PipelineScheduler&& other) noexcept = default;
PipelineScheduler& PipelineScheduler::operator=(PipelineScheduler&& other) noexcept = default;
PipelineScheduler::~PipelineScheduler() = default;

Expected<> PipelineScheduler::start() { return to_expected(parts_->start()); }
Expected<> PipelineScheduler::stop(std::chrono::microseconds timeout) { return to_expected(parts_->stop(timeout)); }
bool PipelineScheduler::is_running() const { return parts_->life.is_running(); }

ListenerId PipelineScheduler::listen(Listener listener) { return parts_->listeners.add(std::move(listener)); }
void PipelineScheduler::unlisten(ListenerId id) { parts_->listeners.remove(id); }

Expected<std::vector<PipelineScheduleInfo>> PipelineScheduler::list() const {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  SchedulerCore& core = pipelines->core();
  std::vector<PipelineScheduleInfo> infos;
  ScheduleListRequest request{.filter = {.labels = {{.key = std::string{managed_by_label}}}},
                              .count_max = pipeline_page};
  do {
    const auto page = core.schedules.list(core.caller, request);
    if (!page) return std::unexpected(failure_of(page.error()));
    for (const ScheduleAnswer& answer : page->items) {
      auto info = pipelines->info(answer);
      if (!info) return std::unexpected(failure_of(info.error()));
      if (*info) infos.push_back(**std::move(info));
    }
    request.after = page->next;
  } while (request.after);
  return infos;
}

Expected<PipelineScheduleInfo> PipelineScheduler::get(std::string_view schedule_id) const {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  const auto answer = pipelines->core().schedules.get(pipelines->core().caller, pipeline_schedule(schedule_id));
  if (!answer) return std::unexpected(failure_of(answer.error()));
  auto info = pipelines->info(*answer);
  if (!info) return std::unexpected(failure_of(info.error()));
  if (*info) return **std::move(info);
  return std::unexpected(Failure{.code = FailureCode::not_found,
                                 .message = "schedule " + std::string{schedule_id} + " runs no pipeline",
                                 .hint = {}});
}

Expected<std::vector<PipelineFileFault>> PipelineScheduler::faults() const {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  std::vector<PipelineFileFault> faults;
  for (const pipeline::FileFault& fault : pipelines->faults().all()) faults.push_back(pipeline_fault(fault));
  return faults;
}

Expected<std::string> PipelineScheduler::trigger(std::string_view schedule_id) {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  SchedulerCore& core = pipelines->core();
  const auto answer =
      core.schedules.trigger(core.caller, pipeline_schedule(schedule_id), {.overlap = OverlapPolicy::allow_all}, {});
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return answer->run.id;
}

Expected<PipelineExecutionResult> PipelineScheduler::trigger_now(std::string_view schedule_id,
                                                                 std::chrono::microseconds timeout) {
  const auto run_id = trigger(schedule_id);
  if (!run_id) return std::unexpected(run_id.error());
  const auto run = parts_->opened.load()->core().wait(*run_id, timeout, parts_->life.was_stopped());
  if (!run) return std::unexpected(failure_of(run.error()));
  if (is_terminal(run->record.run.state)) return pipeline_result(*run);
  return std::unexpected(Failure{.code = FailureCode::unavailable,
                                 .message = "run " + *run_id + " has not ended",
                                 .hint = "it goes on by itself; history tells how it ends"});
}

Expected<> PipelineScheduler::pause(std::string_view schedule_id) {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  return without_value(
      pipelines->core().schedules.pause(pipelines->core().caller, pipeline_schedule(schedule_id), {}, {}));
}

Expected<> PipelineScheduler::resume(std::string_view schedule_id) {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  return without_value(
      pipelines->core().schedules.resume(pipelines->core().caller, pipeline_schedule(schedule_id), {}));
}

Expected<std::size_t> PipelineScheduler::cancel(std::string_view schedule_id) {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  const auto count = pipelines->core().schedules.cancel(pipelines->core().caller, pipeline_schedule(schedule_id));
  if (!count) return std::unexpected(failure_of(count.error()));
  return static_cast<std::size_t>(*count);
}

Expected<std::vector<UpcomingPipeline>> PipelineScheduler::upcoming(std::size_t limit) const {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  SchedulerCore& core = pipelines->core();
  const auto starts =
      core.queries.upcoming(core.caller, std::nullopt, std::nullopt, std::min(limit, upcoming_pipelines_max));
  if (!starts) return std::unexpected(failure_of(starts.error()));
  std::vector<UpcomingPipeline> upcoming;
  for (const UpcomingStart& start : *starts) {
    const std::string id = start.key.id.text();
    if (std::string pipeline = pipelines->names().of(id); !pipeline.empty())
      upcoming.push_back({.schedule_id = id, .pipeline_id = std::move(pipeline), .next_run = start.start.nominal});
  }
  return upcoming;
}

// A page tells no results, so that each run is read by itself.
Expected<std::vector<PipelineRun>> PipelineScheduler::history(std::string_view schedule_id, std::size_t limit) const {
  EmbeddedPipelines* const pipelines = parts_->opened;
  if (pipelines == nullptr) return not_started();
  SchedulerCore& core = pipelines->core();
  std::vector<PipelineRun> history;
  RunListRequest request{.count_max = pipeline_run_page};
  do {
    const auto page = core.runs.list_of(core.caller, pipeline_schedule(schedule_id), request);
    if (!page) return std::unexpected(failure_of(page.error()));
    for (const RunAnswer& run : page->items) {
      if (history.size() == limit || !packages::ended_package_run(run)) continue;
      const auto whole = core.runs.read(core.caller, run.record.seq);
      if (!whole) return std::unexpected(failure_of(whole.error()));
      if (const auto ended = packages::ended_package_run(*whole)) history.push_back(pipeline_run(*ended));
    }
    request.before = page->next;
  } while (request.before && history.size() < limit);
  const auto earlier = pipelines->earlier(std::string{schedule_id});
  if (!earlier) return history;
  for (const packages::PackageRun& run : earlier->history)
    if (history.size() < limit) history.push_back(pipeline_run(run));
  return history;
}

}  // namespace carillon
