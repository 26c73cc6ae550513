#include "cli/command_line/flag_sets.hpp"
#include "cli/command_line/verbs.hpp"
#include "cli/connection/server_connection.hpp"
#include "cli/display/clock_notice.hpp"
#include "cli/display/document_output.hpp"
#include "cli/display/run_display.hpp"
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
  const client::Schedule& schedule;
  const Zone& zone;
  Session& session;
  std::string text{};

  void line(std::string_view label, std::string_view content) { text += fmt::format("  {:<9} {}\n", label, content); }
  [[nodiscard]] std::string time(Instant instant) const { return prose_time(instant, zone, session.now); }
};

/// What the sentence was made of, where that is short: `cron 0 9 * * 1-5`.
std::string raw_spec(const client::Spec& spec) {
  if (spec.cron.size() == 1 && spec.intervals.empty()) return "cron " + spec.cron.front();
  if (spec.intervals.size() == 1 && spec.cron.empty()) return "every " + spec.intervals.front().every;
  return {};
}

void add_when(Status& status) {
  const std::string sentence = printable(when_text(status.schedule, status.session));
  const std::string raw = printable(raw_spec(status.schedule.spec));
  const std::size_t taken = column_count(sentence) + 12;
  status.line("When", raw.empty() ? sentence
                                  : sentence + std::string(taken + 3 > side_column ? 3 : side_column - taken, ' ') +
                                        status.session.paint(Colour::dim, raw));
}

/// `in 22h37m55s`: of one schedule people want to know exactly.
std::string exact_wait(Instant next, Instant now) {
  if (next <= now) return "now";
  const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(next - now).count();
  if (seconds >= seconds_per_day || seconds < 3600) return relative_text(next, now);
  return fmt::format("in {}h{:02}m{:02}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string why_no_next(const client::Schedule& schedule) {
  const std::string& status = schedule.status;
  const std::string id = printable(schedule.id);
  if (status == "paused") return fmt::format("paused → carillon resume {}", id);
  if (status == "disabled") return fmt::format("disabled → carillon enable {}", id);
  if (status == "dead") return fmt::format("dead after too many failures → carillon reset {}", id);
  return status == "done" ? fmt::format("done → carillon reset {}", id) : "never";
}

void add_next(Status& status) {
  const auto next = status.schedule.next_due_at;
  if (!next || status.schedule.status != "active") return status.line("Next", why_no_next(status.schedule));
  const WallTime utc = wall_time(to_utc_second(*next));
  const bool is_utc = status.zone.offset_at(to_utc_second(*next)) == 0;
  status.line("Next", fmt::format("{}{} · {}", status.time(*next), is_utc ? "" : " · " + clock_text(utc) + "Z",
                                  exact_wait(*next, status.session.now)));
  std::vector<std::string> then;
  for (const client::PlannedStart& start : status.schedule.upcoming) {
    if (start.due > *next && then.size() < then_count) then.push_back(status.time(start.due));
  }
  if (!then.empty()) status.line("Then", fmt::format("{}", fmt::join(then, " · ")));
}

void add_pause(Status& status) {
  const auto& pause = status.schedule.pause;
  if (!pause) return;
  std::string text = fmt::format("by {}", pause->by);
  if (pause->at) text += " since " + status.time(*pause->at);
  if (pause->until) text += " until " + status.time(*pause->until);
  if (!pause->reason.empty()) text += fmt::format(": \"{}\"", pause->reason);
  status.line("Paused", printable(text));
}

void add_last(Status& status) {
  if (status.schedule.recent_runs.empty()) return status.line("Last", "no run yet");
  const client::Run& run = status.schedule.recent_runs.front();
  const Cell sign = state_sign(run.state);
  std::string text = fmt::format("{} {}", status.session.paint(sign.colour, sign.text), printable(run.id));
  if (run.nominal) text += "  " + status.time(std::chrono::floor<std::chrono::seconds>(*run.nominal));
  if (run.late_ms) text += " · late " + length_text(run.late_ms);
  if (run.duration_ms) text += " · took " + length_text(run.duration_ms);
  if (!has_ended(run)) text += fmt::format(" · {}", run.state);
  const std::string wait = wait_text(run, status.zone);
  if (run.attempt > 1 && run.state != "retrying") text += fmt::format(" · attempt {}", run.attempt);
  if (wait.empty() && !run.error.empty() && run.state != "succeeded") text += " · " + printable(run.error);
  status.line("Last", text);
  if (!wait.empty()) status.line("Waits", status.session.paint(Colour::yellow, wait));
}

std::string catchup_text(const client::Catchup& catchup) {
  if (catchup.policy == "none") return "no catch-up";
  return fmt::format("catch up {}{}", catchup.policy == "all" ? "all" : "the latest",
                     catchup.window.empty() ? "" : fmt::format(" if ≤ {} late", catchup.window));
}

std::string tries_text(const client::Retry& retry) {
  if (retry.max_attempts == 1) return "1 attempt";
  return fmt::format("{} attempts, {} backoff from {}", retry.max_attempts, retry.backoff, retry.initial);
}

void add_policies(Status& status) {
  const client::Policies& policies = status.schedule.policies;
  std::string text =
      fmt::format("overlap {} · {} · {}", policies.overlap, catchup_text(policies.catchup), tries_text(policies.retry));
  if (!policies.timeout.empty()) text += " · timeout " + policies.timeout;
  if (const auto left = status.schedule.remaining_starts) text += fmt::format(" · {} starts left", *left);
  status.line("Policies", printable(text));
  const auto& pause = status.schedule.pause;
  const bool is_told = pause && pause->reason == status.schedule.notes;
  if (!status.schedule.notes.empty() && !is_told) status.line("Notes", printable(status.schedule.notes));
}

/// The smallest value that so many percent do not exceed.
std::int64_t percentile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

void add_health(Status& status, const std::vector<client::Run>& runs) {
  const client::ScheduleStats& stats = status.schedule.stats;
  std::string text = fmt::format("{} ok, {} failed of {}", stats.successful_runs, stats.failed_runs, stats.total_runs);
  std::vector<std::int64_t> lengths;  // oldest first
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->duration_ms) lengths.push_back(*run->duration_ms);
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
  for (const client::Warning& warning : status.schedule.warnings)
    warn(fmt::format("{} [{}]", warning.message, warning.code));
}

std::string headline(const client::Schedule& schedule, Session& session) {
  const Cell sign = schedule_sign(schedule);
  const bool has_name = !schedule.name.empty() && schedule.name != schedule.id;
  return fmt::format("{}{}   {} {}\n", session.paint(Colour::bold, printable(schedule.id)),
                     has_name ? "  " + printable(schedule.name) : "", session.paint(sign.colour, sign.text),
                     schedule.status != "active" ? schedule.status
                     : only_waits(schedule)      ? "waiting"
                                                 : schedule.activity);
}

Result<ExitCode> status_command(const Arguments& arguments, Session& session) {
  if (arguments.targets.empty()) return system_verb.perform(arguments, session);
  const std::string word = TRY(one_target(arguments, "a schedule", "carillon status nightly"));
  const DisplayZone display = TRY(display_zone(arguments, session));
  Client client = TRY(connect(arguments, session));
  const auto answer = TRY(find_schedule(client, word));
  if (TRY(print_document(arguments, session, answer.document))) return ExitCode::ok;
  const client::Schedule& schedule = answer.value;
  const auto runs = TRY(client.list_runs_of(schedule.id, schedule.name_space, {}, measured_count));
  const ZonePtr own_zone = zone_of(schedule, session);
  Status status{.schedule = schedule, .zone = display.of(own_zone), .session = session};
  status.text = headline(schedule, session);
  if (!schedule.description.empty()) status.line("About", printable(schedule.description));
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
    .summary = "Shows one schedule: its next start, last run, policies and health. Without a name: the server.",
    .examples = {"carillon status nightly", "carillon status nightly --tz schedule", "carillon status nightly -o json"},
    .group = VerbGroup::schedules,
    .flags = [] { return joined({output_flags(document_formats), display_flags(), server_flags()}); },
    .perform = status_command,
    .completes = Completes::schedules,
};

}  // namespace carillon::cli
