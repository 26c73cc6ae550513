#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// Something that somebody did, or tried to do.
struct AuditEntry {
  std::string actor;       // who: `token:<id>`, `file:<name>`, `code` (a host program), `anonymous`
  std::string address;     // from where; empty inside the process
  std::string operation;   // what: `schedule.pause`, `token.create`, `login`
  std::string name_space;  // empty: concerns no namespace
  std::string target;      // id of what it was done to; may be empty
  std::string outcome;     // `done`, or why it was refused
  std::string before;      // digest of the document before and after, in hex; empty where there is none
  std::string after;
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

struct AuditRecord {
  std::int64_t number = 0;  // from 1, without gaps
  Instant at;
  AuditEntry entry;
  std::string digest;  // over this record and the digest of the one before: a changed record fits none that follow
};

/// How far the log has come. Kept elsewhere, it proves that nothing before it was changed or taken away.
struct AuditHead {
  std::int64_t count = 0;
  std::string digest;  // of the newest record; empty if there is none
  friend bool operator==(const AuditHead&, const AuditHead&) = default;
};

/// What is wrong with the log, and from which record on.
struct AuditBreak {
  std::int64_t number = 0;
  std::string reason;  // one sentence
  friend bool operator==(const AuditBreak&, const AuditBreak&) = default;
};

/// The audit log: what was done, or refused, in order. Entries about changes of schedules and runs are written together
/// with the change (see `CommandMetadata`); `append` is for all others. May be called from several threads.
class AuditLog {
 public:
  virtual ~AuditLog() = default;

  [[nodiscard]] virtual Result<> append(const AuditEntry& entry) = 0;

  /// Newest first, those before a number; all namespaces, or one.
  [[nodiscard]] virtual Result<std::vector<AuditRecord>> read_audit(std::optional<std::int64_t> before,
                                                                    const std::optional<std::string>& name_space,
                                                                    std::size_t count_max) = 0;

  /// The first record that was changed or is missing, also at the end; none if the log is whole. Reads the whole log. A
  /// store in the memory of this process can miss none.
  [[nodiscard]] virtual Result<std::optional<AuditBreak>> find_broken_record() = 0;

  [[nodiscard]] virtual Result<AuditHead> read_audit_head() = 0;
};

}  // namespace carillon
