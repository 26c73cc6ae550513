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
#include <utility>
#include <vector>

namespace carillon::sqlite {

/// The audit log: records in a chain of digests. How many there are and the digest of the newest stand in `meta`,
/// sealed with the key, and are written with every transaction that has records.
class AuditRows {
 public:
  /// `key` outlives this; empty: nothing is sealed, and no seal is looked at.
  AuditRows(Connection& connection, const std::string& key);

  /// To be called when a transaction begins.
  void begin() { appended_.reset(); }
  [[nodiscard]] Result<> append(const AuditEntry& entry, Instant now);
  /// To be called before a transaction is committed.
  [[nodiscard]] Result<> save_appended();
  /// What was appended behind a mark is taken back, here and by the transaction.
  [[nodiscard]] const std::optional<AuditHead>& mark() const { return appended_; }
  void go_back(std::optional<AuditHead> mark) { appended_ = std::move(mark); }

  [[nodiscard]] Result<std::vector<AuditRecord>> read(std::optional<std::int64_t> before,
                                                      const std::optional<std::string>& name_space,
                                                      std::size_t count_max);
  [[nodiscard]] Result<std::optional<AuditBreak>> find_broken();
  [[nodiscard]] Result<AuditHead> head();
  /// Seals what there is. Tells whether there was a seal.
  [[nodiscard]] Result<bool> seal();

 private:
  [[nodiscard]] Result<std::optional<AuditBreak>> check_end(const AuditHead& found);
  [[nodiscard]] Result<> save(const AuditHead& head);
  /// The head to append to.
  [[nodiscard]] Result<AuditHead> checked_head();

  Connection& connection_;
  const std::string& key_;
  std::optional<std::string> misfit_{};  // a seal that did not fit; what is written later must not mend it
  std::optional<AuditHead> appended_;    // in this transaction: the newest, not yet in `meta`
  Statement head_;
  Statement save_;
  Statement insert_;
  Statement all_;
  Statement of_namespace_;
  Statement in_order_;
};

}  // namespace carillon::sqlite
