#include "base/quoted.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/backfill_progress.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace carillon::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t searched_count_max = 100'000;

/// A backfill, with the zone its schedule is in.
struct FoundBackfill {
  client::Backfill backfill;
  json::value document;
  ZonePtr zone;
};

Result<std::vector<FoundBackfill>> backfills_of(Client& client, const client::Schedule& schedule, Session& session) {
  auto list = TRY(client.list_backfills(schedule.id, schedule.name_space));
  std::vector<FoundBackfill> found;
  for (std::size_t i = 0; i < list.items.size(); ++i)
    found.push_back({.backfill = std::move(list.items[i]),
                     .document = std::move(list.documents[i]),
                     .zone = zone_of(schedule, session)});
  return found;
}

/// Of one schedule; without a name those of all, newest first.
Result<std::vector<FoundBackfill>> find_backfills(Client& client, const std::string& schedule, Session& session) {
  if (!schedule.empty()) return backfills_of(client, TRY(find_schedule(client, schedule)).value, session);
  auto list = TRY(client.list_all_backfills({}, searched_count_max));
  std::map<std::pair<std::string, std::string>, ZonePtr> zones;
  for (const client::Backfill& each : list.items) zones[{each.name_space, each.schedule}] = nullptr;
  std::vector<carillon::ScheduleRequest> owners;
  for (const auto& [owner, zone] : zones) owners.push_back({.id = owner.second, .name_space = owner.first});
  const auto answers = client.get_schedules(owners);
  for (std::size_t i = 0; i < owners.size(); ++i)
    // One that was deleted meanwhile has no zone any more.
    if (answers[i]) zones[{owners[i].name_space, owners[i].id}] = zone_of(answers[i]->value, session);
  std::vector<FoundBackfill> all;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const ZonePtr zone = zones[{list.items[i].name_space, list.items[i].schedule}];
    if (zone == nullptr) continue;
    all.push_back({.backfill = std::move(list.items[i]), .document = std::move(list.documents[i]), .zone = zone});
  }
  return all;
}

/// `ID`, or `SCHEDULE ID`; the beginning of an id is enough where it is the only one.
Result<FoundBackfill> named_backfill(Client& client, const Arguments& arguments, Session& session) {
  const auto& words = arguments.targets;
  if (words.empty() || words.size() > 2)
    return std::unexpected(usage_error("no backfill given", "give its id, or its schedule and its id"));
  auto found = TRY(find_backfills(client, words.size() == 2 ? words.front() : "", session));
  const auto id_of = [](const FoundBackfill& each) -> const std::string& { return each.backfill.id; };
  const std::string& id = words.back();
  const auto exact = std::ranges::find(found, id, id_of);
  if (exact != found.end()) return *exact;
  std::erase_if(found, [&](const FoundBackfill& each) { return !id_of(each).starts_with(id); });
  if (found.size() == 1) return found.front();
  return std::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = found.empty() ? fmt::format("backfill {} not found", carillon::quoted(id))
                                     : fmt::format("{} matches {} backfills", carillon::quoted(id), found.size()),
            .hint = "see all: carillon backfill list",
            .rule = found.empty() ? "not_found" : "ambiguous",
            .position = {},
            .context = {}});
}

Cell state_cell(const std::string& state) {
  const Colour colour = state == "running" || state == "completed" ? Colour::green
                        : state == "paused"                        ? Colour::yellow
                                                                   : Colour::dim;
  return {.text = printable(state), .colour = colour};
}

Result<ExitCode> list_backfills(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() > 1)
    return std::unexpected(usage_error("give one schedule only", "carillon backfill list nightly-etl"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const auto found = TRY(find_backfills(client, arguments.targets.empty() ? "" : arguments.targets.front(), session));
  json::array documents;
  for (const FoundBackfill& each : found) documents.push_back(each.document);
  if (TRY(print_documents(arguments, session, documents))) return ExitCode::ok;
  if (found.empty()) {
    session.console.write_error("no backfills; create one: carillon backfill create\n");
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
  for (const FoundBackfill& each : found) {
    const client::Backfill& backfill = each.backfill;
    const Zone& zone = display.of(each.zone);
    table.add({{.text = printable(backfill.id)},
               {.text = printable(backfill.schedule)},
               {.text = short_time_text(backfill.from, zone, session.now)},
               {.text = short_time_text(backfill.to, zone, session.now)},
               state_cell(backfill.state),
               {.text = fmt::format("{}/{}", backfill.done, backfill.total), .align = Align::right},
               {.text = fmt::format("{}", backfill.started), .align = Align::right}});
  }
  session.print(table.text(session.paint, "", "  "));
  return ExitCode::ok;
}

Result<> print_backfill(const client::Backfill& backfill, const json::value& document, const Zone& zone,
                        const Arguments& arguments, Session& session) {
  if (TRY(print_document(arguments, session, document))) return {};
  session.print(fmt::format("{} of {}  {}\n", session.paint(Colour::bold, printable(backfill.id)),
                            printable(backfill.schedule),
                            session.paint(state_cell(backfill.state).colour, printable(backfill.state))));
  session.print(fmt::format("  Range     {} – {} ({})\n", short_time_text(backfill.from, zone, session.now),
                            short_time_text(backfill.to, zone, session.now), zone.name()));
  session.print(fmt::format("  Runs      {} · {} · {} at a time{}\n", printable(backfill.reprocess),
                            printable(backfill.order), backfill.concurrency,
                            backfill.is_exclusive ? " · exclusive" : ""));
  session.print(fmt::format("  Progress  {}\n",
                            progress_text(backfill, session.paint, session.console.is_terminal(Stream::output))));
  return {};
}

Result<ExitCode> show_backfill(const Arguments& arguments, Session& session) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const FoundBackfill found = TRY(named_backfill(client, arguments, session));
  TRY(print_backfill(found.backfill, found.document, display.of(found.zone), arguments, session));
  return ExitCode::ok;
}

Result<ExitCode> change_backfill(const Arguments& arguments, Session& session, std::string_view operation) {
  TRY(wants_text(arguments));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const FoundBackfill found = TRY(named_backfill(client, arguments, session));
  const auto answer = TRY(client.change_backfill(found.backfill, operation));
  TRY(print_backfill(answer.value, answer.document, display.of(found.zone), arguments, session));
  return ExitCode::ok;
}

Result<ExitCode> pause_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "pause");
}
Result<ExitCode> resume_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "resume");
}
Result<ExitCode> cancel_backfill(const Arguments& arguments, Session& session) {
  return change_backfill(arguments, session, "cancel");
}

FlagSpecs one_backfill_flags() { return joined({output_flags(document_formats), display_flags(), server_flags()}); }

}  // namespace

const Verb backfill_list_verb{
    .name = "backfill list",
    .targets = "[SCHEDULE]",
    .summary = "Lists backfills of one schedule or of all, with their progress.",
    .examples = {"carillon backfill list", "carillon backfill list nightly-etl", "carillon backfill list -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return id_list_flags(
              "JSON with only these fields, comma-separated: id, schedule, from, to, state, done, total, …");
        },
    .perform = list_backfills,
    .completes = Completes::schedules,
};

const Verb backfill_show_verb{
    .name = "backfill show",
    .targets = "[SCHEDULE] ID",
    .summary = "Shows a backfill: its range, what it runs, its progress.",
    .examples = {"carillon backfill show bf-8c1f", "carillon backfill show nightly-etl bf-8c1f",
                 "carillon backfill show bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = show_backfill,
};

const Verb backfill_pause_verb{
    .name = "backfill pause",
    .targets = "[SCHEDULE] ID",
    .summary = "Pauses a backfill: starts no more runs; running ones finish.",
    .examples = {"carillon backfill pause bf-8c1f", "carillon backfill pause nightly-etl bf-8c1f",
                 "carillon backfill pause bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = pause_backfill,
};

const Verb backfill_resume_verb{
    .name = "backfill resume",
    .targets = "[SCHEDULE] ID",
    .summary = "Resumes a paused backfill.",
    .examples = {"carillon backfill resume bf-8c1f", "carillon backfill resume nightly-etl bf-8c1f",
                 "carillon backfill resume bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = resume_backfill,
};

const Verb backfill_cancel_verb{
    .name = "backfill cancel",
    .targets = "[SCHEDULE] ID",
    .summary = "Cancels a backfill: starts no more runs and cancels those it has running.",
    .examples = {"carillon backfill cancel bf-8c1f", "carillon backfill cancel nightly-etl bf-8c1f",
                 "carillon backfill cancel bf-8c1f -o json"},
    .group = VerbGroup::runs,
    .flags = one_backfill_flags,
    .perform = cancel_backfill,
};

}  // namespace carillon::cli
