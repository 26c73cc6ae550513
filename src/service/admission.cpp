#include "service/admission.hpp"

#include <utility>

namespace carillon {
namespace {

/// Wrong tokens from one address, a second and at once; beyond that it is told to slow down.
constexpr double failures_per_second = 1;
constexpr double failures_at_once = 20;

Caller anonymous(const Credentials& credentials) { return {.actor = "anonymous", .address = credentials.address}; }

bool is_session(const Credentials& credentials) {
  return credentials.token.empty() && !credentials.session.text.empty();
}

bool is_link(const Credentials& credentials, const Operation& operation) {
  return operation.id == OperationId::create_session && Sessions::is_link_code(credentials.token);
}

}  // namespace

Admission::Admission(Access& access, Sessions& sessions, RefusalRecorder& refusals, const Shutdown& shutdown,
                     Clock& clock)
    : access_{access},
      sessions_{sessions},
      refusals_{refusals},
      shutdown_{shutdown},
      clock_{clock},
      failures_{failures_per_second, failures_at_once} {}

Served<Caller> Admission::admit(const Credentials& credentials, const Operation& operation) {
  if (operation.scope == Scope::open) return anonymous(credentials);
  return judge(identify(credentials, operation), credentials, operation);
}

Served<Caller> Admission::identify(const Credentials& credentials, const Operation& operation) {
  if (is_session(credentials)) return sessions_.authenticate(credentials.session, credentials.address);
  if (is_link(credentials, operation)) return sessions_.redeem(credentials.token, credentials.address);
  return access_.authenticate(credentials.token, credentials.address);
}

std::optional<Served<Caller>> Admission::admit_known(const Credentials& credentials, const Operation& operation) {
  if (operation.scope == Scope::open) return anonymous(credentials);
  // A link is good for one use: it is taken where waiting is allowed.
  if (is_link(credentials, operation)) return std::nullopt;
  auto known = is_session(credentials) ? sessions_.authenticate_known(credentials.session, credentials.address)
                                       : access_.authenticate_known(credentials.token, credentials.address);
  if (!known) return std::nullopt;
  return judge(*std::move(known), credentials, operation);
}

Served<Caller> Admission::judge(Served<Caller> caller, const Credentials& credentials, const Operation& operation) {
  if (caller) {
    if (allows(caller->role, operation.scope)) {
      TRY(shutdown_.check(operation));
      return caller;
    }
    record(*caller, operation, "forbidden");
    return refuse(Refusal::Kind::forbidden, "forbidden", "this token's role does not allow {}", operation.name);
  }
  if (caller.error().kind != Refusal::Kind::unauthenticated) return caller;
  // Only those who guess are counted, so that nobody locks others out.
  const bool is_guess = !credentials.token.empty();
  if (is_guess && !failures_.take(credentials.address, clock_.since_boot()))
    return refuse(Refusal::Kind::too_many, "too_many", "too many wrong tokens from this address");
  if (is_guess) record(anonymous(credentials), operation, "unauthenticated");
  return caller;
}

void Admission::note_refusal(const Caller& caller, const Operation& operation, const Refusal& refusal) {
  if (operation.is_write && refusal.kind == Refusal::Kind::forbidden) record(caller, operation, "forbidden");
}

void Admission::record(const Caller& caller, const Operation& operation, std::string_view outcome) {
  refusals_.note({.actor = caller.actor,
                  .address = caller.address,
                  .operation = std::string{operation.name},
                  .name_space = caller.name_space ? caller.name_space->text() : "",
                  .target = {},
                  .outcome = std::string{outcome},
                  .before = {},
                  .after = {}});
}

Served<> require(const Caller& caller, const Operation& operation) {
  if (allows(caller.role, operation.scope)) return {};
  return refuse(Refusal::Kind::forbidden, "forbidden", "this token's role does not allow this");
}

}  // namespace carillon
