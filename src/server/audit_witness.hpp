#pragma once

#include "ports/audit_log.hpp"
#include "ports/log.hpp"

#include <filesystem>
#include <mutex>
#include <optional>

namespace carillon {

/// The audit log of a store that servers share, and what this server has seen of it: how many records there were, and
/// the digest of the newest, in a file of its data folder. Whoever can write the database can write a whole chain anew,
/// or take away its end; he cannot change what every server remembers. A store that was restored from an older backup
/// is noticed in the same way.
class AuditWitness final : public AuditLog {
 public:
  AuditWitness(AuditLog& below, std::filesystem::path file, Log& log);

  Result<> append(const AuditEntry& entry) override { return below_.append(entry); }
  Result<std::vector<AuditRecord>> read_audit(std::optional<std::int64_t> before,
                                              const std::optional<std::string>& name_space,
                                              std::size_t count_max) override {
    return below_.read_audit(before, name_space, count_max);
  }
  Result<AuditHead> read_audit_head() override { return below_.read_audit_head(); }
  /// Also if the log does not go on from what this server remembers.
  Result<std::optional<AuditBreak>> find_broken_record() override;

  /// Remembers how far the log is, unless it contradicts what is remembered, which is logged as an error. To be called
  /// now and then; from one thread.
  void look();

 private:
  [[nodiscard]] Result<std::optional<AuditHead>> remembered();
  [[nodiscard]] Result<std::optional<AuditBreak>> contradiction();

  AuditLog& below_;
  const std::filesystem::path file_;
  Log& log_;
  std::mutex mutex_;
  bool is_told_ = false;  // that there is a contradiction
};

}  // namespace carillon
