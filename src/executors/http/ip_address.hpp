#pragma once

#include "base/error.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace carillon {

/// An IPv4 or IPv6 address. An IPv4 address in IPv6 dress (`::ffff:127.0.0.1`) is that IPv4 address.
class IpAddress {
 public:
  using V4 = std::array<std::uint8_t, 4>;
  using V6 = std::array<std::uint8_t, 16>;

  explicit IpAddress(const V4& bytes);
  explicit IpAddress(const V6& bytes);

  /// Reads the plain forms `192.0.2.1` and `2001:db8::1` only.
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] bool is_v4() const { return is_v4_; }
  /// In the order of the network: 4 or 16.
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_.data(), is_v4_ ? 4U : 16U}; }
  /// The IPv4 address that an IPv6 address carries at this byte.
  [[nodiscard]] IpAddress embedded_v4(std::size_t at) const;
  [[nodiscard]] std::string text() const;
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  bool is_v4_;
  V6 bytes_{};  // an IPv4 address stands in the first four
};

/// All addresses that begin with the same bits.
class Cidr {
 public:
  /// Reads `10.0.0.0/8`, `fd00::/8`, or one address alone. Bits behind the prefix must be zero.
  [[nodiscard]] static Result<Cidr> parse(std::string_view text);

  [[nodiscard]] bool contains(const IpAddress& address) const;
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Cidr&, const Cidr&) = default;

 private:
  Cidr(const IpAddress& first, std::size_t prefix_length) : first_{first}, prefix_length_{prefix_length} {}

  IpAddress first_;
  std::size_t prefix_length_;
};

}  // namespace carillon
