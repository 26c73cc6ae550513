#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/audit_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What the bearer of a token may do; each but `worker` may do all that those before it may.
enum class Role { viewer, operator_, editor, admin, worker };

/// A token as it is kept: what opens the door is not.
struct StoredToken {
  std::string id;  // eight letters and digits, the part of a token that may be shown
  std::string name;
  Role role = Role::viewer;
  std::optional<std::string> name_space;  // none: all of them
  std::string salt;
  std::string hash;  // of salt and secret
  Instant created_at;
  std::optional<Instant> expires_at;
  std::optional<Instant> revoked_at;
  bool may_execute = false;  // an editor that may also define commands
  friend bool operator==(const StoredToken&, const StoredToken&) = default;
};

/// May be called from several threads. Each change is written with its entry of the audit log.
class TokenStore {
 public:
  virtual ~TokenStore() = default;

  /// Conflict if the id exists.
  [[nodiscard]] virtual Result<> add_token(const StoredToken& token, const AuditEntry& audit) = 0;
  [[nodiscard]] virtual Result<std::optional<StoredToken>> find_token(const std::string& id) = 0;
  /// Oldest first, revoked ones too.
  [[nodiscard]] virtual Result<std::vector<StoredToken>> read_tokens() = 0;
  /// Not found if there is none; a token that was revoked stays as it is, and nothing is written.
  [[nodiscard]] virtual Result<> revoke_token(const std::string& id, Instant at, const AuditEntry& audit) = 0;
};

}  // namespace carillon
