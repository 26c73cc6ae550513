#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace carillon {

// The one place that knows how digests, codes and keys are made. Texts are bytes; every function may be called from
// several threads. A failure of the library below is a bug or a broken system, and ends the process.

/// SHA-256 (FIPS 180-4), 32 bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// The same as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// HMAC with SHA-256 (RFC 2104), 32 bytes.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

/// SipHash-2-4: a number that nobody can foretell or bring about without the key. For what is compared in memory and
/// forgotten soon; much quicker than a digest.
struct HashKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
[[nodiscard]] std::uint64_t keyed_hash(const HashKey& key, std::string_view bytes);

/// Two lower-case digits for each byte.
[[nodiscard]] std::string to_hex(std::string_view bytes);
/// Reads what `to_hex` writes, also in upper case; none if it is anything else.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view digits);

/// Whether two secrets are the same. Takes as long for a wrong first byte as for a wrong last one; the length is no
/// secret.
[[nodiscard]] bool are_equal_secrets(std::string_view one, std::string_view other);

/// Fills it with bytes that nobody can guess. Waits for the system's source of randomness, which after the first
/// moments of the machine's life never happens.
void fill_randomly(std::span<unsigned char> bytes);
[[nodiscard]] std::string random_bytes(std::size_t count);
[[nodiscard]] std::uint64_t random_number();

}  // namespace carillon
