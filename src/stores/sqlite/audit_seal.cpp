#include "stores/sqlite/audit_seal.hpp"

#include "base/assertion.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace carillon::sqlite {

std::string seal_of(const AuditHead& head, const std::string& key) {
  if (key.empty()) return {};
  const std::string text = fmt::format("{}:{}", head.count, head.digest);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  const bool is_done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
           text.size(), bytes.data(), &size) != nullptr;
  CARILLON_ASSERT(is_done);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes.at(i));
  return hex;
}

}  // namespace carillon::sqlite
