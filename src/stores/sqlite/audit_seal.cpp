#include "stores/sqlite/audit_seal.hpp"

#include "base/crypto.hpp"

#include <fmt/format.h>

namespace carillon::sqlite {

std::string seal_of(const AuditHead& head, const std::string& key) {
  if (key.empty()) return {};
  return to_hex(hmac_sha256(key, fmt::format("{}:{}", head.count, head.digest)));
}

}  // namespace carillon::sqlite
