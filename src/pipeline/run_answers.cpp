#include "base/assertion.hpp"
#include "pipeline/answer.hpp"
#include "pipeline/javascript.hpp"
#include "pipeline/json_text.hpp"
#include "pipeline/run_plan.hpp"

#include <fmt/format.h>

#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

/// The error of a provider that gave none.
std::string_view or_else(std::string_view error, std::string_view otherwise) {
  return error.empty() ? otherwise : error;
}

constexpr std::string_view no_answer = "AI invocation failed";

}  // namespace

void PipelineRun::answer(std::size_t number, std::string_view text) {
  auto asked = open_.extract(number);
  CARILLON_ASSERT(!asked.empty());
  const std::string clean = well_formed(text);
  switch (asked.mapped().phase) {
    case Phase::input: return take_generated(clean);
    case Phase::filter:
      return take_filter_answer(asked.mapped(), is_kept_by(*work_->filter->ai, clean, pipeline_.is_lenient));
    case Phase::map: return take_map_answer(asked.mapped(), clean);
    case Phase::reduce: return take_reduce_answer(asked.mapped(), clean);
    case Phase::job: return take_job_answer(asked.mapped(), clean);
  }
}

void PipelineRun::fail(std::size_t number, std::string_view error) {
  auto asked = open_.extract(number);
  CARILLON_ASSERT(!asked.empty());
  const std::string clean = well_formed(or_else(error, no_answer));
  switch (asked.mapped().phase) {
    case Phase::input: return break_off(Phase::input, fmt::format("Failed to generate input items: {}", clean));
    case Phase::filter: return take_filter_failure(asked.mapped(), clean);
    case Phase::map:
      for (const PlacedItem& item : asked.mapped().items) add_failure(item, clean);
      return;
    case Phase::reduce: return break_reduction(fmt::format("AI reduce failed: {}", or_else(error, "Unknown error")));
    case Phase::job: return end_job({}, clean);
  }
}

void PipelineRun::stop(std::string error) { break_off(phase_, std::move(error)); }

void PipelineRun::break_off(Phase phase, std::string error) {
  is_done_ = true;
  open_.clear();
  to_correct_.clear();
  outcome_.error = std::move(error);
  outcome_.broken_in = phase;
  outcome_.items = outcome_.maps = counts_;
  if (work_ != nullptr && work_->filter) outcome_.filter = filter_counts_;
}

void PipelineRun::take_generated(std::string_view text) {
  auto items = text.empty()
                   ? Result<std::vector<Item>>{carillon::fail(ErrorCode::unavailable, "AI returned empty response")}
                   : read_generated_items(text, std::get<GeneratedSource>(work_->input.source).schema);
  if (!items) return break_off(Phase::input, fmt::format("Failed to generate input items: {}", items.error().message));
  access_.open_input = input_of(*std::move(items));
}

void PipelineRun::take_filter_answer(const Asked& asked, bool is_kept) {
  verdicts_.at(asked.items.front().place) = is_kept ? Verdict::included : Verdict::excluded;
}

/// The original executor left out what it got no answer about, and nobody was told.
void PipelineRun::take_filter_failure(const Asked& asked, std::string_view error) {
  if (pipeline_.is_lenient) return take_filter_answer(asked, false);
  const std::size_t row = asked.items.front().place;
  verdicts_.at(row) = Verdict::failed;
  filter_errors_.emplace(row, fmt::format("AI filter failed: {}", error));
}

/// Whether the answer is asked for once more. If so, what was asked is used up.
bool PipelineRun::corrects(Asked& asked, std::string_view text, std::string_view error) {
  if (!asked.correctable) return false;
  asked.correctable = ask_to_correct(*std::move(asked.correctable), text, error);
  to_correct_.push_back(std::move(asked));
  return true;
}

void PipelineRun::take_map_answer(Asked& asked, std::string_view text) {
  const std::vector<std::string>& fields = work_->map.asking.output;
  if (text.empty()) {
    for (const PlacedItem& item : asked.items) add_failure(item, no_answer);
  } else if (fields.empty()) {
    for (const PlacedItem& item : asked.items) add_success(item, {}, std::string{text});
  } else if (work_->map.batch_size > 1) {
    take_batch_answer(asked, text);
  } else if (auto output = read_answer(text, fields, pipeline_.is_lenient)) {
    add_success(asked.items.front(), *std::move(output), std::nullopt);
  } else if (!corrects(asked, text, output.error().message)) {
    add_failure(asked.items.front(), fmt::format("Failed to parse AI response: {}", output.error().message));
  }
}

void PipelineRun::take_batch_answer(Asked& asked, std::string_view text) {
  auto outputs = read_batch_answer(text, work_->map.asking.output, asked.items.size());
  if (!outputs && corrects(asked, text, outputs.error().message)) return;
  for (std::size_t i = 0; i < asked.items.size(); ++i) {
    if (!outputs) {
      add_failure(asked.items[i], outputs.error().message);
    } else if (auto& output = (*outputs)[i]) {
      add_success(asked.items[i], *std::move(output), std::nullopt);
    } else {
      add_failure(asked.items[i], output.error().message);
    }
  }
}

void PipelineRun::add_success(const PlacedItem& item, json::object output, std::optional<std::string> raw_text) {
  ++counts_.total;
  ++counts_.succeeded;
  access_.keep(item.place,
               {.input = item.item, .output = std::move(output), .raw_text = std::move(raw_text), .error = {}});
}

void PipelineRun::add_failure(const PlacedItem& item, std::string_view error) {
  ++counts_.total;
  if (seen_errors_.size() < different_errors_max && seen_errors_.emplace(error).second)
    different_errors_.emplace_back(error);
  json::object output;
  for (const std::string& field : work_->map.asking.output) output[field] = nullptr;
  access_.keep(item.place,
               {.input = item.item, .output = std::move(output), .raw_text = {}, .error = std::string{error}});
}

/// In batches the whole object is the output, and only as strict JSON; without, the fields are.
void PipelineRun::take_reduce_answer(Asked& asked, std::string_view text) {
  const std::vector<std::string>& fields = work_->reduce.asking->output;
  if (text.empty()) return break_reduction("AI reduce failed: Unknown error");
  if (fields.empty()) return conclude(true, std::string{text}, {});
  const bool is_batch = work_->map.batch_size > 1;
  const auto output = is_batch ? read_whole_object(text) : read_answer(text, fields, pipeline_.is_lenient);
  if (!output && corrects(asked, text, output.error().message)) return;
  if (!output) return break_reduction(fmt::format("Failed to parse AI reduce response: {}", output.error().message));
  conclude(true, indented(*output), fields);
}

void PipelineRun::break_reduction(std::string_view error) {
  const bool is_batch = work_->map.batch_size > 1;
  break_off(Phase::reduce, is_batch ? std::string{error} : fmt::format("Reduce phase failed: {}", error));
}

void PipelineRun::take_job_answer(Asked& asked, std::string_view text) {
  const std::vector<std::string>& fields = std::get<Job>(pipeline_.work).asking.output;
  if (text.empty()) return end_job({}, std::string{no_answer});
  if (fields.empty()) return end_job(std::string{text}, {});
  const auto output = read_job_answer(text, fields);
  if (!output && corrects(asked, text, output.error().message)) return;
  if (!output) return end_job({}, fmt::format("Failed to parse AI response: {}", output.error().message));
  end_job(indented(*output), {});
}

void PipelineRun::end_job(std::string text, std::string error) {
  is_done_ = true;
  counts_ = {.total = 1, .succeeded = error.empty() ? 1U : 0U};
  outcome_ = {.error = std::move(error),
              .broken_in = {},
              .has_output = true,
              .text = std::move(text),
              .output_fields = std::get<Job>(pipeline_.work).asking.output,
              .items = counts_,
              .maps = counts_,
              .filter = {}};
}

/// The original executor counted failed items as mapped, unless they were in batches.
void PipelineRun::conclude(bool has_output, std::string text, std::vector<std::string> fields) {
  is_done_ = true;
  const bool is_forgiven = pipeline_.is_lenient && work_->map.batch_size == 1;
  outcome_.error = is_forgiven ? "" : error_of(counts_, pipeline_.tolerate, different_errors_).value_or("");
  outcome_.has_output = has_output;
  outcome_.text = std::move(text);
  outcome_.output_fields = std::move(fields);
  outcome_.items = outcome_.maps = counts_;
  if (is_forgiven) outcome_.maps.succeeded = counts_.total;
  if (work_->filter) outcome_.filter = filter_counts_;
}

}  // namespace carillon::pipeline
