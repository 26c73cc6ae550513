#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/backfill_progress.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t concurrency_max = 1'000;

Result<std::string> bound_of(const Arguments& arguments, std::string_view flag, const Zone& zone, Instant now) {
  const auto text = arguments.value(flag);
  if (!text)
    return std::unexpected(usage_error(fmt::format("--{} is missing", flag),
                                       "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24"));
  return to_text(TRY(time_value(fmt::format("--{}", flag), *text, zone, TimeSide::past, now)));
}

Result<json::object> request_of(const Arguments& arguments, const Zone& zone, Instant now) {
  json::object request{{"from", TRY(bound_of(arguments, "from", zone, now))},
                       {"to", TRY(bound_of(arguments, "to", zone, now))}};
  if (const auto order = arguments.value("order")) request["order"] = *order;
  if (const auto reprocess = arguments.value("reprocess")) request["reprocess"] = *reprocess;
  if (const auto count = arguments.value("concurrency"))
    request["concurrency"] = TRY(count_value("--concurrency", *count, concurrency_max));
  if (arguments.has("exclusive")) request["exclusive"] = true;
  if (const auto overlap = arguments.value("overlap")) request["overlap"] = *overlap;
  return request;
}

std::string day_text(const std::optional<Instant>& instant, const Zone& zone) {
  return instant ? date_text(wall_time(*instant, zone)) : std::string{};
}

/// ` · 3 missing → run`; nothing for none.
std::string part(std::int64_t count, std::string_view what, bool is_to_run, std::string_view verb) {
  if (count <= 0) return {};
  return is_to_run ? fmt::format(" · {} {} → {}", count, what, verb) : fmt::format(" · {} {}, skipped", count, what);
}

std::string preview_text(const client::BackfillPreview& preview, const Arguments& arguments, const Zone& zone) {
  const std::string reprocess = arguments.value("reprocess").value_or("missing");
  const std::string concurrency = arguments.value("concurrency").value_or("1");
  const std::int64_t total = preview.total;
  const std::int64_t count = preview.count;
  std::string text = fmt::format("{} start{}", total, total == 1 ? "" : "s");
  text += part(preview.conflicts - preview.failed, "already run", reprocess == "all", "run again");
  text += part(preview.failed, "failed", reprocess != "missing", "run again");
  text += part(total - preview.conflicts, "missing", true, "run") + '\n';
  if (count == 0) return text + "nothing to run\n";
  const std::string first = day_text(preview.first, zone);
  const std::string last = day_text(preview.last, zone);
  return text + fmt::format("{} run{} ({}{}, {}), {} at a time\n", count, count == 1 ? "" : "s", first,
                            last == first ? "" : " – " + last, zone.name(), concurrency);
}

Result<ExitCode> print_created(const client::Answer<client::Backfill>& created, const Arguments& arguments,
                               Session& session) {
  const client::Backfill& backfill = created.value;
  if (arguments.has("quiet")) {
    session.console.write(printable(backfill.id) + '\n');
  } else if (!TRY(print_document(arguments, session, created.document))) {
    session.print(
        fmt::format("{}  {}\n", session.paint(Colour::bold, printable(backfill.id)), printable(backfill.state)));
    if (!arguments.has("wait"))
      session.console.write_error(fmt::format("see its progress: carillon backfill show {} {}\n",
                                              printable(backfill.schedule), printable(backfill.id)));
  }
  return ExitCode::ok;
}

Result<ExitCode> create_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon backfill create nightly-etl --from …"));
  TRY(wants_text(arguments));
  Client client = TRY(connect(arguments, session));
  const client::Schedule schedule = TRY(find_schedule(client, word)).value;
  const ZonePtr zone = zone_of(schedule, session);
  const json::object request = TRY(request_of(arguments, *zone, session.now));
  const auto preview = TRY(client.preview_backfill(schedule.id, schedule.name_space, request));
  const std::string text = preview_text(preview.value, arguments, *zone);
  if (arguments.has("dry-run")) {
    if (!TRY(print_document(arguments, session, preview.document))) session.print(text);
    return ExitCode::ok;
  }
  session.console.write_error(Paint::of(session.console, Stream::error, ColourChoice::automatic).signs(text));
  if (preview.value.count == 0) return ExitCode::ok;
  if (!TRY(confirmed(arguments, session, "run them?"))) {
    session.console.write_error("nothing was started\n");
    return ExitCode::failed;
  }
  const auto created = TRY(client.create_backfill(
      schedule.id, schedule.name_space, request, {.idempotency_key = arguments.value("idempotency-key").value_or("")}));
  TRY(print_created(created, arguments, session));
  return arguments.has("wait") ? wait_for_backfill(client, created.value, session) : ExitCode::ok;
}

}  // namespace

const Verb backfill_create_verb{
    .name = "backfill create",
    .targets = "SCHEDULE",
    .summary = "Runs the occurrences of a past time range. Shows the plan first and asks for confirmation.",
    .examples = {"carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24",
                 "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24 --reprocess failed --dry-run",
                 "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24 --concurrency 2 --yes --wait"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined(
              {{{.names = "--from",
                 .form = "TIME",
                 .text = "start of the range: 2h (ago), 02:30, 2026-10-01, …, in the schedule's time zone"},
                {.names = "--to",
                 .form = "TIME",
                 .text = "end of the range, for example now; an occurrence at exactly this time is not included"},
                {.names = "--reprocess",
                 .form = "WORD",
                 .text = "what to run: missing (default), failed (missing and failed) or all"},
                {.names = "--order",
                 .form = "WORD",
                 .text = "order of the runs: oldest_first (default) or newest_first"},
                {.names = "--concurrency", .form = "N", .text = "how many runs at a time; default: 1"},
                {.names = "--exclusive",
                 .form = {},
                 .text = "do not run at the same time as the schedule's regular runs"},
                {.names = "--overlap",
                 .form = "WORD",
                 .text = "start them through the schedule's slot by this overlap policy: buffer_all, skip, …"},
                {.names = "--wait",
                 .form = {},
                 .text = "show progress until it has completed; Ctrl-C leaves it running"},
                {.names = "--idempotency-key",
                 .form = "TEXT",
                 .text = "a retry with the same key does not create a second backfill"},
                {.names = "-q,--quiet", .form = {}, .text = "print only the id"}},
               dry_run_flag(),
               asking_flags(),
               output_flags(document_formats),
               server_flags()});
        },
    .perform = create_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
