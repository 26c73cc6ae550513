#include "executors/http/webhook_signature.hpp"

#include "base/crypto.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace carillon {
namespace {

constexpr std::string_view key_prefix = "whsec_";
constexpr std::size_t key_length_min = 24;
constexpr std::size_t key_length_max = 64;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

bool is_base64_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

std::optional<std::string> from_base64(std::string_view text) {
  const std::size_t padding_length = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  if (!std::ranges::all_of(text.substr(0, text.size() - padding_length), is_base64_character)) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text), static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(length) - padding_length);
  return out;
}

std::string to_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<SigningKey> signing_key_in(std::string_view text) {
  // Longer texts would decode to more than a key may have.
  if (!text.starts_with(key_prefix) || text.size() > key_prefix.size() + 2 * key_length_max) return std::nullopt;
  auto bytes = from_base64(text.substr(key_prefix.size()));
  if (!bytes || bytes->size() < key_length_min || bytes->size() > key_length_max) return std::nullopt;
  return SigningKey{.text = std::string{text.substr(key_prefix.size())}, .bytes = *std::move(bytes)};
}

}  // namespace

Result<std::vector<SigningKey>> parse_signing_keys(std::string_view text) {
  std::vector<SigningKey> keys;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, text.find(' '));
    if (word.empty() && !keys.empty()) return keys;
    auto key = signing_key_in(word);
    if (!key)
      return fail(ErrorCode::invalid_argument, "a signing secret must be {} and the base64 of {} to {} bytes",
                  key_prefix, key_length_min, key_length_max);
    keys.push_back(*std::move(key));
    text.remove_prefix(word.size());
  }
}

std::string webhook_signature(const std::vector<SigningKey>& keys, std::string_view id, Instant time,
                              std::string_view body) {
  const std::string text = fmt::format("{}.{}.{}", id, webhook_timestamp(time), body);
  std::string out;
  for (const SigningKey& key : keys) {
    if (!out.empty()) out += ' ';
    out.append("v1,").append(to_base64(hmac_sha256(key.bytes, text)));
  }
  return out;
}

std::string webhook_timestamp(Instant time) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

}  // namespace carillon
