#pragma once

#include "pipeline/mock_answers.hpp"
#include "pipeline/run_document.hpp"
#include "pipeline/run_plan.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::cli {

/// A question of a run, as it was asked.
struct AskedQuestion {
  pipeline::Phase phase;
  std::string prompt;
  std::string model;                    // empty: the provider's own
  std::optional<std::string> provider;  // none: the default
};

/// A run whose answers come from a file, or from nowhere: nothing is paid for, nothing is kept.
class TrialRun {
 public:
  /// `pipeline` must outlive it.
  TrialRun(const pipeline::Pipeline& pipeline, pipeline::RunTexts texts, pipeline::OpenInput open_input)
      : pipeline_{pipeline}, run_{pipeline, std::move(texts), results_.access(std::move(open_input))} {}

  /// Goes through the whole run. Answers come in the order in which they would arrive.
  void answer_with(const pipeline::MockAnswers& answers);

  /// Goes through the run as if every item passed an AI filter and every other answer were left out: all that is asked
  /// before anything is known, and the reduction of nothing.
  void preview();

  /// Goes on to the first question about an item, a reduction or a job: what is wrong by then cannot run at all.
  void begin();

  [[nodiscard]] const std::vector<AskedQuestion>& asked() const { return asked_; }
  [[nodiscard]] const pipeline::RunOutcome& outcome() const { return run_.outcome(); }

  /// `success`, `error`, `formatted`, `summary`, `stats`, `items`, `asked`; `filter` if there was one, `phase` if the
  /// run broke off.
  [[nodiscard]] boost::json::object record() const;

 private:
  void note(const pipeline::OpenQuestion& open);

  const pipeline::Pipeline& pipeline_;
  pipeline::KeptResults results_;
  pipeline::PipelineRun run_;
  std::vector<AskedQuestion> asked_;
};

/// The same record for a run that never began.
[[nodiscard]] boost::json::object failed_record(std::string_view error, std::optional<pipeline::Phase> phase);

}  // namespace carillon::cli
