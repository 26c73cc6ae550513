#include "pipeline/run_plan.hpp"

#include "base/assertion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon::pipeline {
namespace {

/// Marks the errors of a filter, whose rules are applied while items are mapped.
constexpr std::string_view filter_rule = "filter";

AskingTexts text_of(const Asking& asking) {
  return {.prompt = asking.prompt.is_file ? std::string{} : asking.prompt.text, .skill = {}};
}

Error in_filter(Error error) {
  error.message = fmt::format("Failed to execute filter: {}", error.message);
  error.rule = filter_rule;
  return error;
}

}  // namespace

std::string_view to_text(Phase phase) {
  switch (phase) {
    case Phase::input: return "input";
    case Phase::filter: return "filter";
    case Phase::map: return "map";
    case Phase::reduce: return "reduce";
    case Phase::job: return "job";
  }
  std::unreachable();
}

const std::optional<std::string>& provider_of(const Pipeline& pipeline, const OpenQuestion& question) {
  if (question.asking != nullptr) return question.asking->provider;
  return std::get<GeneratedSource>(std::get<MapReduce>(pipeline.work).input.source).provider;
}

RunTexts inline_texts(const Pipeline& pipeline) {
  RunTexts texts;
  if (const auto* job = std::get_if<Job>(&pipeline.work)) {
    texts.job = text_of(job->asking);
    return texts;
  }
  const auto& work = std::get<MapReduce>(pipeline.work);
  texts.map = text_of(work.map.asking);
  if (work.filter && work.filter->ai) texts.filter = text_of(work.filter->ai->asking);
  if (work.reduce.asking) texts.reduce = text_of(*work.reduce.asking);
  return texts;
}

PipelineRun::PipelineRun(const Pipeline& pipeline, RunTexts texts, RunAccess access)
    : pipeline_{pipeline},
      work_{std::get_if<MapReduce>(&pipeline.work)},
      texts_{std::move(texts)},
      access_{std::move(access)} {
  if (work_ == nullptr) {
    phase_ = Phase::job;
  } else if (const auto* items = std::get_if<std::vector<Item>>(&work_->input.source)) {
    access_.open_input = input_of(*items);
  }
}

std::size_t PipelineRun::parallel() const {
  if (phase_ == Phase::filter) return static_cast<std::size_t>(work_->filter->ai->parallel);
  if (phase_ == Phase::map) return static_cast<std::size_t>(work_->map.parallel);
  return 1;
}

std::optional<OpenQuestion> PipelineRun::next() {
  while (!is_done_ && open_.size() < parallel()) {
    if (!to_correct_.empty()) return ask_for_correction();
    auto question = ask();
    if (question && question->has_value()) return *std::move(question);
    if (question && !open_.empty()) return std::nullopt;
    const auto ended = question ? end_phase() : Result<>{std::unexpected(std::move(question).error())};
    if (!ended) break_off(ended.error().rule == filter_rule ? Phase::filter : phase_, ended.error().message);
  }
  return std::nullopt;
}

PipelineRun::Step PipelineRun::ask() {
  switch (phase_) {
    case Phase::input: {
      const auto* source = std::get_if<GeneratedSource>(&work_->input.source);
      if (source == nullptr || std::exchange(is_asked_, true)) return std::nullopt;
      return open({}, ask_for_items(*source), nullptr);
    }
    case Phase::filter: return ask_about_filter();
    case Phase::map: return ask_about_items();
    case Phase::reduce: return ask_about_results();
    case Phase::job: {
      if (std::exchange(is_asked_, true)) return std::nullopt;
      const auto& job = std::get<Job>(pipeline_.work);
      auto question = TRY(ask_job(job, texts_.job));
      return open({}, std::move(question), &job.asking);
    }
  }
  std::unreachable();
}

OpenQuestion PipelineRun::open(std::vector<PlacedItem> items, Question question, const Asking* asking) {
  const std::size_t number = question_count_++;
  const std::size_t place = items.empty() ? 0 : items.front().place;
  Asked asked{.phase = phase_, .items = std::move(items), .asking = asking, .correctable = {}};
  if (asking != nullptr && asking->is_corrected && !asking->output.empty()) asked.correctable = question;
  open_.emplace(number, std::move(asked));
  return {.number = number, .phase = phase_, .question = std::move(question), .asking = asking, .place = place};
}

OpenQuestion PipelineRun::ask_for_correction() {
  Asked asked = std::move(to_correct_.back());
  to_correct_.pop_back();
  const std::size_t number = question_count_++;
  OpenQuestion again{.number = number,
                     .phase = asked.phase,
                     .question = *std::exchange(asked.correctable, std::nullopt),
                     .asking = asked.asking,
                     .place = asked.items.empty() ? 0 : asked.items.front().place};
  open_.emplace(number, std::move(asked));
  return again;
}

/// Nothing of this phase is left to ask, and all of it is answered.
Result<> PipelineRun::end_phase() {
  switch (phase_) {
    case Phase::input: return begin_items();
    case Phase::filter: return begin_map();
    case Phase::map: end_map(); return {};
    case Phase::reduce:
    case Phase::job: CARILLON_ASSERT(is_done_); return {};
  }
  std::unreachable();
}

/// Only the first item is checked: what others lack is empty in their prompts.
Result<> PipelineRun::begin_items() {
  stream_.emplace(work_->input, access_.open_input);
  if (const auto first = TRY(stream_->next())) TRY(check_first_item(work_->map, texts_.map, *first));
  stream_->rewind();
  is_asked_ = false;
  if (!work_->filter) return begin_map();
  phase_ = Phase::filter;
  if (work_->filter->rule) {
    auto rules = CompiledRules::compile(*work_->filter->rule);
    if (!rules) return std::unexpected(in_filter(std::move(rules).error()));
    rules_ = *std::move(rules);
  }
  return has_ai_filter() ? Result<>{} : begin_map();
}

Result<bool> PipelineRun::is_kept_by_rules(const Item& item) const {
  if (!rules_) return true;
  auto kept = rules_->keep(item);
  if (!kept) return std::unexpected(in_filter(std::move(kept).error()));
  return kept;
}

/// With rules of its own a filter asks only about what they leave open.
bool PipelineRun::asks_ai_about(bool is_kept) const {
  if (!rules_) return true;
  return is_kept == (work_->filter->combination == Filter::Combination::both);
}

PipelineRun::Step PipelineRun::ask_about_filter() {
  while (auto item = TRY(stream_->next())) {
    const bool is_kept = TRY(is_kept_by_rules(*item));
    const std::size_t row = verdicts_.size();
    verdicts_.push_back(is_kept ? Verdict::included : Verdict::excluded);
    if (!asks_ai_about(is_kept)) continue;
    const AiFilter& ai = *work_->filter->ai;
    Question question = ask_filter(ai, texts_.filter, *item);
    std::vector<PlacedItem> about;
    about.push_back({.place = row, .item = {}});
    return open(std::move(about), std::move(question), &ai.asking);
  }
  return std::nullopt;
}

Result<> PipelineRun::begin_map() {
  if (has_ai_filter()) stream_->rewind();
  if (needs_all_items(*work_, texts_.map)) {
    while (auto item = TRY(next_included())) {
      all_places_.push_back(item->place);
      all_items_.push_back(std::move(item->item));
    }
    has_all_items_ = true;
  }
  phase_ = Phase::map;
  return {};
}

Result<PipelineRun::Verdict> PipelineRun::verdict_of(const Item& item, std::size_t row) const {
  if (has_ai_filter()) return verdicts_.at(row);
  return TRY(is_kept_by_rules(item)) ? Verdict::included : Verdict::excluded;
}

/// The next item that is to be mapped. One about which the filter got no answer has its place among the results.
Result<std::optional<PipelineRun::PlacedItem>> PipelineRun::next_included() {
  while (auto item = TRY(stream_->next())) {
    const std::size_t row = stream_->count() - 1;
    switch (TRY(verdict_of(*item, row))) {
      case Verdict::included:
        ++filter_counts_.included;
        return PlacedItem{.place = place_count_++, .item = *std::move(item)};
      case Verdict::excluded: ++filter_counts_.excluded; break;
      case Verdict::failed:
        ++filter_counts_.failed;
        add_failure({.place = place_count_++, .item = *std::move(item)}, filter_errors_.at(row));
        break;
    }
  }
  return std::nullopt;
}

Result<std::vector<PipelineRun::PlacedItem>> PipelineRun::next_batch() {
  std::vector<PlacedItem> batch;
  const auto size = static_cast<std::size_t>(work_->map.batch_size);
  while (batch.size() < size) {
    if (has_all_items_) {
      if (taken_of_all_ == all_items_.size()) break;
      batch.push_back({.place = all_places_[taken_of_all_], .item = all_items_[taken_of_all_]});
      ++taken_of_all_;
      continue;
    }
    auto item = TRY(next_included());
    if (!item) break;
    batch.push_back(*std::move(item));
  }
  return batch;
}

PipelineRun::Step PipelineRun::ask_about_items() {
  std::vector<PlacedItem> batch = TRY(next_batch());
  if (batch.empty()) return std::nullopt;
  if (work_->map.batch_size == 1) {
    Question question = ask_about(work_->map, texts_.map, batch.front().item, all_items_);
    return open(std::move(batch), std::move(question), &work_->map.asking);
  }
  std::vector<Item> items;
  for (const PlacedItem& placed : batch) items.push_back(placed.item);
  return open(std::move(batch), ask_about_batch(work_->map, texts_.map, items), &work_->map.asking);
}

/// Without items there is nothing to reduce; batches then still get the form of their output.
void PipelineRun::end_map() {
  if (work_->reduce.type == ReduceType::ai && (counts_.total > 0 || work_->map.batch_size > 1)) {
    phase_ = Phase::reduce;
    return;
  }
  const bool has_output = counts_.total > 0 || work_->map.batch_size > 1;
  conclude(has_output, {}, work_->map.batch_size > 1 ? work_->map.asking.output : std::vector<std::string>{});
}

PipelineRun::Step PipelineRun::ask_about_results() {
  if (std::exchange(is_asked_, true)) return std::nullopt;
  const std::string results = results_for_reduction(access_.each_result);
  std::string file;
  const bool names_file = texts_.reduce.prompt.find("{{RESULTS_FILE}}") != std::string::npos ||
                          texts_.reduce.skill.find("{{RESULTS_FILE}}") != std::string::npos;
  if (names_file && access_.write_results_file) file = TRY(access_.write_results_file(results));
  Question question = ask_reduce(work_->reduce, texts_.reduce, results, file, counts_, work_->input.parameters);
  return open({}, std::move(question), &*work_->reduce.asking);
}

void PipelineRun::write_output(const Sink& sink) const {
  CARILLON_ASSERT(is_done_ && outcome_.has_output);
  if (work_ == nullptr || work_->reduce.type == ReduceType::ai) return sink(outcome_.text);
  format(work_->reduce.type, access_.each_result, counts_, sink);
}

}  // namespace carillon::pipeline
