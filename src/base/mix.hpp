#pragma once

#include <cstdint>

namespace carillon {

/// 2^64 divided by the golden ratio, made odd: multiples of it lie far apart.
inline constexpr std::uint64_t golden_multiplier = 0x9E37'79B9'7F4A'7C15;

/// A multiplicative hash, different for every number: neighbours end far apart, as the high bits show. Stays what it is
/// on every machine and in every release: stored and shown numbers depend on it.
[[nodiscard]] constexpr std::uint64_t spread(std::uint64_t number) { return number * golden_multiplier; }

/// SplitMix64: a number from a seed whose bits may be anything but random; each bit of it depends on all of them. Stays
/// what it is, as above.
[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t seed) {
  seed += golden_multiplier;
  seed = (seed ^ (seed >> 30)) * 0xBF58'476D'1CE4'E5B9;
  seed = (seed ^ (seed >> 27)) * 0x94D0'49BB'1331'11EB;
  return seed ^ (seed >> 31);
}

}  // namespace carillon
