#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon::client {

/// A backfill and how far it is.
struct Backfill {
  std::string id{};
  std::string schedule{};
  std::string name_space{};
  Instant from{};
  Instant to{};
  std::string order{};
  std::string reprocess{};
  std::int64_t concurrency = 1;
  bool is_exclusive = false;
  std::optional<std::string> overlap{};  // through the schedule's slot; none: a lane of its own
  std::string state{};                   // running, paused, completed, cancelled
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t started = 0;

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("id", self.id);
    visitor.required("schedule", self.schedule);
    visitor.required("namespace", self.name_space);
    visitor.required("from", self.from);
    visitor.required("to", self.to);
    visitor.required("order", self.order);
    visitor.required("reprocess", self.reprocess);
    visitor.required("concurrency", self.concurrency);
    visitor.required("exclusive", self.is_exclusive);
    visitor.optional("overlap", self.overlap);
    visitor.required("state", self.state);
    visitor.required("done", self.done);
    visitor.required("total", self.total);
    visitor.required("started", self.started);
  }
};

/// What a backfill would do.
struct BackfillPreview {
  std::int64_t total = 0;
  std::int64_t count = 0;  // of those, what would be started
  std::optional<Instant> first{};
  std::optional<Instant> last{};
  std::int64_t conflicts = 0;  // have a run already
  std::int64_t failed = 0;     // of those, whose newest run did not succeed

  template <typename Self, typename Visitor>
  static void visit_members(Self& self, Visitor& visitor) {
    visitor.required("total", self.total);
    visitor.required("count", self.count);
    visitor.optional("first", self.first);
    visitor.optional("last", self.last);
    visitor.required("conflicts", self.conflicts);
    visitor.required("failed", self.failed);
  }
};

}  // namespace carillon::client
