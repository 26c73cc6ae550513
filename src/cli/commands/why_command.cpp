#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/commands/reasons.hpp"
#include "cli/commands/why_timeline.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace carillon::cli {

namespace {

/// The question: which schedule, and what time of it.
struct Question {
  client::Schedule schedule;
  client::Answer<client::Why> answer;
  std::optional<client::Run> run;  // the one that the answer is about
  Instant at;
  const Zone* zone;  // in which times are shown

  [[nodiscard]] const client::Why& why() const { return answer.value; }
  [[nodiscard]] std::string id() const { return printable(schedule.id); }
};

/// The time that is asked about: as given, else that of the newest decision, else the next start. None: there is
/// neither, and nothing to explain but the schedule itself.
Result<std::optional<Instant>> time_asked(const Arguments& arguments, Client& client, const client::Schedule& schedule,
                                          const Zone& zone, Instant now) {
  const auto flag = arguments.value("at");
  if (flag && arguments.targets.size() > 1)
    return std::unexpected(usage_error("the time is given twice", "carillon why nightly '2026-10-27 09:00'"));
  if (flag) return TRY(time_value("--at", *flag, zone, TimeSide::either, now));
  if (arguments.targets.size() == 2) return TRY(time_value("TIME", arguments.targets[1], zone, TimeSide::either, now));
  const auto newest = TRY(client.list_runs_of(schedule.id, schedule.name_space, {{"decisions", "true"}}, 1));
  if (!newest.items.empty() && newest.items.front().nominal) return *newest.items.front().nominal;
  if (schedule.status == "active" && !schedule.upcoming.empty()) return schedule.upcoming.front().nominal;
  return std::nullopt;
}

/// Why the schedule starts nothing now, and what changes that; empty for an active one.
std::string status_notice(const client::Schedule& schedule, const Zone& zone, Session& session) {
  const std::string& status = schedule.status;
  const std::string id = printable(schedule.id);
  const Cell sign = schedule_sign(schedule);
  std::string text = fmt::format("{} {} is {}", session.paint(sign.colour, sign.text), id, printable(status));
  if (status == "active") return {};
  if (status == "paused" && schedule.pause) {
    const auto second = [](Instant instant) { return std::chrono::floor<std::chrono::seconds>(instant); };
    const client::Pause& pause = *schedule.pause;
    if (!pause.by.empty()) text += " by " + printable(pause.by);
    if (pause.at) text += " since " + prose_time(second(*pause.at), zone, session.now);
    if (pause.until) text += " until " + prose_time(second(*pause.until), zone, session.now);
    if (!pause.reason.empty()) text += fmt::format(": \"{}\"", printable(pause.reason));
  }
  if (status == "dead") text += " after too many failures";
  const std::string_view verb = status == "paused" ? "resume" : status == "disabled" ? "enable" : "reset";
  return text + fmt::format("; nothing starts → carillon {} {}\n", verb, id);
}

std::string upper_first(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string headline(const Question& question, Session& session) {
  const auto& occurrence = question.why().occurrence;
  const std::string when = prose_time(question.at, *question.zone, session.now);
  if (!occurrence && question.why().is_occurrence) return fmt::format("· not decided  {}  {}\n", question.id(), when);
  if (!occurrence) return fmt::format("{} is not a scheduled time of {}.\n", when, question.id());
  if (occurrence->outcome == "planned" && holds_back(question.schedule, question.at))
    return fmt::format("· will not start  {}  {}\n", question.id(), when);
  const Cell words = state_words(occurrence->state.empty() ? occurrence->outcome : occurrence->state);
  std::string text = words.text;
  if (occurrence->outcome == "skipped") text += fmt::format(" ({})", printable(skip_words(occurrence->reason)));
  if (!occurrence->run.empty()) text += "  " + printable(occurrence->run);
  return fmt::format("{}  {}  {}\n", session.paint(words.colour, text), question.id(), when);
}

/// The nearest times, for one that was not quite right.
std::string neighbours(const Question& question, Session& session) {
  std::string text;
  for (const auto& [side, start] :
       {std::pair{"before", &question.why().before}, std::pair{"after", &question.why().after}}) {
    if (*start)
      text += fmt::format("  {:<7} {}   carillon why {} {}\n", side,
                          prose_time((*start)->nominal, *question.zone, session.now), question.id(),
                          local_text((*start)->nominal, *question.zone));
  }
  return text;
}

/// Whether what led to the skip still is as it was: a schedule that is resumed needs no resuming.
bool is_still_needed(std::string_view reason, const client::Schedule& schedule) {
  if (reason == "paused") return schedule.status == "paused";
  if (reason == "exhausted") return schedule.status == "done" || schedule.status == "dead";
  return true;
}

/// What to do about it, as commands.
std::string next_commands(const Question& question) {
  if (!question.why().occurrence) return {};
  const client::Occurrence& occurrence = *question.why().occurrence;
  const std::string& state = occurrence.state;
  const auto command = [](std::string_view label, std::string_view text) {
    return fmt::format("{:<17} {}\n", label, text);
  };
  std::string text;
  if (occurrence.outcome == "skipped") {
    text += command("Run it now", fmt::format("carillon trigger {} --nominal {}", question.id(),
                                              local_text(question.at, *question.zone)));
    const SkipRemedy remedy = skip_remedy(occurrence.reason, question.id());
    if (!remedy.command.empty() && is_still_needed(occurrence.reason, question.schedule))
      text += command(remedy.label, remedy.command);
  }
  const std::string run = printable(occurrence.run);
  if (run.empty()) return text;
  if (question.run && question.run->waiting_for && question.run->waiting_for->what == "paused_queue")
    text += command("Resume its queue", "carillon queue resume " + printable(question.run->waiting_for->queue));
  text += command("Its log", "carillon run logs " + run);
  if (state == "failed" || state == "timed_out" || state == "lost" || state == "expired" || state == "cancelled")
    text += command("Run it again", "carillon run retry " + run);
  return text;
}

Result<Question> ask(Client& client, client::Schedule schedule, Instant at, const Zone& zone) {
  auto answer = TRY(client.why(schedule.id, schedule.name_space, at));
  Question question{.schedule = std::move(schedule), .answer = std::move(answer), .run = {}, .at = at, .zone = &zone};
  const auto& occurrence = question.why().occurrence;
  if (!occurrence || occurrence->run.empty()) return question;
  // One that cannot be read is left out.
  if (auto run = client.get_run(occurrence->run, question.schedule.name_space)) question.run = std::move(run->value);
  return question;
}

std::string explanation(const Question& question, Client& client, Session& session) {
  std::string text = status_notice(question.schedule, *question.zone, session);
  text += headline(question, session);
  // Of a time that is none the headline says all there is.
  if (question.why().occurrence || question.why().is_occurrence)
    text += fmt::format("  {}.\n",
                        printable(upper_first(with_local_times(question.why().sentence, *question.zone, session.now))));
  if (!question.why().is_occurrence) text += neighbours(question, session);
  text += why_timeline(client, question.schedule, question.why(), question.run ? &*question.run : nullptr, question.at,
                       *question.zone, session);
  return text + next_commands(question);
}

Result<ExitCode> why_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty() || arguments.targets.size() > 2)
    return std::unexpected(
        usage_error(arguments.targets.empty() ? "no schedule name given" : "put a time with a space in quotes",
                    "carillon why nightly '2026-10-27 09:00'"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  client::Schedule schedule = TRY(find_schedule(client, arguments.targets.front())).value;
  const ZonePtr own_zone = zone_of(schedule, session);
  const ZonePtr read_in = TRY(reading_zone(arguments, own_zone, session));
  const auto at = TRY(time_asked(arguments, client, schedule, *read_in, session.now));
  const bool is_for_people = TRY(wants_text(arguments));
  if (!at && is_for_people) {
    session.print(status_notice(schedule, display.of(own_zone), session));
    session.print(
        fmt::format("nothing has been decided about {} yet, and no start is planned\n", printable(schedule.id)));
    return ExitCode::ok;
  }
  const Question question = TRY(ask(client, std::move(schedule), at.value_or(session.now), display.of(own_zone)));
  if (TRY(print_document(arguments, session, question.answer.document))) return ExitCode::ok;
  session.print(explanation(question, client, session));
  return ExitCode::ok;
}

FlagSpecs why_flags() {
  return joined({{{.names = "--at", .form = "TIME", .text = "the nominal time to explain; default: the newest one"}},
                 output_flags(document_formats),
                 display_flags(),
                 server_flags()});
}

}  // namespace

const Verb why_verb{
    .name = "why",
    .targets = "SCHEDULE [TIME]",
    .summary = "Explains what was decided about a scheduled time and why, or what will happen at a future one.",
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
    .summary = "The same as why.",
    .examples = {"carillon explain nightly", "carillon explain nightly --at '2026-10-27 09:00'",
                 "carillon explain nightly --at 2026-10-27T13:00:00Z -o json"},
    .group = VerbGroup::schedules,
    .flags = why_flags,
    .perform = why_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
