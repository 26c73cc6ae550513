#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "ports/audit_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What the bearer of a token may do. Each role but `worker` includes those before it.
enum class Role { viewer, operator_, editor, admin, worker };

/// A token as it is stored: without its secret, which cannot be found out from it.
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

/// Keeps tokens. Each change is written together with its entry of the audit log. May be called from several threads.
class TokenStore {
 public:
  virtual ~TokenStore() = default;

  /// An error conflict if the id exists.
  [[nodiscard]] virtual Result<> add_token(const StoredToken& token, const AuditEntry& audit) = 0;
  [[nodiscard]] virtual Result<std::optional<StoredToken>> find_token(const std::string& id) = 0;
  /// Oldest first, revoked ones too.
  [[nodiscard]] virtual Result<std::vector<StoredToken>> read_tokens() = 0;
  /// An error not_found if there is no such token. A token that is revoked already stays as it is, and nothing is
  /// written.
  [[nodiscard]] virtual Result<> revoke_token(const std::string& id, Instant at, const AuditEntry& audit) = 0;
};

}  // namespace carillon
