#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

namespace carillon {

using sqlite::Lane;
using sqlite::Tables;

Result<> SqliteStore::append(const AuditEntry& entry) {
  return write_in(Lane::user, [&](Tables& tables, Instant now) { return tables.audit.append(entry, now); });
}

Result<std::vector<AuditRecord>> SqliteStore::read_audit(std::optional<std::int64_t> before,
                                                         const std::optional<std::string>& name_space,
                                                         std::size_t count_max) {
  return read<std::vector<AuditRecord>>(
      [&](Tables& tables, Instant) { return tables.audit.read(before, name_space, count_max); });
}

Result<std::optional<AuditBreak>> SqliteStore::find_broken_record() {
  return read<std::optional<AuditBreak>>([](Tables& tables, Instant) { return tables.audit.find_broken(); });
}

Result<AuditHead> SqliteStore::read_audit_head() {
  return read<AuditHead>([](Tables& tables, Instant) { return tables.audit.head(); });
}

}  // namespace carillon
