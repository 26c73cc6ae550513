#include "main/metrics.hpp"

#include "engine/schedule_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 6> outcome_words{"succeeded", "failed", "timed_out",
                                                        "cancelled", "lost",   "released"};

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
double seconds(Instant instant) { return seconds(instant.time_since_epoch()); }

/// Labels may hold anything but these as they are.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename Number>
void one(std::string& out, std::string_view name, std::string_view type, std::string_view help, Number value) {
  head(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

std::string label_of(const ScheduleRecord& record) {
  const std::string& name_space = record.key.name_space.text();
  return name_space == "default" ? record.key.id.text() : name_space + "/" + record.key.id.text();
}

void append_runs(std::string& out, const std::vector<ScheduleRecord>& schedules) {
  head(out, "scheduler_runs_total", "counter", "Runs that have ended, by schedule and result.");
  for (const ScheduleRecord& record : schedules) {
    const Counts counts = counted(record.view);
    const std::string label = escaped(label_of(record));
    out += fmt::format("scheduler_runs_total{{schedule_id=\"{}\",status=\"success\"}} {}\n", label, counts.successes);
    out += fmt::format("scheduler_runs_total{{schedule_id=\"{}\",status=\"failure\"}} {}\n", label, counts.errors);
  }
  head(out, "carillon_skipped_total", "counter", "Occurrences that did not start, by schedule and reason.");
  for (const ScheduleRecord& record : schedules) {
    const Counts counts = counted(record.view);
    for (std::size_t i = 0; i < counts.skipped.size(); ++i)
      if (counts.skipped[i] != 0)
        out += fmt::format("carillon_skipped_total{{schedule=\"{}\",reason=\"{}\"}} {}\n", escaped(label_of(record)),
                           to_text(static_cast<SkipReason>(i)), counts.skipped[i]);
  }
}

void append_times(std::string& out, const std::vector<ScheduleRecord>& schedules) {
  head(out, "scheduler_last_run_timestamp", "gauge", "Newest occurrence that started or waits, seconds since 1970.");
  for (const ScheduleRecord& record : schedules)
    if (record.view.state.started_until > Instant{})
      out += fmt::format("scheduler_last_run_timestamp{{schedule_id=\"{}\"}} {}\n", escaped(label_of(record)),
                         seconds(record.view.state.started_until));
  head(out, "scheduler_next_run_timestamp", "gauge", "When the schedule is checked next, seconds since 1970.");
  for (const ScheduleRecord& record : schedules)
    if (record.view.state.wake)
      out += fmt::format("scheduler_next_run_timestamp{{schedule_id=\"{}\"}} {}\n", escaped(label_of(record)),
                         seconds(*record.view.state.wake));
  head(out, "carillon_schedule_paused", "gauge", "1 while a schedule is paused.");
  for (const ScheduleRecord& record : schedules)
    out += fmt::format("carillon_schedule_paused{{schedule=\"{}\"}} {}\n", escaped(label_of(record)),
                       record.view.state.status == ScheduleStatus::paused ? 1 : 0);
}

void append_queues(std::string& out, const std::vector<QueueRecord>& queues, Instant now) {
  head(out, "carillon_queue_depth", "gauge", "Runs waiting in a queue.");
  for (const QueueRecord& queue : queues)
    out += fmt::format("carillon_queue_depth{{queue=\"{}\"}} {}\n", escaped(queue.name), queue.depth);
  head(out, "carillon_queue_oldest_age_seconds", "gauge", "How long the oldest run in a queue has been waiting.");
  for (const QueueRecord& queue : queues)
    out += fmt::format("carillon_queue_oldest_age_seconds{{queue=\"{}\"}} {}\n", escaped(queue.name),
                       queue.oldest ? std::max(0.0, seconds(now - *queue.oldest)) : 0.0);
  head(out, "carillon_queue_running", "gauge", "Runs of a queue that workers perform.");
  for (const QueueRecord& queue : queues)
    out += fmt::format("carillon_queue_running{{queue=\"{}\"}} {}\n", escaped(queue.name), queue.running);
  head(out, "carillon_queue_limit", "gauge", "How many runs of a queue may be performed at a time, if it has a limit.");
  for (const QueueRecord& queue : queues)
    if (queue.limit) out += fmt::format("carillon_queue_limit{{queue=\"{}\"}} {}\n", escaped(queue.name), *queue.limit);
  head(out, "carillon_dead_letters", "gauge", "Runs that were given up and wait for a person, by queue.");
  for (const QueueRecord& queue : queues)
    out += fmt::format("carillon_dead_letters{{queue=\"{}\"}} {}\n", escaped(queue.name), queue.dead);
}

void append_loops(std::string& out, const std::vector<LoopMonitor::State>& loops) {
  head(out, "carillon_loop_silence_seconds", "gauge", "Seconds since each loop of the server last reported.");
  for (const LoopMonitor::State& loop : loops)
    out += fmt::format("carillon_loop_silence_seconds{{loop=\"{}\"}} {}\n", escaped(loop.name), seconds(loop.silence));
  head(out, "carillon_loop_stalled", "gauge", "1 while a loop is stuck, which makes /livez fail.");
  for (const LoopMonitor::State& loop : loops)
    out += fmt::format("carillon_loop_stalled{{loop=\"{}\"}} {}\n", escaped(loop.name), loop.is_stalled ? 1 : 0);
}

}  // namespace

void Histogram::add(Duration duration) {
  const auto bucket = std::ranges::lower_bound(bounds, seconds(duration)) - bounds.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  sum_ += duration.count();
}

void Histogram::append(std::string& out, std::string_view name, std::string_view help) const {
  head(out, name, "histogram", help);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    total += counts_[i];
    out += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, bounds[i], total);
  }
  total += counts_.back();
  out += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name, total, name,
                     seconds(Duration{sum_}), name, total);
}

void Metrics::attempt_began(const AttemptNews& news) {
  ++in_progress_;
  if (news.envelope.attempt != 1) return;
  const Instant now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  lateness_.add(std::max(now - news.envelope.due, Duration{0}));
}

void Metrics::attempt_ended(const AttemptNews& news) {
  --in_progress_;
  if (news.end) ++attempts_[static_cast<std::size_t>(news.end->outcome)];
  duration_.add(duration_of(news));
}

std::string Metrics::text(QueryStore& query_store, const MetricsFacts& facts, Instant now) const {
  std::string out;
  head(out, "carillon_build_info", "gauge", "Version of the program and of the time zone rules.");
  out += fmt::format("carillon_build_info{{version=\"{}\",tzdata=\"{}\"}} 1\n", escaped(facts.version),
                     escaped(facts.tzdata));
  one(out, "carillon_timer_tick_age_seconds", "gauge", "Seconds since the loop last checked what is due.",
      seconds(facts.time_since_tick));
  one(out, "carillon_store_ready", "gauge", "1 while the store works for writes, decisions and claims, otherwise 0.",
      facts.store_failure ? 0 : 1);
  append_loops(out, facts.loops);
  head(out, "carillon_run_attempts_total", "counter", "Attempts that ended on this server, by outcome.");
  for (std::size_t i = 0; i < attempts_.size(); ++i)
    out += fmt::format("carillon_run_attempts_total{{result=\"{}\"}} {}\n", outcome_words[i], attempts_[i].load());
  one(out, "carillon_runs_in_progress", "gauge", "Attempts running on this server.", in_progress_.load());
  lateness_.append(out, "carillon_start_lateness_seconds", "Time from due to the first launch.");
  duration_.append(out, "scheduler_run_duration_seconds", "How long attempts took.");
  // Nobody waits for a lock here; the name is kept for boards that ask for it.
  one(out, "scheduler_lock_failures_total", "counter", "Always 0: there are no lock failures.", 0);
  one(out, "carillon_http_requests_total", "counter", "Requests that reached the API.", facts.http_requests);
  one(out, "carillon_http_refusals_total", "counter", "Requests refused before they reached the API.",
      facts.http_refusals);
  one(out, "carillon_http_connections", "gauge", "Connections.", facts.http_connections);
  one(out, "carillon_event_streams", "gauge", "Open streams of events and logs.", facts.event_streams);
  one(out, "carillon_event_streams_dropped_total", "counter", "Streams cut off because their clients read too slowly.",
      facts.dropped_streams);
  one(out, "scheduler_lock_failures_total", "counter", "Locks that were asked for and held by somebody else.",
      facts.lock_failures);
  if (const auto totals = query_store.read_totals()) {
    one(out, "carillon_schedules", "gauge", "Number of schedules.", totals->schedules);
    one(out, "carillon_runs_ready", "gauge", "Runs waiting for a worker.", totals->ready);
    one(out, "carillon_runs_running", "gauge", "Runs being performed by a worker.", totals->running);
  }
  if (const auto queues = query_store.read_queues()) append_queues(out, *queues, now);
  if (schedule_count_max_ == 0) return out;
  const ScheduleListRequest request{.filter = {}, .after = {}, .count_max = schedule_count_max_};
  if (const auto schedules = query_store.list_schedules(request)) {
    append_runs(out, schedules->items);
    append_times(out, schedules->items);
  }
  return out;
}

}  // namespace carillon
