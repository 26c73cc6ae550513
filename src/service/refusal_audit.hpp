#pragma once

#include "base/instant.hpp"
#include "base/rate_limit.hpp"
#include "ports/audit_log.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace carillon {

/// Decides which refusals get a record in the audit log. The first twenty of an actor do, and six a minute afterwards;
/// the others are counted and get one record a minute, so that refused requests cannot fill the log or the disk. May be
/// called from several threads; does not wait.
class RefusalAudit {
 public:
  RefusalAudit();

  /// Whether this refusal is to be recorded now. `now` is time since boot.
  [[nodiscard]] bool wants(const AuditEntry& refusal, Duration now);
  /// Records for what was only counted, of every actor whose minute is over. `everything`: of all.
  [[nodiscard]] std::vector<AuditEntry> summaries(Duration now, bool everything = false);

 private:
  struct Counted {
    AuditEntry last;
    std::int64_t count = 0;
    Duration since{};
  };
  [[nodiscard]] static std::string actor_of(const AuditEntry& refusal);

  RateLimit recorded_;
  std::mutex mutex_;
  std::map<std::string, Counted> counted_;  // guarded
};

}  // namespace carillon
