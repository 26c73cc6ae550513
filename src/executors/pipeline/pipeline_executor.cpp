#include "executors/pipeline/pipeline_executor.hpp"

#include "base/assertion.hpp"
#include "base/crypto.hpp"
#include "executors/pipeline/journal_folder.hpp"
#include "executors/pipeline/package_files.hpp"
#include "executors/pipeline/result_items.hpp"
#include "files/private_folder.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <exception>
#include <utility>
#include <variant>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr Duration watch_interval = std::chrono::milliseconds{500};
constexpr Duration progress_line_interval = std::chrono::seconds{5};
constexpr std::size_t output_in_result_max = 16 * 1024;

std::string progress_line(const pipeline::RunProgress& progress) {
  const auto& spent = progress.spent;
  std::string line = fmt::format("{}: {}", pipeline::to_text(progress.phase), progress.items.total);
  if (progress.total) line += fmt::format(" of {}", *progress.total);
  line += fmt::format(" items, {} failed, {} calls, {} tokens", progress.items.failed(), spent.calls,
                      spent.input_tokens + spent.output_tokens);
  if (spent.cost > 0) line += fmt::format(", cost {:.4f}", spent.cost);
  return line + "\n";
}

std::optional<double> known_cost(const pipeline::JournalTotals& spent) {
  return spent.cost > 0 ? std::optional{spent.cost} : std::nullopt;
}

/// By the pace of what this attempt has asked itself.
std::optional<Duration> remaining_time(const pipeline::RunProgress& progress, Duration elapsed) {
  const std::size_t done = progress.items.total;
  const std::size_t asked = done - progress.reused_items;
  if (!progress.total || asked == 0 || done > *progress.total) return std::nullopt;
  const double pace = static_cast<double>(elapsed.count()) / static_cast<double>(asked);
  return Duration{static_cast<Duration::rep>(pace * static_cast<double>(*progress.total - done))};
}

RunProgress told(const pipeline::RunProgress& progress, Duration elapsed) {
  RunProgress step{.phase = std::string{pipeline::to_text(progress.phase)},
                   .done = static_cast<std::int64_t>(progress.items.total),
                   .failed = static_cast<std::int64_t>(progress.items.failed()),
                   .usage = {.calls = progress.spent.calls,
                             .input_tokens = progress.spent.input_tokens,
                             .output_tokens = progress.spent.output_tokens,
                             .cost = known_cost(progress.spent)},
                   .remaining = remaining_time(progress, elapsed)};
  if (progress.total) step.total = static_cast<std::int64_t>(*progress.total);
  return step;
}

/// What the next run is given, and people see: JSON.
std::string result_of(const pipeline::RunReport& report) {
  json::object result{{"itemsProcessed", static_cast<std::int64_t>(report.outcome.items.total)},
                      {"totalItems", report.outcome.items.total},
                      {"failedItems", report.outcome.items.failed()},
                      {"calls", report.spent.calls},
                      {"inputTokens", report.spent.input_tokens},
                      {"outputTokens", report.spent.output_tokens},
                      {"possiblyPaidTwice", report.possibly_paid_twice}};
  if (report.spent.cost > 0) result.emplace("cost", report.spent.cost);
  // As it is named from the package, which may be moved.
  if (report.result_file)
    result.emplace("resultFile",
                   (report.result_file->parent_path().filename() / report.result_file->filename()).native());
  if (report.outcome.is_success() && report.output && report.output->size() <= output_in_result_max) {
    if (auto text = report.output->read(0, static_cast<std::size_t>(report.output->size())))
      result.emplace("output", *text);
  }
  return pipeline::compact(result);
}

AttemptEnd end_of(const pipeline::RunReport& report) {
  std::optional<std::string> result;
  if (report.items) result = result_of(report);  // else nothing was begun
  if (report.outcome.is_success()) return {.outcome = AttemptOutcome::succeeded, .result = std::move(result)};
  return {.outcome = report.is_cancelled ? AttemptOutcome::cancelled : AttemptOutcome::failed,
          .error = report.outcome.error,
          .result = std::move(result)};
}

}  // namespace

PipelineExecutor::PipelineExecutor(Clock& clock, AttemptEvents& events, const pipeline::PipelineRunner& runner,
                                   PipelineOptions options)
    : clock_{clock}, events_{events}, runner_{runner}, options_{std::move(options)} {
  pipeline::remove_old_journals(options_.journals);
  watch_ = watched_thread(options_.loops, "pipelines",
                          [this](const auto& token, const auto& pulse) { watch(token, pulse); });
}

PipelineExecutor::~PipelineExecutor() {
  std::map<AttemptKey, Running> running;
  {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    running = std::exchange(running_, {});
  }
  for (auto& [key, one] : running) one.stop.request_stop();
}

std::filesystem::path PipelineExecutor::journal_of(const std::string& run) const {
  return pipeline::journal_in(options_.journals, run);
}

void PipelineExecutor::launch(Assignment assignment) {
  CARILLON_ASSERT(std::holds_alternative<PipelineAction>(assignment.action));
  const AttemptKey key = assignment.key;
  const std::lock_guard lock{mutex_};
  Running& running = running_[key];
  running.thread = std::jthread{[this, key, assignment = std::move(assignment), stop = running.stop.get_token()] {
    perform(key, assignment, stop);
  }};
}

void PipelineExecutor::stop(const AttemptKey& key, Stop how) {
  if (how == Stop::none) return;
  std::stop_source source{std::nostopstate};
  {
    const std::lock_guard lock{mutex_};
    const auto found = running_.find(key);
    if (found != running_.end()) source = found->second.stop;
  }
  source.request_stop();
}

void PipelineExecutor::extend_until(Duration since_boot) {
  {
    const std::lock_guard lock{mutex_};
    performs_until_ = since_boot;
  }
  changed_.notify_all();
}

void PipelineExecutor::recorded(const AttemptKey& key) {
  std::filesystem::path journal;
  {
    const std::lock_guard lock{mutex_};
    results_.erase(key);
    const auto found = succeeded_.extract(key);
    if (found.empty()) return;
    journal = found.mapped();
  }
  (void)pipeline::remove_journal(journal);
}

void PipelineExecutor::perform(const AttemptKey& key, const Assignment& assignment, const std::stop_token& stop) {
  AttemptEnd how;
  try {
    how = attempt(key, assignment, stop);
  } catch (const std::exception& exception) {
    how = {.outcome = AttemptOutcome::failed, .error = fmt::format("the pipeline failed: {}", exception.what())};
  }
  end(key, std::move(how));
}

AttemptEnd PipelineExecutor::attempt(const AttemptKey& key, const Assignment& assignment, const std::stop_token& stop) {
  if (clock_.since_boot() >= assignment.launch_before)
    return {.outcome = AttemptOutcome::released, .error = "the time in which it might have been launched is over"};
  if (auto folder = make_private_folder(options_.journals); !folder)
    return {.outcome = AttemptOutcome::failed, .error = folder.error().message};
  events_.launched(key);
  if (const auto begun = begin_journal(assignment.envelope); !begun)
    return {.outcome = AttemptOutcome::failed, .error = begun.error().message};
  std::optional<Duration> told_at;
  const Duration began_at = clock_.since_boot();
  const auto tell = [&](const pipeline::RunProgress& progress) {
    if (options_.on_progress) options_.on_progress(assignment, progress);
    const Duration now = clock_.since_boot();
    events_.progress(key, told(progress, now - began_at));
    if (told_at && now - *told_at < progress_line_interval) return;
    told_at = now;
    events_.output(key, OutputStream::error, progress_line(progress));
  };
  const auto report = runner_.perform({.package = {.folder = options_.folder,
                                                   .package = std::get<PipelineAction>(assignment.action).path,
                                                   .workspace = options_.workspace},
                                       .run = assignment.envelope.run_id,
                                       .journal = journal_of(assignment.envelope.run_id),
                                       .nominal = assignment.envelope.nominal,
                                       .on_results =
                                           [&](const pipeline::ResultSpool& results) {
                                             const std::lock_guard lock{mutex_};
                                             results_.insert_or_assign(key, results);
                                           }},
                                      tell, stop);
  if (report.output) {
    (void)report.output->read_all([&](std::string_view bytes) { events_.output(key, OutputStream::out, bytes); });
    events_.output(key, OutputStream::out, "\n");  // an output has none at its end
  }
  // With failed items, which were tolerated, somebody may want to ask for those again.
  if (report.outcome.is_success() && report.outcome.items.failed() == 0) {
    const std::lock_guard lock{mutex_};
    succeeded_.emplace(key, journal_of(assignment.envelope.run_id));
  }
  return end_of(report);
}

Result<> PipelineExecutor::begin_journal(const Envelope& envelope) const {
  if (envelope.answers_of.empty()) return {};
  const std::filesystem::path earlier = journal_of(envelope.answers_of);
  const std::filesystem::path journal = journal_of(envelope.run_id);
  std::error_code unknown;
  // The answers belong to questions about the files of that time.
  if (!std::filesystem::exists(journal, unknown))
    TRY(pipeline::copy_snapshot(pipeline::snapshot_beside(earlier), pipeline::snapshot_beside(journal)));
  const auto begun = pipeline::Journal::begin_with_answers_of(earlier, journal, envelope.run_id);
  if (begun || begun.error().code != ErrorCode::not_found) return begun;
  return fail(ErrorCode::not_found, "the answers of run {} are no longer kept: retry it whole", envelope.answers_of);
}

std::optional<pipeline::ResultSpool> PipelineExecutor::results_of(Seq run) {
  const std::lock_guard lock{mutex_};
  std::optional<pipeline::ResultSpool> newest;
  for (auto at = results_.lower_bound({.run = run, .attempt = 0}); at != results_.end() && at->first.run == run; ++at)
    newest = at->second;
  return newest;
}

Result<ItemPage> PipelineExecutor::read_items(const ItemsOwner& owner, const ItemQuery& query) {
  if (const auto results = results_of(owner.run)) return pipeline::items_in(*results, query);
  if (owner.result_file.empty()) return fail(ErrorCode::not_found, "the run has left no result file");
  return pipeline::items_in(options_.folder, std::filesystem::path{owner.package} / owner.result_file, query);
}

bool PipelineExecutor::has_answers(const std::string& run_id) {
  std::error_code unknown;
  return std::filesystem::exists(journal_of(run_id), unknown);
}

void PipelineExecutor::end(const AttemptKey& key, AttemptEnd how) {
  {
    const std::lock_guard lock{mutex_};
    // Its thread cannot wait for itself.
    auto running = running_.extract(key);
    if (is_closed_) return;
    if (running.mapped().is_over_time)
      how = {.outcome = AttemptOutcome::lost, .error = "the right to perform it was not renewed in time"};
    ended_.push_back(std::move(running.mapped().thread));
  }
  events_.ended(key, std::move(how));
}

void PipelineExecutor::watch(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  std::unique_lock lock{mutex_};
  while (!token.stop_requested()) {
    pulse.beat();
    std::vector<std::stop_source> late;
    if (clock_.since_boot() >= performs_until_) {
      for (auto& [key, running] : running_) {
        if (!std::exchange(running.is_over_time, true)) late.push_back(running.stop);
      }
    }
    std::vector<std::jthread> ended = std::exchange(ended_, {});
    lock.unlock();
    for (std::stop_source& source : late) source.request_stop();
    ended.clear();
    lock.lock();
    changed_.wait_for(lock, token, watch_interval, [] { return false; });
  }
}

}  // namespace carillon
