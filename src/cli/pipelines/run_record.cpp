#include "cli/pipelines/run_record.hpp"

#include "cli/display/record_output.hpp"
#include "cli/pipelines/trial_run.hpp"
#include "document/document.hpp"
#include "pipeline/run_document.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace carillon::cli {

namespace {

namespace json = boost::json;

Result<json::array> items_of(const pipeline::RunReport& report) {
  json::array items;
  if (!report.items) return items;
  report.items->each([&](const pipeline::ItemResult& result) {
    json::object item = document_of(result);
    // The formatted output has it.
    item.stable_erase("input");
    items.push_back(std::move(item));
  });
  if (report.items->failure()) return std::unexpected(*report.items->failure());
  return items;
}

}  // namespace

Result<json::object> record_of(const pipeline::RunReport& report) {
  const pipeline::RunOutcome& outcome = report.outcome;
  json::object record{
      {"success", outcome.is_success()},   {"error", text_or_null(outcome.error)}, {"formatted", nullptr},
      {"summary", write_summary(outcome)}, {"stats", write_statistics(outcome)},   {"items", TRY(items_of(report))}};
  if (report.output) record["formatted"] = TRY(report.output->read(0, static_cast<std::size_t>(report.output->size())));
  if (outcome.filter)
    record["filter"] = json::object{{"included", outcome.filter->included},
                                    {"excluded", outcome.filter->excluded},
                                    {"failed", outcome.filter->failed}};
  if (outcome.broken_in) record["phase"] = to_text(*outcome.broken_in);
  record["usage"] = usage_of(report);
  record["resultFile"] = nullptr;
  if (report.result_file) record["resultFile"] = report.result_file->native();
  return record;
}

void print_run_record(const json::object& record, Format format, Session& session) {
  session.console.write(format == Format::json ? pretty_json(record) : to_yaml(record));
}

void print_run_output(std::string_view text, Session& session) {
  const bool is_seen = session.console.is_terminal(Stream::output);
  session.console.write((is_seen ? printable_lines(text) : std::string{text}) + '\n');
}

ExitCode show_failure(const pipeline::PreparationFailure& failure, Format format, Session& session) {
  if (format != Format::table) {
    print_run_record(failed_record(failure.error, failure.phase), format, session);
    return ExitCode::invalid;
  }
  for (const pipeline::FileFault& fault : failure.faults) {
    session.console.write_error(fmt::format("{}:{}:{}: {} ({})\n", printable(fault.file), fault.position.line,
                                            fault.position.column, printable(fault.message), fault.code));
    if (!fault.hint.empty()) session.console.write_error(fmt::format("  fix: {}\n", printable(fault.hint)));
  }
  if (failure.faults.empty()) session.console.write_error(fmt::format("error: {}\n", printable(failure.error)));
  return ExitCode::invalid;
}

}  // namespace carillon::cli
