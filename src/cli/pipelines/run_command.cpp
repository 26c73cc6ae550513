#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/display/record_output.hpp"
#include "cli/pipelines/overrides.hpp"
#include "cli/pipelines/trial_run.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/input_text.hpp"
#include "document/document.hpp"
#include "executors/pipeline/prepared_run.hpp"

#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

namespace json = boost::json;
using pipeline::PreparedRun;

constexpr std::array run_formats{Format::table, Format::json, Format::yaml};

void print_record(Session& session, const json::object& record, Format format) {
  session.console.write(format == Format::json ? pretty_json(record) : to_yaml(record));
}

Result<pipeline::MockAnswers> read_mock(const std::string& file, Session& session) {
  const std::string text = TRY(read_text(file, session.console));
  const Document document = TRY(parse_document(file, text));
  auto answers = pipeline::MockAnswers::read(document.root);
  if (answers) return *std::move(answers);
  const Problem& problem = answers.error().front();
  const Position position = document.position(problem.pointer);
  Error error = to_error(answers.error());
  error.context.push_back(fmt::format("{}:{}:{}", file, position.line, position.column));
  return std::unexpected(std::move(error));
}

/// Why it cannot be run: every fault of the document, or the file that is missing.
ExitCode show_failure(Session& session, const pipeline::PreparationFailure& failure, Format format) {
  if (format != Format::table) {
    print_record(session, failed_record(failure.error, failure.phase), format);
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

std::string number_of(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// The output on standard output, so that it can be piped; what became of the items on standard error.
ExitCode show_run(Session& session, const TrialRun& run, Format format) {
  const pipeline::RunOutcome& outcome = run.outcome();
  const ExitCode code = outcome.is_success() ? ExitCode::ok : ExitCode::run_failed;
  const json::object record = run.record();
  if (format != Format::table) {
    print_record(session, record, format);
    return code;
  }
  if (const auto* text = record.at("formatted").if_string())
    session.console.write(fmt::format("{}\n", std::string_view{*text}));
  const std::string items =
      fmt::format("{}, {} failed, {} asked (mock answers)", number_of(outcome.items.total, "item"),
                  outcome.items.failed(), number_of(run.asked().size(), "question"));
  session.console.write_error(session.paint.signs(outcome.is_success()
                                                      ? fmt::format("✔ {}\n", items)
                                                      : fmt::format("✗ {}: {}\n", items, printable(outcome.error))));
  return code;
}

/// What would be asked, how much that is, and what it would cost at most.
ExitCode show_preview(Session& session, const TrialRun& run, Format format) {
  std::size_t tokens = 0;
  for (const AskedQuestion& question : run.asked()) tokens += pipeline::estimated_tokens(question.prompt);
  if (format != Format::table) {
    json::array questions;
    for (const AskedQuestion& question : run.asked())
      questions.push_back(json::object{{"phase", to_text(question.phase)},
                                       {"prompt", question.prompt},
                                       {"model", text_or_null(question.model)},
                                       {"estimatedTokens", pipeline::estimated_tokens(question.prompt)}});
    print_record(
        session,
        json::object{{"questions", std::move(questions)}, {"count", run.asked().size()}, {"estimatedTokens", tokens}},
        format);
    return ExitCode::ok;
  }
  for (std::size_t number = 0; number < run.asked().size(); ++number) {
    const AskedQuestion& question = run.asked()[number];
    const std::string model = question.model.empty() ? "" : fmt::format(", model {}", printable(question.model));
    session.print(fmt::format("--- question {} ({}{}) ---\n{}\n\n", number + 1, to_text(question.phase), model,
                              printable_lines(question.prompt)));
  }
  session.print(fmt::format("{}, about {} tokens of prompts. Nothing was asked.\n",
                            number_of(run.asked().size(), "question"), tokens));
  return ExitCode::ok;
}

Result<ExitCode> pipeline_run_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), run_formats));
  if (arguments.targets.size() != 1)
    return std::unexpected(usage_error("name one package", "carillon pipeline run pipelines/daily-report"));
  const pipeline::Overrides overrides = TRY(pipeline_overrides(arguments));
  auto place = pipeline::place_of(arguments.targets.front());
  if (!place) return std::unexpected(place.error());
  auto prepared = pipeline::prepare_run(*place, local_zone_name(session.console), overrides);
  if (!prepared) return show_failure(session, prepared.error(), format);

  TrialRun trial{prepared->pipeline, prepared->texts, prepared->open_input};
  if (arguments.has("dry-run")) {
    trial.preview();
    return show_preview(session, trial, format);
  }
  if (const auto file = arguments.value("mock")) {
    trial.answer_with(TRY(read_mock(*file, session)));
    return show_run(session, trial, format);
  }
  return std::unexpected(
      usage_error("no provider to ask", "--mock FILE answers from a file, --dry-run shows what would be asked"));
}

}  // namespace

const Verb pipeline_run_verb{
    .name = "pipeline run",
    .targets = "PATH",
    .summary = "Runs one pipeline package here, without a server. Exit code 10 if it failed.",
    .examples = {"carillon pipeline run pipelines/daily-report --dry-run",
                 "carillon pipeline run pipelines/daily-report --mock answers.yaml",
                 "carillon pipeline run pipelines/daily-report --limit 3 --param region=EU -o json"},
    .group = VerbGroup::pipelines,
    .flags =
        [] {
          return joined(
              {{{.names = "--dry-run",
                 .form = "",
                 .text = "shows the prompts, how many, and about how many tokens; asks nobody"},
                {.names = "--mock", .form = "FILE", .text = "answers from this file: {exact, rules, default}"},
                {.names = "--param",
                 .form = "NAME=VALUE",
                 .text = "sets a parameter; may be given again",
                 .may_repeat = true},
                {.names = "--limit", .form = "N", .text = "only the first N items"}},
               output_flags("text|json|yaml")});
        },
    .perform = pipeline_run_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
