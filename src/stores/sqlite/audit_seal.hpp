#pragma once

#include "ports/audit_log.hpp"

#include <string>

namespace carillon::sqlite {

/// HMAC-SHA-256 in hex over the count, a colon and the digest of the newest record; empty without a key. Whoever has
/// the file but not the key can neither take records away at its end nor write the whole chain anew.
[[nodiscard]] std::string seal_of(const AuditHead& head, const std::string& key);

}  // namespace carillon::sqlite
