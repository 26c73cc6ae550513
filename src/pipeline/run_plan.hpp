#pragma once

#include "base/error.hpp"
#include "pipeline/filter.hpp"
#include "pipeline/item_stream.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/question.hpp"
#include "pipeline/reduction.hpp"
#include "pipeline/result.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::pipeline {

/// Which step of a run is on.
enum class Phase { input, filter, map, reduce, job };
/// `input`, `filter`, …
[[nodiscard]] std::string_view to_text(Phase phase);

/// The texts of all steps after their files were read.
struct RunTexts {
  AskingTexts filter;
  AskingTexts map;
  AskingTexts reduce;
  AskingTexts job;
};
/// Those of a pipeline whose prompts all stand in its document.
[[nodiscard]] RunTexts inline_texts(const Pipeline& pipeline);

/// What a run needs from its caller.
struct RunAccess {
  OpenInput open_input;  // not called for generated items and jobs
  /// Keeps a result. `place` is its place among all results, in the order of the input, without gaps.
  std::function<void(std::size_t place, ItemResult result)> keep;
  /// Goes through all results that were kept, in the order of their places.
  EachResult each_result;
  /// Writes the text that {{RESULTS_FILE}} is to name, and returns its path. Without it the text itself is inserted.
  std::function<Result<std::string>(std::string_view text)> write_results_file;
};

/// A question that waits for its answer.
struct OpenQuestion {
  std::size_t number;  // counts all questions of a run from 0
  Phase phase;
  Question question;
  const Asking* asking;  // provider and time limit; null for generated items
  std::size_t place;     // of the first item it is about: of its result, in a filter of its row
};
/// The provider that a question of this pipeline is for; none: the default.
[[nodiscard]] const std::optional<std::string>& provider_of(const Pipeline& pipeline, const OpenQuestion& question);

struct FilterCounts {
  std::size_t included = 0;
  std::size_t excluded = 0;
  std::size_t failed = 0;  // the provider gave no answer; they are failed items of the run
  friend bool operator==(const FilterCounts&, const FilterCounts&) = default;
};

/// How a run ended.
struct RunOutcome {
  std::string error;               // empty: it succeeded
  std::optional<Phase> broken_in;  // the run broke off there; else it went through, and items may have failed
  bool has_output = false;         // none without items, and none if the run broke off
  std::string text;                // the answer to a job or a reduction; other outputs are written by write_output
  std::vector<std::string> output_fields;
  Counts items;  // all results
  Counts maps;   // the same, but with `compat: lenient` failed items count as mapped
  std::optional<FilterCounts> filter;
  [[nodiscard]] bool is_success() const { return error.empty(); }
};

/// One run of a pipeline: which questions are asked, in which order, and what the answers come to. It does no input and
/// output of its own and never waits.
///
///     PipelineRun run{pipeline, texts, access};
///     while (!run.is_done()) {
///       while (const auto question = run.next()) start_asking(*question);
///       if (run.is_done()) break;
///       // one of the open questions, in any order:
///       run.answer(number, text);  // or run.fail(number, error);
///     }
///     run.outcome();
///
/// With `correct: true` an answer that cannot be read leads to one more question, which shows it; only if that one's
/// answer cannot be read either has the item failed. At most `parallel` questions are open at a time. Equal rows and
/// answers give equal questions in the same order, so a run that was interrupted is gone through again with the answers
/// it had. Memory: the items of open questions, one byte for each row if there is an AI filter, and all items if the
/// prompt names {{ITEMS}}. One thread at a time.
class PipelineRun {
 public:
  /// `pipeline` must outlive the run.
  PipelineRun(const Pipeline& pipeline, RunTexts texts, RunAccess access);

  /// The next question; none if answers have to come first, or if the run is done.
  [[nodiscard]] std::optional<OpenQuestion> next();
  /// The answer to an open question; bytes that are no UTF-8 are replaced.
  void answer(std::size_t number, std::string_view text);
  /// Why an open question has no answer.
  void fail(std::size_t number, std::string_view error);
  /// Ends the run now, as broken off: cancelled, out of budget, no access to the provider.
  void stop(std::string error);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_done() const { return is_done_; }
  /// How many items have a result.
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// How many rows the filter has kept and left out so far, of those that were looked at for the map.
  [[nodiscard]] const FilterCounts& filter_counts() const { return filter_counts_; }

  /// After the run is done.
  [[nodiscard]] const RunOutcome& outcome() const { return outcome_; }
  /// Writes the output of a run that has one.
  void write_output(const Sink& sink) const;

 private:
  enum class Verdict : std::uint8_t { excluded, included, failed };
  /// An item, and the place of its result; in a filter, its row.
  struct PlacedItem {
    std::size_t place;
    Item item;
  };
  /// What an open question is about: nothing, one item, or a batch.
  struct Asked {
    Phase phase;
    std::vector<PlacedItem> items;
    const Asking* asking;
    std::optional<Question> correctable;  // if an answer that cannot be read is asked for once more
  };
  using Step = Result<std::optional<OpenQuestion>>;

  [[nodiscard]] std::size_t parallel() const;
  [[nodiscard]] bool has_ai_filter() const { return work_ != nullptr && work_->filter && work_->filter->ai; }
  [[nodiscard]] Step ask();
  [[nodiscard]] Step ask_about_filter();
  [[nodiscard]] Step ask_about_items();
  [[nodiscard]] Step ask_about_results();
  [[nodiscard]] OpenQuestion ask_for_correction();
  [[nodiscard]] OpenQuestion open(std::vector<PlacedItem> items, Question question, const Asking* asking);
  [[nodiscard]] Result<> end_phase();
  [[nodiscard]] Result<> begin_items();
  [[nodiscard]] Result<> begin_map();
  void end_map();

  [[nodiscard]] Result<bool> is_kept_by_rules(const Item& item) const;
  [[nodiscard]] bool asks_ai_about(bool is_kept_by_rules) const;
  [[nodiscard]] Result<Verdict> verdict_of(const Item& item, std::size_t row) const;
  [[nodiscard]] Result<std::optional<PlacedItem>> next_included();
  [[nodiscard]] Result<std::vector<PlacedItem>> next_batch();

  void take_generated(std::string_view text);
  void take_filter_answer(const Asked& asked, bool is_kept);
  void take_filter_failure(const Asked& asked, std::string_view error);
  void take_map_answer(Asked& asked, std::string_view text);
  void take_batch_answer(Asked& asked, std::string_view text);
  [[nodiscard]] bool corrects(Asked& asked, std::string_view text, std::string_view error);
  void take_reduce_answer(Asked& asked, std::string_view text);
  void take_job_answer(Asked& asked, std::string_view text);
  void end_job(std::string text, std::string error);
  void break_off(Phase phase, std::string error);
  void break_reduction(std::string_view error);

  void add_success(const PlacedItem& item, boost::json::object output, std::optional<std::string> raw_text);
  void add_failure(const PlacedItem& item, std::string_view error);
  void conclude(bool has_output, std::string text, std::vector<std::string> fields);

  const Pipeline& pipeline_;
  const MapReduce* work_;  // null for a job
  RunTexts texts_;
  RunAccess access_;
  std::optional<CompiledRules> rules_;
  std::optional<ItemStream> stream_;

  Phase phase_ = Phase::input;
  bool is_done_ = false;
  bool is_asked_ = false;  // the one question of input, reduce and job
  std::size_t question_count_ = 0;
  std::map<std::size_t, Asked> open_;
  std::vector<Asked> to_correct_;  // to be asked again before anything else

  std::vector<Verdict> verdicts_;  // of an AI filter, by row
  std::map<std::size_t, std::string> filter_errors_;
  std::vector<Item> all_items_;  // only if the prompt needs them, with the places of their results
  std::vector<std::size_t> all_places_;
  std::size_t taken_of_all_ = 0;
  bool has_all_items_ = false;
  std::size_t place_count_ = 0;

  Counts counts_;
  FilterCounts filter_counts_;
  std::set<std::string, std::less<>> seen_errors_;
  std::vector<std::string> different_errors_;
  RunOutcome outcome_;
};

}  // namespace carillon::pipeline
