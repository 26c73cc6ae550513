#pragma once

#include "calendar/spec.hpp"
#include "definitions/schedule_document.hpp"
#include "options.hpp"
#include "ports/schedule_store.hpp"
#include "ports/zone_source.hpp"

#include <functional>
#include <string>

namespace carillon::bench {

/// Schedules to be made, all at once.
struct FleetPlan {
  std::size_t count = 0;
  Order order = Order::neighbours;
  Instant created_at;
  std::string prefix{"s"};
  std::function<Spec(std::size_t)> spec;
  OverlapPolicy overlap = OverlapPolicy::skip;
};

[[nodiscard]] ScheduleDocument document_of(const std::string& id, Spec spec);

/// Once a day, from that second on.
[[nodiscard]] Spec daily_from(Instant second);

/// Writes them in large batches: decided by the engine as any creation, without the way through a user's command.
void make_fleet(ScheduleStore& store, ZoneSource& zones, const FleetPlan& plan);

/// An empty place for a database, or the one that is there.
[[nodiscard]] std::filesystem::path database_file(const Options& options, const std::string& name);

}  // namespace carillon::bench
