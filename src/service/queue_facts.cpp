#include "service/queue_facts.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr std::size_t searched_entry_count_max = 1'000;
constexpr std::string_view token_prefix = "token:";

/// The name that the store has for the queue of an audit entry.
std::string stored_queue(const AuditEntry& entry) {
  const bool is_plain = entry.target.starts_with('@') || entry.name_space.empty() || entry.name_space == "default";
  return is_plain ? entry.target : entry.name_space + "/" + entry.target;
}

Result<std::string> name_of_actor(const ServiceParts& parts, const std::string& actor) {
  if (!actor.starts_with(token_prefix)) return actor;
  const auto token = TRY(parts.store.tokens.find_token(actor.substr(token_prefix.size())));
  return token && !token->name.empty() ? token->name : actor;
}

}  // namespace

Result<QueueFacts> read_queue_facts(const ServiceParts& parts) {
  QueueFacts facts{.presence = parts.presence};
  for (std::string& queue : TRY(parts.store.queries.read_paused_queues())) facts.paused.emplace(std::move(queue), "");
  if (facts.paused.empty()) return facts;
  std::size_t unknown_count = facts.paused.size();
  for (const AuditRecord& record : TRY(parts.store.audit.read_audit({}, {}, searched_entry_count_max))) {
    if (unknown_count == 0) break;
    if (record.entry.operation != "queue.pause" || record.entry.outcome != "done") continue;
    const auto queue = facts.paused.find(stored_queue(record.entry));
    if (queue == facts.paused.end() || !queue->second.empty()) continue;
    queue->second = TRY(name_of_actor(parts, record.entry.actor));
    --unknown_count;
  }
  return facts;
}

}  // namespace carillon
