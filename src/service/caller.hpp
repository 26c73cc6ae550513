#pragma once

#include "base/ids.hpp"
#include "base/instant.hpp"
#include "ports/token_store.hpp"
#include "service/refusal.hpp"

#include <optional>
#include <string>

namespace carillon {

/// What a request needs its caller to be allowed.
enum class Scope {
  open,        // nothing: any caller
  read,        // look at anything that is not secret
  operate,     // start, stop, pause, backfill
  edit,        // define schedules of http requests and jobs
  execute,     // with edit: define commands and pipelines, and change when they run
  administer,  // tokens, audit
  work,        // claim runs and report how they ended
};

[[nodiscard]] constexpr bool allows(Role role, Scope scope) {
  switch (scope) {
    case Scope::open: return true;
    case Scope::read: return role != Role::worker;
    case Scope::operate: return role == Role::operator_ || role == Role::editor || role == Role::admin;
    case Scope::edit: return role == Role::editor || role == Role::admin;
    case Scope::execute:  // an editor may have it too: Caller::may_execute
    case Scope::administer: return role == Role::admin;
    case Scope::work: return role == Role::worker || role == Role::admin;
  }
  return false;
}

/// The session that a caller comes by.
struct CallerSession {
  std::string id;
  Instant ends_at;
};

/// The caller of a use case.
struct Caller {
  std::string actor;    // its name in the audit log: `token:0jgykyq4`
  std::string address;  // network address; empty inside the process
  Role role = Role::viewer;
  std::optional<NamespaceId> name_space{};  // the only one it knows of; none: all
  bool has_execute = false;                 // its token has the scope, and this server allows it
  std::string token_name{};                 // as the token was called by who made it; empty: no token
  bool keeps_files = false;                 // keeps schedules as the files of a watched folder define them
  std::optional<CallerSession> session{};   // none: it has shown a token

  /// Its name for people, in the ledger and in answers: `admin`. Names of tokens need not be unique; the audit log says
  /// which token it was.
  [[nodiscard]] const std::string& shown_name() const { return token_name.empty() ? actor : token_name; }
  /// Whether the caller may define commands and change existing ones. An admin that is bound to a namespace may do so
  /// only where the server allows commands (CommandRules).
  [[nodiscard]] bool may_execute() const { return has_execute || (role == Role::admin && !name_space); }
  /// The namespace of a request: the one it names, else the caller's own, else `default`. Refused with not_found if the
  /// caller does not know the namespace.
  [[nodiscard]] Served<NamespaceId> namespace_of(const std::optional<std::string>& named) const;
  /// The namespace to list. None: all namespaces.
  [[nodiscard]] Served<std::optional<std::string>> namespace_to_list(const std::optional<std::string>& named) const;
  /// Refuses (forbidden) a caller that is bound to one namespace, for what is about the whole server.
  [[nodiscard]] Served<> expect_all_namespaces() const;
  [[nodiscard]] bool knows(const NamespaceId& other) const { return !name_space || *name_space == other; }
};

}  // namespace carillon
