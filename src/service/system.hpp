#pragma once

#include "service/caller.hpp"
#include "service/parts.hpp"
#include "service/shutdown.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct AuditVerdict {
  std::optional<AuditBreak> broken;  // none: no record was changed or removed
  AuditHead head;
};

struct SystemAnswer {
  Instant now;
  std::optional<Totals> totals;
  std::string tzdata;
  std::optional<StoreFailure> store_failure;    // none: it is well
  bool can_commands_read_data = false;          // commands that it starts may read the server's own files
  std::optional<ServerList> servers{};          // of a store that servers share
  std::optional<std::size_t> stop_waits_for{};  // runs that a stop under way waits for; none: it is not stopping
};

/// What is to be different about a queue.
struct QueueChange {
  /// At most so many of its runs at a time, on all servers and workers together; inner none: no limit.
  std::optional<std::optional<std::int64_t>> limit{};
  /// Whether runs that fail with no attempt left become dead letters.
  std::optional<bool> keeps_failed{};
};

/// Use cases about queues, the audit log, and the server as a whole. May be called from several threads.
class System {
 public:
  System(const ServiceParts& parts, const Shutdown& shutdown) : parts_{parts}, shutdown_{shutdown} {}

  /// `totals` is set only for a caller that is not bound to a namespace.
  [[nodiscard]] Served<SystemAnswer> status(const Caller& caller);

  /// The version of the time zone rules. Does not wait for the store.
  [[nodiscard]] std::string tzdata_version() const;

  /// Of the caller's namespace, by the names that its users gave them.
  [[nodiscard]] Served<std::vector<QueueRecord>> queues(const Caller& caller,
                                                        const std::optional<std::string>& name_space);
  [[nodiscard]] Served<QueueRecord> pause_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                                const std::string& queue, bool is_paused);
  [[nodiscard]] Served<QueueRecord> change_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                                 const std::string& queue, const QueueChange& change);

  /// Workers whose lease lasts, by name: those of servers and those in other processes. Refused for a caller that is
  /// bound to a namespace, since workers are not.
  [[nodiscard]] Served<std::vector<WorkerRecord>> workers(const Caller& caller);

  [[nodiscard]] Served<std::vector<AuditRecord>> audit(const Caller& caller, std::optional<std::int64_t> before,
                                                       std::size_t count_max);
  /// Whether the log is as it was written, and its newest record. Reads the whole log.
  [[nodiscard]] Served<AuditVerdict> verify_audit(const Caller& caller);

 private:
  /// The stored name of a queue that the caller may change.
  [[nodiscard]] Served<std::string> changeable(const Caller& caller, const std::optional<std::string>& name_space,
                                               const std::string& queue);
  [[nodiscard]] Served<QueueRecord> queue_as_it_is(const Caller& caller, const std::optional<std::string>& name_space,
                                                   const std::string& queue);
  /// A queue of the server with the numbers of one namespace.
  [[nodiscard]] Served<QueueRecord> own_part(const NamespaceId& own, QueueRecord queue);

  const ServiceParts& parts_;
  const Shutdown& shutdown_;
};

}  // namespace carillon
