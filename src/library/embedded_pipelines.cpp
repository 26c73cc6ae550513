#include "library/embedded_pipelines.hpp"

#include "document/document.hpp"
#include "library/invoker_provider.hpp"
#include "library/pipeline_answers.hpp"
#include "library/scheduler_callback.hpp"
#include "packages/project_store.hpp"
#include "packages/state_projection.hpp"
#include "zones/machine_zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

namespace carillon {
namespace {

namespace fs = std::filesystem;

constexpr Duration heartbeat_interval_min = std::chrono::milliseconds{100};
constexpr const char* earlier_states = "earlier-states";

pipeline::Providers providers_of(const EmbeddedPipelines::Host& host) {
  pipeline::Providers providers{host.around.clock};
  const auto concurrency = static_cast<std::int64_t>(std::max<std::size_t>(host.options.question_count_max, 1));
  providers.add("host", {.model = {}, .limits = {.concurrency = concurrency}, .prices = {}},
                std::make_unique<InvokerProvider>(host.options.ai_invoker, host.scheduler));
  return providers;
}

ScheduleChange::Kind public_kind(packages::PackageChange::Kind kind) {
  switch (kind) {
    case packages::PackageChange::Kind::added: return ScheduleChange::Kind::added;
    case packages::PackageChange::Kind::updated: return ScheduleChange::Kind::updated;
    case packages::PackageChange::Kind::removed: return ScheduleChange::Kind::removed;
  }
  std::unreachable();
}

/// The zone of packages that name none.
Result<std::string> package_zone(const PipelineSchedulerOptions& options, ZoneSource& zones) {
  if (!options.default_timezone.empty()) {
    TRY(while_doing(zones.zone(options.default_timezone), "reading default_timezone"));
    return options.default_timezone;
  }
  const char* const variable = std::getenv("TZ");
  std::string zone = machine_zone_name(variable == nullptr ? "" : variable);
  return zones.zone(zone) ? zone : "UTC";
}

fs::path store_path(const PipelineSchedulerOptions& options, const fs::path& folder) {
  return options.data.empty() ? folder / packages::store_folder_name : options.data;
}

}  // namespace

Result<> check_options(const PipelineSchedulerOptions& options) {
  const auto refuse = [](std::string_view what) { return fail(ErrorCode::invalid_argument, "{}", what); };
  if (!options.ai_invoker) return refuse("ai_invoker is an empty function");
  if (options.max_history_entries < 1 || options.max_history_entries > packages::history_count_max)
    return fail(ErrorCode::invalid_argument, "max_history_entries is {}: write 1 to {}", options.max_history_entries,
                packages::history_count_max);
  if (options.heartbeat_interval < heartbeat_interval_min) return refuse("heartbeat_interval is less than 100 ms");
  if (options.lock_stale_threshold <= options.heartbeat_interval)
    return refuse("lock_stale_threshold must be more than heartbeat_interval");
  if (options.removal_grace < std::chrono::microseconds{0}) return refuse("removal_grace is negative");
  return {};
}

Result<std::unique_ptr<EmbeddedPipelines>> EmbeddedPipelines::open(const Host& host) {
  TRY(check_options(host.options));
  const fs::path folder = TRY(packages::find_package_folder(host.options.pipelines_directory));
  // Before anything is made: another scheduler may have the folder.
  auto claimed = TRY(packages::ClaimedFolder::claim(folder, packages::WatchedFiles::packages, host.around.clock,
                                                    host.options.lock_stale_threshold));
  const fs::path data = store_path(host.options, folder);
  auto store = TRY(SchedulerStore::open(data, host.around.clock, host.around.log));
  if (host.options.data.empty()) packages::ignore_in_version_control(data, host.around.log);
  std::unique_ptr<EmbeddedPipelines> opened{new EmbeddedPipelines{host, folder, std::move(store)}};
  TRY(opened->core_.runtime.commands().adopt_zone_rules());
  TRY(opened->watch(host, std::move(claimed)));
  return opened;
}

EmbeddedPipelines::EmbeddedPipelines(const Host& host, fs::path folder, SchedulerStore store)
    : folder_{std::move(folder)},
      history_count_{host.options.max_history_entries},
      base_{host.around, std::move(store), host.listeners},
      states_{folder_, base_.store.directory->path() / earlier_states},
      providers_{providers_of(host)},
      runner_{host.around.clock, providers_},
      executor_{host.around.clock, base_.attempts, runner_, executor_options(host)},
      core_{base_,
            {{ActionKind::pipeline, executor_}},
            {.queues = {"@pipeline"},
             .worker_count = host.options.run_count_max,
             .has_watched_folder = true,
             .source_findings = [this](std::string_view file) { return faults_.findings(file); }}},
      names_{core_.schedules, core_.caller} {}

PipelineOptions EmbeddedPipelines::executor_options(const Host& host) const {
  PipelineOptions options{.folder = folder_,
                          .workspace = host.options.workspace_root,
                          .journals = base_.store.directory->pipeline_journals()};
  if (!host.options.process_tracker) return options;
  options.on_progress = [track = host.options.process_tracker, scheduler = host.scheduler, &log = host.around.log](
                            const Assignment& assignment, const pipeline::RunProgress& progress) {
    const SchedulerCallback mark{scheduler};
    try {
      track(pipeline_progress(assignment, progress));
    } catch (const std::exception& thrown) {
      log.error("the process tracker threw", {{"error", thrown.what()}});
    } catch (...) {
      log.error("the process tracker threw");
    }
  };
  return options;
}

Result<> EmbeddedPipelines::watch(const Host& host, packages::ClaimedFolder claimed) {
  packages::PackageFolder packages{
      folder_,
      {.default_timezone = TRY(package_zone(host.options, host.around.zones)),
       .kept_run_count = static_cast<std::int64_t>(std::max(history_count_, packages::history_count_default))}};
  watched_ = std::make_unique<packages::WatchedFolder>(
      packages::WatchedFolderParts{.schedules = core_.schedules,
                                   .runs = core_.runs,
                                   .feed = base_.store.ports.events,
                                   .notifier = base_.store.ports.notifier,
                                   .faults = faults_,
                                   .clock = host.around.clock,
                                   .log = host.around.log,
                                   .on_change =
                                       [&listeners = host.listeners](const packages::PackageChange& change) {
                                         listeners.schedule_changed(change.schedule_id, public_kind(change.kind),
                                                                    change.package);
                                       }},
      std::move(claimed), std::move(packages), base_.store.directory->path() / earlier_states,
      packages::WatchedFolderOptions{.grace = host.options.removal_grace,
                                     .heartbeat_interval = host.options.heartbeat_interval,
                                     .history_count = history_count_});
  TRY(watched_->open());
  return {};
}

void EmbeddedPipelines::start() {
  core_.runtime.start();
  watched_->start();
}

void EmbeddedPipelines::stop(Duration timeout) {
  core_.runtime.stop(std::max(timeout, Duration{0}));
  watched_->stop();
  watched_.reset();
}

Result<std::optional<PipelineScheduleInfo>> EmbeddedPipelines::info(const ScheduleAnswer& answer) {
  const auto document = read_canonical_schedule(TRY(parse_json(answer.record.document)));
  const auto* const action = document ? std::get_if<PipelineAction>(&document->action) : nullptr;
  if (action == nullptr) return std::optional<PipelineScheduleInfo>{};
  const auto state = TRY(packages::current_package_state(action->path, answer, core_.runs, states_, history_count_));
  PipelineScheduleInfo shown{.schedule_id = answer.record.key.id.text(),
                             .pipeline_id = action->path,
                             .pipeline_name = document->name,
                             .pipeline_directory = folder_ / action->path,
                             .config = pipeline_config(*document),
                             .state = pipeline_state(state)};
  if (shown.state.next_run)
    shown.next_run_in = std::chrono::floor<std::chrono::microseconds>(*shown.state.next_run - clock().now());
  for (const pipeline::FileFault& fault : faults_.all())
    if (packages::folder_of(fault.file) == action->path) shown.faults.push_back(pipeline_fault(fault));
  return std::optional{std::move(shown)};
}

}  // namespace carillon
