#include "cli/command_line/help_topics.hpp"

#include <array>

namespace carillon::cli {

namespace {

constexpr std::string_view getting_started_topic = R"(From nothing to a run:

  carillon init hello && cd hello     example schedules, as files
  carillon serve --apply .            a server in this terminal; Ctrl-C stops it, the next start goes on from there

In another terminal, in the same folder, which is how the server and its token are found:

  carillon list                       what there is, when it runs next, how the last runs went
  carillon logs hello                 what the newest run printed
  carillon trigger hello --wait       run it now, and see how it ends
  carillon pause hello --reason "maintenance"
  carillon resume hello

Why did it not run?

  carillon history hello              every due time: run, skipped, and the reason in one line
  carillon why hello '2026-10-27 09:00'    what was decided about that time, step by step
  carillon help reasons               what each reason means, and how to change it

Schedules as files:

  carillon diff .                     what would change, and which starts would move
  carillon apply .                    does it; what is equal is left alone

Examples:
  carillon init hello && cd hello
  carillon serve --apply .
  carillon history hello
)";

constexpr std::string_view reasons_topic =
    R"(Why a due time was skipped. history shows the reason, why SCHEDULE TIME the whole story.

  overlap      the run before was still going on, and policies.overlap is skip
               → overlap: buffer_one runs it afterwards, allow_all beside it
  buffer_full  as many were waiting as policies.bufferLimit allows
  superseded   it was waiting, or to be caught up, and a later start took its place
               → overlap: buffer_all, catchup: {policy: all}
  missed       the server was down or busy when it was due, and it was too late for catching up
               → catchup: {policy: latest} or all, with a longer window
  quota        more were missed than policies.catchup.maxRuns makes up for
  paused       the schedule was paused → carillon resume NAME
  deleted      the schedule was deleted while it waited
  condition    a condition of the schedule did not hold
  upstream     the schedule it waits for did not get there in time
  exhausted    a limit was reached: its number of repeats, or of failures in a row → carillon reset NAME
  clock        the clock was wrong, or the rules of the zone changed, and the same time came again
  outage       no server was deciding when it was due; when one did again, another start was before it
               → overlap: buffer_all runs each of them, one after the other

A run that was started and did not end well is no skip: carillon history shows it as failed, with its error.

Examples:
  carillon history nightly --limit 20
  carillon why nightly '2026-10-27 09:00'
  carillon ledger export | grep '"skipped"'
)";

constexpr std::string_view contexts_topic =
    R"(Several servers: a context is a server with a name, its token, its namespace and its defaults.

  carillon context add prod --server https://bell.example:7070 --token-file prod.token --confirm
  carillon context use prod           from now on
  carillon list --context test        for one command; CARILLON_CONTEXT=test does so for a shell

With --confirm every command that would change something there asks first, once. --yes answers it where a command has
that flag; where nobody can be asked, naming it on the command line (--context prod) does.

Settings come from, the strongest first:

  flags                     --server, --token-file, --namespace, --tz, --context
  the environment           CARILLON_SERVER, CARILLON_TOKEN, CARILLON_TOKEN_FILE, CARILLON_CA_FILE,
                            CARILLON_NAMESPACE, CARILLON_TZ, CARILLON_CONTEXT
  the context in use        before the environment if --context names it
  .carillon.yaml            in this folder or the nearest above
  your own file             ~/.config/carillon/config.yaml (XDG_CONFIG_HOME)
  /etc/carillon/config.yaml

A file has server, tokenFile, caFile, namespace, timezone, currentContext and contexts; what is relative is relative to
the file. A token beside a server goes to that server only, and a server that only a project's .carillon.yaml names gets
no token from elsewhere: a folder somebody else made cannot fetch it.

Without all that commands talk to the server that runs on this machine, with the token in its folder.

Examples:
  carillon config show --origin
  carillon context list
  carillon config set --project namespace billing
)";

constexpr std::string_view output_topic = R"(What commands print, and for whom.

  -o table|wide       for people; the default
  -o json|jsonl|yaml|csv   for programs; jsonl is one object a line
  --json id,nextDueAt JSON with these members only
  -q                  names only, one a line

Answers go to standard output, everything else to standard error. Where standard output is no terminal there are no
colours, no bars, no questions, and nothing is cut off; a command that would have to ask fails and names --yes.

Text that comes from elsewhere cannot change your terminal: control characters and those that turn the direction are
escapes, in JSON those of JSON. In CSV a text that a spreadsheet would take for a formula (= + - @ in front, and no
number) begins with an apostrophe.

  --color auto|always|never   also NO_COLOR, CLICOLOR_FORCE, TERM=dumb
  COLUMNS                     width of tables
  LANG, LC_ALL                without UTF-8 there, signs are ASCII

  ✔ ok   ✗ failed   ⊘ skipped   ▶ running   ⧗ waiting   ↻ to be tried again
  ● active   ‖ paused   ○ disabled or done

Examples:
  carillon list -o json
  carillon list --status paused -q
  carillon next @daily -n 3 -o csv
)";

constexpr std::string_view exit_codes_topic = R"(Exit codes, the same for every command:

    0  ok
    1  failed: something outside of carillon, such as a full disk
    2  bad usage, or an expression or file that is invalid
    3  not found
    4  not allowed
    5  conflict: a stale token, or a lock held by another
    6  server unreachable
    7  completed, but there are findings (lint, doctor)
    8  still pending when --timeout was over
   10  the run itself failed (--wait)
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
doctor -o json    [{"check", "status": "ok"|"warning"|"error", "message", "fix"}]
config show -o json   {"server": {"value", "origin"}, …}; null where nothing is set
context list -o json  [{"name", "current", "server", "tokenFile", "caFile", "namespace", "timezone", "confirm", "file"}]

Commands that ask a server (list, status, history, run show, …) print its documents as they are: the keys are those of
the REST interface, described by the server itself at /openapi.json (carillon open).

-o jsonl writes a list as one object a line; --json a,b keeps only these members of its objects.

Examples:
  carillon next '0 9 * * 1-5' --tz America/New_York --json local,note
  carillon zones america/ -o jsonl
  echo '{"spec": "0 9 * * 1-5", "count": 3}' | carillon next --batch
)";

constexpr std::string_view times_topic =
    R"(Times on the command line, the same for every flag that takes one (--after, --before, --until, --from, --to, --at,
--since, --nominal, --window) and for why SCHEDULE TIME:

  2027-03-14T02:30:00Z         RFC 3339 in UTC
  2027-03-14T02:30:00-05:00    RFC 3339 with an offset
  2027-03-14 02:30             on a clock of the zone, see below
  2027-03-14                   midnight there
  02:43                        the clock alone: the next 02:43 for what lies ahead (pause --until, add --at, next
                               --after), the last one for what lies behind (--since, --from, --to), today's for why
  now                          this moment
  2h                           so far ahead, or so long ago: as above; for why, so long ago
  +5m                          so far ahead, always
  -5m                          so long ago, always; after an equals sign: --from=-5m

A time that names no zone is read in the zone of the schedule wherever the command names one, else on the clock of this
machine. --tz on the command line, where it is the zone of what is shown, goes before both.

Times are shown on the clock of this machine. --tz utc, --tz schedule or --tz Europe/Berlin shows another one; CARILLON_TZ
in the environment and timezone in the settings do so for every command. JSON has RFC 3339 in UTC, always.

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
  short-grace             a catch-up grace or window below 1s; in the warnings
                          of a schedule, not of an expression

Examples:
  carillon lint '0 9 1 * MON'
  carillon lint '30 2 * * *' --tz Europe/Berlin
  carillon lint schedules/ -o json
)";

constexpr std::array<Topic, 8> all_topics{{
    {.name = "getting-started",
     .summary = "from nothing to a run, and why something did not run",
     .text = getting_started_topic},
    {.name = "reasons", .summary = "why a due time was skipped", .text = reasons_topic},
    {.name = "times", .summary = "how times are written", .text = times_topic},
    {.name = "contexts", .summary = "several servers, and where settings come from", .text = contexts_topic},
    {.name = "output", .summary = "tables, JSON, colours and signs", .text = output_topic},
    {.name = "json", .summary = "the JSON of each command", .text = json_topic},
    {.name = "exit-codes", .summary = "what the exit codes mean", .text = exit_codes_topic},
    {.name = "lint-codes", .summary = "what lint finds", .text = lint_codes_topic},
}};

}  // namespace

std::span<const Topic> topics() { return all_topics; }

}  // namespace carillon::cli
