#include "executors/http/egress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace carillon {
namespace {

std::string_view rule_for(std::string_view address, const std::vector<Cidr>& allowed = {}) {
  return egress_refusal(*IpAddress::parse(address), allowed).value_or("open");
}

struct Judgement {
  std::string_view address;
  std::string_view rule;
};

TEST(Egress, is_open_to_public_addresses_only) {
  const Judgement cases[] = {
      {"93.184.216.34", "open"},
      {"8.8.8.8", "open"},
      {"1.1.1.1", "open"},
      {"223.255.255.255", "open"},
      {"2606:4700:4700::1111", "open"},
      {"2a00:1450:4001:81b::200e", "open"},

      {"127.0.0.1", "loopback"},
      {"127.255.255.254", "loopback"},
      {"0.0.0.0", "unspecified"},
      {"0.1.2.3", "unspecified"},
      {"10.0.0.1", "private"},
      {"172.16.0.1", "private"},
      {"172.31.255.255", "private"},
      {"192.168.1.1", "private"},
      {"169.254.1.1", "link-local"},
      {"169.254.169.254", "metadata"},
      {"169.254.170.2", "metadata"},
      {"100.100.100.200", "metadata"},
      {"168.63.129.16", "metadata"},
      {"192.0.0.192", "metadata"},
      {"192.0.0.8", "reserved"},
      {"100.64.0.1", "shared"},
      {"100.127.255.255", "shared"},
      {"192.0.2.1", "documentation"},
      {"198.51.100.1", "documentation"},
      {"203.0.113.1", "documentation"},
      {"198.19.255.255", "benchmarking"},
      {"192.88.99.1", "reserved"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"240.0.0.1", "reserved"},
      {"255.255.255.255", "broadcast"},

      {"::1", "loopback"},
      {"::", "unspecified"},
      {"fd00::1", "private"},
      {"fc00::1", "private"},
      {"fd00:ec2::254", "metadata"},
      {"fd20:ce::254", "metadata"},
      {"fe80::1", "link-local"},
      {"fec0::1", "private"},
      {"ff02::1", "multicast"},
      {"2001:db8::1", "documentation"},
      {"3fff::1", "documentation"},
      {"2001::1", "tunnel"},
      {"2001:10::1", "reserved"},
      {"100::1", "reserved"},
      {"5f00::1", "reserved"},
      {"4000::1", "reserved"},
  };
  for (const Judgement& c : cases) EXPECT_EQ(rule_for(c.address), c.rule) << c.address;
}

TEST(Egress, looks_through_ipv6_addresses_that_lead_to_ipv4) {
  const Judgement cases[] = {
      {"::ffff:127.0.0.1", "loopback"},   {"::ffff:169.254.169.254", "metadata"},
      {"::ffff:8.8.8.8", "open"},         {"64:ff9b::10.0.0.1", "private"},
      {"64:ff9b::127.0.0.1", "loopback"}, {"64:ff9b::8.8.8.8", "open"},
      {"64:ff9b:1::8.8.8.8", "private"},  {"2002:7f00:1::", "loopback"},
      {"2002:a9fe:a9fe::1", "metadata"},  {"2002:c0a8:101::1", "private"},
      {"2002:808:808::1", "open"},        {"::127.0.0.1", "reserved"},
      {"::ffff:0:127.0.0.1", "reserved"}, {"::8.8.8.8", "reserved"},
  };
  for (const Judgement& c : cases) EXPECT_EQ(rule_for(c.address), c.rule) << c.address;
}

TEST(Egress, is_opened_by_a_range_and_by_nothing_beside_it) {
  const std::vector<Cidr> allowed{*Cidr::parse("10.1.0.0/16"), *Cidr::parse("fd12::/16")};

  EXPECT_EQ(rule_for("10.1.255.255", allowed), "open");
  EXPECT_EQ(rule_for("::ffff:10.1.0.1", allowed), "open");
  EXPECT_EQ(rule_for("64:ff9b::10.1.0.1", allowed), "open");
  EXPECT_EQ(rule_for("fd12::1", allowed), "open");
  EXPECT_EQ(rule_for("10.2.0.1", allowed), "private");
  EXPECT_EQ(rule_for("127.0.0.1", allowed), "loopback");
  EXPECT_EQ(rule_for("fd13::1", allowed), "private");
}

RC_GTEST_PROP(Egress, judges_an_ipv4_address_alike_in_all_its_dresses, (std::uint32_t bits)) {
  const auto byte = [&](int shift) { return static_cast<std::uint8_t>(bits >> shift); };
  const IpAddress plain{IpAddress::V4{byte(24), byte(16), byte(8), byte(0)}};
  const IpAddress mapped{IpAddress::V6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, byte(24), byte(16), byte(8), byte(0)}};
  const IpAddress nat64{
      IpAddress::V6{0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, byte(24), byte(16), byte(8), byte(0)}};
  const IpAddress six_to_four{IpAddress::V6{0x20, 0x02, byte(24), byte(16), byte(8), byte(0), 0, 0, 0, 0, 0, 0, 0, 0}};

  const auto expected = egress_refusal(plain, {});

  RC_ASSERT(egress_refusal(mapped, {}) == expected);
  RC_ASSERT(egress_refusal(nat64, {}) == expected);
  RC_ASSERT(egress_refusal(six_to_four, {}) == expected);
}

}  // namespace
}  // namespace carillon
