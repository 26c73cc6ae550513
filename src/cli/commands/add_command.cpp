#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/occurrences.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/settings/settings.hpp"
#include "cli/terminal/printable.hpp"
#include "cli/user_definitions/definition_flags.hpp"
#include "definitions/slug.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t shown_start_count = 3;

Result<json::object> definition_of(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty())
    return std::unexpected(
        usage_error("no schedule name given", "carillon add 'Nightly ETL' --cron '0 2 * * *' -- /usr/bin/etl --full"));
  const std::span command = std::span{arguments.targets}.subspan(1);
  const std::string zone = arguments.value("tz").value_or(local_zone_name(session.console));
  json::object definition = TRY(definition_from(arguments, command, DefinitionUse::add, zone, session));
  if (!arguments.has("url") && !arguments.has("job") && command.empty())
    return std::unexpected(usage_error("no action given", "give a command after --, --url URL or --job TYPE"));
  definition["name"] = arguments.targets.front();
  // Named here, so that a schedule added twice is refused: without an id the server would find another one.
  definition["id"] = arguments.value("id").value_or(slug(arguments.targets.front()).text());
  return definition;
}

/// The error of adding a schedule, with what to do about an id that is taken.
Error about_adding(Error error, std::string_view id) {
  if (error.code != ErrorCode::conflict || error.rule != "conflict") return error;
  error.message = fmt::format("schedule {} already exists", id);
  error.hint = fmt::format("change it: carillon edit {} · add a second one: --id ID", id);
  return error;
}

std::string next_lines(const client::Schedule& schedule, Session& session) {
  std::vector<Occurrence> starts;
  for (const client::PlannedStart& start : schedule.upcoming) {
    if (starts.size() == shown_start_count) break;
    starts.push_back({.nominal = start.nominal, .due = start.due, .note = {}});
  }
  if (starts.empty()) return "  runs only when triggered\n";
  return occurrence_lines(starts, *zone_of(schedule, session), session.now, Detail::brief, session.paint);
}

void print_added(const client::Schedule& schedule, bool is_dry_run, Session& session) {
  const std::string id = printable(schedule.id);
  session.print(fmt::format("{}  {}\n{}", session.paint(Colour::bold, id), printable(when_text(schedule, session)),
                            next_lines(schedule, session)));
  const Paint paint = Paint::of(session.console, Stream::error, ColourChoice::automatic);
  for (const client::Warning& warning : schedule.warnings)
    session.console.write_error(paint.signs(fmt::format("⚠ {}\n", printable(warning.message))));
  session.console.write_error(is_dry_run ? "dry run: nothing was added\n"
                                         : fmt::format("added; see it: carillon status {}\n", id));
}

Result<ExitCode> add_command(const Arguments& arguments, Session& session) {
  const bool is_dry_run = arguments.has("dry-run");
  TRY(wants_text(arguments));
  const json::object definition = TRY(definition_of(arguments, session));
  Client client = TRY(connect(arguments, session));
  const auto created = client.create_schedule(definition, dry_run_query(arguments),
                                              {.idempotency_key = arguments.value("idempotency-key").value_or("")});
  if (!created)
    return std::unexpected(
        about_adding(in_words_of_flags(created.error(), arguments), std::string_view{definition.at("id").as_string()}));
  const auto& answer = *created;
  if (arguments.has("quiet")) {
    session.console.write(printable(answer.value.id) + '\n');
    return ExitCode::ok;
  }
  if (!TRY(print_document(arguments, session, answer.document))) print_added(answer.value, is_dry_run, session);
  return ExitCode::ok;
}

}  // namespace

const Verb add_verb{
    .name = "add",
    .targets = "NAME [-- COMMAND...]",
    .summary =
        "Adds a schedule: when to run (--cron, --every, --at) and what to run (a command after --, --url or --job).",
    .examples = {"carillon add 'Nightly ETL' --cron '0 2 * * *' --tz Europe/Berlin -- /usr/bin/etl --full",
                 "carillon add ping --every 15m --url https://example.org/ping --timeout 30s",
                 R"(carillon add report --cron '0 9 * * 1-5' --job report.generate --payload '{"format": "pdf"}')"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({definition_flags(),
                         {{.names = "--id", .form = "ID", .text = "id of the schedule; default: derived from the name"},
                          {.names = "--idempotency-key",
                           .form = "TEXT",
                           .text = "a retry with the same key does not add the schedule twice"},
                          {.names = "-q,--quiet", .form = {}, .text = "print only the id"}},
                         dry_run_flag(),
                         output_flags(document_formats),
                         server_flags()});
        },
    .perform = add_command,
};

}  // namespace carillon::cli
