#pragma once

#include "base/rate_limit.hpp"
#include "ports/clock.hpp"
#include "service/access.hpp"
#include "service/caller.hpp"
#include "service/operation.hpp"
#include "service/refusal_recorder.hpp"
#include "service/sessions.hpp"
#include "service/shutdown.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// What a request shows of who sends it.
struct Credentials {
  std::string_view token;  // as it was sent; empty: none was
  std::string address;     // from where
  SessionProof session{};  // what a browser sent in place of a token
};

/// Decides who may do what. A caller shows a token, or the session of a browser; a link in place of a token opens a
/// session and nothing else. Wrong tokens are counted by address, and refusals are written to the audit log. May be
/// called from several threads.
class Admission {
 public:
  Admission(Access& access, Sessions& sessions, RefusalRecorder& refusals, const Shutdown& shutdown, Clock& clock);

  /// The caller that may carry out the operation. Refuses `unauthenticated` without a valid token, `forbidden` if the
  /// token's role does not have the operation's scope, `too_many` after many wrong tokens from one address, and
  /// `unavailable` what a server that is stopping does not begin any more. Waits for the store if the token is not in
  /// memory.
  [[nodiscard]] Served<Caller> admit(const Credentials& credentials, const Operation& operation);

  /// The same from memory alone, for threads that must not wait: none if the store would have to be asked.
  [[nodiscard]] std::optional<Served<Caller>> admit_known(const Credentials& credentials, const Operation& operation);

  /// To be told of what a use case refused: a write that the caller is not allowed gets into the audit log.
  void note_refusal(const Caller& caller, const Operation& operation, const Refusal& refusal);

 private:
  [[nodiscard]] Served<Caller> identify(const Credentials& credentials, const Operation& operation);
  [[nodiscard]] Served<Caller> judge(Served<Caller> caller, const Credentials& credentials, const Operation& operation);
  void record(const Caller& caller, const Operation& operation, std::string_view outcome);

  Access& access_;
  Sessions& sessions_;
  RefusalRecorder& refusals_;
  const Shutdown& shutdown_;
  Clock& clock_;
  RateLimit failures_;
};

/// Refuses (forbidden) a caller whose role does not have the operation's scope: for an operation that is carried out as
/// a part of another one.
[[nodiscard]] Served<> require(const Caller& caller, const Operation& operation);

}  // namespace carillon
