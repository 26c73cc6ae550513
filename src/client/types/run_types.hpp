#pragma once

#include "base/instant.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::client {

/// What a run that is not at work waits for.
struct RunWait {
  std::string what{};   // slot, worker, no_worker, paused_queue, retry
  std::string queue{};  // may be empty
  std::optional<Instant> until{};
  std::string paused_by{};  // may be empty

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("what", self.what);
    visitor.optional("queue", self.queue);
    visitor.optional("until", self.until);
    visitor.optional("pausedBy", self.paused_by);
  }
};

/// What a command used of the machine.
struct ResourceUse {
  std::int64_t user_ms = 0;
  std::int64_t system_ms = 0;
  std::int64_t memory_max = 0;  // bytes

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("userMs", self.user_ms);
    visitor.required("systemMs", self.system_ms);
    visitor.required("maxRssBytes", self.memory_max);
  }
};

/// One attempt of a run.
struct Attempt {
  std::int64_t number = 0;  // from 1
  std::string worker{};
  std::optional<Instant> claimed_at{};
  std::optional<Instant> launched_at{};
  std::optional<Instant> ended_at{};
  std::string state{};
  std::optional<std::int64_t> exit_code{};
  std::optional<std::int64_t> signal{};
  std::string error{};
  std::optional<ResourceUse> use{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("attempt", self.number);
    visitor.optional("worker", self.worker);
    visitor.optional("claimedAt", self.claimed_at);
    visitor.optional("launchedAt", self.launched_at);
    visitor.optional("endedAt", self.ended_at);
    visitor.required("state", self.state);
    visitor.optional("exitCode", self.exit_code);
    visitor.optional("signal", self.signal);
    visitor.optional("error", self.error);
    visitor.optional("rusage", self.use);
  }
};

/// A run, or in its place an occurrence that was skipped: its state is then `skipped`, and what only a run has is
/// empty.
struct Run {
  std::string id{};
  std::string name{};
  std::string schedule{};  // empty: a job without one
  std::string name_space{};
  std::optional<Instant> nominal{};
  std::optional<Instant> due{};
  std::string source{};
  std::optional<std::int64_t> revision{};
  std::string state{};
  std::string reason{};
  std::int64_t attempt = 0;  // number of the newest; 0 before the first
  std::vector<Attempt> attempts{};
  std::optional<Instant> queued_at{};
  std::optional<Instant> started_at{};
  std::optional<Instant> ended_at{};
  std::optional<std::int64_t> late_ms{};
  std::optional<std::int64_t> duration_ms{};
  boost::json::value result{};  // null: none
  std::string error{};
  std::string why{};
  std::optional<RunWait> waiting_for{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.required("name", self.name);
    visitor.optional("schedule", self.schedule);
    visitor.optional("namespace", self.name_space);
    visitor.optional("nominal", self.nominal);
    visitor.optional("due", self.due);
    visitor.optional("source", self.source);
    visitor.optional("revision", self.revision);
    visitor.required("state", self.state);
    visitor.optional("reason", self.reason);
    visitor.optional("attempt", self.attempt);
    visitor.optional("attempts", self.attempts);
    visitor.optional("queuedAt", self.queued_at);
    visitor.optional("startedAt", self.started_at);
    visitor.optional("endedAt", self.ended_at);
    visitor.optional("lateMs", self.late_ms);
    visitor.optional("durationMs", self.duration_ms);
    visitor.optional("result", self.result);
    visitor.optional("error", self.error);
    visitor.optional("why", self.why);
    visitor.optional("waitingFor", self.waiting_for);
  }
};

/// Whether nothing more will happen to it.
[[nodiscard]] inline bool has_ended(const Run& run) {
  return run.state != "waiting" && run.state != "queued" && run.state != "running" && run.state != "retrying";
}

/// What was decided about a trigger or a retry.
struct Decision {
  std::string outcome{};  // waiting, started, skipped
  std::string reason{};   // why it was skipped

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("outcome", self.outcome);
    visitor.optional("reason", self.reason);
  }
};

/// `run` is empty if nothing was started and nothing stands in its place.
struct TriggerAnswer {
  Decision decision{};
  Run run{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("decision", self.decision);
    visitor.optional("run", self.run);
  }
};

/// How many runs a cancellation reached.
struct Cancelled {
  std::int64_t count = 0;

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("cancelled", self.count);
  }
};

}  // namespace carillon::client
