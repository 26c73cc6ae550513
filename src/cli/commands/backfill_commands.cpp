#include "base/quoted.hpp"
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
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t schedule_count_max = 100'000;

/// A backfill, with the zone its schedule is in.
struct ScheduleLookup {
  json::value backfill;
  ZonePtr zone;
};

Result<std::vector<ScheduleLookup>> backfills_of(Client& client, const JsonView& schedule, Session& session) {
  const ApiAnswer answer =
      TRY(client.get("/schedules/" + path_part(schedule.text("id")) + "/backfills", namespace_of(schedule)));
  std::vector<ScheduleLookup> found;
  for (const json::value& item : JsonView{answer.body}.items("items"))
    found.push_back({.backfill = item, .zone = zone_of(schedule, session)});
  return found;
}

/// Of one schedule; without a name those of all, one request for each.
Result<std::vector<ScheduleLookup>> find_backfills(Client& client, const std::string& schedule, Session& session) {
  if (!schedule.empty()) return backfills_of(client, JsonView{TRY(get_schedule(client, schedule)).body}, session);
  std::vector<ScheduleLookup> all;
  for (const json::value& item : TRY(client.list("/schedules", {}, schedule_count_max)).items) {
    auto found = backfills_of(client, JsonView{item}, session);
    // One that was deleted meanwhile has none.
    if (!found && found.error().rule != "not_found") return std::unexpected(found.error());
    if (found) std::ranges::move(*found, std::back_inserter(all));
  }
  return all;
}

/// `ID`, or `SCHEDULE ID`; the beginning of an id is enough where it is the only one.
Result<ScheduleLookup> named_backfill(Client& client, const Arguments& arguments, Session& session) {
  const auto& words = arguments.targets;
  if (words.empty() || words.size() > 2)
    return std::unexpected(usage_error("which backfill is missing", "its id, or its schedule and its id"));
  auto found = TRY(find_backfills(client, words.size() == 2 ? words.front() : "", session));
  const auto id_of = [](const ScheduleLookup& each) { return JsonView{each.backfill}.text("id"); };
  const std::string& id = words.back();
  const auto exact = std::ranges::find(found, id, id_of);
  if (exact != found.end()) return *exact;
  std::erase_if(found, [&](const ScheduleLookup& each) { return !id_of(each).starts_with(id); });
  if (found.size() == 1) return found.front();
  return std::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = found.empty() ? fmt::format("there is no backfill {}", carillon::quoted(id))
                                     : fmt::format("{} may be one of {} backfills", carillon::quoted(id), found.size()),
            .hint = "carillon backfill list has all",
            .rule = found.empty() ? "not_found" : "ambiguous",
            .position = {},
            .context = {}});
}

std::string bound_text(const JsonView& backfill, std::string_view key, const Zone& zone, Instant now) {
  const auto instant = backfill.instant(key);
  return instant ? short_time_text(*instant, zone, now) : std::string{};
}

Cell state_cell(const std::string& state) {
  const Colour colour = state == "running" || state == "completed" ? Colour::green
                        : state == "paused"                        ? Colour::yellow
                                                                   : Colour::dim;
  return {.text = printable(state), .colour = colour};
}

std::string count_text(const JsonView& backfill, std::string_view key) {
  return fmt::format("{}", backfill.number(key).value_or(0));
}

Result<ExitCode> list_backfills(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() > 1)
    return std::unexpected(usage_error("one schedule is enough", "carillon backfill list nightly-etl"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const auto found = TRY(find_backfills(client, arguments.targets.empty() ? "" : arguments.targets.front(), session));
  json::array documents;
  for (const ScheduleLookup& each : found) documents.push_back(each.backfill);
  if (TRY(print_documents(arguments, session, documents))) return ExitCode::ok;
  if (found.empty()) {
    session.console.write_error("no backfills; carillon backfill create makes one\n");
    return ExitCode::ok;
  }
  Table table;
  table.add({{.text = "ID", .colour = Colour::bold},
             {.text = "SCHEDULE", .colour = Colour::bold},
             {.text = "FROM", .colour = Colour::bold},
             {.text = "TO", .colour = Colour::bold},
             {.text = "STATE", .colour = Colour::bold},
             {.text = "DONE", .colour = Colour::bold, .align = Align::right},
             {.text = "STARTED", .colour = Colour::bold, .align = Align::right}});
  for (const ScheduleLookup& each : found) {
    const JsonView backfill{each.backfill};
    const Zone& zone = display.of(each.zone);
    table.add({{.text = printable(backfill.text("id"))},
               {.text = printable(backfill.text("schedule"))},
               {.text = bound_text(backfill, "from", zone, session.now)},
               {.text = bound_text(backfill, "to", zone, session.now)},
               state_cell(backfill.text("state")),
               {.text = count_text(backfill, "done") + '/' + count_text(backfill, "total"), .align = Align::right},
               {.text = count_text(backfill, "started"), .align = Align::right}});
  }
  session.print(table.text(session.paint, "", "  "));
  return ExitCode::ok;
}

Result<> print_backfill(const json::value& document, const Zone& zone, const Arguments& arguments, Session& session) {
  if (TRY(print_document(arguments, session, document))) return {};
  const JsonView backfill{document};
  const std::int64_t at_a_time = backfill.number("concurrency").value_or(1);
  session.print(
      fmt::format("{} of {}  {}\n", session.paint(Colour::bold, printable(backfill.text("id"))),
                  printable(backfill.text("schedule")),
                  session.paint(state_cell(backfill.text("state")).colour, printable(backfill.text("state")))));
  session.print(fmt::format("  Range     {} – {} ({})\n", bound_text(backfill, "from", zone, session.now),
                            bound_text(backfill, "to", zone, session.now), zone.name()));
  session.print(fmt::format("  Runs      {} · {} · {} at a time{}\n", printable(backfill.text("reprocess")),
                            printable(backfill.text("order")), at_a_time,
                            backfill.flag("exclusive") ? " · exclusive" : ""));
  session.print(fmt::format("  Progress  {}\n",
                            progress_text(backfill, session.paint, session.console.is_terminal(Stream::output))));
  return {};
}

Result<ExitCode> show_backfill(const Arguments& arguments, Session& session) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const ScheduleLookup found = TRY(named_backfill(client, arguments, session));
  TRY(print_backfill(found.backfill, display.of(found.zone), arguments, session));
  return ExitCode::ok;
}

Result<ExitCode> change_backfill(const Arguments& arguments, Session& session, std::string_view action) {
  TRY(wants_text(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const ScheduleLookup found = TRY(named_backfill(client, arguments, session));
  const JsonView backfill{found.backfill};
  const ApiAnswer answer = TRY(client.post(backfill_path(backfill, action), json::object{}, namespace_of(backfill)));
  TRY(print_backfill(answer.body, display.of(found.zone), arguments, session));
  return ExitCode::ok;
}

Result<ExitCode> pause_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "/pause");
}
Result<ExitCode> resume_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "/resume");
}
Result<ExitCode> cancel_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "/cancel");
}

FlagSpecs one_backfill_flags() { return joined({output_flags(document_formats), display_flags(), server_flags()}); }

}  // namespace

const Verb backfill_list_verb{
    .name = "backfill list",
    .targets = "[SCHEDULE]",
    .summary = "Lists backfills and how far they are: of one schedule, or of all.",
    .examples = {"carillon backfill list", "carillon backfill list nightly-etl", "carillon backfill list -o json"},
    .group = VerbGroup::runs,
    .flags = id_list_flags,
    .perform = list_backfills,
    .completes = Completes::schedules,
};

const Verb backfill_show_verb{
    .name = "backfill show",
    .targets = "[SCHEDULE] ID",
    .summary = "Shows a backfill: its range, what it runs, how far it is.",
    .examples = {"carillon backfill show bf-8c1f", "carillon backfill show nightly-etl bf-8c1f",
                 "carillon backfill show bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = show_backfill,
};

const Verb backfill_pause_verb{
    .name = "backfill pause",
    .targets = "[SCHEDULE] ID",
    .summary = "Pauses a backfill: what runs goes on, nothing more is started.",
    .examples = {"carillon backfill pause bf-8c1f", "carillon backfill pause nightly-etl bf-8c1f",
                 "carillon backfill pause bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = pause_backfill,
};

const Verb backfill_resume_verb{
    .name = "backfill resume",
    .targets = "[SCHEDULE] ID",
    .summary = "Goes on with a backfill that was paused.",
    .examples = {"carillon backfill resume bf-8c1f", "carillon backfill resume nightly-etl bf-8c1f",
                 "carillon backfill resume bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = resume_backfill,
};

const Verb backfill_cancel_verb{
    .name = "backfill cancel",
    .targets = "[SCHEDULE] ID",
    .summary = "Ends a backfill: nothing more is started, and what it runs is cancelled.",
    .examples = {"carillon backfill cancel bf-8c1f", "carillon backfill cancel nightly-etl bf-8c1f",
                 "carillon backfill cancel bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = cancel_backfill,
};

}  // namespace carillon::cli
