#include "cli/command_line/help_topics.hpp"

#include <array>

namespace carillon::cli {

namespace {

constexpr std::string_view getting_started_topic = R"(First steps:

  carillon init hello && cd hello     creates example schedule files
  carillon serve --apply .            runs a server in this terminal; Ctrl-C stops it, the next start continues from there

In another terminal, in the same folder (commands find the server and its token there):

  carillon list                       schedules, next starts, last results
  carillon logs hello                 output of the newest run
  carillon trigger hello --wait       run it now and wait for the result
  carillon pause hello --reason "maintenance"
  carillon resume hello

Why did it not run?

  carillon history hello              every decision: run or skipped, with the reason
  carillon why hello '2026-10-27 09:00'    what was decided about that time, step by step
  carillon help reasons               what each reason means and what to do about it

Schedules as files:

  carillon diff .                     what would change, and which starts would move
  carillon apply .                    makes the changes; unchanged schedules are left alone

Examples:
  carillon init hello && cd hello
  carillon serve --apply .
  carillon history hello
)";

constexpr std::string_view reasons_topic =
    R"(Reasons for a skipped start. carillon history shows the reason, carillon why SCHEDULE TIME explains it.

  overlap      the previous run was still active, and policies.overlap is skip
               → overlap: buffer_one runs it afterwards, allow_all runs both at once
  buffer_full  policies.bufferLimit starts were already waiting
  superseded   it was waiting, or was to be caught up, and a later start replaced it
               → overlap: buffer_all, catchup: {policy: all}
  missed       the server was down or busy when it was due, and it was then too late to catch up
               → catchup: {policy: latest} or all, with a longer window
  quota        more were missed than policies.catchup.maxRuns
  paused       the schedule was paused → carillon resume NAME
  deleted      the schedule was deleted while the start was waiting
  condition    a condition of the schedule was not met
  upstream     the schedule it depends on did not finish in time
  exhausted    a limit was reached: repeats, or failures in a row → carillon reset NAME
  clock        the clock was wrong or the time zone rules changed, so the same time came twice
  outage       no server was active when it was due; afterwards another start came first
               → overlap: buffer_all runs all of them, one after the other

A run that started and failed is not skipped: carillon history shows it as failed, with its error.

Examples:
  carillon history nightly --limit 20
  carillon why nightly '2026-10-27 09:00'
  carillon ledger export | grep '"skipped"'
)";

constexpr std::string_view contexts_topic =
    R"(Several servers: a context is a named server with its token, namespace and defaults.

  carillon context add prod --server https://bell.example:7070 --token-file prod.token --confirm
  carillon context use prod           for all commands from now on
  carillon list --context test        for one command; CARILLON_CONTEXT=test: for a shell

With --confirm, every command that changes something there asks for confirmation once. Pass --yes to skip the question
if the command has that flag. In a script, naming the context (--context prod) counts as confirmation.

Settings are read from these places, highest precedence first:

  flags                     --server, --token-file, --namespace, --tz, --context
  the environment           CARILLON_SERVER, CARILLON_TOKEN, CARILLON_TOKEN_FILE, CARILLON_CA_FILE,
                            CARILLON_NAMESPACE, CARILLON_TZ, CARILLON_CONTEXT
  the context in use        above the environment if --context names it
  .carillon.yaml            in this folder or the nearest parent that has one
  your settings file        ~/.config/carillon/config.yaml (XDG_CONFIG_HOME)
  /etc/carillon/config.yaml

A file can set server, tokenFile, caFile, namespace, timezone, currentContext and contexts. Relative paths are relative
to the file. A token set together with a server is sent to that server only. A server that only a project's
.carillon.yaml names gets no token from elsewhere, so that a foreign project cannot collect your token.

Without settings, commands use the server running on this machine and the token in its data folder.

Examples:
  carillon config show --origin
  carillon context list
  carillon config set --project namespace billing
)";

constexpr std::string_view output_topic = R"(Output formats.

  -o table|wide       tables for people; the default
  -o json|jsonl|yaml|csv   for programs; jsonl: one object per line
  --json id,nextDueAt JSON with these fields only
  -q                  names only, one per line

Results go to standard output, everything else to standard error. If standard output is not a terminal, there are no
colours, bars or questions, and nothing is cut off; a command that needs confirmation fails and names --yes.

Names and messages cannot manipulate your terminal: control characters and text direction marks are printed as
escapes. In CSV, text that a spreadsheet would read as a formula (= + - @ first, not a number) gets a leading apostrophe.

  --color auto|always|never   also NO_COLOR, CLICOLOR_FORCE, TERM=dumb
  COLUMNS                     width of tables
  LANG, LC_ALL                without UTF-8, symbols are ASCII

  ✔ ok   ✗ failed   ⊘ skipped   ▶ running   ⧗ waiting   ↻ will be retried
  ● active   ‖ paused   ○ disabled or done

Examples:
  carillon list -o json
  carillon list --status paused -q
  carillon next @daily -n 3 -o csv
)";

constexpr std::string_view exit_codes_topic = R"(Exit codes, the same for every command:

    0  ok
    1  failed: a problem outside carillon, such as a full disk
    2  bad usage, or an invalid expression or file
    3  not found
    4  not allowed
    5  conflict: it exists, it changed meanwhile, or another process holds the lock
    6  server unreachable
    7  completed, but there are findings (lint, doctor)
    8  still pending when --timeout ended
   10  the run itself failed (--wait)
  130  interrupted

Examples:
  carillon lint schedules/ || echo "exit code $?"
  carillon next '61 * * * *'; echo $?
  carillon zones atlantis; echo $?
)";

constexpr std::string_view json_topic = R"(JSON output of each command. Times are RFC 3339; null means no value.

next -o json
  {"description", "timezone", "occurrences": [{"nominal", "due", "local", "note"}],
   "warnings": [{"code", "message", "at"}]}
  nominal  the scheduled time, in UTC
  due      nominal plus jitter
  local    nominal as local time of the zone, with its offset
  note     how a clock change affects it
  at       the next time the warning applies to

next --batch      one question and one answer per line
  {"spec", "after" | "before", "count" | "until"}  →  {"next": [nominal, …]}
  or               {"error": {"code", "message", "position"}}
  spec       an object as in a schedule file, or the text of a cron expression
  after      default: now; with before: going back in time, newest first
  count      0 to 1000000; default: 1, with until: all
  createdAt  optional: anchor of intervals; default: now

describe -o json  {"description", "warnings": [{"code", "message", "at"}]}
lint -o json      [{"file", "line", "column", "code", "severity", "message", "fix"}]
zones -o json     [{"name", "offset", "abbreviation", "nextChange", "nextOffset", "replacedBy"}]
version -o json   {"version", "commit", "compiler", "tzdata"}
doctor -o json    [{"check", "status": "ok"|"warning"|"error", "message", "fix"}]
config show -o json   {"server": {"value", "origin"}, …}; null where nothing is set
context list -o json  [{"name", "current", "server", "tokenFile", "caFile", "namespace", "timezone", "confirm", "file"}]

Commands that ask a server (list, status, history, run show, …) print its documents unchanged, with the fields of the
REST API. The server describes them at /openapi.json.

-o jsonl prints a list as one object per line; --json a,b keeps only these fields.

Examples:
  carillon next '0 9 * * 1-5' --tz America/New_York --json local,note
  carillon zones america/ -o jsonl
  echo '{"spec": "0 9 * * 1-5", "count": 3}' | carillon next --batch
)";

constexpr std::string_view times_topic =
    R"(How to write times, for all flags (--after, --before, --until, --from, --to, --at, --since, --nominal, --window) and for
why SCHEDULE TIME:

  2027-03-14T02:30:00Z         RFC 3339 in UTC
  2027-03-14T02:30:00-05:00    RFC 3339 with an offset
  2027-03-14 02:30             local time, see below for the zone
  2027-03-14                   midnight, local time
  02:43                        time of day: the next 02:43 for flags about the future (pause --until, add --at, next
                               --after), the last 02:43 for the past (--since, --from, --to), today's for why
  tomorrow 09:00               local time of a day: today, tomorrow, yesterday; without a clock, midnight
  now                          this moment
  2h                           2 hours ahead, or 2 hours ago for flags about the past and for why
  +5m                          always 5 minutes ahead
  -5m                          always 5 minutes ago; write it with an equals sign: --from=-5m

A time without a zone is read in the zone of the schedule that the command names, otherwise in the zone of this machine.
--tz, where it sets the zone for output, overrides both.

Output shows times in the zone of this machine. Change it with --tz utc, --tz schedule or --tz Europe/Berlin, or for all
commands with CARILLON_TZ or the setting timezone. JSON always has RFC 3339 in UTC.

--after and --before exclude the time itself. --until ends the answer: going forward it is excluded, going back it is
included. CARILLON_NOW in the environment replaces the clock.

Examples:
  carillon next '30 2 * * *' --tz America/New_York --after 2027-03-13 -n 3
  carillon next '0 9 * * 1' --before 2027-01-01
  CARILLON_NOW=2027-01-01T00:00:00Z carillon next @monthly --until 2028-01-01T00:00:00Z
)";

constexpr std::string_view lint_codes_topic = R"(What lint finds:

  minute-star-hour        minute * with a fixed hour: sixty runs where probably one was meant
  dom-dow-or              day of month and day of week both given: either one matches
  uneven-step             a step that does not divide its range: the last gap is shorter
  step-once               a step as large as its range: matches once
  short-month             a day that some months do not have
  dst-gap, dst-overlap    a time that the next clock change skips or repeats
  wildcard-in-transition  follows the real clock through a clock change
  every-second            six fields starting with *: runs every second
  not-portable            other engines read it differently or not at all
  old-zone-name           the time zone has a newer name
  quartz-weekday          looks like Quartz, which numbers weekdays from 1
  never-fires             no such time exists (error)
  short-grace             a catch-up grace or window below 1s; in the warnings
                          of a schedule, not of an expression

Examples:
  carillon lint '0 9 1 * MON'
  carillon lint '30 2 * * *' --tz Europe/Berlin
  carillon lint schedules/ -o json
)";

constexpr std::array<Topic, 8> all_topics{{
    {.name = "getting-started",
     .summary = "first steps, and how to find out why something did not run",
     .text = getting_started_topic},
    {.name = "reasons", .summary = "why a due time was skipped", .text = reasons_topic},
    {.name = "times", .summary = "how to write times", .text = times_topic},
    {.name = "contexts", .summary = "several servers, and where settings come from", .text = contexts_topic},
    {.name = "output", .summary = "output formats, colours and symbols", .text = output_topic},
    {.name = "json", .summary = "JSON output of each command", .text = json_topic},
    {.name = "exit-codes", .summary = "what the exit codes mean", .text = exit_codes_topic},
    {.name = "lint-codes", .summary = "what lint finds", .text = lint_codes_topic},
}};

}  // namespace

std::span<const Topic> topics() { return all_topics; }

}  // namespace carillon::cli
