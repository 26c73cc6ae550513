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

/// What a pipeline has asked of its providers.
struct RunUsage {
  std::int64_t calls = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  boost::json::value cost{};  // a number; null: there are no prices
  std::optional<std::int64_t> possibly_paid_twice{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("calls", self.calls);
    visitor.required("inputTokens", self.input_tokens);
    visitor.required("outputTokens", self.output_tokens);
    visitor.optional("cost", self.cost);
    visitor.optional("possiblyPaidTwice", self.possibly_paid_twice);
  }
};

/// How far an attempt under way is.
struct RunProgress {
  std::string phase{};
  std::optional<std::int64_t> remaining_ms{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("phase", self.phase);
    visitor.optional("remainingMs", self.remaining_ms);
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
  std::optional<std::int64_t> items_processed{};  // none: it goes through no items, or has told of none
  std::optional<std::int64_t> items_failed{};
  std::optional<std::int64_t> items_total{};
  std::string result_file{};
  std::optional<RunUsage> usage{};
  std::optional<RunProgress> progress{};
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
    visitor.optional("itemsProcessed", self.items_processed);
    visitor.optional("itemsFailed", self.items_failed);
    visitor.optional("itemsTotal", self.items_total);
    visitor.optional("resultFile", self.result_file);
    visitor.optional("usage", self.usage);
    visitor.optional("progress", self.progress);
    visitor.optional("why", self.why);
    visitor.optional("waitingFor", self.waiting_for);
  }
};

/// What the question about one item has used.
struct ItemUsage {
  std::optional<std::int64_t> input_tokens{};
  std::optional<std::int64_t> output_tokens{};
  boost::json::value cost{};  // a number; null: there are no prices

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.optional("inputTokens", self.input_tokens);
    visitor.optional("outputTokens", self.output_tokens);
    visitor.optional("cost", self.cost);
  }
};

/// What became of one item of a run.
struct Item {
  std::int64_t index = 0;  // from 0
  std::string state{};     // succeeded, failed
  boost::json::value input{};
  boost::json::value output{};
  std::string raw_text{};  // where no fields were asked for
  std::string error{};
  std::optional<ItemUsage> usage{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("index", self.index);
    visitor.required("state", self.state);
    visitor.required("input", self.input);
    visitor.required("output", self.output);
    visitor.optional("rawText", self.raw_text);
    visitor.optional("error", self.error);
    visitor.optional("usage", self.usage);
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
