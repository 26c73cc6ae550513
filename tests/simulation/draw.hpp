#pragma once

#include "base/instant.hpp"
#include "base/mix.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace carillon::simulation {

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t value) { return splitmix(value); }
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return splitmix(hash);
}

/// One number from several: what happens to an entity is drawn from who it is, never from a shared stream, so that
/// taking one element out of a plan leaves the luck of the others alone.
template <typename First, typename... Rest>
[[nodiscard]] constexpr std::uint64_t key_of(const First& first, const Rest&... rest) {
  std::uint64_t key = 0;
  const auto add = [&](const auto& part) {
    if constexpr (requires { hash_of(std::string_view{part}); }) {
      key = splitmix(key ^ hash_of(std::string_view{part}));
    } else {
      key = splitmix(key ^ hash_of(static_cast<std::uint64_t>(part)));
    }
  };
  add(first);
  (add(rest), ...);
  return key;
}

/// Draws from one key; equal keys draw equally everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t key) : state_{key} {}

  [[nodiscard]] std::uint64_t number() { return splitmix(spread(state_++)); }
  [[nodiscard]] double fraction() { return static_cast<double>(number() >> 11) * 0x1p-53; }
  [[nodiscard]] bool chance(double share) { return fraction() < share; }
  /// Both ends included.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(number() % static_cast<std::uint64_t>(high - low + 1));
  }
  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(number() % count); }
  [[nodiscard]] Duration duration(Duration low, Duration high) { return Duration{between(low.count(), high.count())}; }
  /// Short ones as likely as long ones, by orders of magnitude.
  [[nodiscard]] Duration uneven(Duration low, Duration high) {
    const double share = fraction();
    return low +
           Duration{static_cast<Duration::rep>(static_cast<double>((high - low).count()) * share * share * share)};
  }
  template <typename T>
  [[nodiscard]] T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace carillon::simulation
