#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/audit_log.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::sqlite {

/// The audit log: records in a chain of digests.
class AuditRows {
 public:
  explicit AuditRows(Connection& connection);

  [[nodiscard]] Result<> append(const AuditEntry& entry, Instant now);
  [[nodiscard]] Result<std::vector<AuditRecord>> read(std::optional<std::int64_t> before,
                                                      const std::optional<std::string>& name_space,
                                                      std::size_t count_max);
  [[nodiscard]] Result<std::optional<std::int64_t>> find_broken();

 private:
  Statement newest_;
  Statement insert_;
  Statement all_;
  Statement of_namespace_;
  Statement in_order_;
};

}  // namespace carillon::sqlite
