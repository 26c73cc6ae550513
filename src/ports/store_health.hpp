#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// Why a store cannot do its work.
enum class StoreFailureKind {
  full,         // the disk has no room
  io,           // the disk fails
  locked,       // another process keeps it locked
  unwritable,   // its files may not be opened or written
  damaged,      // it is not what was written
  unreachable,  // the database does not answer
  refused,      // the database does not let us in: user, password, rights, or there is no such database
};

/// The rule of a store's error, by kind. Callers of the API see it as the code of a problem.
inline constexpr std::array<std::string_view, 7> store_failure_rules{
    "store-full",    "store-io",          "store-locked", "store-unwritable",
    "store-damaged", "store-unreachable", "store-refused"};

[[nodiscard]] constexpr std::string_view rule_of(StoreFailureKind kind) {
  return store_failure_rules[static_cast<std::size_t>(kind)];
}

/// The kind of failure behind an error's rule; none if the error is not a failure of the store.
[[nodiscard]] constexpr std::optional<StoreFailureKind> failure_kind_of(std::string_view rule) {
  for (std::size_t i = 0; i < store_failure_rules.size(); ++i)
    if (store_failure_rules[i] == rule) return static_cast<StoreFailureKind>(i);
  return std::nullopt;
}

/// One sentence for any caller: it names no file.
[[nodiscard]] constexpr std::string_view sentence_of(StoreFailureKind kind) {
  switch (kind) {
    case StoreFailureKind::full: return "the disk of the store is full";
    case StoreFailureKind::io: return "the disk of the store fails";
    case StoreFailureKind::locked: return "another process has locked the store";
    case StoreFailureKind::unwritable: return "the files of the store cannot be opened or written";
    case StoreFailureKind::damaged: return "the store is damaged";
    case StoreFailureKind::unreachable: return "the database of the store cannot be reached";
    case StoreFailureKind::refused: return "the database of the store does not let this server in";
  }
  return "the store fails";
}

/// What an operator does about it.
[[nodiscard]] constexpr std::string_view remedy_of(StoreFailureKind kind) {
  switch (kind) {
    case StoreFailureKind::full:
      return "free space on the disk of the data folder; nothing that was acknowledged is lost";
    case StoreFailureKind::io: return "look at the disk of the data folder and at the system's log";
    case StoreFailureKind::locked: return "end the other process that has the database open for writing";
    case StoreFailureKind::unwritable:
      return "see whether the data folder exists and the server's user may write to it";
    case StoreFailureKind::damaged: return "stop the server, keep a copy of the data folder, and restore a backup";
    case StoreFailureKind::unreachable:
      return "see whether the database runs; the server goes on by itself when it does";
    case StoreFailureKind::refused:
      return "see user, password, rights and the name of the database; the server goes on by itself when they are "
             "right";
  }
  return {};
}

/// Whether a server that finds its store like this when it starts is to wait: the cause goes by itself, or somebody
/// else is at it. What only a change of its own settings can end is better told at once.
[[nodiscard]] constexpr bool may_heal(StoreFailureKind kind) {
  return kind != StoreFailureKind::refused && kind != StoreFailureKind::damaged;
}

/// A failure that lasts.
struct StoreFailure {
  StoreFailureKind kind = StoreFailureKind::io;
  std::string cause;  // for the log and for administrators: it may name files
  Instant since;
};

/// Whether a store can do its work, judged by its latest calls. May be called from any thread, and does not wait.
class StoreHealth {
 public:
  virtual ~StoreHealth() = default;

  /// None: the latest writes, decisions and claims went well. Damage stays until the store is opened anew.
  [[nodiscard]] virtual std::optional<StoreFailure> failure() const = 0;
};

}  // namespace carillon
