#include "executors/http/ip_address.hpp"

#include "base/assertion.hpp"
#include "base/quoted.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace carillon {
namespace {

constexpr std::array<std::uint8_t, 12> v4_mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

std::uint8_t masked(std::uint8_t byte, std::size_t bit_count) {
  return static_cast<std::uint8_t>(byte & (0xFFU << (8 - bit_count)));
}

/// The address with all bits behind the prefix cleared.
IpAddress first_of(const IpAddress& address, std::size_t prefix_length) {
  IpAddress::V6 bytes{};
  for (std::size_t i = 0; i < address.bytes().size() && i * 8 < prefix_length; ++i)
    bytes[i] = masked(address.bytes()[i], std::min<std::size_t>(8, prefix_length - i * 8));
  if (address.is_v4()) return IpAddress{IpAddress::V4{bytes[0], bytes[1], bytes[2], bytes[3]}};
  return IpAddress{bytes};
}

std::unexpected<Error> bad_cidr(std::string_view text, std::string_view why, std::string hint) {
  auto error = fail(ErrorCode::invalid_argument, "{} is not an address range: {}", quoted(text), why);
  error.error().hint = std::move(hint);
  error.error().rule = "invalid-cidr";
  return error;
}

}  // namespace

IpAddress::IpAddress(const V4& bytes) : is_v4_{true} { std::ranges::copy(bytes, bytes_.begin()); }

IpAddress::IpAddress(const V6& bytes)
    : is_v4_{std::ranges::equal(v4_mapped_prefix, std::span{bytes}.first(v4_mapped_prefix.size()))} {
  std::ranges::copy(std::span{bytes}.subspan(is_v4_ ? v4_mapped_prefix.size() : 0), bytes_.begin());
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated{text};
  V4 v4;
  if (::inet_pton(AF_INET, terminated.c_str(), v4.data()) == 1) return IpAddress{v4};
  V6 v6;
  if (::inet_pton(AF_INET6, terminated.c_str(), v6.data()) == 1) return IpAddress{v6};
  return std::nullopt;
}

IpAddress IpAddress::embedded_v4(std::size_t at) const {
  CARILLON_ASSERT(!is_v4_ && at + 4 <= bytes_.size());
  return IpAddress{V4{bytes_[at], bytes_[at + 1], bytes_[at + 2], bytes_[at + 3]}};
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), out.data(), out.size());
  return out.data();
}

Result<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return bad_cidr(text, "its address cannot be read", "write it like 10.0.0.0/8 or fd00::/8");
  const std::size_t length_max = address->bytes().size() * 8;
  std::size_t length = length_max;
  if (slash != text.npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || end != digits.data() + digits.size() || length > length_max)
      return bad_cidr(text, "its prefix length cannot be read", fmt::format("write 0 to {} after '/'", length_max));
  }
  // Most likely a slip of the pen, and it would open more than what is meant.
  const IpAddress first = first_of(*address, length);
  if (first != *address)
    return bad_cidr(text, "it has bits set after its prefix", fmt::format("write {}", Cidr{first, length}.text()));
  return Cidr{first, length};
}

bool Cidr::contains(const IpAddress& address) const {
  return address.is_v4() == first_.is_v4() && first_of(address, prefix_length_) == first_;
}

std::string Cidr::text() const { return fmt::format("{}/{}", first_.text(), prefix_length_); }

}  // namespace carillon
