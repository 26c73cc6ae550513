#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// The key of a webhook's signatures, as `whsec_` and the base64 of 24 to 64 bytes.
struct SigningKey {
  std::string text;   // without `whsec_`
  std::string bytes;  // what it stands for
};

/// Reads one key, or several divided by spaces: during a rotation requests are signed with both. The error does not
/// show what was read.
[[nodiscard]] Result<std::vector<SigningKey>> parse_signing_keys(std::string_view text);

/// The header `webhook-signature` of Standard Webhooks: `v1,<base64 of HMAC-SHA256 of "id.seconds.body">`, one per key,
/// divided by spaces.
[[nodiscard]] std::string webhook_signature(const std::vector<SigningKey>& keys, std::string_view id, Instant time,
                                            std::string_view body);

/// The header `webhook-timestamp`: seconds since 1970.
[[nodiscard]] std::string webhook_timestamp(Instant time);

}  // namespace carillon
