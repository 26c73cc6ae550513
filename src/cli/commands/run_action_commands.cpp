#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace carillon::cli {

namespace {

FlagSpecs action_flags() {
  return joined({{{.names = "-q,--quiet", .form = {}, .text = "print only its id"},
                  {.names = "--idempotency-key",
                   .form = "TEXT",
                   .text = "a key you choose; a retry with the same key is carried out only once"}},
                 output_flags(document_formats),
                 display_flags(),
                 server_flags()});
}

WriteOptions write_options(const Arguments& arguments) {
  return {.idempotency_key = arguments.value("idempotency-key").value_or("")};
}

Result<ExitCode> show_run(const Arguments& arguments, Session& session, const client::Run& run,
                          const boost::json::value& document, std::string_view note = {}) {
  if (arguments.has("quiet")) {
    session.console.write(printable(run.id) + '\n');
    return ExitCode::ok;
  }
  if (TRY(print_document(arguments, session, document))) return ExitCode::ok;
  const ZonePtr zone = TRY(run_zone(TRY(display_zone(arguments, session)), session));
  std::string line = run_line(run, *zone, session.paint, session.exact_now());
  if (!note.empty()) line.insert(line.size() - 1, fmt::format(" · {}", note));
  session.print(line);
  return ExitCode::ok;
}

/// The run when it has ended, or as it is when the time is over. People are told what it waits for.
Result<client::Answer<client::Run>> when_ended(Client& client, client::Answer<client::Run> run, PollBackoff& backoff,
                                               const Arguments& arguments, Session& session) {
  const bool is_for_people = TRY(wants_text(arguments)) && !arguments.has("quiet");
  const ZonePtr zone = TRY(run_zone(TRY(display_zone(arguments, session)), session));
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  std::string told_wait;
  while (!has_ended(run.value)) {
    const std::string wait = wait_text(run.value, *zone);
    if (is_for_people && !wait.empty() && wait != told_wait) session.console.write_error(paint.signs(wait + '\n'));
    told_wait = wait;
    if (!backoff.pause()) break;
    auto newer = client.get_run(run.value.id, run.value.name_space);
    // A server that is started anew meanwhile goes on with the run.
    if (newer) {
      run = *std::move(newer);
      backoff.note_success();
    } else if (newer.error().rule != "unreachable" || !backoff.may_retry()) {
      return std::unexpected(std::move(newer).error());
    }
  }
  return run;
}

Result<ExitCode> run_cancel_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run cancel r-7f3a91"));
  const auto timeout = TRY(timeout_value(arguments.value("timeout")));
  if (timeout && !arguments.has("wait"))
    return std::unexpected(usage_error("--timeout needs --wait", "--wait --timeout 10m"));
  Client client = TRY(connect(arguments, session));
  const auto found = TRY(find_run(client, word));
  auto run = TRY(client.cancel_run(found.value, write_options(arguments)));
  PollBackoff backoff{timeout};
  if (arguments.has("wait")) run = TRY(when_ended(client, std::move(run), backoff, arguments, session));
  const bool is_ending = !has_ended(run.value);
  TRY(show_run(arguments, session, run.value, run.document, is_ending ? "asked to stop" : ""));
  return is_ending && arguments.has("wait") ? ExitCode::pending : ExitCode::ok;
}

Result<ExitCode> run_retry_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run retry r-7f3a91"));
  Client client = TRY(connect(arguments, session));
  const auto found = TRY(find_run(client, word));
  const bool is_for_rest = arguments.has("failed-items");
  const auto answer =
      TRY(client.retry_run(found.value, write_options(arguments), {{"failedItems", is_for_rest ? "true" : ""}}));
  const client::Decision& decision = answer.value.decision;
  if (is_for_rest && decision.outcome != "skipped")
    session.console.write_error(
        fmt::format("{} begins with the answers of {}: only what failed or was not answered is asked\n",
                    printable(answer.value.run.id), printable(found.value.id)));
  if (decision.outcome != "skipped")
    return show_run(arguments, session, answer.value.run, answer.document.get_object().at("run"));
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::conflict;
  session.print(fmt::format("⊘ not started: {} {}\n", printable(decision.outcome), printable(decision.reason)));
  return ExitCode::conflict;
}

Result<ExitCode> run_wait_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run wait r-7f3a91"));
  PollBackoff backoff{TRY(timeout_value(arguments.value("timeout")))};
  Client client = TRY(connect(arguments, session));
  const auto run = TRY(when_ended(client, TRY(find_run(client, word)), backoff, arguments, session));
  TRY(show_run(arguments, session, run.value, run.document));
  if (!has_ended(run.value)) return ExitCode::pending;
  return run.value.state == "succeeded" ? ExitCode::ok : ExitCode::run_failed;
}

}  // namespace

const Verb run_cancel_verb{
    .name = "run cancel",
    .targets = "RUN",
    .summary =
        "Cancels a run: a waiting run never starts, a running one is asked to stop and killed after its grace period.",
    .examples = {"carillon run cancel r-7f3a91", "carillon run cancel nightly@2026-11-20T03:00:00Z --wait",
                 "carillon run list --state running -q | xargs -n1 carillon run cancel"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--wait", .form = {}, .text = "wait until the run has ended"},
                          {.names = "--timeout",
                           .form = "DURATION",
                           .text = "with --wait: how long to wait; exit 8 if it still runs then; default: no limit"}},
                         action_flags()});
        },
    .perform = run_cancel_command,
    .completes = Completes::runs,
};

const Verb run_retry_verb{
    .name = "run retry",
    .targets = "RUN",
    .summary = "Runs the occurrence of a run again, as a new run with the same nominal time.",
    .examples = {"carillon run retry r-7c0b77", "carillon run retry --failed-items r-7c0b77",
                 "carillon run wait $(carillon run retry r-7c0b77 -q)"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--failed-items",
                           .form = {},
                           .text = "of a pipeline: begin with the answers of the run, and ask only what failed"}},
                         action_flags()});
        },
    .perform = run_retry_command,
    .completes = Completes::runs,
};

const Verb run_wait_verb{
    .name = "run wait",
    .targets = "RUN",
    .summary = "Waits until a run has ended. Exit 0: it succeeded, 10: it did not, 8: still running after --timeout.",
    .examples = {"carillon run wait r-7f3a91", "carillon run wait r-7f3a91 --timeout 10m",
                 "carillon run wait r-7f3a91 -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--timeout", .form = "DURATION", .text = "how long to wait; default: no limit"},
                          {.names = "-q,--quiet", .form = {}, .text = "print only its id"}},
                         output_flags(document_formats),
                         display_flags(),
                         server_flags()});
        },
    .perform = run_wait_command,
    .completes = Completes::runs,
};

}  // namespace carillon::cli
