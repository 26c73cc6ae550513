#include "executors/http/egress.hpp"

#include <algorithm>
#include <vector>

namespace carillon {
namespace {

struct Rule {
  Cidr range;
  std::string_view name;
};

Cidr range(std::string_view text) { return Cidr::parse(text).value(); }

/// From IANA's registries of special-purpose addresses, and where clouds answer questions about a machine, credentials
/// included. The first that fits gives the name.
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {range("169.254.169.254"), "metadata"},
      {range("169.254.170.2"), "metadata"},
      {range("100.100.100.200"), "metadata"},
      {range("168.63.129.16"), "metadata"},
      {range("192.0.0.192"), "metadata"},
      {range("0.0.0.0/8"), "unspecified"},
      {range("10.0.0.0/8"), "private"},
      {range("100.64.0.0/10"), "shared"},
      {range("127.0.0.0/8"), "loopback"},
      {range("169.254.0.0/16"), "link-local"},
      {range("172.16.0.0/12"), "private"},
      {range("192.0.0.0/24"), "reserved"},
      {range("192.0.2.0/24"), "documentation"},
      {range("192.88.99.0/24"), "reserved"},
      {range("192.168.0.0/16"), "private"},
      {range("198.18.0.0/15"), "benchmarking"},
      {range("198.51.100.0/24"), "documentation"},
      {range("203.0.113.0/24"), "documentation"},
      {range("224.0.0.0/4"), "multicast"},
      {range("255.255.255.255"), "broadcast"},
      {range("240.0.0.0/4"), "reserved"},
      {range("fd00:ec2::/32"), "metadata"},
      {range("fd20:ce::254"), "metadata"},
      {range("::"), "unspecified"},
      {range("::1"), "loopback"},
      {range("64:ff9b:1::/48"), "private"},
      {range("2001::/32"), "tunnel"},
      {range("2001::/23"), "reserved"},
      {range("2001:db8::/32"), "documentation"},
      {range("3fff::/20"), "documentation"},
      {range("fc00::/7"), "private"},
      {range("fe80::/10"), "link-local"},
      {range("fec0::/10"), "private"},
      {range("ff00::/8"), "multicast"},
  };
  return all;
}

/// The IPv4 address a packet to this IPv6 address ends at.
std::optional<IpAddress> v4_behind(const IpAddress& address) {
  static const Cidr nat64 = range("64:ff9b::/96");
  static const Cidr six_to_four = range("2002::/16");
  if (nat64.contains(address)) return address.embedded_v4(12);
  if (six_to_four.contains(address)) return address.embedded_v4(2);
  return std::nullopt;
}

bool is_global_unicast(const IpAddress& address) {
  static const Cidr global = range("2000::/3");
  return address.is_v4() || global.contains(address);
}

}  // namespace

std::optional<std::string_view> egress_refusal(const IpAddress& address, std::span<const Cidr> allowed) {
  const auto holds_it = [&](const Cidr& cidr) { return cidr.contains(address); };
  if (std::ranges::any_of(allowed, holds_it)) return std::nullopt;
  if (const auto behind = v4_behind(address)) return egress_refusal(*behind, allowed);
  const auto rule = std::ranges::find_if(rules(), holds_it, &Rule::range);
  if (rule != rules().end()) return rule->name;
  if (!is_global_unicast(address)) return "reserved";
  return std::nullopt;
}

}  // namespace carillon
