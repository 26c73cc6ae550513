#include "cli/command_line/argument_values.hpp"
#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/log_reading.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>

namespace carillon::cli {

namespace {

/// So many runs may begin between two looks without one of them being passed over.
constexpr std::size_t newest_count = 50;

FlagSpecs log_flags() {
  return joined({{{.names = "-f,--follow", .form = {}, .text = "keep printing new output"},
                  {.names = "--tail", .form = "N", .text = "only the last N lines (of the last MiB)"},
                  {.names = "--attempt", .form = "N", .text = "log of this attempt; default: the newest"}},
                 server_flags()});
}

Result<LogQuery> query_of(const Arguments& arguments) {
  LogQuery query{.is_followed = arguments.has("follow")};
  if (const auto text = arguments.value("tail")) query.line_count = TRY(count_value("--tail", *text, 1'000'000));
  if (const auto text = arguments.value("attempt")) query.attempt = TRY(count_value("--attempt", *text, 1'000'000));
  return query;
}

Result<ExitCode> run_logs_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "a run", "carillon run logs r-7f3a91"));
  const LogQuery query = TRY(query_of(arguments));
  Client client = TRY(connect(arguments, session));
  const auto run = TRY(find_run(client, word));
  PollBackoff backoff;
  TRY(print_log(client, run.value, query, session, backoff));
  return ExitCode::ok;
}

using RunOrNone = std::optional<client::Run>;

/// The oldest run that is newer than the one seen last; none while there is none.
Result<RunOrNone> run_after(Client& client, const client::Schedule& schedule, std::string_view last_id) {
  const auto found = TRY(client.list_runs_of(schedule.id, schedule.name_space, {}, newest_count));
  RunOrNone next;
  for (const client::Run& run : found.items) {
    if (run.id == last_id) return next;
    next = run;
  }
  // So many have begun that the last one is not among them; or there has been none yet.
  return found.items.empty() ? RunOrNone{} : found.items.front();
}

Result<RunOrNone> next_run(Client& client, const client::Schedule& schedule, std::string_view last_id,
                           PollBackoff& backoff) {
  for (backoff.reset();;) {
    auto run = run_after(client, schedule, last_id);
    if (!run && (run.error().rule != "unreachable" || !backoff.may_retry())) return run;
    if (run && *run) return run;
    static_cast<void>(backoff.pause());
  }
}

Result<ExitCode> logs_of_schedule(Client& client, const client::Schedule& schedule, LogQuery query, Session& session) {
  PollBackoff backoff;
  const auto newest = TRY(client.list_runs_of(schedule.id, schedule.name_space, {}, 1));
  RunOrNone run = newest.items.empty() ? RunOrNone{} : newest.items.front();
  if (!run && !query.is_followed) {
    session.console.write_error(fmt::format("{} has not run yet\n", printable(schedule.id)));
    return ExitCode::ok;
  }
  std::string last_id;
  while (session.console.output_state() == Console::OutputState::open) {
    if (!run) run = TRY(next_run(client, schedule, last_id, backoff));
    last_id = run->id;
    session.console.write_error(fmt::format("{} {}\n", printable(last_id), printable(run->name)));
    TRY(print_log(client, *run, query, session, backoff));
    if (!query.is_followed) return ExitCode::ok;
    run.reset();
    query.line_count.reset();  // of later runs everything is new
  }
  return ExitCode::ok;
}

/// Ids of runs begin so, and names of runs have an @ or a ~; schedules may still be called `r-…`.
bool may_be_a_run(std::string_view word) {
  return word.starts_with("r-") || word.starts_with('~') || word.contains('@');
}

Result<ExitCode> logs_command(const Arguments& arguments, Session& session) {
  const std::string word = TRY(one_target(arguments, "give a schedule or a run", "carillon logs nightly"));
  const LogQuery query = TRY(query_of(arguments));
  Client client = TRY(connect(arguments, session));
  if (may_be_a_run(word)) {
    const auto run = find_run(client, word);
    if (!run && run.error().rule != "not_found") return std::unexpected(run.error());
    if (run) {
      PollBackoff backoff;
      TRY(print_log(client, run->value, query, session, backoff));
      return ExitCode::ok;
    }
  }
  const auto schedule = TRY(find_schedule(client, word));
  return logs_of_schedule(client, schedule.value, query, session);
}

}  // namespace

const Verb run_logs_verb{
    .name = "run logs",
    .targets = "RUN",
    .summary = "Prints the log of a run. With -f: follows it through all its attempts until it has ended.",
    .examples = {"carillon run logs r-7f3a91", "carillon run logs r-7f3a91 -f --tail 20",
                 "carillon run logs r-7c0b77 --attempt 1"},
    .group = VerbGroup::runs,
    .flags = log_flags,
    .perform = run_logs_command,
    .completes = Completes::runs,
};

const Verb logs_verb{
    .name = "logs",
    .targets = "SCHEDULE|RUN",
    .summary =
        "Prints the log of a schedule's newest run, or of one run. With -f: follows it, and the next runs of the "
        "schedule.",
    .examples = {"carillon logs nightly", "carillon logs nightly -f", "carillon logs r-7f3a91 --tail 50"},
    .group = VerbGroup::runs,
    .flags = log_flags,
    .perform = logs_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
