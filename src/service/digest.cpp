#include "service/digest.hpp"

#include "base/assertion.hpp"

#include <openssl/evp.h>

namespace carillon {

std::string sha256(std::string_view bytes) {
  // Looked up once: that takes as long as the digest of a short text.
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::string digest(32, '\0');
  unsigned int length = 0;
  CARILLON_ASSERT(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
                             method, nullptr) == 1);
  CARILLON_ASSERT(length == digest.size());
  return digest;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256(bytes)); }

}  // namespace carillon
