#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "calendar/timetable.hpp"
#include "calendar/zone.hpp"
#include "definitions/action.hpp"
#include "definitions/policies.hpp"
#include "definitions/schedule_document.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// The name of a queue of jobs in the store: namespaces other than `default` are part of it.
[[nodiscard]] std::string queue_name(const NamespaceId& name_space, std::string_view queue);

/// A schedule document compiled for deciding. Immutable and shared: it depends only on the document, the revision, the
/// time of creation and the zone's rules.
struct Definition {
  ScheduleKey key;
  std::int64_t revision = 0;
  bool is_enabled = true;
  bool has_occurrences = true;                   // false for an empty spec: started by hand only
  bool has_wall_rules = true;                    // crons or calendars: what they mean depends on the zone
  ZoneEdition zone_edition = ZoneEdition::none;  // none if zone rules do not matter to it
  Timetable timetable;
  std::string seed;  // of jitter
  Policies policies;
  RunRules rules;
  std::string queue;  // the lane (engine/lane.hpp) of `@command`, `@http`, `@pipeline`, or of the queue of its jobs
  std::int64_t priority = 0;
  std::string name;
  Action action;

  [[nodiscard]] Instant due(Instant nominal) const { return nominal + timetable.jitter(nominal, seed); }
  /// The newest occurrence that is due at `now`. Due times ascend with nominal ones.
  [[nodiscard]] std::optional<Instant> newest_due(Instant now) const;
};

/// Compiles a document. `edition` is the one that `zone` comes from. An error invalid_argument if a rule cannot be
/// read.
[[nodiscard]] Result<Definition> compile(const ScheduleDocument& document, std::int64_t revision, ZonePtr zone,
                                         ZoneEdition edition, Instant created_at);

}  // namespace carillon
