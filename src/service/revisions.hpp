#pragma once

#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/schedules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct RevisionPage {
  std::vector<ChangeLine> items;  // newest first, without documents
  std::int64_t current = 0;       // the revision in force
  std::optional<std::int64_t> next{};
};

/// One revision with the definition that was in force after it.
struct RevisionAnswer {
  ChangeLine change;
  std::string document;  // canonical JSON
  std::int64_t current = 0;
};

/// What users changed of a schedule, and the definitions it had. They are kept as long as the schedule; a schedule that
/// is created under the id of a deleted one begins anew. To go back to a revision, put its definition. May be called
/// from several threads.
class Revisions {
 public:
  Revisions(const ServiceParts& parts, Schedules& schedules) : parts_{parts}, schedules_{schedules} {}

  [[nodiscard]] Served<RevisionPage> list(const Caller& caller, const ScheduleName& name, RevisionListRequest request);
  /// Refused as not_found if the schedule has no such revision.
  [[nodiscard]] Served<RevisionAnswer> get(const Caller& caller, const ScheduleName& name, std::int64_t revision);

 private:
  const ServiceParts& parts_;
  Schedules& schedules_;
};

}  // namespace carillon
