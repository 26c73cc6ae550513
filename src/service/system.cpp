#include "service/system.hpp"

#include "base/quoted.hpp"
#include "engine/definition.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

/// The name of a queue as users of the namespace know it; none if it is another one's.
std::optional<std::string> shown_name(const NamespaceId& name_space, const std::string& stored) {
  const bool is_own = stored.starts_with('@');
  if (is_own) return name_space.text() == "default" ? std::optional{stored} : std::nullopt;
  if (name_space.text() == "default") return stored.contains('/') ? std::nullopt : std::optional{stored};
  const std::string prefix = name_space.text() + "/";
  return stored.starts_with(prefix) ? std::optional{stored.substr(prefix.size())} : std::nullopt;
}

}  // namespace

Served<SystemAnswer> System::status(const Caller& caller) {
  SystemAnswer answer{.now = parts_.clock.now(), .totals = {}, .tzdata = parts_.zones.names()->version};
  if (!caller.name_space) answer.totals = TRY(parts_.catalogue.read_totals());
  return answer;
}

Served<std::vector<QueueRecord>> System::queues(const Caller& caller, const std::optional<std::string>& name_space) {
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  std::vector<QueueRecord> queues;
  for (QueueRecord& queue : TRY(parts_.catalogue.read_queues())) {
    auto name = shown_name(own, queue.name);
    if (!name) continue;
    queue.name = *std::move(name);
    queues.push_back(std::move(queue));
  }
  return queues;
}

Served<QueueRecord> System::pause_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                        const std::string& queue, bool is_paused) {
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  const auto known = TRY(queues(caller, name_space));
  const bool is_known = std::ranges::find(known, queue, &QueueRecord::name) != known.end();
  if (!is_known && !is_id_text(queue))
    return refuse(Refusal::Kind::invalid, "invalid", "{} is no queue", quoted(queue));
  // Those of the server itself are everybody's.
  if (queue.starts_with('@') && caller.name_space)
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token is bound to one namespace");
  const std::string stored = queue.starts_with('@') ? queue : queue_name(own, queue);
  const Attached attached{.audit = AuditEntry{.actor = caller.actor,
                                              .address = caller.address,
                                              .operation = is_paused ? "queue.pause" : "queue.resume",
                                              .name_space = own.text(),
                                              .target = queue,
                                              .outcome = "done",
                                              .before = {},
                                              .after = {}}};
  TRY(parts_.queue.pause_queue(stored, is_paused, attached));
  const auto now = TRY(queues(caller, name_space));
  const auto found = std::ranges::find(now, queue, &QueueRecord::name);
  if (found != now.end()) return *found;
  return QueueRecord{.name = queue, .is_paused = is_paused};
}

Served<std::vector<AuditRecord>> System::audit(const Caller& caller, std::optional<std::int64_t> before,
                                               std::size_t count_max) {
  const auto name_space = caller.name_space ? std::optional{caller.name_space->text()} : std::nullopt;
  return TRY(parts_.audit.read_audit(before, name_space, count_max));
}

Served<std::optional<std::int64_t>> System::verify_audit(const Caller& caller) {
  // The chain runs through all namespaces: who may not see them all cannot judge it.
  if (caller.name_space) return refuse(Refusal::Kind::forbidden, "forbidden", "this token is bound to one namespace");
  return TRY(parts_.audit.find_broken_record());
}

}  // namespace carillon
