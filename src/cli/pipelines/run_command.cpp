#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/session.hpp"
#include "cli/pipelines/overrides.hpp"
#include "cli/pipelines/provider_run.hpp"
#include "cli/pipelines/run_preview.hpp"
#include "cli/pipelines/run_record.hpp"
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

constexpr std::array run_formats{Format::table, Format::json, Format::yaml};

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

std::string number_of(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// The output on standard output, so that it can be piped; what became of the items on standard error.
ExitCode show_run(Session& session, const TrialRun& run, Format format) {
  const pipeline::RunOutcome& outcome = run.outcome();
  const ExitCode code = outcome.is_success() ? ExitCode::ok : ExitCode::run_failed;
  const json::object record = run.record();
  if (format != Format::table) {
    print_run_record(record, format, session);
    return code;
  }
  if (const auto* text = record.at("formatted").if_string()) print_run_output(*text, session);
  const std::string items =
      fmt::format("{}, {} failed, {} asked (mock answers)", number_of(outcome.items.total, "item"),
                  outcome.items.failed(), number_of(run.asked().size(), "question"));
  session.console.write_error(session.paint.signs(outcome.is_success()
                                                      ? fmt::format("✔ {}\n", items)
                                                      : fmt::format("✗ {}: {}\n", items, printable(outcome.error))));
  return code;
}

/// Without asking anybody.
Result<ExitCode> try_out(const Arguments& arguments, const pipeline::PackagePlace& place,
                         const pipeline::Overrides& overrides, Format format, Session& session) {
  const auto prepared = pipeline::prepare_run(place, local_zone_name(session.console), overrides);
  if (!prepared) return show_failure(prepared.error(), format, session);
  TrialRun trial{prepared->pipeline, prepared->texts, prepared->open_input};
  if (!arguments.has("dry-run")) {
    trial.answer_with(TRY(read_mock(*arguments.value("mock"), session)));
    return show_run(session, trial, format);
  }
  auto askable = TRY(find_providers(arguments, session));
  trial.preview();
  return show_preview(trial, askable ? &askable->providers : nullptr, format, session);
}

Result<ExitCode> pipeline_run_command(const Arguments& arguments, Session& session) {
  const Format format = TRY(output_format(arguments.value("output"), run_formats));
  if (arguments.targets.size() != 1)
    return std::unexpected(usage_error("name one package", "carillon pipeline run pipelines/daily-report"));
  const pipeline::Overrides overrides = TRY(pipeline_overrides(arguments));
  auto place = pipeline::place_of(arguments.targets.front());
  if (!place) return std::unexpected(place.error());
  if (arguments.has("dry-run") || arguments.has("mock")) return try_out(arguments, *place, overrides, format, session);
  auto askable = TRY(find_providers(arguments, session));
  if (!askable)
    return std::unexpected(usage_error("no provider to ask: no providers file found",
                                       "name one with --providers FILE; --mock FILE answers from a file, --dry-run "
                                       "shows what would be asked"));
  return run_with_providers(
      {.package = *place, .overrides = overrides, .is_restarted = arguments.has("restart"), .format = format}, *askable,
      session);
}

}  // namespace

const Verb pipeline_run_verb{
    .name = "pipeline run",
    .targets = "PATH",
    .summary = "Runs one pipeline package here, without a server. Exit code 10 if it failed.",
    .examples = {"carillon pipeline run pipelines/daily-report --dry-run",
                 "carillon pipeline run pipelines/daily-report --providers providers.yaml",
                 "carillon pipeline run pipelines/daily-report --mock answers.yaml --limit 3 --param region=EU"},
    .group = VerbGroup::pipelines,
    .flags =
        [] {
          return joined(
              {{{.names = "--dry-run",
                 .form = "",
                 .text = "show the prompts, their number and their estimated tokens and cost; ask no provider"},
                {.names = "--mock", .form = "FILE", .text = "take the answers from this file: {exact, rules, default}"},
                {.names = "--param", .form = "NAME=VALUE", .text = "set a parameter; repeatable", .may_repeat = true},
                {.names = "--limit", .form = "N", .text = "only the first N items"},
                {.names = "--restart",
                 .form = {},
                 .text = "ask everything again, even what was answered before an earlier run failed"}},
               provider_flags(),
               output_flags("text|json|yaml")});
        },
    .perform = pipeline_run_command,
    .completes = Completes::files,
};

}  // namespace carillon::cli
