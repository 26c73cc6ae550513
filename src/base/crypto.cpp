#include "base/crypto.hpp"

#include "base/assertion.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sys/random.h>

#include <array>
#include <bit>
#include <memory>

namespace carillon {
namespace {

constexpr std::size_t digest_size = 32;

const unsigned char* as_bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* as_bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// Looked up once: that takes as long as the digest of a short text.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method;
}

/// Made once and copied, because looking up the method and its digest takes longer than the code of a short text.
const EVP_MAC_CTX* hmac_without_key() {
  static const EVP_MAC_CTX* const made = [] {
    EVP_MAC* const method = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    EVP_MAC_CTX* const context = EVP_MAC_CTX_new(method);
    EVP_MAC_free(method);
    std::array<char, 7> digest{"SHA256"};
    const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                                OSSL_PARAM_construct_end()};
    CARILLON_ASSERT(context != nullptr && EVP_MAC_CTX_set_params(context, parameters.data()) == 1);
    return context;
  }();
  return made;
}

std::optional<unsigned char> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned char>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned char>(c - 'A' + 10);
  return std::nullopt;
}

/// At most eight bytes, the first one lowest.
std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

/// As J.-P. Aumasson and D. J. Bernstein describe it in "SipHash: a fast short-input PRF".
class SipState {
 public:
  explicit SipState(const HashKey& key)
      : v0_{key.first ^ 0x736f'6d65'7073'6575},
        v1_{key.second ^ 0x646f'7261'6e64'6f6d},
        v2_{key.first ^ 0x6c79'6765'6e65'7261},
        v3_{key.second ^ 0x7465'6462'7974'6573} {}

  void take(std::uint64_t word) {
    v3_ ^= word;
    mix(2);
    v0_ ^= word;
  }
  [[nodiscard]] std::uint64_t end() {
    v2_ ^= 0xff;
    mix(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void mix(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      v0_ += v1_, v1_ = std::rotl(v1_, 13) ^ v0_, v0_ = std::rotl(v0_, 32);
      v2_ += v3_, v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_, v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_, v1_ = std::rotl(v1_, 17) ^ v2_, v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string digest(digest_size, '\0');
  unsigned int length = 0;
  CARILLON_ASSERT(EVP_Digest(bytes.data(), bytes.size(), as_bytes(digest), &length, sha256_method(), nullptr) == 1);
  CARILLON_ASSERT(length == digest.size());
  return digest;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(sha256(bytes)); }

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string code(digest_size, '\0');
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context{EVP_MAC_CTX_dup(hmac_without_key()),
                                                                          EVP_MAC_CTX_free};
  // An empty key is a key; none would mean that of the context.
  const unsigned char* const key_bytes = key.empty() ? as_bytes(std::string_view{""}) : as_bytes(key);
  std::size_t length = 0;
  CARILLON_ASSERT(context && EVP_MAC_init(context.get(), key_bytes, key.size(), nullptr) == 1 &&
                  EVP_MAC_update(context.get(), as_bytes(text), text.size()) == 1 &&
                  EVP_MAC_final(context.get(), as_bytes(code), &length, code.size()) == 1);
  CARILLON_ASSERT(length == code.size());
  return code;
}

std::uint64_t keyed_hash(const HashKey& key, std::string_view bytes) {
  SipState state{key};
  const std::size_t whole_size = bytes.size() / 8 * 8;
  for (std::size_t i = 0; i < whole_size; i += 8) state.take(little_endian(bytes.substr(i, 8)));
  state.take(little_endian(bytes.substr(whole_size)) | std::uint64_t{bytes.size()} << 56);
  return state.end();
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

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = hex_value(digits[i]);
    const auto low = hex_value(digits[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high << 4 | *low);
  }
  return bytes;
}

bool are_equal_secrets(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

void fill_randomly(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    // Up to 256 bytes come at once; more may be interrupted.
    const auto count = ::getrandom(bytes.data(), bytes.size() < 256 ? bytes.size() : 256, 0);
    CARILLON_ASSERT(count > 0);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  fill_randomly({as_bytes(bytes), bytes.size()});
  return bytes;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  fill_randomly({reinterpret_cast<unsigned char*>(&number), sizeof number});
  return number;
}

}  // namespace carillon
