#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/poll_backoff.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace carillon::cli {

namespace {

std::string table_of(const std::vector<client::Queue>& queues, const Paint& paint) {
  Table table;
  table.add({{.text = ""},
             heading("QUEUE"),
             heading("READY", Align::right),
             heading("RUNNING", Align::right),
             heading("LIMIT", Align::right),
             heading("OLDEST", Align::right),
             heading("DEAD", Align::right),
             heading("STATE")});
  for (const client::Queue& queue : queues) {
    const bool is_paused = queue.is_paused;
    const std::string age = length_text(queue.oldest_age_ms);
    table.add({{.text = is_paused ? "‖" : "●", .colour = is_paused ? Colour::yellow : Colour::green},
               {.text = printable(queue.name)},
               {.text = fmt::format("{}", queue.depth), .align = Align::right},
               {.text = fmt::format("{}", queue.running), .align = Align::right},
               {.text = queue.limit ? fmt::format("{}", *queue.limit) : "–", .align = Align::right},
               {.text = age.empty() ? "–" : age, .align = Align::right},
               {.text = fmt::format("{}", queue.dead.value_or(0)), .align = Align::right},
               {.text = is_paused ? "paused" : "open"}});
  }
  return table.text(paint, "", "  ");
}

Result<ExitCode> queue_list_command(const Arguments& arguments, Session& session) {
  Client client = TRY(connect(arguments, session));
  const auto queues = TRY(client.list_queues());
  if (TRY(print_documents(arguments, session, queues.documents, "name"))) return ExitCode::ok;
  if (queues.items.empty())
    session.console.write_error("no queues yet; the first run of a schedule creates one\n");
  else
    session.print(table_of(queues.items, session.paint));
  return ExitCode::ok;
}

/// `verb` is the last word of the address, `done` what has come of it.
Result<ExitCode> change_queues(const Arguments& arguments, Session& session, std::string_view verb,
                               std::string_view done) {
  // The first name is asked for as everywhere; more of them are done one by one.
  if (arguments.targets.empty())
    static_cast<void>(TRY(one_target(arguments, "a queue", fmt::format("carillon queue {} billing", verb))));
  Client client = TRY(connect(arguments, session));
  for (const std::string& name : arguments.targets) {
    TRY(client.post(fmt::format("/queues/{}/{}", path_part(name), verb), boost::json::object{}));
    session.print(fmt::format("{}: {}\n", printable(name), done));
  }
  return ExitCode::ok;
}

Result<ExitCode> queue_pause_command(const Arguments& arguments, Session& session) {
  return change_queues(arguments, session, "pause", "paused; running work continues, nothing new starts");
}

Result<ExitCode> queue_resume_command(const Arguments& arguments, Session& session) {
  return change_queues(arguments, session, "resume", "resumed");
}

/// How many runs of these queues are at work.
Result<std::int64_t> running_in(Client& client, const std::vector<std::string>& names) {
  const auto queues = TRY(client.list_queues());
  std::int64_t count = 0;
  for (const client::Queue& queue : queues.items)
    if (std::ranges::find(names, queue.name) != names.end()) count += queue.running;
  return count;
}

Result<ExitCode> queue_drain_command(const Arguments& arguments, Session& session) {
  PollBackoff backoff{TRY(timeout_value(arguments.value("timeout")))};
  TRY(change_queues(arguments, session, "pause", "paused; nothing new starts"));
  Client client = TRY(connect(arguments, session));
  const auto text_of = [](std::int64_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); };
  std::int64_t told = 0;
  std::int64_t running = TRY(running_in(client, arguments.targets));
  while (running > 0) {
    if (running != told) session.console.write_error(fmt::format("waiting for {} to end\n", text_of(running)));
    told = running;
    if (!backoff.pause()) break;
    running = TRY(running_in(client, arguments.targets));
  }
  if (running > 0) {
    session.console.write_error(fmt::format("{} still running; the queues stay paused\n", text_of(running)));
    return ExitCode::pending;
  }
  session.print(fmt::format("drained; to go on: carillon queue resume {}\n",
                            printable(fmt::format("{}", fmt::join(arguments.targets, " ")))));
  return ExitCode::ok;
}

}  // namespace

const Verb queue_list_verb{
    .name = "queue list",
    .targets = "",
    .summary = "Lists queues: how many runs are ready, how many are running, how long the oldest has waited.",
    .examples = {"carillon queue list", "carillon queue list --namespace billing", "carillon queue list -o json"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined(
              {{{.names = "-q,--quiet", .form = {}, .text = "print names only"}},
               output_flags(list_formats),
               fields_flag(
                   "JSON with only these fields, comma-separated: name, depth, oldest, oldestAgeMs, running, paused, "
                   "limit, keepFailed, dead"),
               server_flags()});
        },
    .perform = queue_list_command,
};

const Verb queue_pause_verb{
    .name = "queue pause",
    .targets = "QUEUE...",
    .summary = "Pauses queues: starts no more runs from them. New runs are still queued; running ones finish.",
    .examples = {"carillon queue pause billing", "carillon queue pause billing reports",
                 "carillon queue pause @command --namespace billing"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({output_flags("text"), server_flags()}); },
    .perform = queue_pause_command,
    .completes = Completes::queues,
};

const Verb queue_resume_verb{
    .name = "queue resume",
    .targets = "QUEUE...",
    .summary = "Resumes paused queues.",
    .examples = {"carillon queue resume billing", "carillon queue resume billing reports",
                 "carillon queue list -q | xargs carillon queue resume"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({output_flags("text"), server_flags()}); },
    .perform = queue_resume_command,
    .completes = Completes::queues,
};

const Verb queue_drain_verb{
    .name = "queue drain",
    .targets = "QUEUE...",
    .summary =
        "Pauses queues and waits until none of their runs is running. Exit 8: some still are after --timeout. "
        "What waits stays queued until the queue is resumed.",
    .examples = {"carillon queue drain billing", "carillon queue drain billing reports --timeout 10m",
                 "carillon queue drain @command && carillon stop"},
    .group = VerbGroup::runs,
    .flags =
        [] {
          return joined({{{.names = "--timeout", .form = "DURATION", .text = "how long to wait; default: no limit"}},
                         output_flags("text"),
                         server_flags()});
        },
    .perform = queue_drain_command,
    .completes = Completes::queues,
};

}  // namespace carillon::cli
