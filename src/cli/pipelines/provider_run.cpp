#include "cli/pipelines/provider_run.hpp"

#include "cli/command_line/flag_sets.hpp"
#include "cli/pipelines/run_progress.hpp"
#include "cli/pipelines/run_record.hpp"
#include "cli/settings/providers_file.hpp"
#include "cli/terminal/interrupts.hpp"
#include "executors/pipeline/journal_folder.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "files/private_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

namespace carillon::cli {

namespace {

namespace fs = std::filesystem;

/// Where journals of runs without a server lie.
Result<fs::path> journals_folder(const Console& console) {
  const auto named = console.environment("XDG_STATE_HOME");
  if (named && fs::path{*named}.is_absolute()) return fs::path{*named} / "carillon/pipeline-runs";
  if (const auto home = console.environment("HOME"); home && !home->empty())
    return fs::path{*home} / ".local/state/carillon/pipeline-runs";
  Error error = fail(ErrorCode::not_found, "no folder to keep answers in: HOME is not set").error();
  error.hint = "set HOME or XDG_STATE_HOME";
  return std::unexpected(std::move(error));
}

std::string counted(std::int64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// `3 items, 0 failed, 3 questions asked, 120 tokens, cost 0.0012`
std::string run_summary(const pipeline::RunReport& report) {
  const auto& spent = report.spent;
  std::string text =
      fmt::format("{}, {} failed, {} asked", counted(static_cast<std::int64_t>(report.outcome.items.total), "item"),
                  report.outcome.items.failed(), counted(spent.calls, "question"));
  if (report.reused_answers > 0)
    text +=
        fmt::format(", {} from an earlier run", counted(static_cast<std::int64_t>(report.reused_answers), "answer"));
  if (const auto tokens = spent.input_tokens + spent.output_tokens; tokens > 0)
    text += fmt::format(", {} tokens", tokens);
  if (spent.cost > 0) text += fmt::format(", cost {:.4f}", spent.cost);
  if (report.possibly_paid_twice > 0)
    text += fmt::format(", {} possibly paid twice",
                        counted(static_cast<std::int64_t>(report.possibly_paid_twice), "question"));
  return text;
}

ExitCode exit_code_of(const pipeline::RunReport& report) {
  if (report.outcome.is_success()) return ExitCode::ok;
  return report.is_cancelled ? ExitCode::interrupted : ExitCode::run_failed;
}

/// What became of the run, on standard error.
void tell_end(const pipeline::RunReport& report, Session& session) {
  const std::string summary = run_summary(report);
  std::string text = report.outcome.is_success() ? fmt::format("✔ {}\n", summary)
                                                 : fmt::format("✗ {}: {}\n", summary, printable(report.outcome.error));
  if (report.result_file) text += fmt::format("  result: {}\n", printable(report.result_file->native()));
  if (!report.outcome.is_success())
    text += "  what was answered is kept: run it again to go on, with --restart to ask everything again\n";
  session.console.write_error(Paint::of(session.console, Stream::error, ColourChoice::automatic).signs(text));
}

Result<ExitCode> show_report(const pipeline::RunReport& report, Format format, Session& session) {
  if (report.is_unreadable)
    return show_failure({.pipeline = report.pipeline,
                         .phase = report.outcome.broken_in,
                         .error = report.outcome.error,
                         .faults = report.faults},
                        format, session);
  if (format != Format::table) {
    print_run_record(TRY(record_of(report)), format, session);
    return exit_code_of(report);
  }
  if (report.output)
    print_run_output(TRY(report.output->read(0, static_cast<std::size_t>(report.output->size()))), session);
  tell_end(report, session);
  return exit_code_of(report);
}

Result<fs::path> journal_for(const ProviderRunRequest& request, Session& session) {
  const fs::path folder =
      TRY(while_doing(make_private_folder(TRY(journals_folder(session.console))), "making a folder for the answers"));
  pipeline::remove_old_journals(folder);
  fs::path journal = pipeline::journal_in(folder, (request.package.folder / request.package.package).native());
  if (request.is_restarted) TRY(pipeline::remove_journal(journal));
  return journal;
}

}  // namespace

FlagSpecs provider_flags() {
  return joined(
      {providers_flag(),
       {{.names = "--secret-dir",
         .form = "DIR",
         .text = "directory of the keys that providers refer to by ${secret:name}; ${env:NAME} needs none"}}});
}

Result<std::optional<AskableProviders>> find_providers(const Arguments& arguments, Session& session) {
  const auto file = providers_file(arguments, session.console);
  if (!file) return std::nullopt;
  auto access = TRY(session.server.open_provider_access(
      {.secret_directory = arguments.value("secret-dir").value_or(""), .starts_programs = !arguments.has("dry-run")}));
  auto providers = TRY(pipeline::load_providers(*file, access->surroundings(), access->clock()));
  return AskableProviders{.access = std::move(access), .providers = std::move(providers)};
}

Result<ExitCode> run_with_providers(const ProviderRunRequest& request, AskableProviders& askable, Session& session) {
  const fs::path journal = TRY(journal_for(request, session));
  Clock& clock = askable.access->clock();
  const pipeline::PipelineRunner runner{
      clock, askable.providers, {.default_timezone = local_zone_name(session.console)}};
  RunProgressDisplay display{session.console};
  const Interrupts interrupts{[&] { display.say("cancelling; Ctrl-C again ends at once"); }};
  const pipeline::RunReport report = runner.perform(
      {.package = request.package,
       .run = "command line",
       .journal = journal,
       .overrides = request.overrides,
       .is_frozen = false},
      [&](const pipeline::RunProgress& progress) { display.show(progress, clock.since_boot()); }, interrupts.token());
  display.end();
  if (report.outcome.is_success()) {
    if (const auto removed = pipeline::remove_journal(journal); !removed) session.warn(removed.error().message);
  }
  return show_report(report, request.format, session);
}

}  // namespace carillon::cli
