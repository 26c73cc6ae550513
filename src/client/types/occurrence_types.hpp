#pragma once

#include "base/instant.hpp"
#include "client/types/schedule_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::client {

/// What became of an occurrence, or will. Many that were skipped in a row are one, with `from`, `to` and `count`.
struct Occurrence {
  Instant nominal{};
  std::optional<Instant> due{};
  std::string outcome{};  // planned, waiting, started, skipped
  std::string reason{};
  std::optional<Instant> decided_at{};
  std::string run{};    // id; empty: none
  std::string state{};  // of its run
  std::optional<Instant> from{};
  std::optional<Instant> to{};
  std::optional<std::int64_t> count{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("nominal", self.nominal);
    visitor.optional("due", self.due);
    visitor.required("outcome", self.outcome);
    visitor.optional("reason", self.reason);
    visitor.optional("decidedAt", self.decided_at);
    visitor.optional("run", self.run);
    visitor.optional("state", self.state);
    visitor.optional("from", self.from);
    visitor.optional("to", self.to);
    visitor.optional("count", self.count);
  }
};

/// A stretch in which no server decided.
struct Outage {
  Instant from{};
  Instant to{};
  std::string cause{};  // down, halted, clock, store

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("from", self.from);
    visitor.required("to", self.to);
    visitor.required("cause", self.cause);
  }
};

/// What a user did to a schedule.
struct ScheduleChange {
  Instant at{};
  std::string kind{};  // created, updated, paused, …
  std::int64_t revision = 0;
  std::string by{};      // may be empty
  std::string reason{};  // of a pause; may be empty
  std::optional<Instant> until{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("at", self.at);
    visitor.required("kind", self.kind);
    visitor.required("revision", self.revision);
    visitor.optional("by", self.by);
    visitor.optional("reason", self.reason);
    visitor.optional("until", self.until);
  }
};

struct Occurrences {
  std::vector<Occurrence> items{};        // ascending
  std::vector<Outage> outages{};          // ascending
  std::vector<ScheduleChange> changes{};  // newest last; none from a server of an older release

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("items", self.items);
    visitor.required("outages", self.outages);
    visitor.optional("changes", self.changes);
  }
};

/// Why an instant was, or will be, decided as it was.
struct Why {
  std::string sentence{};
  std::optional<Occurrence> occurrence{};  // none: nothing was decided about that time, nor will be
  bool is_occurrence = false;              // of the definition in force
  std::vector<ScheduleChange> changes{};   // newest last
  std::optional<PlannedStart> before{};    // the nearest ones, if there is none at that time
  std::optional<PlannedStart> after{};
  std::vector<Outage> outages{};

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("why", self.sentence);
    visitor.optional("occurrence", self.occurrence);
    visitor.optional("isOccurrence", self.is_occurrence);
    visitor.required("changes", self.changes);
    visitor.optional("before", self.before);
    visitor.optional("after", self.after);
    visitor.required("outages", self.outages);
  }
};

/// One of the next starts of all schedules.
struct UpcomingStart {
  std::string schedule{};
  std::string name_space{};
  Instant due{};
  std::string local{};  // on a clock of its zone

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("schedule", self.schedule);
    visitor.required("namespace", self.name_space);
    visitor.required("due", self.due);
    visitor.required("local", self.local);
  }
};

struct LoadBucket {
  Instant from{};
  std::int64_t count = 0;

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("from", self.from);
    visitor.required("count", self.count);
  }
};

/// Planned starts by stretches of time.
struct Load {
  std::vector<LoadBucket> items{};  // ascending
  std::int64_t schedules = 0;
  bool is_partial = false;

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("items", self.items);
    visitor.required("schedules", self.schedules);
    visitor.required("partial", self.is_partial);
  }
};

}  // namespace carillon::client
