#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// The rule of the error that says that a key was used before.
inline constexpr std::string_view repeated_request = "idempotency-key";

/// How a caller names a request that it may repeat.
struct IdempotencyKey {
  std::string key;          // the caller, and the name that it gave the request
  std::string fingerprint;  // of what was asked for
  friend bool operator==(const IdempotencyKey&, const IdempotencyKey&) = default;
};

/// What is known of a request that was carried out.
struct IdempotencyRecord {
  std::string fingerprint;
  Instant at;
  Uid uid{};                          // of the schedule it was about
  std::vector<Seq> decisions;         // rows it added
  std::optional<std::string> answer;  // none: the server died before the answer was kept
};

/// Remembers requests that were carried out, for a day. A record is written together with the change that its request
/// made (see `CommandMetadata`). May be called from several threads.
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;

  [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> find_request(const std::string& key) = 0;
  /// Keeps the answer of a request that was carried out; makes the record if the request changed nothing. If there is
  /// an answer already, that one stays. An error conflict (rule `repeated_request`) if the key names another request.
  [[nodiscard]] virtual Result<> keep_answer(const IdempotencyKey& key, const std::string& answer) = 0;
};

}  // namespace carillon
