#pragma once

#include "base/instant.hpp"
#include "service/access.hpp"
#include "service/caller.hpp"
#include "service/parts.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// What a browser shows of its session. The text comes from a cookie that its pages cannot read, the key from a page of
/// ours: who has only one of them has nothing.
struct SessionProof {
  std::string_view text;
  std::string_view key;
};

/// A session that was opened. Text and key can be read only now.
struct OpenedSession {
  std::string text;
  std::string key;
  Instant ends_at;
};

/// Who a caller is, for the caller.
struct SessionAnswer {
  std::string token;  // its id
  std::string name;   // of the token
  Role role = Role::viewer;
  std::vector<std::string_view> scopes;
  std::optional<std::string> name_space;  // none: all
  std::optional<Instant> ends_at;         // none: a token that does not end
};

/// A link that opens one session, once.
struct SignInLink {
  std::string code;
  Instant ends_at;
};

/// Sessions of the dashboard. A session stands for a token for at most a day, without holding its secret: it may do
/// what the token may do, and ends with it. Nothing is kept of an open session but what the browser has, so that it
/// outlives a restart of the server; the end of one that was closed is kept as long as it would have lasted. May be
/// called from several threads.
class Sessions {
 public:
  static constexpr Duration lifetime = std::chrono::hours{24};
  static constexpr Duration clock_slack = std::chrono::minutes{5};  // by which a clock may be set back
  static constexpr Duration link_lifetime = std::chrono::minutes{10};
  static constexpr std::size_t link_count_max = 1'000;

  Sessions(const ServiceParts& parts, Access& access);

  /// The name of the cookie that holds a session's text. It differs between data folders, since browsers send cookies
  /// to every port of a host.
  [[nodiscard]] const std::string& cookie_name() const { return cookie_name_; }

  /// For the token of the caller; a caller that is a session itself is refused. Written to the audit log.
  [[nodiscard]] Served<OpenedSession> open(const Caller& caller);
  /// What the caller is and may do. Refused if its token is not valid any more.
  [[nodiscard]] Served<SessionAnswer> describe(const Caller& caller);
  /// Ends the session of the caller: at once on this server, within seconds on others of its store, and for good.
  /// There is nothing to do for a caller without one. Written to the audit log.
  [[nodiscard]] Served<> close(const Caller& caller);

  /// The caller whose session this is. May read the store, and then waits for it.
  [[nodiscard]] Served<Caller> authenticate(const SessionProof& proof, const std::string& address);
  /// The same from memory alone. None: only `authenticate` can tell.
  [[nodiscard]] std::optional<Served<Caller>> authenticate_known(const SessionProof& proof, const std::string& address);

  /// A code that is good for one session of the caller's token, on this server, until it is used or its time is over.
  /// When there are too many the oldest is forgotten. Written to the audit log.
  [[nodiscard]] Served<SignInLink> make_link(const Caller& caller, Duration good_for = link_lifetime);
  [[nodiscard]] static bool is_link_code(std::string_view text);
  /// The caller that the link was made for; the link is used up by this.
  [[nodiscard]] Served<Caller> redeem(std::string_view code, const std::string& address);

 private:
  struct Link {
    std::string token;  // its id
    Duration ends{};    // since boot
  };
  [[nodiscard]] std::string sealed(std::string_view purpose, std::string_view text) const;
  /// The session that this proves; none if it proves nothing, or if the session is over.
  [[nodiscard]] std::optional<CallerSession> proved(const SessionProof& proof, std::string& token) const;
  [[nodiscard]] Served<> note(const Caller& caller, std::string operation, std::string target);
  void forget_old_links(Duration now);

  const ServiceParts& parts_;
  Access& access_;
  const std::string key_;
  const std::string cookie_name_;
  std::mutex mutex_;
  std::map<std::string, Link, std::less<>> links_;  // guarded; by the hash of the code
};

}  // namespace carillon
