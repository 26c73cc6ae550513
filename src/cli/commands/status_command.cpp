#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/request_scope.hpp"
#include "cli/connection/run_lookup.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/clock_notice.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/schedule_display.hpp"
#include "cli/terminal/formatting.hpp"
#include "cli/terminal/local_time.hpp"
#include "cli/terminal/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace carillon::cli {

namespace {

constexpr std::size_t measured_count = 50;   // runs that make up the percentiles
constexpr std::size_t sparkline_count = 20;  // and of these, the bars
constexpr std::size_t then_count = 3;
constexpr std::size_t side_column = 68;  // where the raw expression stands beside its sentence

/// One schedule with what is around it while its lines are written.
struct Status {
  JsonView schedule;
  const Zone& zone;
  Session& session;
  std::string text{};

  void line(std::string_view label, std::string_view content) { text += fmt::format("  {:<9} {}\n", label, content); }
  [[nodiscard]] std::string time(Instant instant) const { return prose_time(instant, zone, session.now); }
};

/// What the sentence was made of, where that is short: `cron 0 9 * * 1-5`.
std::string raw_spec(const JsonView& spec) {
  const auto& crons = spec.items("cron");
  const auto& intervals = spec.items("intervals");
  if (crons.size() == 1 && intervals.empty()) return "cron " + JsonView{crons.front()}.text();
  if (intervals.size() == 1 && crons.empty()) return "every " + JsonView{intervals.front()}.text("every");
  return {};
}

void add_when(Status& status) {
  const std::string sentence = printable(when_text(status.schedule, status.session));
  const std::string raw = printable(raw_spec(status.schedule["spec"]));
  const std::size_t taken = column_count(sentence) + 12;
  status.line("When", raw.empty() ? sentence
                                  : sentence + std::string(taken + 3 > side_column ? 3 : side_column - taken, ' ') +
                                        status.session.paint(Colour::dim, raw));
}

/// `in 22h 37m 55s`: of one schedule people want to know exactly.
std::string exact_wait(Instant next, Instant now) {
  if (next <= now) return "now";
  const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(next - now).count();
  if (seconds >= seconds_per_day || seconds < 3600) return relative_text(next, now);
  return fmt::format("in {}h {:02}m {:02}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string why_no_next(const JsonView& schedule) {
  const std::string status = schedule.text("status");
  const std::string id = printable(schedule.text("id"));
  if (status == "paused") return fmt::format("paused → carillon resume {}", id);
  if (status == "disabled") return fmt::format("disabled → carillon enable {}", id);
  if (status == "dead") return fmt::format("dead after too many failures → carillon reset {}", id);
  return status == "done" ? fmt::format("done → carillon reset {}", id) : "never";
}

void add_next(Status& status) {
  const auto next = status.schedule.instant("nextDueAt");
  if (!next || status.schedule.text("status") != "active") return status.line("Next", why_no_next(status.schedule));
  const WallTime utc = wall_time(to_utc_second(*next));
  const bool is_utc = status.zone.offset_at(to_utc_second(*next)) == 0;
  status.line("Next", fmt::format("{}{} · {}", status.time(*next), is_utc ? "" : " · " + clock_text(utc) + "Z",
                                  exact_wait(*next, status.session.now)));
  std::vector<std::string> then;
  for (const auto& item : status.schedule.items("upcoming")) {
    const auto due = JsonView{item}.instant("due");
    if (due && *due > *next && then.size() < then_count) then.push_back(status.time(*due));
  }
  if (!then.empty()) status.line("Then", fmt::format("{}", fmt::join(then, " · ")));
}

void add_pause(Status& status) {
  const JsonView pause = status.schedule["pause"];
  if (!pause.is_there()) return;
  std::string text = fmt::format("by {}", pause.text("by"));
  if (const auto at = pause.instant("at")) text += " since " + status.time(*at);
  if (const auto until = pause.instant("until")) text += " until " + status.time(*until);
  if (const std::string reason = pause.text("reason"); !reason.empty()) text += fmt::format(": \"{}\"", reason);
  status.line("Paused", printable(text));
}

void add_last(Status& status) {
  const auto& runs = status.schedule.items("recentRuns");
  if (runs.empty()) return status.line("Last", "no run yet");
  const JsonView run{runs.front()};
  const Cell sign = state_sign(run.text("state"));
  std::string text = fmt::format("{} {}", status.session.paint(sign.colour, sign.text), printable(run.text("id")));
  if (const auto nominal = run.instant("nominal")) {
    const Instant second = std::chrono::floor<std::chrono::seconds>(*nominal);
    text += "  " + status.time(second);
  }
  if (const auto late = run.number("lateMs")) text += " · late " + length_text(late);
  if (const auto took = run.number("durationMs")) text += " · took " + length_text(took);
  if (!has_ended(run)) text += fmt::format(" · {}", run.text("state"));
  const JsonView wait = run["waitingFor"];
  if (const auto until = wait.instant("until"); until && *until > status.session.now)
    text += " · next try " + status.time(std::chrono::ceil<std::chrono::seconds>(*until));
  if (wait.text("what") == "worker")
    text += fmt::format(" · waits for a worker of queue {}", printable(wait.text("queue")));
  if (const auto tries = run.number("attempt"); tries && *tries > 1) text += fmt::format(" · try {}", *tries);
  if (const std::string error = run.text("error"); !error.empty()) text += " · " + printable(error);
  status.line("Last", text);
  if (const std::string hold = hold_text(run); !hold.empty())
    status.line("Held", status.session.paint(Colour::yellow, hold));
}

std::string catchup_text(const JsonView& catchup) {
  const std::string policy = catchup.text("policy");
  if (policy == "none") return "no catch-up";
  const std::string window = catchup.text("window");
  return fmt::format("catch up {}{}", policy == "all" ? "all" : "the latest",
                     window.empty() ? "" : fmt::format(" if ≤ {} late", window));
}

std::string tries_text(const JsonView& retry) {
  const std::int64_t tries = retry.number("maxAttempts").value_or(1);
  if (tries == 1) return "1 try";
  return fmt::format("{} tries, {} backoff from {}", tries, retry.text("backoff"), retry.text("initial"));
}

void add_policies(Status& status) {
  const JsonView policies = status.schedule["policies"];
  std::string text = fmt::format("overlap {} · {} · {}", policies.text("overlap"), catchup_text(policies["catchup"]),
                                 tries_text(policies["retry"]));
  if (const std::string timeout = policies.text("timeout"); !timeout.empty()) text += " · timeout " + timeout;
  status.line("Policies", printable(text));
}

/// The smallest value that so many percent do not exceed.
std::int64_t percentile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

void add_health(Status& status, const boost::json::array& runs) {
  const JsonView stats = status.schedule["stats"];
  std::string text = fmt::format("{} ok, {} failed of {}", stats.number("successfulRuns").value_or(0),
                                 stats.number("failedRuns").value_or(0), stats.number("totalRuns").value_or(0));
  std::vector<std::int64_t> lengths;  // oldest first
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (const auto took = JsonView{*run}.number("durationMs")) lengths.push_back(*took);
  }
  if (!lengths.empty()) {
    std::vector<std::int64_t> sorted = lengths;
    std::ranges::sort(sorted);
    const auto newest = lengths.end() - static_cast<std::ptrdiff_t>(std::min(lengths.size(), sparkline_count));
    text += fmt::format(" · p50 {} · p95 {}   {}", length_text(percentile(sorted, 50)),
                        length_text(percentile(sorted, 95)), sparkline({newest, lengths.end()}, status.session.paint));
  }
  status.line("Health", text);
}

void add_warnings(Status& status) {
  const auto warn = [&](const std::string& text) {
    status.text += fmt::format("  {}\n", status.session.paint(Colour::yellow, "⚠ " + printable(text)));
  };
  if (const auto notice = clock_notice(status.schedule, status.session)) warn(notice->text);
  for (const auto& item : status.schedule.items("warnings")) {
    const JsonView warning{item};
    warn(fmt::format("{} [{}]", warning.text("message"), warning.text("code")));
  }
}

std::string headline(const JsonView& schedule, Session& session) {
  const Cell sign = schedule_sign(schedule);
  const std::string id = schedule.text("id");
  const std::string name = schedule.text("name");
  const std::string status = schedule.text("status");
  return fmt::format("{}{}   {} {}\n", session.paint(Colour::bold, printable(id)),
                     name.empty() || name == id ? "" : "  " + printable(name), session.paint(sign.colour, sign.text),
                     status != "active"     ? status
                     : only_waits(schedule) ? "waiting"
                                            : schedule.text("activity"));
}

Result<ExitCode> status_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty()) return system_verb.perform(arguments, session);
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon status nightly"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const ApiAnswer answer = TRY(get_schedule(client, word));
  if (TRY(print_document(arguments, session, answer.body))) return ExitCode::ok;
  const JsonView schedule{answer.body};
  const auto runs = TRY(client.list(fmt::format("/schedules/{}/runs", path_part(schedule.text("id"))),
                                    namespace_of(schedule), measured_count));
  const ZonePtr own_zone = zone_of(schedule, session);
  Status status{.schedule = schedule, .zone = display.of(own_zone), .session = session};
  status.text = headline(schedule, session);
  if (const std::string about = schedule.text("description"); !about.empty()) status.line("About", printable(about));
  add_when(status);
  add_pause(status);
  add_next(status);
  add_last(status);
  add_policies(status);
  add_health(status, runs.items);
  add_warnings(status);
  session.print(status.text);
  return ExitCode::ok;
}

}  // namespace

const Verb status_verb{
    .name = "status",
    .targets = "[SCHEDULE]",
    .summary =
        "Shows one schedule: when next, how the last run went, its policies and health. Without a name: the server.",
    .examples = {"carillon status nightly", "carillon status nightly --tz schedule", "carillon status nightly -o json"},
    .group = VerbGroup::schedules,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = status_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
