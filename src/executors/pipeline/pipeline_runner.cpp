#include "executors/pipeline/pipeline_runner.hpp"

#include "executors/pipeline/journal_folder.hpp"
#include "executors/pipeline/prepared_run.hpp"
#include "executors/pipeline/question_threads.hpp"
#include "executors/pipeline/result_file.hpp"
#include "files/private_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

namespace carillon::pipeline {
namespace {

constexpr Duration progress_interval = std::chrono::milliseconds{250};

/// What all parts of one attempt share.
struct AttemptParts {
  const PreparedRun& prepared;
  const RunRequest& request;
  const RunnerOptions& options;
  const OnProgress& on_progress;
  Clock& clock;
  Providers& providers;
  Journal& journal;
  Spending& spending;
};

/// Goes through the plan of one attempt: hands out its questions, takes the answers in, and ends early when it has to.
class Attempt {
 public:
  Attempt(AttemptParts parts, ResultSpool& results)
      : parts_{parts},
        results_{results},
        asker_{parts_.journal, parts_.spending, parts_.options.asking},
        plan_{parts_.prepared.pipeline, parts_.prepared.texts, access()},
        threads_{asker_} {}

  /// An error breaks the run off.
  void run(const std::stop_token& stop) {
    const std::stop_callback stop_questions{stop, [this] { threads_.stop(); }};
    while (!plan_.is_done()) {
      while (!fatal_ && !stop.stop_requested()) {
        auto question = plan_.next();
        if (!question) break;
        start(*std::move(question));
      }
      if (threads_.open_count() == 0) break;
      take(threads_.take());
      tell_progress();
    }
    if (fatal_)
      plan_.stop(fatal_->message);
    else if (!plan_.is_done())
      plan_.stop("cancelled");
    is_cancelled_ = !fatal_ && stop.stop_requested() && plan_.outcome().error == "cancelled";
    last_progress_.reset();
    tell_progress();
  }

  [[nodiscard]] const PipelineRun& plan() const { return plan_; }
  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }
  [[nodiscard]] std::size_t reused_count() const { return asker_.reused_count(); }

 private:
  RunAccess access() {
    return {.open_input = parts_.prepared.open_input,
            .keep = [this](std::size_t place, const ItemResult& result) { keep(place, result); },
            .each_result = [this](const auto& take_one) { results_.each(take_one); },
            .write_results_file = [this](std::string_view text) { return write_results(text); }};
  }

  void break_off(Error error) {
    if (!fatal_) fatal_ = std::move(error);
    threads_.stop();
  }

  void keep(std::size_t place, const ItemResult& result) {
    has_failed_result_ |= !result.is_success();
    if (auto kept = results_.add(place, result, usage_); !kept) break_off(kept.error());
  }

  [[nodiscard]] Result<std::string> write_results(std::string_view text) {
    const std::filesystem::path file = results_beside(parts_.request.journal);
    TRY(write_private_file(file, text));
    return file.native();
  }

  void start(OpenQuestion open) {
    const auto provider = parts_.providers.find(provider_of(parts_.prepared.pipeline, open));
    if (!provider) return break_off(provider.error());
    Duration timeout = parts_.options.question_timeout;
    if (open.asking != nullptr && open.asking->timeout) timeout = *open.asking->timeout;
    if (open.question.model.empty()) open.question.model = (*provider)->terms.model;
    QuestionKey key = keys_.key_of((*provider)->name, open.question);
    threads_.start({.number = open.number,
                    .key = std::move(key),
                    .question = std::move(open.question),
                    .provider = *provider,
                    .timeout = timeout});
  }

  void take(const QuestionThreads::Completion& completion) {
    if (!completion.result) return break_off(completion.result.error());
    const ProviderResult& result = *completion.result;
    if (result) {
      if (batch_size() == 1) usage_ = {.usage = result->usage, .cost = completion.cost};
      take_answer(completion.number, completion.key, result->text);
      usage_ = {};
      return;
    }
    if (result.error().is_cancelled) return;
    if (result.error().kind == FailureClass::hopeless)
      return break_off({.code = ErrorCode::unavailable,
                        .message = result.error().message,
                        .hint = {},
                        .rule = {},
                        .position = {},
                        .context = {}});
    plan_.fail(completion.number, result.error().message);
  }

  /// An answer that could not be read is no answer: the next attempt asks again.
  void take_answer(std::size_t number, const QuestionKey& key, std::string_view text) {
    has_failed_result_ = false;
    plan_.answer(number, text);
    const RunOutcome& outcome = plan_.outcome();
    const bool has_broken =
        plan_.is_done() && !outcome.is_success() && (outcome.broken_in || plan_.phase() == Phase::job);
    if (!has_failed_result_ && !has_broken) return;
    const auto written =
        parts_.journal.write_failed({.key = key, .kind = FailureClass::answer, .message = "the answer cannot be used"});
    if (!written) break_off(written.error());
  }

  [[nodiscard]] std::size_t batch_size() const {
    const auto* work = std::get_if<MapReduce>(&parts_.prepared.pipeline.work);
    return work == nullptr ? 1 : static_cast<std::size_t>(work->map.batch_size);
  }

  /// Which rows are left out is found out while they are read.
  [[nodiscard]] std::optional<std::size_t> known_total() const {
    const auto& total = parts_.prepared.total;
    if (!total) return std::nullopt;
    return *total - std::min(*total, plan_.filter_counts().excluded);
  }

  void tell_progress() {
    const Duration now = parts_.clock.since_boot();
    if (!parts_.on_progress || (last_progress_ && now - *last_progress_ < progress_interval)) return;
    last_progress_ = now;
    parts_.on_progress({.phase = plan_.phase(),
                        .items = plan_.counts(),
                        .total = known_total(),
                        .spent = parts_.spending.totals(),
                        .reused_items = std::min(asker_.reused_count() * batch_size(), plan_.counts().total)});
  }

  const AttemptParts parts_;
  ResultSpool& results_;
  Asker asker_;
  QuestionKeys keys_;
  std::optional<Error> fatal_;
  bool is_cancelled_ = false;
  bool has_failed_result_ = false;  // of the answer that is being taken in
  ItemUsage usage_{};               // the same
  std::optional<Duration> last_progress_;
  PipelineRun plan_;
  QuestionThreads threads_;  // last: what it runs uses the asker
};

/// Before anything is asked: a provider that is missing for the last step would cost all the others.
Result<> check_providers(const Pipeline& pipeline, Providers& providers) {
  std::vector<std::optional<std::string>> names;
  if (const auto* job = std::get_if<Job>(&pipeline.work)) {
    names.push_back(job->asking.provider);
  } else {
    const auto& work = std::get<MapReduce>(pipeline.work);
    names.push_back(work.map.asking.provider);
    if (work.filter && work.filter->ai) names.push_back(work.filter->ai->asking.provider);
    if (work.reduce.asking) names.push_back(work.reduce.asking->provider);
    if (const auto* source = std::get_if<GeneratedSource>(&work.input.source)) names.push_back(source->provider);
  }
  for (const auto& name : names) {
    if (auto found = providers.find(name); !found) {
      Error error = found.error();
      if (!error.hint.empty()) error.message += "; " + error.hint;
      return std::unexpected(std::move(error));
    }
  }
  return {};
}

Result<Spool> formatted_output(const PipelineRun& plan, const std::filesystem::path& folder) {
  Spool output = TRY(Spool::make(folder));
  std::optional<Error> failure;
  plan.write_output([&](std::string_view bytes) {
    if (failure) return;
    if (auto added = output.add(bytes); !added) failure = added.error();
  });
  if (failure) return std::unexpected(*std::move(failure));
  return output;
}

void note_error(RunReport& report, std::string error) {
  report.outcome.error = std::move(error);
  report.outcome.has_output = false;
  report.output.reset();
}

/// Everything from the journal to the output. An error is that of a disk, a journal, a configuration.
Result<> perform_prepared(const AttemptParts& parts, RunReport& report, const std::stop_token& stop) {
  const std::filesystem::path folder = parts.request.journal.parent_path();
  report.items = TRY(ResultSpool::make(folder));
  if (parts.request.on_results) parts.request.on_results(*report.items);
  Attempt attempt{parts, *report.items};
  attempt.run(stop);
  report.outcome = attempt.plan().outcome();
  report.is_cancelled = attempt.is_cancelled();
  report.reused_answers = attempt.reused_count();
  report.possibly_paid_twice = parts.journal.uncertain_count();
  report.spent = parts.spending.totals();
  if (report.outcome.has_output) report.output = TRY(formatted_output(attempt.plan(), folder));
  if (auto failure = report.items->failure()) return std::unexpected(*std::move(failure));
  return {};
}

Result<> perform_with_journal(const PreparedRun& prepared, const RunRequest& request, const RunnerOptions& options,
                              const OnProgress& on_progress, Clock& clock, Providers& providers, RunReport& report,
                              const std::stop_token& stop) {
  TRY(check_providers(prepared.pipeline, providers));
  JournalStart start{.run = request.run, .inputs = {}};
  if (request.is_frozen) start.inputs = prepared.digests;
  const auto journal = TRY(Journal::open(request.journal, start));
  Spending spending{prepared.pipeline.budget, journal->earlier()};
  return perform_prepared({.prepared = prepared,
                           .request = request,
                           .options = options,
                           .on_progress = on_progress,
                           .clock = clock,
                           .providers = providers,
                           .journal = *journal,
                           .spending = spending},
                          report, stop);
}

}  // namespace

PipelineRunner::PipelineRunner(Clock& clock, Providers& providers, RunnerOptions options)
    : clock_{clock}, providers_{providers}, options_{std::move(options)} {}

RunReport PipelineRunner::perform(const RunRequest& request, const OnProgress& on_progress,
                                  const std::stop_token& stop) const {
  RunReport report{.started = clock_.now()};
  std::optional<SnapshotPlace> snapshot;
  if (request.is_frozen) snapshot = snapshot_beside(request.journal);
  const auto prepared = prepare_run(request.package, options_.default_timezone, request.overrides, snapshot);
  if (!prepared) {
    report.is_unreadable = true;
    report.pipeline = prepared.error().pipeline;
    report.outcome.error = prepared.error().error;
    report.outcome.broken_in = prepared.error().phase;
    report.faults = prepared.error().faults;
    report.ended = clock_.now();
    return report;
  }
  report.pipeline = prepared->pipeline.name;
  if (const auto performed =
          perform_with_journal(*prepared, request, options_, on_progress, clock_, providers_, report, stop);
      !performed)
    note_error(report, performed.error().message);
  report.ended = clock_.now();
  std::error_code ignored;
  std::filesystem::remove(results_beside(request.journal), ignored);
  if (!request.writes_result || !report.items) return report;
  auto file = write_result_file(prepared->package, report.started,
                                [&](const Sink& sink) { return write_document(request, report, sink); });
  if (file)
    report.result_file = *std::move(file);
  else
    note_error(report, file.error().message);
  return report;
}

}  // namespace carillon::pipeline
