#include "executors/http/ip_address.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace carillon {
namespace {

TEST(IpAddress, is_read_and_written_in_its_shortest_form) {
  EXPECT_EQ(IpAddress::parse("192.0.2.7")->text(), "192.0.2.7");
  EXPECT_EQ(IpAddress::parse("2001:0DB8:0:0:0:0:0:1")->text(), "2001:db8::1");
}

TEST(IpAddress, in_ipv6_dress_is_the_ipv4_address_it_carries) {
  const auto address = IpAddress::parse("::ffff:127.0.0.1");

  EXPECT_TRUE(address->is_v4());
  EXPECT_EQ(address, IpAddress::parse("127.0.0.1"));
}

TEST(IpAddress, is_read_in_its_plain_forms_only) {
  for (const std::string_view text : {"", "0x7f000001", "2130706433", "127.1", "127.0.0.1 ", "[::1]", "fe80::1%lo",
                                      "1.2.3.4/8", "localhost", "1.2.3.256", "::1::"})
    EXPECT_FALSE(IpAddress::parse(text)) << text;
}

struct Containment {
  std::string_view cidr;
  std::string_view address;
  bool is_inside;
};

TEST(Cidr, holds_what_begins_with_its_bits) {
  const Containment cases[] = {
      {"10.0.0.0/8", "10.255.255.255", true},
      {"10.0.0.0/8", "11.0.0.0", false},
      {"100.64.0.0/10", "100.127.255.255", true},
      {"100.64.0.0/10", "100.128.0.0", false},
      {"192.168.1.7", "192.168.1.7", true},
      {"192.168.1.7", "192.168.1.6", false},
      {"192.168.1.6/31", "192.168.1.7", true},
      {"0.0.0.0/0", "255.1.2.3", true},
      {"0.0.0.0/0", "::1", false},
      {"::/0", "2001:db8::1", true},
      {"::/0", "10.0.0.1", false},
      {"fc00::/7", "fdff::1", true},
      {"fc00::/7", "fe00::1", false},
      {"10.0.0.0/8", "::ffff:10.1.2.3", true},
      {"::ffff:10.1.2.3", "10.1.2.3", true},
  };
  for (const Containment& c : cases) {
    const auto cidr = Cidr::parse(c.cidr);
    ASSERT_TRUE(cidr) << c.cidr;
    EXPECT_EQ(cidr->contains(*IpAddress::parse(c.address)), c.is_inside) << c.cidr << " and " << c.address;
  }
}

TEST(Cidr, is_refused_when_it_cannot_be_read) {
  for (const std::string_view text :
       {"", "/", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0/8", "host/8"}) {
    const auto cidr = Cidr::parse(text);
    ASSERT_FALSE(cidr) << text;
    EXPECT_EQ(cidr.error().rule, "invalid-cidr");
  }
}

TEST(Cidr, with_bits_behind_its_prefix_is_refused_and_the_range_it_lies_in_is_named) {
  const auto cidr = Cidr::parse("10.1.2.3/8");

  ASSERT_FALSE(cidr);
  EXPECT_EQ(cidr.error().hint, "write 10.0.0.0/8");
}

}  // namespace
}  // namespace carillon
