#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "engine/keys.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// The rule that is broken by who uses a key again.
inline constexpr std::string_view repeated_request = "idempotency-key";

/// How a caller names a request that it may repeat.
struct IdempotencyKey {
  std::string key;          // whose it is and what they called it
  std::string fingerprint;  // of what was asked for
  friend bool operator==(const IdempotencyKey&, const IdempotencyKey&) = default;
};

/// What is known of a request that was carried out.
struct IdempotencyRecord {
  std::string fingerprint;
  Instant at;
  Uid uid{};                          // of the schedule it was about
  std::vector<Seq> decisions;         // rows it added
  std::optional<std::string> answer;  // none: its caller died before it had one
};

/// Kept for a day. The record itself is written with the change it names (see `CommandMetadata`).
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;

  [[nodiscard]] virtual Result<std::optional<IdempotencyRecord>> find_request(const std::string& key) = 0;
  /// Keeps the answer of a request that was carried out; makes the record if it changed nothing. The first answer
  /// stays. Conflict (`repeated_request`) if the key names another request.
  [[nodiscard]] virtual Result<> keep_answer(const IdempotencyKey& key, const std::string& answer) = 0;
};

}  // namespace carillon
