#pragma once

#include "base/instant.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// A token that was just made: the only moment at which it can be read.
struct IssuedToken {
  StoredToken stored;
  std::string text;
};

struct TokenWish {
  std::string name;
  Role role = Role::viewer;
  std::optional<std::string> name_space{};
  std::optional<Duration> lifetime{};
};

[[nodiscard]] std::optional<Role> parse_role(std::string_view word);
[[nodiscard]] std::string_view to_text(Role role);

/// Who may come in. A token is `carillon_<id>_<secret>`; of the secret only a salted hash is kept.
class Access {
 public:
  explicit Access(ServiceParts parts) : parts_{std::move(parts)} {}

  /// The caller that a token names. Every refusal reads the same: what was wrong helps only those who guess.
  [[nodiscard]] Served<Caller> authenticate(std::string_view token, const std::string& address);

  /// Whether the token of a caller that came in before has neither ended nor been revoked since.
  [[nodiscard]] bool is_still_valid(const Caller& caller);

  /// A caller whose namespace is bound cannot make a token that reaches further.
  [[nodiscard]] Served<IssuedToken> issue(const Caller& by, const TokenWish& wish);
  [[nodiscard]] Served<std::vector<StoredToken>> list(const Caller& by);
  [[nodiscard]] Served<> revoke(const Caller& by, const std::string& id);

 private:
  struct Known {
    StoredToken token;
    Duration seen{};  // since boot
  };
  [[nodiscard]] Result<std::optional<StoredToken>> find(const std::string& id);

  ServiceParts parts_;
  std::mutex mutex_;
  // Guarded. Asked for with every request; short-lived, so that what another server revokes ends here too.
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace carillon
