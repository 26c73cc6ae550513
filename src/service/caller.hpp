#pragma once

#include "base/ids.hpp"
#include "ports/token_store.hpp"
#include "service/refusal.hpp"

#include <optional>
#include <string>

namespace carillon {

/// What a request needs its caller to be allowed.
enum class Scope {
  open,        // nothing: anybody
  read,        // look at anything that is not secret
  operate,     // start, stop, pause, backfill
  edit,        // define schedules, and with them what is run
  administer,  // tokens, audit
  work,        // claim runs and tell how they went
};

[[nodiscard]] constexpr bool allows(Role role, Scope scope) {
  switch (scope) {
    case Scope::open: return true;
    case Scope::read: return role != Role::worker;
    case Scope::operate: return role == Role::operator_ || role == Role::editor || role == Role::admin;
    case Scope::edit: return role == Role::editor || role == Role::admin;
    case Scope::administer: return role == Role::admin;
    case Scope::work: return role == Role::worker || role == Role::admin;
  }
  return false;
}

/// Who asks.
struct Caller {
  std::string actor;    // as the ledger and the audit log name it
  std::string address;  // from where; empty inside the process
  Role role = Role::viewer;
  std::optional<NamespaceId> name_space{};  // the only one it knows of; none: all

  /// Which namespace a request is about: the one it names, else the caller's own, else `default`. One that the caller
  /// does not know of does not exist.
  [[nodiscard]] Served<NamespaceId> namespace_of(const std::optional<std::string>& named) const;
  /// To look through: none means all.
  [[nodiscard]] Served<std::optional<std::string>> namespace_to_list(const std::optional<std::string>& named) const;
  [[nodiscard]] bool knows(const NamespaceId& other) const { return !name_space || *name_space == other; }
};

}  // namespace carillon
