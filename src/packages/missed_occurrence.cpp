#include "packages/missed_occurrence.hpp"

namespace carillon::packages {

std::optional<Instant> missed_occurrence(const Definition& definition, Instant since, Instant now) {
  if (!definition.has_occurrences || !definition.is_enabled) return std::nullopt;
  const auto newest = definition.newest_due(now);
  if (!newest || *newest < since) return std::nullopt;
  const Policies::Catchup& catchup = definition.policies.catchup;
  const Duration late = now - definition.due(*newest);
  if (late <= grace_of(catchup)) return newest;
  const auto window = window_of(catchup);
  if (catchup.policy == CatchupPolicy::none || (window && late > *window)) return std::nullopt;
  return newest;
}

}  // namespace carillon::packages
