#include "pipeline/run_document.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <utility>

namespace carillon::pipeline {
namespace {

namespace json = boost::json;

json::array write_results(const EachResult& each) {
  json::array results;
  each([&](const ItemResult& result) {
    json::object entry{{"item", result.input}, {"output", result.output}};
    if (result.raw_text) entry["rawText"] = *result.raw_text;
    entry["success"] = result.is_success();
    if (!result.is_success()) entry["error"] = result.error;
    results.push_back(std::move(entry));
  });
  return results;
}

}  // namespace

json::object write_summary(const RunOutcome& outcome) {
  json::array fields;
  for (const std::string& field : outcome.output_fields) fields.emplace_back(field);
  return {{"totalItems", outcome.items.total},
          {"successfulItems", outcome.items.succeeded},
          {"failedItems", outcome.items.failed()},
          {"outputFields", std::move(fields)}};
}

json::object write_statistics(const RunOutcome& outcome) {
  return {{"totalItems", outcome.maps.total},
          {"successfulMaps", outcome.maps.succeeded},
          {"failedMaps", outcome.maps.failed()}};
}

RunAccess KeptResults::access(OpenInput open_input) {
  return {.open_input = std::move(open_input),
          .keep = [this](std::size_t place, ItemResult result) { keep(place, std::move(result)); },
          .each_result = [this](const std::function<void(const ItemResult&)>& use) { each(use); },
          .write_results_file = {}};
}

json::object write_run(const PipelineRun& run, const EachResult& each) {
  const RunOutcome& outcome = run.outcome();
  json::object document{{"success", outcome.is_success()}};
  if (!outcome.is_success()) document["error"] = outcome.error;
  if (outcome.broken_in) document["phase"] = to_text(*outcome.broken_in);
  if (outcome.has_output) {
    std::string formatted;
    run.write_output([&](std::string_view piece) { formatted += piece; });
    document["output"] = {
        {"results", write_results(each)}, {"formattedOutput", formatted}, {"summary", write_summary(outcome)}};
  }
  document["executionStats"] = write_statistics(outcome);
  if (outcome.filter)
    document["filterResult"] = {{"included", outcome.filter->included},
                                {"excluded", outcome.filter->excluded},
                                {"failed", outcome.filter->failed}};
  return document;
}

}  // namespace carillon::pipeline
