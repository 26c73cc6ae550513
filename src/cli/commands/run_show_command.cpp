#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/printable.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace carillon::cli {

namespace {

constexpr std::size_t state_column = 72;

/// The first line: what it is, and on the right how it is.
std::string head_text(const JsonView& run, const Paint& paint) {
  const Cell state = state_words(run.text("state"));
  const std::string what = fmt::format("{}  {}", printable(run.text("id")), printable(run.text("schedule")));
  const std::size_t used = std::min(column_count(what), state_column - 2);
  return fmt::format("{}{}{}\n", paint(Colour::bold, what), std::string(state_column - used, ' '),
                     paint(state.colour, printable(state.text)));
}

std::string line(std::string_view label, std::string_view text) {
  return text.empty() ? std::string{} : fmt::format("  {:<9}  {}\n", label, text);
}

std::string time_line(std::string_view label, std::optional<Instant> instant, std::string_view note, const Zone& zone,
                      Instant now) {
  if (!instant) return {};
  return line(label, fmt::format("{}{}", time_text(*instant, zone, now), note));
}

std::string note(std::string_view word, const std::string& text) {
  return text.empty() ? std::string{} : fmt::format(" · {} {}", word, text);
}

std::string attempt_end(const JsonView& attempt) {
  const std::string error = attempt.text("error");
  if (!error.empty()) return printable(error);
  if (const auto signal = attempt.number("signal")) return fmt::format("ended by signal {}", *signal);
  const auto code = attempt.number("exitCode");
  return code ? fmt::format("exit {}", *code) : std::string{};
}

std::string attempt_length(const JsonView& attempt, Instant now) {
  const auto begun = attempt.instant("launchedAt");
  if (!begun) return {};
  const Instant end = attempt.instant("endedAt").value_or(now);
  return length_text(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::max(end - *begun, Duration{0})).count());
}

std::string attempts_table(const JsonView& run, const Zone& zone, const Session& session) {
  Table table;
  bool is_first = true;
  for (const auto& document : run.items("attempts")) {
    const JsonView attempt{document};
    const Cell state = state_words(attempt.text("state"));
    auto begun = attempt.instant("launchedAt");
    if (!begun) begun = attempt.instant("claimedAt");
    table.add({{.text = is_first ? "Tries    " : "         "},
               {.text = fmt::format("{}", attempt.number("attempt").value_or(0)), .align = Align::right},
               {.text = clock_of(begun, zone)},
               {.text = attempt_length(attempt, session.now), .align = Align::right},
               {.text = printable(state.text), .colour = state.colour},
               {.text = attempt_end(attempt)},
               {.text = printable(attempt.text("worker")), .colour = Colour::dim}});
    is_first = false;
  }
  return table.text(session.paint, "  ", "  ");
}

std::string result_text(const JsonView& run) {
  const JsonView result = run["result"];
  return result.is_there() ? printable(boost::json::serialize(*result.value())) : std::string{};
}

std::string page_of(const JsonView& run, const Zone& zone, const Session& session) {
  const Instant now = session.now;
  std::string source = source_words(run);
  if (const auto revision = run.number("revision")) source += fmt::format(" · revision {}", *revision);
  std::string text = head_text(run, session.paint);
  text += line("Name", printable(run.text("name")));
  text += line("Source", source);
  text += time_line("Due", run.instant("due"), "", zone, now);
  text += time_line("Queued", run.instant("queuedAt"), "", zone, now);
  text += time_line("Started", run.instant("startedAt"), note("late", length_text(run.number("lateMs"))), zone, now);
  text += time_line("Ended", run.instant("endedAt"), note("took", run_length(run, now)), zone, now);
  text += attempts_table(run, zone, session);
  text += line("Error", printable(run.text("error")));
  text += line("Result", result_text(run));
  text += line("Why", printable(run.text("why")));
  text += line("Log", fmt::format("carillon run logs {}{}", printable(run.text("id")), has_ended(run) ? "" : " -f"));
  return text;
}

Result<ExitCode> run_show_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run show r-7f3a91"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = TRY(run_zone(display, session));
  Client client = TRY(connect(arguments, session));
  const ApiAnswer answer = TRY(get_run(client, word));
  if (TRY(print_document(arguments, session, answer.body))) return ExitCode::ok;
  session.print(page_of(JsonView{answer.body}, *zone, session));
  return ExitCode::ok;
}

}  // namespace

const Verb run_show_verb{
    .name = "run show",
    .targets = "RUN",
    .summary =
        "Shows one run: its times, every try, what went wrong, and why it ran. RUN is an id, the beginning of one "
        "or a name.",
    .examples = {"carillon run show r-7f3a91", "carillon run show nightly@2026-11-20T03:00:00Z",
                 "carillon run show r-7f3a91 -o json"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = run_show_command,
    .completes = Completes::runs,
};

}  // namespace carillon::cli
