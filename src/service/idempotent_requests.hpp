#pragma once

#include "ports/idempotency_store.hpp"
#include "ports/log.hpp"
#include "service/caller.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace carillon {

/// Requests that their callers may send again: each is carried out once. May be called from several threads; waits for
/// the store.
class IdempotentRequests {
 public:
  IdempotentRequests(IdempotencyStore& store, Log& log) : store_{store}, log_{log} {}

  /// How a request is known: by its caller, by the key the caller gave it, and by what it asks for. `request` is a text
  /// that is equal for requests that ask for the same. Refuses (malformed) a key that is empty or too long.
  [[nodiscard]] static Served<IdempotencyKey> key_of(const Caller& caller, std::string_view key,
                                                     std::string_view request);

  /// Carries the request out, and gives the bytes of its answer; none if it was refused or only tried, so that it may
  /// be corrected and sent again.
  using Perform = std::function<std::optional<std::string>()>;

  /// Calls `perform` unless the request was carried out before; then gives what is known of that. Refuses `key_reused`
  /// if the key names another request, and `in_progress` while the same request is being carried out by this server.
  /// An answer that cannot be kept is logged: see `RepeatedAnswers` for what is told then.
  [[nodiscard]] Served<std::optional<IdempotencyRecord>> perform_once(const IdempotencyKey& key,
                                                                      const Perform& perform);

 private:
  IdempotencyStore& store_;
  Log& log_;
  std::mutex mutex_;
  std::set<std::string> in_progress_;  // guarded
};

}  // namespace carillon
