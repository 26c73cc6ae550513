#include "service/refusal_audit.hpp"

#include <fmt/format.h>

namespace carillon {
namespace {

constexpr double records_per_second = 0.1;
constexpr double records_at_once = 20;
constexpr Duration summary_interval = std::chrono::minutes{1};
/// Beyond, those of new actors are not even counted: they come from many addresses then.
constexpr std::size_t actor_count_max = 1'000;

}  // namespace

RefusalAudit::RefusalAudit() : recorded_{records_per_second, records_at_once} {}

/// Callers without a token are told apart by address.
std::string RefusalAudit::actor_of(const AuditEntry& refusal) { return refusal.actor + "\n" + refusal.address; }

bool RefusalAudit::wants(const AuditEntry& refusal, Duration now) {
  const std::string actor = actor_of(refusal);
  if (recorded_.take(actor, now)) return true;
  const std::scoped_lock lock{mutex_};
  if (counted_.size() >= actor_count_max && !counted_.contains(actor)) return false;
  Counted& counted = counted_.try_emplace(actor, Counted{.last = refusal, .since = now}).first->second;
  counted.last = refusal;
  ++counted.count;
  return false;
}

std::vector<AuditEntry> RefusalAudit::summaries(Duration now, bool everything) {
  std::vector<AuditEntry> entries;
  const std::scoped_lock lock{mutex_};
  for (auto item = counted_.begin(); item != counted_.end();) {
    Counted& counted = item->second;
    if (!everything && now - counted.since < summary_interval) {
      ++item;
      continue;
    }
    counted.last.target = fmt::format("{} more refused requests", counted.count);
    entries.push_back(std::move(counted.last));
    item = counted_.erase(item);
  }
  return entries;
}

}  // namespace carillon
