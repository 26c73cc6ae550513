#include "cli/pipelines/run_preview.hpp"

#include "cli/display/record_output.hpp"
#include "document/document.hpp"
#include "executors/pipeline/asker.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace carillon::cli {

namespace {

namespace json = boost::json;

/// What is known before anything is asked.
struct PreviewTotals {
  std::size_t tokens = 0;     // of prompts
  double cost = 0;            // of those with a price
  std::size_t unpriced = 0;   // questions without one
  std::string no_price_of{};  // the first of them: its model, or why it has no provider
};

std::optional<double> cost_of_question(const AskedQuestion& question, pipeline::Providers& providers,
                                       PreviewTotals& totals) {
  const auto provider = providers.find(question.provider);
  if (!provider) {
    if (totals.no_price_of.empty()) totals.no_price_of = provider.error().message;
    return std::nullopt;
  }
  const std::string& model = question.model.empty() ? (*provider)->terms.model : question.model;
  const auto cost = pipeline::estimate_of(**provider, question.prompt, model).cost;
  if (!cost && totals.no_price_of.empty())
    totals.no_price_of = fmt::format("the provider {} has no price for {}", (*provider)->name,
                                     model.empty() ? "a question without a model" : "the model " + model);
  return cost;
}

PreviewTotals totals_of(const TrialRun& run, pipeline::Providers* providers) {
  PreviewTotals totals;
  for (const AskedQuestion& question : run.asked()) {
    totals.tokens += pipeline::estimated_tokens(question.prompt);
    if (providers == nullptr) continue;
    if (const auto cost = cost_of_question(question, *providers, totals))
      totals.cost += *cost;
    else
      ++totals.unpriced;
  }
  return totals;
}

/// Null if no question has a price.
json::value cost_value(const TrialRun& run, const PreviewTotals& totals, bool has_providers) {
  if (!has_providers || totals.unpriced == run.asked().size()) return nullptr;
  return totals.cost;
}

json::object preview_record(const TrialRun& run, const PreviewTotals& totals, bool has_providers) {
  json::array questions;
  for (const AskedQuestion& question : run.asked())
    questions.push_back(json::object{{"phase", to_text(question.phase)},
                                     {"prompt", question.prompt},
                                     {"model", text_or_null(question.model)},
                                     {"estimatedTokens", pipeline::estimated_tokens(question.prompt)}});
  return {{"questions", std::move(questions)},
          {"count", run.asked().size()},
          {"estimatedTokens", totals.tokens},
          {"estimatedCost", cost_value(run, totals, has_providers)}};
}

std::string price_text(const TrialRun& run, const PreviewTotals& totals) {
  if (run.asked().empty()) return {};
  const std::string assumed =
      fmt::format("assuming {} tokens an answer", static_cast<std::int64_t>(pipeline::expected_answer_tokens));
  if (totals.unpriced == run.asked().size()) return fmt::format("Price unknown: {}.\n", printable(totals.no_price_of));
  if (totals.unpriced == 0) return fmt::format("Price about {:.4f}, {}.\n", totals.cost, assumed);
  return fmt::format("Price about {:.4f}, {}, without {} of the questions: {}.\n", totals.cost, assumed,
                     totals.unpriced, printable(totals.no_price_of));
}

}  // namespace

ExitCode show_preview(const TrialRun& run, pipeline::Providers* providers, Format format, Session& session) {
  const PreviewTotals totals = totals_of(run, providers);
  if (format != Format::table) {
    const json::object record = preview_record(run, totals, providers != nullptr);
    session.console.write(format == Format::json ? pretty_json(record) : to_yaml(record));
    return ExitCode::ok;
  }
  for (std::size_t number = 0; number < run.asked().size(); ++number) {
    const AskedQuestion& question = run.asked()[number];
    const std::string model = question.model.empty() ? "" : fmt::format(", model {}", printable(question.model));
    session.print(fmt::format("--- question {} ({}{}) ---\n{}\n\n", number + 1, to_text(question.phase), model,
                              printable_lines(question.prompt)));
  }
  if (providers != nullptr) session.print(price_text(run, totals));
  session.print(fmt::format("{} question{}, about {} tokens of prompts. Nothing was asked.\n", run.asked().size(),
                            run.asked().size() == 1 ? "" : "s", totals.tokens));
  return ExitCode::ok;
}

}  // namespace carillon::cli
