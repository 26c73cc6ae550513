#pragma once

#include "base/instant.hpp"
#include "client/types/run_types.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::client {

struct Interval {
  std::string every{};  // a duration: `15m`

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("every", self.every);
  }
};

/// When a schedule is due. `document` is the whole spec, for who reads it with the calendar.
struct Spec {
  std::vector<std::string> cron{};
  std::vector<Interval> intervals{};
  std::string timezone{};
  boost::json::value document{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("cron", self.cron);
    visitor.optional("intervals", self.intervals);
    visitor.optional("timezone", self.timezone);
  }
};

/// What happens to occurrences that are late.
struct Catchup {
  std::string policy{};  // latest, all, none
  std::string window{};  // empty: however late

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("policy", self.policy);
    visitor.optional("window", self.window);
  }
};

struct Retry {
  std::int64_t max_attempts = 1;
  std::string backoff{};  // fixed, linear, exponential
  std::string initial{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("maxAttempts", self.max_attempts);
    visitor.optional("backoff", self.backoff);
    visitor.optional("initial", self.initial);
  }
};

struct Policies {
  std::string overlap{};
  Catchup catchup{};
  Retry retry{};
  std::string timeout{};  // empty: none
  std::string grace{};    // how long what is stopped may go on

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("overlap", self.overlap);
    visitor.optional("catchup", self.catchup);
    visitor.optional("retry", self.retry);
    visitor.optional("timeout", self.timeout);
    visitor.optional("grace", self.grace);
  }
};

/// Why a schedule is paused.
struct Pause {
  std::string reason{};
  std::optional<Instant> until{};
  std::string by{};
  std::optional<Instant> at{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("reason", self.reason);
    visitor.optional("until", self.until);
    visitor.optional("by", self.by);
    visitor.optional("at", self.at);
  }
};

struct ScheduleStats {
  std::int64_t total_runs = 0;
  std::int64_t successful_runs = 0;
  std::int64_t failed_runs = 0;
  std::optional<Instant> last_failure{};  // end of the newest, if it is among the recent runs

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("totalRuns", self.total_runs);
    visitor.optional("successfulRuns", self.successful_runs);
    visitor.optional("failedRuns", self.failed_runs);
    visitor.optional("lastFailure", self.last_failure);
  }
};

/// An instant that a schedule will, or would, start for.
struct PlannedStart {
  Instant nominal{};
  Instant due{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("nominal", self.nominal);
    visitor.required("due", self.due);
  }
};

/// A finding about a spec: legal, but perhaps not meant.
struct Warning {
  std::string code{};
  std::string message{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("code", self.code);
    visitor.required("message", self.message);
  }
};

/// A run as a list of schedules has it, if it was asked for with `recent`.
struct RecentRun {
  std::string id{};
  std::string name{};
  std::string state{};
  std::string source{};
  std::optional<Instant> started_at{};
  std::optional<Instant> ended_at{};
  std::optional<std::int64_t> duration_ms{};
  std::optional<RunWait> waiting_for{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.optional("name", self.name);
    visitor.required("state", self.state);
    visitor.optional("source", self.source);
    visitor.optional("startedAt", self.started_at);
    visitor.optional("endedAt", self.ended_at);
    visitor.optional("durationMs", self.duration_ms);
    visitor.optional("waitingFor", self.waiting_for);
  }
};

/// A schedule as the server answers it. `recent` is filled in lists, `recent_runs` and `upcoming` where one schedule is
/// asked for; elsewhere they are empty.
struct Schedule {
  std::string id{};
  std::string name_space{};
  std::string name{};
  std::string description{};
  bool is_enabled = true;
  Spec spec{};
  Policies policies{};
  std::string status{};    // active, paused, disabled, done, dead
  std::string activity{};  // idle, running, error
  std::optional<Pause> pause{};
  std::optional<Instant> next_due_at{};
  std::optional<Instant> last_success_at{};        // if it is among the recent runs
  std::optional<std::int64_t> remaining_starts{};  // none: they are not limited
  std::string notes{};
  std::int64_t running = 0;
  ScheduleStats stats{};
  Instant created_at{};
  std::vector<Warning> warnings{};
  std::vector<RecentRun> recent{};       // newest first
  std::vector<Run> recent_runs{};        // newest first
  std::vector<PlannedStart> upcoming{};  // ascending

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.required("namespace", self.name_space);
    visitor.required("name", self.name);
    visitor.required("description", self.description);
    visitor.required("enabled", self.is_enabled);
    visitor.required("spec", self.spec);
    visitor.required("policies", self.policies);
    visitor.required("status", self.status);
    visitor.required("activity", self.activity);
    visitor.optional("pause", self.pause);
    visitor.optional("nextDueAt", self.next_due_at);
    visitor.optional("lastSuccessAt", self.last_success_at);
    visitor.optional("remainingStarts", self.remaining_starts);
    visitor.optional("notes", self.notes);
    visitor.required("running", self.running);
    visitor.required("stats", self.stats);
    visitor.required("createdAt", self.created_at);
    visitor.required("warnings", self.warnings);
    visitor.optional("recent", self.recent);
    visitor.optional("recentRuns", self.recent_runs);
    visitor.optional("upcoming", self.upcoming);
  }
};

}  // namespace carillon::client
