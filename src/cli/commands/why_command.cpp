#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/reasons.hpp"
#include "cli/commands/why_timeline.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

namespace json = boost::json;

/// The question: which schedule, and what time of it.
struct Question {
  json::value schedule_document;
  json::value answer;
  Instant at;
  const Zone* zone;  // in which times are shown

  [[nodiscard]] JsonView schedule() const { return JsonView{schedule_document}; }
  [[nodiscard]] std::string id() const { return printable(schedule().text("id")); }
};

/// The time that is asked about: as given, else that of the newest decision.
Result<Instant> time_asked(const Arguments& arguments, Client& client, const JsonView& schedule, const Zone& zone,
                           Instant now) {
  const auto flag = arguments.value("at");
  if (flag && arguments.targets.size() > 1)
    return std::unexpected(usage_error("the time stands there twice", "carillon why nightly '2026-10-27 09:00'"));
  if (flag) return since_value("--at", *flag, zone, now);
  if (arguments.targets.size() == 2) return since_value("TIME", arguments.targets[1], zone, now);
  Query query = namespace_of(schedule);
  query.emplace_back("decisions", "true");
  const auto newest =
      TRY(client.list(fmt::format("/schedules/{}/runs", path_part(schedule.text("id"))), std::move(query), 1));
  const auto nominal = newest.items.empty() ? std::nullopt : JsonView{newest.items.front()}.instant("nominal");
  if (nominal) return *nominal;
  return std::unexpected(usage_error(
      "nothing was decided yet; ask about a time that is to come",
      fmt::format("carillon why {0} TIME; carillon status {0} has the next", printable(schedule.text("id")))));
}

std::string upper_first(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string headline(const Question& question, Session& session) {
  const JsonView occurrence = JsonView{question.answer}["occurrence"];
  const std::string when = prose_time(question.at, *question.zone, session.now);
  if (!occurrence.is_there()) return fmt::format("{} is no time of {}.\n", when, question.id());
  const std::string outcome = occurrence.text("outcome");
  const std::string state = occurrence.text("state");
  const Cell words = state_words(state.empty() ? outcome : state);
  std::string text = words.text;
  if (outcome == "skipped") text += fmt::format(" ({})", printable(skip_words(occurrence.text("reason"))));
  if (const std::string run = occurrence.text("run"); !run.empty()) text += "  " + printable(run);
  return fmt::format("{}  {}  {}\n", session.paint(words.colour, text), question.id(), when);
}

/// The nearest times, for one that was not quite right.
std::string neighbours(const Question& question, Session& session) {
  std::string text;
  for (const std::string_view side : {"before", "after"}) {
    if (const auto nominal = JsonView{question.answer}[side].instant("nominal"))
      text += fmt::format("  {:<7} {}   carillon why {} {}\n", side, prose_time(*nominal, *question.zone, session.now),
                          question.id(), local_text(*nominal, *question.zone));
  }
  return text;
}

/// What to do about it, as commands.
std::string next_commands(const Question& question) {
  const JsonView occurrence = JsonView{question.answer}["occurrence"];
  const std::string outcome = occurrence.text("outcome");
  const std::string state = occurrence.text("state");
  const auto command = [](std::string_view label, std::string_view text) {
    return fmt::format("{:<17} {}\n", label, text);
  };
  std::string text;
  if (outcome == "skipped") {
    text += command("Run it now", fmt::format("carillon trigger {} --nominal {}", question.id(),
                                              local_text(question.at, *question.zone)));
    const SkipRemedy remedy = skip_remedy(occurrence.text("reason"), question.id());
    if (!remedy.command.empty()) text += command(remedy.label, remedy.command);
  }
  const std::string run = printable(occurrence.text("run"));
  if (run.empty()) return text;
  text += command("Its log", "carillon run logs " + run);
  if (state == "failed" || state == "timed_out" || state == "lost" || state == "expired" || state == "cancelled")
    text += command("Run it again", "carillon run retry " + run);
  return text;
}

Result<Question> ask(const Arguments& arguments, Client& client, const DisplayZone& display, ZonePtr& own_zone,
                     Session& session) {
  ApiAnswer schedule = TRY(get_schedule(client, arguments.targets.front()));
  const JsonView view{schedule.body};
  own_zone = zone_of(view, session);
  const Zone& zone = display.of(own_zone);
  const Instant at = TRY(time_asked(arguments, client, view, zone, session.now));
  Query query = namespace_of(view);
  query.emplace_back("at", to_text(at));
  ApiAnswer answer = TRY(client.get(fmt::format("/schedules/{}/why", path_part(view.text("id"))), query));
  return Question{
      .schedule_document = std::move(schedule.body), .answer = std::move(answer.body), .at = at, .zone = &zone};
}

Result<ExitCode> why_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty() || arguments.targets.size() > 2)
    return std::unexpected(usage_error(
        arguments.targets.empty() ? "the name of a schedule is missing" : "a time with a blank in it stands in quotes",
        "carillon why nightly '2026-10-27 09:00'"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  ZonePtr own_zone;
  const Question question = TRY(ask(arguments, client, display, own_zone, session));
  if (TRY(print_document(arguments, session, question.answer))) return ExitCode::ok;
  std::string text = headline(question, session);
  text += fmt::format("  {}.\n", printable(upper_first(JsonView{question.answer}.text("why"))));
  text += neighbours(question, session);
  text += why_timeline(client, question.schedule(), JsonView{question.answer}, question.at, *question.zone, session);
  session.print(text + next_commands(question));
  return ExitCode::ok;
}

FlagSpecs why_flags() {
  return joined({{{.names = "--at", .form = "TIME", .text = "the time it was, or will be, due; default: the newest"}},
                 output_flags(document_formats),
                 display_flags(),
                 server_flags()});
}

}  // namespace

const Verb why_verb{
    .name = "why",
    .targets = "SCHEDULE [TIME]",
    .summary = "Explains why a due time was started, skipped or moved, or what will become of it.",
    .examples = {"carillon why nightly", "carillon why nightly '2026-10-27 09:00'",
                 "carillon why nightly 2026-10-27T13:00:00Z -o json"},
    .group = VerbGroup::schedules,
    .flags = why_flags,
    .perform = why_command,
    .completes = Completes::schedules,
};

const Verb explain_verb{
    .name = "explain",
    .targets = "SCHEDULE",
    .summary = "Another word for why.",
    .examples = {"carillon explain nightly", "carillon explain nightly --at '2026-10-27 09:00'",
                 "carillon explain nightly --at 2026-10-27T13:00:00Z -o json"},
    .group = VerbGroup::schedules,
    .flags = why_flags,
    .perform = why_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
