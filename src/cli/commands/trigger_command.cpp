#include "base/duration_text.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/reasons.hpp"
#include "cli/commands/run_following.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"
#include "client/document_reader.hpp"
#include "document/document.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace carillon::cli {

namespace {

namespace json = boost::json;

/// What is asked for, apart from its time, which needs the schedule's zone.
Result<json::object> trigger_request(const Arguments& arguments) {
  json::object body;
  if (arguments.value("overlap")) body["overlap"] = *arguments.value("overlap");
  if (arguments.value("payload")) {
    auto payload = parse_json(*arguments.value("payload"));
    if (!payload)
      return std::unexpected(
          usage_error(fmt::format("--payload is not JSON: {}", payload.error().message),
                      R"(for example --payload '{"day": "monday"}'; plain text needs quotes, too: '"monday"')"));
    body["payload"] = *std::move(payload);
  }
  return body;
}

Result<std::optional<Duration>> trigger_timeout(const Arguments& arguments) {
  if (arguments.has("timeout") && !arguments.has("wait"))
    return std::unexpected(usage_error("--timeout needs --wait", "--wait --timeout 10m"));
  return timeout_value(arguments.value("timeout"));
}

/// `▶ nightly  r-7f3a91  started`, or `⧗ nightly  r-7f3a91  queued: no worker serves queue reports`.
std::string decision_line(const client::TriggerAnswer& answer, const Zone& zone, const Paint& paint) {
  const std::string wait =
      hold_text(answer.run.waiting_for, answer.run.name_space).empty() ? std::string{} : wait_text(answer.run, zone);
  const std::string word = wait.empty() ? answer.decision.outcome : "queued";
  const Cell sign = state_sign(word);
  const std::string& reason = answer.decision.reason;
  return fmt::format("{} {}  {}  {}{}\n", paint(sign.colour, sign.text), printable(answer.run.schedule),
                     printable(answer.run.id),
                     printable(reason.empty() ? word : fmt::format("{} ({})", word, skip_words(reason))),
                     wait.empty() ? "" : ": " + wait);
}

/// `▶ nightly  would be started (nothing was done)`.
std::string tried_line(std::string_view name, const client::TriggerAnswer& answer, const Paint& paint) {
  const Cell sign = state_sign(answer.decision.outcome);
  const std::string& reason = answer.decision.reason;
  return fmt::format("{} {}  would be {} (dry run; nothing was started)\n", paint(sign.colour, sign.text),
                     printable(name),
                     printable(reason.empty() ? answer.decision.outcome
                                              : fmt::format("{} ({})", answer.decision.outcome, skip_words(reason))));
}

void print_end(const client::Run& run, Session& session) {
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  const Cell words = state_words(run.state);
  const std::string took = length_text(run.duration_ms);
  session.console.write_error(paint.signs(fmt::format("{}  {}{}{}\n", paint(words.colour, words.text),
                                                      printable(run.id), took.empty() ? "" : " · took " + took,
                                                      run.error.empty() ? "" : " · " + printable(run.error))));
}

Result<ExitCode> wait_for(Client& client, const client::Run& run, std::optional<Duration> timeout,
                          const Arguments& arguments, const Zone& zone, Session& session) {
  const bool is_for_people = TRY(wants_text(arguments));
  const bool has_log = is_for_people && !arguments.has("quiet");
  const Shown shown = has_log ? Shown::log : Shown::nothing;
  if (has_log) session.console.write_error(fmt::format("{} {}\n", printable(run.id), run.state));
  const auto last = TRY(follow_run(client, run, {.shown = shown, .zone = zone, .timeout = timeout}, session));
  if (!is_for_people) static_cast<void>(TRY(print_document(arguments, session, last.document)));
  if (has_log) print_end(last.value, session);
  if (!has_ended(last.value)) {
    const std::string wait = wait_text(last.value, zone);
    session.console.write_error(fmt::format("the run continues{}: carillon run wait {}\n",
                                            wait.empty() ? "" : " (" + wait + ")", printable(last.value.id)));
    return ExitCode::pending;
  }
  return last.value.state == "succeeded" ? ExitCode::ok : ExitCode::run_failed;
}

Result<ExitCode> trigger_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon trigger nightly"));
  const bool is_for_people = TRY(wants_text(arguments));
  const auto timeout = TRY(trigger_timeout(arguments));
  json::object body = TRY(trigger_request(arguments));
  const ZonePtr zone = TRY(run_zone(TRY(display_zone(arguments, session)), session));
  Client client = TRY(connect(arguments, session));
  if (arguments.value("nominal")) {
    const ZonePtr own = zone_of(TRY(find_schedule(client, word)).value, session);
    const ZonePtr read_in = TRY(reading_zone(arguments, own, session));
    body["nominal"] =
        to_text(TRY(time_value("--nominal", *arguments.value("nominal"), *read_in, TimeSide::either, session.now)));
  }
  const WriteOptions options{.idempotency_key = arguments.value("idempotency-key").value_or("")};
  const ApiAnswer answer = TRY(on_schedule(client, word, [&](const std::string& path) {
    return client.post(path + "/trigger", body, dry_run_query(arguments), options);
  }));
  const auto trigger = TRY(client::read_document<client::TriggerAnswer>(answer.body));
  const bool is_skipped = trigger.decision.outcome == "skipped";
  if (arguments.has("dry-run")) {
    if (!TRY(print_document(arguments, session, answer.body))) session.print(tried_line(word, trigger, session.paint));
    return is_skipped ? ExitCode::conflict : ExitCode::ok;
  }
  if (arguments.has("quiet")) session.console.write(printable(trigger.run.id) + '\n');
  if (arguments.has("wait") && !is_skipped) return wait_for(client, trigger.run, timeout, arguments, *zone, session);
  if (is_for_people && !arguments.has("quiet")) session.print(decision_line(trigger, *zone, session.paint));
  if (!is_for_people) static_cast<void>(TRY(print_document(arguments, session, decision_and_run(answer.body))));
  return is_skipped ? ExitCode::conflict : ExitCode::ok;
}

}  // namespace

const Verb trigger_verb{
    .name = "trigger",
    .targets = "SCHEDULE",
    .summary =
        "Starts a run now, in addition to the scheduled ones. With --wait: exits with 10 if the run did not succeed.",
    .examples = {"carillon trigger nightly", "carillon trigger nightly --wait --timeout 10m",
                 R"(carillon trigger mail --payload '{"to": "ann"}' --idempotency-key ticket-812)"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--payload", .form = "JSON", .text = "payload to use instead of the schedule's own"},
                {.names = "--nominal", .form = "TIME", .text = "nominal time of the run; default: now"},
                {.names = "--overlap",
                 .form = "POLICY",
                 .text = "overlap policy for this run: skip, buffer_one, …; default: allow_all"},
                {.names = "--wait",
                 .form = {},
                 .text = "follow the log until the run has ended; exit 10 if it did not succeed"},
                {.names = "--timeout",
                 .form = "DURATION",
                 .text = "how long to wait, then exit with 8; the run continues"},
                {.names = "--idempotency-key",
                 .form = "TEXT",
                 .text = "a key you choose; a retry with the same key starts only one run"},
                {.names = "-q,--quiet", .form = {}, .text = "print only the run id"}},
               dry_run_flag(),
               output_flags(document_formats),
               display_flags(),
               server_flags()});
        },
    .perform = trigger_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
