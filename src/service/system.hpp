#pragma once

#include "service/caller.hpp"
#include "service/parts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct AuditVerdict {
  std::optional<AuditBreak> broken;  // none: nothing was changed or taken away
  AuditHead head;
};

struct SystemAnswer {
  Instant now;
  std::optional<Totals> totals;
  std::string tzdata;
  std::optional<StoreFailure> store_failure;  // none: it is well
  bool can_commands_read_data = false;        // commands that it starts may read the server's own files
};

/// Queues, the audit log, and the server as a whole.
class System {
 public:
  explicit System(const ServiceParts& parts) : parts_{parts} {}

  /// Counts are for those who know all namespaces.
  [[nodiscard]] Served<SystemAnswer> status(const Caller& caller);

  /// The version of the time zone rules. Does not wait for the store.
  [[nodiscard]] std::string tzdata_version() const;

  /// Of the caller's namespace, by the names that its users gave them.
  [[nodiscard]] Served<std::vector<QueueRecord>> queues(const Caller& caller,
                                                        const std::optional<std::string>& name_space);
  [[nodiscard]] Served<QueueRecord> pause_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                                const std::string& queue, bool is_paused);

  [[nodiscard]] Served<std::vector<AuditRecord>> audit(const Caller& caller, std::optional<std::int64_t> before,
                                                       std::size_t count_max);
  /// Whether the log is as it was written, and how far it has come.
  [[nodiscard]] Served<AuditVerdict> verify_audit(const Caller& caller);

 private:
  /// A queue of the server with the numbers of one namespace.
  [[nodiscard]] Served<QueueRecord> own_part(const NamespaceId& own, QueueRecord queue);

  const ServiceParts& parts_;
};

}  // namespace carillon
