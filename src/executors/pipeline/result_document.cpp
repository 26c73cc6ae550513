#include "executors/pipeline/pipeline_runner.hpp"
#include "executors/pipeline/result_file.hpp"
#include "pipeline/json_text.hpp"
#include "pipeline/run_document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

json::object head_of(const RunRequest& request, const RunReport& report) {
  json::object head{{"version", 1},
                    {"run", request.run},
                    {"pipeline", report.pipeline},
                    {"nominalTime", nullptr},
                    {"startedAt", carillon::to_text(report.started)},
                    {"endedAt", carillon::to_text(report.ended)},
                    {"success", report.outcome.is_success()}};
  if (request.nominal) head["nominalTime"] = carillon::to_text(*request.nominal);
  if (!report.outcome.is_success()) head.emplace("error", report.outcome.error);
  if (report.is_cancelled) head.emplace("cancelled", true);
  head.emplace("summary", write_summary(report.outcome));
  head.emplace("stats", write_statistics(report.outcome));
  if (const auto& filter = report.outcome.filter)
    head.emplace("filter", json::object{{"included", filter->included}, {"excluded", filter->excluded}});
  head.emplace("usage", usage_of(report));
  return head;
}

}  // namespace

json::object usage_of(const RunReport& report) {
  json::object usage{{"calls", report.spent.calls},
                     {"inputTokens", report.spent.input_tokens},
                     {"outputTokens", report.spent.output_tokens},
                     {"cost", nullptr},
                     {"reusedAnswers", report.reused_answers},
                     {"possiblyPaidTwice", report.possibly_paid_twice}};
  if (report.spent.cost > 0) usage["cost"] = report.spent.cost;
  return usage;
}

Result<> write_document(const RunRequest& request, const RunReport& report, const Sink& sink) {
  std::string head = compact(head_of(request, report));
  head.pop_back();
  sink(head);
  sink(",\n\"formattedOutput\":");
  if (report.output) {
    sink("\"");
    TRY(report.output->read_all([&](std::string_view bytes) { write_escaped(bytes, sink); }));
    sink("\"");
  } else {
    sink("null");
  }
  sink(",\n\"items\":[");
  bool is_first = true;
  if (report.items) {
    report.items->each([&](const ItemResult& result, const ItemUsage& usage) {
      sink(is_first ? "\n" : ",\n");
      is_first = false;
      sink(compact(document_of(result, usage)));
    });
    if (auto failure = report.items->failure()) return std::unexpected(*std::move(failure));
  }
  sink("\n]}\n");
  return {};
}

}  // namespace carillon::pipeline
