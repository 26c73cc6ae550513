#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/item_display.hpp"
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
std::string head_text(const client::Run& run, const Paint& paint) {
  const Cell state = state_words(run.state);
  const std::string what = fmt::format("{}  {}", printable(run.id), printable(run.schedule));
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

std::string attempt_end(const client::Attempt& attempt) {
  if (!attempt.error.empty()) return printable(attempt.error);
  if (attempt.signal) return fmt::format("ended by signal {}", *attempt.signal);
  return attempt.exit_code ? fmt::format("exit {}", *attempt.exit_code) : std::string{};
}

std::string attempt_length(const client::Attempt& attempt, Instant now) {
  if (!attempt.launched_at) return {};
  const Duration length = std::max(attempt.ended_at.value_or(now) - *attempt.launched_at, Duration{0});
  return length_text(std::chrono::duration_cast<std::chrono::milliseconds>(length).count());
}

std::string attempts_table(const client::Run& run, const Zone& zone, const Session& session) {
  Table table;
  bool is_first = true;
  for (const client::Attempt& attempt : run.attempts) {
    const Cell state = state_words(attempt.state);
    const auto begun = attempt.launched_at ? attempt.launched_at : attempt.claimed_at;
    table.add({{.text = is_first ? "Attempts " : "         "},
               {.text = fmt::format("{}", attempt.number), .align = Align::right},
               {.text = clock_of(begun, zone)},
               {.text = attempt_length(attempt, session.exact_now()), .align = Align::right},
               {.text = printable(state.text), .colour = state.colour},
               {.text = attempt_end(attempt)},
               {.text = printable(attempt.worker), .colour = Colour::dim}});
    is_first = false;
  }
  return table.text(session.paint, "  ", "  ");
}

/// `100%  42/42 items  cost 1.84 · 44 calls, 1204+880 tokens · .results/2026-01-26T14-00-00.json`
std::string items_line(const client::Run& run, const Paint& paint) {
  std::string text = item_progress_text(run, paint, Bar::none);
  if (run.usage)
    text +=
        fmt::format(" · {} calls, {}+{} tokens", run.usage->calls, run.usage->input_tokens, run.usage->output_tokens);
  if (!text.empty() && !run.result_file.empty()) text += " · " + printable(run.result_file);
  return text;
}

std::string result_text(const client::Run& run) {
  return run.result.is_null() ? std::string{} : printable(boost::json::serialize(run.result));
}

std::string page_of(const client::Run& run, const Zone& zone, const Session& session) {
  const Instant now = session.now;
  std::string source = source_text(run);
  if (run.revision) source += fmt::format(" · revision {}", *run.revision);
  std::string text = head_text(run, session.paint);
  text += line("Name", printable(run.name));
  text += line("Source", source);
  text += time_line("Due", run.due, "", zone, now);
  text += time_line("Queued", run.queued_at, "", zone, now);
  text += time_line("Started", run.started_at, note("late", length_text(run.late_ms)), zone, now);
  text += time_line("Ended", run.ended_at, note("took", run_length(run, session.exact_now())), zone, now);
  text += line("Items", items_line(run, session.paint));
  text += attempts_table(run, zone, session);
  text += line("Error", printable(run.error));
  text += line("Result", result_text(run));
  text += line("Why", printable(with_local_times(run.why, zone, now)));
  text += line("Log", fmt::format("carillon run logs {}{}", printable(run.id), has_ended(run) ? "" : " -f"));
  return text;
}

Result<ExitCode> run_show_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run show r-7f3a91"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  const ZonePtr zone = TRY(run_zone(display, session));
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(find_run(client, word));
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::ok;
  session.print(page_of(answer.value, *zone, session));
  return ExitCode::ok;
}

}  // namespace

const Verb run_show_verb{
    .name = "run show",
    .targets = "RUN",
    .summary =
        "Shows one run: its times, every attempt, errors, and why it ran. RUN is an id, the beginning of an id, or a "
        "name.",
    .examples = {"carillon run show r-7f3a91", "carillon run show nightly@2026-11-20T03:00:00Z",
                 "carillon run show r-7f3a91 -o json"},
    .group = VerbGroup::runs,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = run_show_command,
    .completes = Completes::runs,
};

}  // namespace carillon::cli
