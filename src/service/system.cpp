#include "service/system.hpp"

#include "base/quoted.hpp"
#include "engine/definition.hpp"
#include "service/write_terms.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

/// How many pages of runs are counted for one queue; there are more only if something is very wrong.
constexpr int own_page_max = 20;

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
  SystemAnswer answer{.now = parts_.clock.now(), .totals = {}, .tzdata = tzdata_version(), .store_failure = {}};
  answer.can_commands_read_data = parts_.command_rules.can_read_data;
  answer.stop_waits_for = shutdown_.waits_for();
  if (parts_.store.health != nullptr) answer.store_failure = parts_.store.health->failure();
  // What is wrong with the store is told even if it cannot be counted in any more.
  auto totals = caller.name_space ? Result<Totals>{} : parts_.store.queries.read_totals();
  if (!totals && !answer.store_failure) return std::unexpected(Refusal{totals.error()});
  if (!caller.name_space && totals) answer.totals = *totals;
  // While the store is away the others are not known; the rest is.
  if (parts_.store.servers != nullptr && !caller.name_space && totals)
    if (auto servers = parts_.store.servers->read_servers()) answer.servers = *std::move(servers);
  return answer;
}

std::string System::tzdata_version() const { return parts_.zones.names()->version; }

Served<QueueRecord> System::own_part(const NamespaceId& own, QueueRecord queue) {
  queue.depth = 0;
  queue.running = 0;
  queue.oldest.reset();
  const Instant now = parts_.clock.now();
  RunListRequest request{.filter = {.name_space = own.text(),
                                    .states = {RunState::queued, RunState::running, RunState::retrying},
                                    .queue = queue.name},
                         .before = {},
                         .count_max = 500};
  for (int page = 0; page < own_page_max; ++page) {
    const RunList list = TRY(parts_.store.queries.list_runs(request));
    for (const RunRecordRow& record : list.items) {
      const Run& run = record.run;
      if (run.state == RunState::running) {
        ++queue.running;
        continue;
      }
      ++queue.depth;
      if (run.claimable_from <= now) queue.oldest = std::min(run.claimable_from, queue.oldest.value_or(now));
    }
    if (!list.next) break;
    request.before = list.next;
  }
  return queue;
}

Served<std::vector<QueueRecord>> System::queues(const Caller& caller, const std::optional<std::string>& name_space) {
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  std::vector<QueueRecord> queues;
  for (QueueRecord& queue : TRY(parts_.store.queries.read_queues())) {
    auto name = shown_name(own, queue.name);
    if (!name) continue;
    // Those of the server are everybody's: a caller that knows one namespace is told of its own runs there.
    if (caller.name_space && queue.name.starts_with('@')) queue = TRY(own_part(own, std::move(queue)));
    queue.name = *std::move(name);
    queues.push_back(std::move(queue));
  }
  return queues;
}

Served<std::string> System::changeable(const Caller& caller, const std::optional<std::string>& name_space,
                                       const std::string& queue) {
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  const auto known = TRY(queues(caller, name_space));
  const bool is_known = std::ranges::find(known, queue, &QueueRecord::name) != known.end();
  if (!is_known && !is_id_text(queue))
    return refuse(Refusal::Kind::invalid, "invalid", "{} is not a queue", quoted(queue));
  // Those of the server itself are everybody's.
  if (queue.starts_with('@')) TRY(caller.expect_all_namespaces());
  return queue.starts_with('@') ? queue : queue_name(own, queue);
}

Served<QueueRecord> System::queue_as_it_is(const Caller& caller, const std::optional<std::string>& name_space,
                                           const std::string& queue) {
  const auto now = TRY(queues(caller, name_space));
  const auto found = std::ranges::find(now, queue, &QueueRecord::name);
  return found != now.end() ? *found : QueueRecord{.name = queue};
}

Served<QueueRecord> System::pause_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                        const std::string& queue, bool is_paused) {
  const std::string stored = TRY(changeable(caller, name_space, queue));
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  const CommandMetadata attached =
      attached_to(caller, is_paused ? "queue.pause" : "queue.resume", own.text(), queue, {});
  TRY(parts_.store.runs.pause_queue(stored, is_paused, attached));
  return queue_as_it_is(caller, name_space, queue);
}

Served<QueueRecord> System::change_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                         const std::string& queue, const QueueChange& change) {
  const std::string stored = TRY(changeable(caller, name_space, queue));
  const NamespaceId own = TRY(caller.namespace_of(name_space));
  if (change.limit && *change.limit && (**change.limit < 1 || **change.limit > concurrency_limit_max))
    return refuse(Refusal::Kind::invalid, "invalid", "limit must be a whole number from 1 to {}, or null",
                  concurrency_limit_max);
  if (change.limit)
    TRY(parts_.store.runs.limit_queue(stored, *change.limit,
                                      attached_to(caller, "queue.limit", own.text(), queue, {})));
  if (change.keeps_failed)
    TRY(parts_.store.runs.keep_failed(stored, *change.keeps_failed,
                                      attached_to(caller, "queue.keepFailed", own.text(), queue, {})));
  return queue_as_it_is(caller, name_space, queue);
}

Served<std::vector<AuditRecord>> System::audit(const Caller& caller, std::optional<std::int64_t> before,
                                               std::size_t count_max) {
  const auto name_space = caller.name_space ? std::optional{caller.name_space->text()} : std::nullopt;
  return TRY(parts_.store.audit.read_audit(before, name_space, count_max));
}

Served<std::vector<WorkerRecord>> System::workers(const Caller& caller) {
  constexpr std::size_t worker_count_max = 1'000;
  TRY(caller.expect_all_namespaces());
  return TRY(parts_.store.queries.read_workers(worker_count_max));
}

Served<AuditVerdict> System::verify_audit(const Caller& caller) {
  // The chain runs through all namespaces: who may not see them all cannot judge it.
  TRY(caller.expect_all_namespaces());
  auto broken = TRY(parts_.store.audit.find_broken_record());
  return AuditVerdict{.broken = std::move(broken), .head = TRY(parts_.store.audit.read_audit_head())};
}

}  // namespace carillon
