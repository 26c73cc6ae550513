#pragma once

#include "base/crypto.hpp"
#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A new token. Its text can be read only now: the store keeps a hash of it.
struct IssuedToken {
  StoredToken stored;
  std::string text;
};

struct TokenRequest {
  std::string name;
  Role role = Role::viewer;
  std::optional<std::string> name_space{};
  std::optional<Duration> lifetime{};
  std::optional<std::string> request_key{};  // of a request that may be repeated: a repeat makes no second token
  bool may_execute = false;
};

[[nodiscard]] std::optional<Role> parse_role(std::string_view word);
[[nodiscard]] std::string_view to_text(Role role);

/// Authenticates callers and manages tokens. A token is `carillon_<id>_<secret>`; of the secret only a salted hash is
/// kept. May be called from several threads.
class Access {
 public:
  explicit Access(ServiceParts parts) : parts_{std::move(parts)} {}

  /// The caller that a token names. Every refusal reads the same, because saying what was wrong helps only those who
  /// guess. May read the store, and then waits for it.
  [[nodiscard]] Served<Caller> authenticate(std::string_view token, const std::string& address);

  /// The same from memory alone, for threads that must not wait for the store. None: only `authenticate` can tell.
  [[nodiscard]] std::optional<Served<Caller>> authenticate_known(std::string_view token, const std::string& address);

  /// The caller of the token with this id, for what stands for a token without holding its secret. Refused as above if
  /// the token is not valid now. May read the store.
  [[nodiscard]] Served<Caller> caller_by_id(const std::string& id, const std::string& address);
  /// The same from memory alone. None: only `caller_by_id` can tell.
  [[nodiscard]] std::optional<Served<Caller>> known_caller_by_id(const std::string& id, const std::string& address);
  /// Refused as above if it is not valid now.
  [[nodiscard]] Served<StoredToken> valid_token(const std::string& id);

  /// Whether the token of a caller that was authenticated before is still valid, neither expired nor revoked since, and
  /// its session, if it came by one, has not ended.
  [[nodiscard]] bool is_still_valid(const Caller& caller);

  /// The session is over, though its time is not: on every server of the store, also after a restart. If the store
  /// cannot write it, it is over on this server alone.
  [[nodiscard]] Result<> end_session(const CallerSession& session);
  /// May read the store, and then waits for it.
  [[nodiscard]] Result<bool> has_ended(const CallerSession& session);
  /// The same from memory alone. None: only `has_ended` can tell.
  [[nodiscard]] std::optional<bool> has_ended_known(const CallerSession& session);

  /// A caller that is bound to a namespace cannot make a token that reaches further. Only a token with the role editor
  /// can be given the scope execute, an admin has it; a token that is bound to a namespace gets it only where
  /// CommandRules allow commands.
  [[nodiscard]] Served<IssuedToken> issue(const Caller& by, const TokenRequest& request);
  [[nodiscard]] Served<std::vector<StoredToken>> list(const Caller& by);
  /// What a token may do, as words: read, operate, edit, execute, administer, work.
  [[nodiscard]] std::vector<std::string_view> scopes_of(const StoredToken& token) const;
  [[nodiscard]] Served<> revoke(const Caller& by, const std::string& id);

 private:
  struct Known {
    StoredToken token;
    Duration seen{};                       // since boot
    std::optional<std::uint64_t> proof{};  // of the secret that was right, so that it needs no digest again
  };
  [[nodiscard]] Served<> check_execute(const TokenRequest& request, const std::optional<std::string>& name_space) const;
  [[nodiscard]] Result<std::optional<Known>> find(std::string_view id);
  [[nodiscard]] std::optional<Known> find_known(std::string_view id);
  void note_ended(const CallerSession& session);
  /// Whether it is the secret of the token, which is remembered, and the token still counts.
  [[nodiscard]] bool is_valid(const Known& known, std::string_view secret);

  ServiceParts parts_;
  const HashKey proof_key_{.first = random_number(), .second = random_number()};
  std::mutex mutex_;
  // Guarded. Asked for with every request; short-lived, so that what another server revokes ends here too.
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Instant, std::less<>> ended_sessions_;  // guarded; until when they would have lasted
  std::map<std::string, Duration, std::less<>> open_sessions_;  // guarded; since boot, when the store had no end of it
};

}  // namespace carillon
