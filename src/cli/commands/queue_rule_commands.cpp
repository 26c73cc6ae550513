#include "base/quoted.hpp"
#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

#include <charconv>

namespace carillon::cli {

namespace {

constexpr std::string_view limit_example = "carillon queue limit billing 4";
constexpr std::string_view dead_example = "carillon queue dead list";

/// A number, or none.
Result<boost::json::value> limit_value(const std::string& text) {
  if (text == "none") return boost::json::value(nullptr);
  std::int64_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error != std::errc{} || end != text.data() + text.size() || limit < 1)
    return std::unexpected(usage_error(fmt::format("{} is not a limit", carillon::quoted(text)),
                                       fmt::format("write a whole number from 1, or none: {}", limit_example)));
  return boost::json::value(limit);
}

Result<ExitCode> queue_limit_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.size() != 2)
    return std::unexpected(usage_error("queue limit needs a queue and a number", std::string{limit_example}));
  const std::string& name = arguments.targets.front();
  const boost::json::value limit = TRY(limit_value(arguments.targets.back()));
  Client client = TRY(connect(arguments, session));
  TRY(client.patch(fmt::format("/queues/{}", path_part(name)), boost::json::object{{"limit", limit}}));
  session.print(limit.is_null()
                    ? fmt::format("{}: no limit\n", printable(name))
                    : fmt::format("{}: at most {} at a time, on all workers together; running work continues\n",
                                  printable(name), limit.get_int64()));
  return ExitCode::ok;
}

Cell dead_heading(std::string_view text) { return {.text = std::string{text}, .colour = Colour::bold}; }

std::string dead_table(const std::vector<client::Run>& runs, const Paint& paint) {
  Table table;
  table.add({dead_heading("RUN"), dead_heading("SCHEDULE"), dead_heading("ENDED"), dead_heading("ATT."),
             dead_heading("RESULT"), dead_heading("WHY")});
  for (const client::Run& run : runs) {
    const Cell state = state_words(run.state);
    table.add({{.text = printable(run.id)},
               {.text = run.schedule.empty() ? "–" : printable(run.schedule)},
               {.text = run.ended_at ? to_text(*run.ended_at) : "–"},
               {.text = fmt::format("{}", run.attempt)},
               {.text = printable(state.text), .colour = state.colour},
               {.text = printable(run.error)}});
  }
  return table.text(paint, "", "  ");
}

Result<ExitCode> list_dead(const Arguments& arguments, Session& session) {
  const std::size_t limit = TRY(limit_of(arguments, session));
  Client client = TRY(connect(arguments, session));
  const std::string queue = arguments.targets.size() > 1 ? arguments.targets[1] : std::string{};
  const auto found = TRY(client.list_dead_letters({{"queue", queue}}, limit));
  note_left_out(arguments, session, {.what = "dead letters", .shown = found.items.size(), .has_more = found.has_more});
  if (TRY(print_documents(arguments, session, found.documents, "id"))) return ExitCode::ok;
  if (found.items.empty())
    session.console.write_error("no dead letters\n");
  else
    session.print(dead_table(found.items, session.paint));
  return ExitCode::ok;
}

Result<ExitCode> deal_with_dead(const Arguments& arguments, Session& session, bool is_retry) {
  const std::string_view verb = is_retry ? "retry" : "discard";
  if (arguments.targets.size() < 2)
    return std::unexpected(usage_error(fmt::format("queue dead {} needs a run", verb),
                                       fmt::format("carillon queue dead {} r-3k9x0q7m2c5tz", verb)));
  Client client = TRY(connect(arguments, session));
  for (std::size_t i = 1; i < arguments.targets.size(); ++i) {
    const std::string& run = arguments.targets[i];
    const std::string path = fmt::format("/dead-letters/{}", path_part(run));
    if (!is_retry) {
      TRY(client.remove(path));
      session.print(fmt::format("{}: discarded; it stays in the history\n", printable(run)));
      continue;
    }
    const ApiAnswer answer = TRY(client.post(path + "/retry", boost::json::object{}));
    const boost::json::value* id = answer.body.is_object() ? answer.body.get_object().if_contains("id") : nullptr;
    session.print(
        fmt::format("{}: started again as {}\n", printable(run),
                    id != nullptr && id->is_string() ? printable(std::string{id->get_string()}) : "a new run"));
  }
  return ExitCode::ok;
}

Result<ExitCode> keep_dead(const Arguments& arguments, Session& session) {
  const bool is_known =
      arguments.targets.size() == 3 && (arguments.targets[2] == "on" || arguments.targets[2] == "off");
  if (!is_known)
    return std::unexpected(
        usage_error("queue dead keep needs a queue, and on or off", "carillon queue dead keep billing on"));
  const bool is_on = arguments.targets[2] == "on";
  Client client = TRY(connect(arguments, session));
  TRY(client.patch(fmt::format("/queues/{}", path_part(arguments.targets[1])),
                   boost::json::object{{"keepFailed", is_on}}));
  session.print(fmt::format("{}: runs that fail with no attempt left {}\n", printable(arguments.targets[1]),
                            is_on ? "become dead letters" : "just end"));
  return ExitCode::ok;
}

Result<ExitCode> queue_dead_command(const Arguments& arguments, Session& session) {
  const std::string word = arguments.targets.empty() ? std::string{} : arguments.targets.front();
  if (word == "list") return list_dead(arguments, session);
  if (word == "retry") return deal_with_dead(arguments, session, true);
  if (word == "discard") return deal_with_dead(arguments, session, false);
  if (word == "keep") return keep_dead(arguments, session);
  return std::unexpected(
      usage_error("queue dead needs a subcommand: list, retry, discard or keep", std::string{dead_example}));
}

}  // namespace

const Verb queue_limit_verb{
    .name = "queue limit",
    .targets = "QUEUE N|none",
    .summary = "Limits how many runs of a queue are performed at a time, on all servers and workers together.",
    .examples = {limit_example, "carillon queue limit @command 8", "carillon queue limit billing none"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({output_flags("text"), server_flags()}); },
    .perform = queue_limit_command,
    .completes = Completes::queues,
};

const Verb queue_dead_verb{
    .name = "queue dead",
    .targets = "list [QUEUE] | retry RUN... | discard RUN... | keep QUEUE on|off",
    .summary =
        "Dead letters: runs that were lost several times in a row, and failed runs of queues that keep them. They wait "
        "for a person: retry starts them again as new runs, discard leaves them in the history only.",
    .examples = {dead_example, "carillon queue dead retry r-3k9x0q7m2c5tz", "carillon queue dead keep billing on"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({list_flags(), output_flags(list_formats), server_flags()}); },
    .perform = queue_dead_command,
};

}  // namespace carillon::cli
