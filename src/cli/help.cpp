#include "cli/help.hpp"

#include "base/quoted.hpp"
#include "cli/failure.hpp"
#include "cli/session.hpp"
#include "cli/verbs.hpp"
#include "document/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace carillon {

namespace {

constexpr std::string_view exit_codes_topic = R"(Exit codes, the same for every command:

    0  ok
    1  failed: something outside of carillon, such as a full disk
    2  bad usage, or an expression or file that is invalid
    3  not found
    4  not allowed
    5  conflict: a stale token, or a lock held by another
    6  server unreachable
    7  completed, but there are findings (lint)
    8  still pending
   10  the run itself failed
  130  interrupted

Examples:
  carillon lint schedules/ || echo "exit code $?"
  carillon next '61 * * * *'; echo $?
  carillon zones atlantis; echo $?
)";

constexpr std::string_view json_topic = R"(JSON of each command. Times are RFC 3339; null where there is nothing to say.

next -o json
  {"description", "timezone", "occurrences": [{"nominal", "due", "local", "note"}],
   "warnings": [{"code", "message", "at"}]}
  nominal  the time the schedule means, in UTC
  due      nominal and jitter
  local    nominal on the clock of the zone, with its offset
  note     what a clock change does to it
  at       the next time a warning is about

next --batch      one question and one answer a line
  {"spec", "after" | "before", "count" | "until"}  →  {"next": [nominal, …]}
  or, per line,    {"error": {"code", "message", "position"}}
  spec       an object as in a schedule file, or the text of a cron expression
  after      default: now; with before the answer goes back in time, newest first
  count      0 to 1000000; default: 1, with until all
  createdAt  optional: anchors intervals; default: now

describe -o json  {"description", "warnings": [{"code", "message", "at"}]}
lint -o json      [{"file", "line", "column", "code", "severity", "message", "fix"}]
zones -o json     [{"name", "offset", "abbreviation", "nextChange", "nextOffset", "replacedBy"}]
version -o json   {"version", "commit", "compiler", "tzdata"}

-o jsonl writes a list as one object a line; --json a,b keeps only these members of its objects.

Examples:
  carillon next '0 9 * * 1-5' --tz America/New_York --json local,note
  carillon zones america/ -o jsonl
  echo '{"spec": "0 9 * * 1-5", "count": 3}' | carillon next --batch
)";

constexpr std::string_view times_topic = R"(Times on the command line (--after, --before, --until):

  2027-03-14T02:30:00Z         RFC 3339 in UTC
  2027-03-14T02:30:00-05:00    RFC 3339 with an offset
  2027-03-14 02:30             on the clock of --display-tz, else of the spec's zone
  2027-03-14                   midnight there

--after and --before leave the time itself out. --until is the end of the answer: going forward it is left out,
going back it is the earliest that counts. CARILLON_NOW in the environment stands for the clock.

Examples:
  carillon next '30 2 * * *' --tz America/New_York --after 2027-03-13 -n 3
  carillon next '0 9 * * 1' --before 2027-01-01
  CARILLON_NOW=2027-01-01T00:00:00Z carillon next @monthly --until 2028-01-01T00:00:00Z
)";

constexpr std::string_view lint_codes_topic = R"(What lint finds:

  minute-star-hour        minute * with a fixed hour: sixty runs, probably one was meant
  dom-dow-or              day of month and day of week both given: either one suffices
  uneven-step             a step that does not divide its range: the last gap is shorter
  step-once               a step as large as its range: once a round
  short-month             a day that some months do not have
  dst-gap, dst-overlap    a time that the next clock change skips or repeats
  wildcard-in-transition  follows the real clock through a clock change
  every-second            six fields that begin with *: every second
  not-portable            other engines read it differently or not at all
  old-zone-name           the time zone has a newer name
  quartz-weekday          looks like Quartz, which numbers weekdays from 1
  never-fires             no such time exists (error)

Examples:
  carillon lint '0 9 1 * MON'
  carillon lint '30 2 * * *' --tz Europe/Berlin
  carillon lint schedules/ -o json
)";

struct Topic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};

constexpr std::array<Topic, 4> topics{{
    {.name = "exit-codes", .summary = "what the exit codes mean", .text = exit_codes_topic},
    {.name = "json", .summary = "the JSON of each command", .text = json_topic},
    {.name = "times", .summary = "how times are written", .text = times_topic},
    {.name = "lint-codes", .summary = "what lint finds", .text = lint_codes_topic},
}};

std::unexpected<Error> unknown_topic(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs()) names.push_back(verb->name);
  for (const Topic& topic : topics) names.push_back(topic.name);
  const std::string_view nearest = nearest_word(word, names);
  return std::unexpected(
      usage_error(fmt::format("there is no help about {}", quoted(word)),
                  nearest.empty() ? "carillon help lists all topics" : fmt::format("did you mean {}?", nearest)));
}

}  // namespace

std::string welcome_text() {
  return R"(carillon knows when things should run: cron, time zones and clock changes, exactly.

Try:
  carillon next '0 9 * * 1-5' --tz America/New_York    the next runs, UTC beside local time
  carillon describe '*/15 9-17 * * 1-5'                what an expression means, in words
  carillon lint '0 9 1 * MON'                          what is probably not meant

Help: carillon help, carillon next --help
)";
}

std::string overview_text() {
  constexpr std::array<std::pair<VerbGroup, std::string_view>, 5> groups{{
      {VerbGroup::schedules, "Schedules"},
      {VerbGroup::runs, "Runs"},
      {VerbGroup::time, "Time questions, without a server"},
      {VerbGroup::server, "The server"},
      {VerbGroup::yourself, "The command line"},
  }};
  std::string text = "Usage: carillon COMMAND [OPTIONS]\n";
  for (const auto& [group, heading] : groups) {
    std::string lines;
    for (const Verb* verb : verbs()) {
      if (verb->group == group) lines += fmt::format("  {:<17} {}\n", verb->name, verb->summary);
    }
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", heading, lines);
  }
  text += "\nTopics (carillon help TOPIC):\n";
  for (const Topic& topic : topics) text += fmt::format("  {:<17} {}\n", topic.name, topic.summary);
  return text + R"(
Examples:
  carillon next '0 9 * * 1-5' --tz America/New_York
  carillon describe '*/15 9-17 * * 1-5'
  carillon lint '0 9 1 * MON'
)";
}

namespace {

Result<ExitCode> help_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty()) {
    session.print(overview_text());
    return ExitCode::ok;
  }
  const std::string& word = arguments.targets.front();
  const auto topic = std::ranges::find(topics, word, &Topic::name);
  if (topic != topics.end()) {
    session.print(topic->text);
    return ExitCode::ok;
  }
  const auto verb = find_verb(arguments.targets);
  if (!verb) return arguments.targets.size() > 1 ? std::unexpected(verb.error()) : unknown_topic(word);
  session.print(help_text(*verb->verb));
  return ExitCode::ok;
}

}  // namespace

const Verb help_verb{
    .name = "help",
    .targets = "[COMMAND|TOPIC]",
    .summary = "Explains a command or a topic.",
    .examples = {"carillon help next", "carillon help exit-codes", "carillon help times"},
    .group = VerbGroup::yourself,
    .perform = help_command,
    .completes = Completes::verbs,
};

}  // namespace carillon
