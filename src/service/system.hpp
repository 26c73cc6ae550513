#pragma once

#include "service/caller.hpp"
#include "service/parts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

struct SystemAnswer {
  Instant now;
  std::optional<Totals> totals;
  std::string tzdata;
};

/// Queues, the audit log, and the server as a whole.
class System {
 public:
  explicit System(const ServiceParts& parts) : parts_{parts} {}

  /// Counts are for those who know all namespaces.
  [[nodiscard]] Served<SystemAnswer> status(const Caller& caller);

  /// Of the caller's namespace, by the names that its users gave them.
  [[nodiscard]] Served<std::vector<QueueRecord>> queues(const Caller& caller,
                                                        const std::optional<std::string>& name_space);
  [[nodiscard]] Served<QueueRecord> pause_queue(const Caller& caller, const std::optional<std::string>& name_space,
                                                const std::string& queue, bool is_paused);

  [[nodiscard]] Served<std::vector<AuditRecord>> audit(const Caller& caller, std::optional<std::int64_t> before,
                                                       std::size_t count_max);
  /// The first record that was changed after it was written.
  [[nodiscard]] Served<std::optional<std::int64_t>> verify_audit(const Caller& caller);

 private:
  const ServiceParts& parts_;
};

}  // namespace carillon
