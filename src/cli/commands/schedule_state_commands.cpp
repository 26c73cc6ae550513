#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/time_value.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/connection/schedule_requests.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"
#include "client/document_reader.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace carillon::cli {

namespace {

namespace json = boost::json;

std::string paused_text(const client::Pause& pause, const Zone& zone, Instant now) {
  std::string text = "paused";
  if (pause.until) text += " until " + prose_time(*pause.until, zone, now);
  if (!pause.reason.empty()) text += fmt::format(": \"{}\"", pause.reason);
  return text;
}

/// `● nightly-etl  active, next Fri 30 Oct 09:00 EDT (in 22h37m)`.
std::string state_line(const client::Schedule& schedule, const Zone& zone, Session& session) {
  const Cell sign = schedule_sign(schedule);
  std::string text = schedule.status;
  if (schedule.status == "paused") text = paused_text(schedule.pause.value_or(client::Pause{}), zone, session.now);
  if (const auto next = schedule.next_due_at; next && schedule.status == "active")
    text += fmt::format(", next {} ({})", prose_time(*next, zone, session.now), relative_text(*next, session.now));
  return fmt::format("{} {}  {}", session.paint(sign.colour, sign.text), printable(schedule.id), printable(text));
}

/// The line that shows people an answer about the schedule of this id. Made for every answer, shown to people only.
using LineOf = std::function<Result<std::string>(Client& client, const std::string& id, const json::value& answer)>;

/// What is sent for the schedule at this path.
using BodyFor = std::function<Result<json::value>(Client& client, const std::string& path)>;

/// What helps when a schedule is in the wrong state; the message names the state.
std::string state_hint(std::string_view operation, std::string_view message, const std::string& id) {
  if (operation == "pause" && message.contains("'paused'"))
    return "it is paused already; --reason and --until change the pause";
  if (operation == "resume" && message.contains("'active'")) return "it is not paused; see it: carillon status " + id;
  if (message.contains("'paused'")) return "carillon resume " + id;
  if (message.contains("'disabled'")) return "carillon enable " + id;
  if (message.contains("'done'") || message.contains("'dead'")) return "carillon reset " + id;
  return {};
}

/// Does it to each schedule of the command line. People get a line each; -o the documents: of one schedule an object,
/// of several a list.
Result<ExitCode> do_to_schedules(const Arguments& arguments, Session& session, const std::string& operation,
                                 const BodyFor& body_for, const LineOf& line_of) {
  const bool is_for_people = TRY(wants_text(arguments));
  const Query query = arguments.knows("dry-run") ? dry_run_query(arguments) : Query{};
  Client client = TRY(connect(arguments, session));
  const auto words = TRY(
      selected_schedules(arguments, client, fmt::format("carillon {} nightly; names: carillon list -q", operation)));
  json::array documents;
  std::string path_asked;
  const ExitCode code = TRY(on_schedules(
      client, words, session,
      [&](const std::string& path) -> Result<ApiAnswer> {
        path_asked = path;
        auto answer = client.post(path + '/' + operation, TRY(body_for(client, path)), query);
        if (!answer && answer.error().rule == "wrong_status" && answer.error().hint.empty())
          answer.error().hint = state_hint(operation, answer.error().message, path.substr(path.rfind('/') + 1));
        return answer;
      },
      [&](const json::value& document) -> Result<> {
        const std::string id = path_asked.substr(path_asked.rfind('/') + 1);
        const std::string line = TRY(line_of(client, id, document));
        if (is_for_people) session.print(line + '\n');
        documents.push_back(document);
        return {};
      }));
  if (documents.empty() || is_for_people) return code;
  static_cast<void>(words.size() == 1 ? TRY(print_document(arguments, session, documents.front()))
                                      : TRY(print_documents(arguments, session, documents)));
  return code;
}

Result<json::value> no_body(Client&, const std::string&) { return json::object{}; }

Result<ExitCode> change_schedules(const Arguments& arguments, Session& session, const std::string& operation,
                                  const BodyFor& body_for) {
  const DisplayZone display = TRY(display_zone(arguments, session));
  return do_to_schedules(arguments, session, operation, body_for,
                         [&](Client&, const std::string&, const json::value& answer) -> Result<std::string> {
                           const auto schedule = TRY(client::read_document<client::Schedule>(answer));
                           return state_line(schedule, display.of(zone_of(schedule, session)), session) +
                                  (arguments.has("dry-run") ? " (dry run; nothing was changed)" : "");
                         });
}

/// The end of a pause. A time without a zone is read in that of each schedule, which must be asked for.
Result<Instant> pause_end(const Arguments& arguments, Client& client, const std::string& path, Session& session) {
  const std::string text = *arguments.value("until");
  ZonePtr zone = TRY(session.zones.zone("UTC"));
  if (depends_on_zone(text)) {
    const auto schedule = TRY(client::read_document<client::Schedule>(TRY(client.get(path)).body));
    zone = TRY(reading_zone(arguments, zone_of(schedule, session), session));
  }
  return time_value("--until", text, *zone, TimeSide::future, session.now);
}

Result<ExitCode> pause_command(const Arguments& arguments, Session& session) {
  // What cannot be read is told before anything is done.
  if (const auto until = arguments.value("until"))
    TRY(time_value("--until", *until, *TRY(session.zones.zone("UTC")), TimeSide::future, session.now));
  return change_schedules(arguments, session, "pause",
                          [&](Client& client, const std::string& path) -> Result<json::value> {
                            json::object body;
                            if (arguments.value("reason")) body["reason"] = *arguments.value("reason");
                            if (arguments.value("until"))
                              body["until"] = to_text(TRY(pause_end(arguments, client, path, session)));
                            return body;
                          });
}

Result<ExitCode> resume_command(const Arguments& arguments, Session& session) {
  return change_schedules(arguments, session, "resume", [&](Client&, const std::string&) -> Result<json::value> {
    json::object body;
    if (arguments.value("reason")) body["reason"] = *arguments.value("reason");
    return body;
  });
}

template <const char* operation>
Result<ExitCode> plain_command(const Arguments& arguments, Session& session) {
  return change_schedules(arguments, session, operation, no_body);
}

constexpr char enable_word[] = "enable";
constexpr char disable_word[] = "disable";
constexpr char reset_word[] = "reset";

constexpr std::size_t stopped_run_count_max = 1'000;

Result<std::size_t> running_count(Client& client, const std::string& id) {
  return TRY(client.list_runs_of(id, "", {{"state", "running"}}, stopped_run_count_max)).items.size();
}

std::string runs_text(std::size_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

/// What became of the runs that were cancelled: one that is at work is asked to stop, and has its grace for that.
Result<std::string> cancelled_line(Client& client, const std::string& id, std::size_t count, bool is_waited_for) {
  if (count == 0) return fmt::format("· {}  no run to cancel", printable(id));
  PollBackoff backoff;
  std::size_t running = TRY(running_count(client, id));
  while (is_waited_for && running > 0 && backoff.pause()) running = TRY(running_count(client, id));
  if (running == 0) return fmt::format("⊘ {}  {} cancelled", printable(id), runs_text(count));
  const std::string grace = TRY(client.get_schedule(id, "")).value.policies.grace;
  const std::size_t ended = count - std::min(count, running);
  return fmt::format("⊘ {}  {}{} asked to stop; {} within {}", printable(id),
                     ended > 0 ? runs_text(ended) + " cancelled, " : "", runs_text(running),
                     running == 1 ? "ends" : "end", printable(grace.empty() ? "10s" : grace));
}

Result<ExitCode> cancel_command(const Arguments& arguments, Session& session) {
  return do_to_schedules(arguments, session, "cancel", no_body,
                         [&](Client& client, const std::string& id, const json::value& answer) -> Result<std::string> {
                           const std::int64_t count = TRY(client::read_document<client::Cancelled>(answer)).count;
                           if (count > 0 && arguments.has("dry-run"))
                             return fmt::format("⊘ {}  {} would be cancelled", printable(id),
                                                runs_text(static_cast<std::size_t>(count)));
                           return cancelled_line(client, id, static_cast<std::size_t>(count), arguments.has("wait"));
                         });
}

FlagSpecs change_flags() {
  return joined({label_flag(), dry_run_flag(), output_flags(document_formats), display_flags(), server_flags()});
}

}  // namespace

const Verb pause_verb{
    .name = "pause",
    .targets = "SCHEDULE…",
    .summary =
        "Pauses schedules; running work finishes. If already paused, --reason and --until replace the earlier values.",
    .examples = {"carillon pause nightly --reason 'API quota'", "carillon pause nightly hourly --until 2h",
                 "carillon pause nightly --until '2027-01-07 09:00' --dry-run"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--reason", .form = "TEXT", .text = "shown in list, status, why and history"},
                {.names = "--until",
                 .form = "TIME",
                 .text = "resume automatically at this time: 2h, 09:00, 2027-01-07, … in the schedule's time zone"}},
               change_flags()});
        },
    .perform = pause_command,
    .completes = Completes::schedules,
};

const Verb resume_verb{
    .name = "resume",
    .targets = "SCHEDULE…",
    .summary = "Resumes paused schedules.",
    .examples = {"carillon resume nightly", "carillon resume nightly hourly",
                 "carillon list --status paused -q | xargs carillon resume"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined(
              {{{.names = "--reason", .form = "TEXT", .text = "shown in status, why and history"}}, change_flags()});
        },
    .perform = resume_command,
    .completes = Completes::schedules,
};

const Verb enable_verb{
    .name = "enable",
    .targets = "SCHEDULE…",
    .summary = "Enables schedules; missed times are not caught up.",
    .examples = {"carillon enable nightly", "carillon enable nightly hourly", "carillon enable nightly --dry-run"},
    .group = VerbGroup::schedules,
    .flags = change_flags,
    .perform = plain_command<enable_word>,
    .completes = Completes::schedules,
};

const Verb disable_verb{
    .name = "disable",
    .targets = "SCHEDULE…",
    .summary = "Disables schedules: nothing starts automatically until they are enabled again.",
    .examples = {"carillon disable nightly", "carillon disable nightly hourly", "carillon disable nightly --dry-run"},
    .group = VerbGroup::schedules,
    .flags = change_flags,
    .perform = plain_command<disable_word>,
    .completes = Completes::schedules,
};

const Verb reset_verb{
    .name = "reset",
    .targets = "SCHEDULE…",
    .summary = "Reactivates schedules that are done, or dead after too many failures.",
    .examples = {"carillon reset nightly", "carillon list --status dead -q | xargs carillon reset",
                 "carillon reset nightly --dry-run"},
    .group = VerbGroup::schedules,
    .flags = change_flags,
    .perform = plain_command<reset_word>,
    .completes = Completes::schedules,
};

const Verb cancel_verb{
    .name = "cancel",
    .targets = "SCHEDULE…",
    .summary =
        "Cancels all unfinished runs of a schedule. A running one is asked to stop and killed after its grace period.",
    .examples = {"carillon cancel nightly", "carillon cancel nightly hourly --wait",
                 "carillon pause nightly && carillon cancel nightly"},
    .group = VerbGroup::schedules,
    .flags =
        [] {
          return joined({{{.names = "--wait", .form = {}, .text = "wait until the runs have ended"}},
                         label_flag(),
                         dry_run_flag(),
                         output_flags(document_formats),
                         server_flags()});
        },
    .perform = cancel_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
