#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "executors/pipeline/asker.hpp"
#include "executors/pipeline/package_files.hpp"
#include "executors/pipeline/providers.hpp"
#include "executors/pipeline/spool.hpp"
#include "pipeline/pipeline_document.hpp"
#include "pipeline/run_plan.hpp"
#include "ports/clock.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace carillon::pipeline {

/// One attempt of a run.
struct RunRequest {
  PackagePlace package;
  std::string run;                // its id: attempts with the same one share their answers
  std::filesystem::path journal;  // the file that keeps them, in a folder that is there
  std::optional<Instant> nominal{};
  Overrides overrides{};      // of its document
  bool writes_result = true;  // to the package's `.results`
  /// All attempts are about the files as the first one found them. Else each takes them as they are, and uses earlier
  /// answers to questions that are still the same.
  bool is_frozen = true;
  /// Told once, before the first question: where results come in while the run goes on.
  std::function<void(const ResultSpool&)> on_results{};
};

/// How far an attempt is.
struct RunProgress {
  Phase phase = Phase::input;
  Counts items;                        // that have a result
  std::optional<std::size_t> total{};  // rows of the input that are not known to be left out; none: not known
  JournalTotals spent{};
  std::size_t reused_items = 0;  // about as many of the items were answered by earlier attempts
};
/// Called from the thread that performs the run, no more than four times a second, and at its end.
using OnProgress = std::function<void(const RunProgress&)>;

/// How an attempt went.
struct RunReport {
  std::string pipeline{};           // its name, if it could be read
  RunOutcome outcome{};             // error, counts, fields
  bool is_unreadable = false;       // a file of the package is missing or faulty: nothing was begun
  std::vector<FileFault> faults{};  // of its document; the first is the error
  bool is_cancelled = false;        // what was answered before stays in the journal
  Instant started{};
  Instant ended{};
  JournalTotals spent{};           // by all attempts of the run
  std::size_t reused_answers = 0;  // that earlier attempts had got
  std::size_t possibly_paid_twice = 0;
  std::optional<std::filesystem::path> result_file{};
  std::optional<Spool> output{};       // the formatted output, if there is one
  std::optional<ResultSpool> items{};  // what became of each item
};

struct RunnerOptions {
  AskingRules asking{};
  Duration question_timeout = std::chrono::minutes{10};  // where the pipeline says nothing
  std::string default_timezone{"UTC"};                   // of schedules in documents
};

/// Performs pipelines, one attempt at a call: reads the package, asks the providers, writes the result. Needs no
/// server. May be called from several threads; a call takes as long as the run.
///
/// Whatever goes wrong is told in the report: a fault of the document, a file that is missing, a full disk, a budget
/// that is used up, failed items. After a stop it returns soon.
class PipelineRunner {
 public:
  PipelineRunner(Clock& clock, Providers& providers, RunnerOptions options = {});

  [[nodiscard]] RunReport perform(const RunRequest& request, const OnProgress& on_progress,
                                  const std::stop_token& stop) const;

 private:
  Clock& clock_;
  Providers& providers_;
  const RunnerOptions options_;
};

/// What a run has spent: `calls`, `inputTokens`, `outputTokens`, `cost` (null: nobody knows), `reusedAnswers`,
/// `possiblyPaidTwice`.
[[nodiscard]] boost::json::object usage_of(const RunReport& report);

/// The result of an attempt as JSON, written piece by piece: what is in its result file.
[[nodiscard]] Result<> write_document(const RunRequest& request, const RunReport& report, const Sink& sink);

}  // namespace carillon::pipeline
