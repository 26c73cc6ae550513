#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/backfill_progress.hpp"
#include "cli/connection/json_view.hpp"
#include "cli/connection/request_scope.hpp"
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

Result<std::string> bound_of(const Arguments& arguments, std::string_view flag, const Zone& zone) {
  const auto text = arguments.value(flag);
  if (!text)
    return std::unexpected(usage_error(fmt::format("--{} is missing", flag),
                                       "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24"));
  return to_text(TRY(time_value(fmt::format("--{}", flag), *text, zone)));
}

Result<json::object> request_of(const Arguments& arguments, const Zone& zone) {
  json::object request{{"from", TRY(bound_of(arguments, "from", zone))}, {"to", TRY(bound_of(arguments, "to", zone))}};
  if (const auto order = arguments.value("order")) request["order"] = *order;
  if (const auto reprocess = arguments.value("reprocess")) request["reprocess"] = *reprocess;
  if (const auto count = arguments.value("concurrency"))
    request["concurrency"] = TRY(count_value("--concurrency", *count, concurrency_max));
  if (arguments.has("exclusive")) request["exclusive"] = true;
  return request;
}

std::string day_text(const JsonView& preview, std::string_view key, const Zone& zone) {
  const auto instant = preview.instant(key);
  return instant ? date_text(wall_time(*instant, zone)) : std::string{};
}

/// ` · 3 missing → run`; nothing for none.
std::string part(std::int64_t count, std::string_view what, bool is_to_run, std::string_view verb) {
  if (count <= 0) return {};
  return is_to_run ? fmt::format(" · {} {} → {}", count, what, verb) : fmt::format(" · {} {}, left alone", count, what);
}

std::string preview_text(const JsonView& preview, const json::object& request, const Zone& zone) {
  const json::value* mode = request.if_contains("reprocess");
  const std::string reprocess = mode == nullptr ? "missing" : JsonView{*mode}.text();
  const std::int64_t total = preview.number("total").value_or(0);
  const std::int64_t conflicts = preview.number("conflicts").value_or(0);
  const std::int64_t failed = preview.number("failed").value_or(0);
  const std::int64_t count = preview.number("count").value_or(0);
  std::string text = fmt::format("{} start{}", total, total == 1 ? "" : "s");
  text += part(conflicts - failed, "already run", reprocess == "all", "run again");
  text += part(failed, "failed", reprocess != "missing", "run again");
  text += part(total - conflicts, "missing", true, "run") + '\n';
  if (count == 0) return text + "nothing to run\n";
  const json::value* concurrency = request.if_contains("concurrency");
  const std::int64_t at_a_time = concurrency == nullptr ? 1 : JsonView{*concurrency}.number().value_or(1);
  const std::string first = day_text(preview, "first", zone);
  const std::string last = day_text(preview, "last", zone);
  return text + fmt::format("{} run{} ({}{}, {}), {} at a time\n", count, count == 1 ? "" : "s", first,
                            last == first ? "" : " – " + last, zone.name(), at_a_time);
}

Result<ExitCode> print_created(const json::value& body, const Arguments& arguments, Session& session) {
  const JsonView backfill{body};
  if (arguments.has("quiet")) {
    session.console.write(printable(backfill.text("id")) + '\n');
  } else if (!TRY(print_document(arguments, session, body))) {
    session.print(fmt::format("{}  {}\n", session.paint(Colour::bold, printable(backfill.text("id"))),
                              printable(backfill.text("state"))));
    if (!arguments.has("wait"))
      session.console.write_error(fmt::format("see it: carillon backfill show {} {}\n",
                                              printable(backfill.text("schedule")), printable(backfill.text("id"))));
  }
  return ExitCode::ok;
}

Result<ExitCode> create_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon backfill create nightly-etl --from …"));
  TRY(wants_text(arguments));
  Client client = TRY(connect(arguments, session));
  const ApiAnswer found = TRY(get_schedule(client, word));
  const JsonView schedule{found.body};
  const ZonePtr zone = zone_of(schedule, session);
  const json::object request = TRY(request_of(arguments, *zone));
  const std::string path = "/schedules/" + path_part(schedule.text("id")) + "/backfills";
  const ApiAnswer preview = TRY(client.post(path + "/preview", request, namespace_of(schedule)));
  const std::string text = preview_text(JsonView{preview.body}, request, *zone);
  if (arguments.has("dry-run")) {
    if (!TRY(print_document(arguments, session, preview.body))) session.print(text);
    return ExitCode::ok;
  }
  session.console.write_error(Paint::of(session.console, Stream::error, ColourChoice::automatic).signs(text));
  if (JsonView{preview.body}.number("count").value_or(0) == 0) return ExitCode::ok;
  if (!TRY(confirmed(arguments, session, "run them?"))) {
    session.console.write_error("nothing was started\n");
    return ExitCode::failed;
  }
  const ApiAnswer created = TRY(client.post(path, request, namespace_of(schedule),
                                            {.idempotency_key = arguments.value("idempotency-key").value_or("")}));
  TRY(print_created(created.body, arguments, session));
  return arguments.has("wait") ? wait_for_backfill(client, JsonView{created.body}, session) : ExitCode::ok;
}

}  // namespace

const Verb backfill_create_verb{
    .name = "backfill create",
    .targets = "SCHEDULE",
    .summary = "Runs the starts of a range of the past. Shows first what that would be, and asks.",
    .examples = {"carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24",
                 "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24 --reprocess failed --dry-run",
                 "carillon backfill create nightly-etl --from 2026-10-01 --to 2026-10-24 --concurrency 2 --yes --wait"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined(
              {{{.names = "--from", .form = "TIME", .text = "first start of the range, in the zone of the schedule"},
                {.names = "--to", .form = "TIME", .text = "end of the range; a start at this time is not part of it"},
                {.names = "--reprocess",
                 .form = "WORD",
                 .text = "what is run: missing (default), failed (these too), all"},
                {.names = "--order", .form = "WORD", .text = "oldest_first (default) or newest_first"},
                {.names = "--concurrency", .form = "N", .text = "how many run at a time; default: 1"},
                {.names = "--exclusive", .form = {}, .text = "wait for runs of the schedule itself, and keep them out"},
                {.names = "--wait",
                 .form = {},
                 .text = "show the progress until it is completed; Ctrl-C leaves it running"},
                {.names = "--idempotency-key", .form = "TEXT", .text = "with the same one it is begun once"},
                {.names = "-q,--quiet", .form = {}, .text = "print the id only"}},
               dry_run_flag(),
               asking_flags(),
               output_flags(document_formats),
               server_flags()});
        },
    .perform = create_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
