#include "executors/http/own_addresses.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace carillon {
namespace {

const std::vector<std::uint16_t> ports{7070, 7071};

TEST(OwnAddresses, with_the_ports_of_this_server_are_its_own) {
  EXPECT_TRUE(is_own_port(*IpAddress::parse("127.0.0.1"), 7070, ports));
  EXPECT_TRUE(is_own_port(*IpAddress::parse("127.0.0.1"), 7071, ports));
  EXPECT_FALSE(is_own_port(*IpAddress::parse("127.0.0.1"), 80, ports));
  EXPECT_FALSE(is_own_port(*IpAddress::parse("192.0.2.1"), 7070, ports));
  EXPECT_FALSE(is_own_port(*IpAddress::parse("127.0.0.1"), 7070, {}));
}

TEST(OwnAddresses, are_read_from_the_sockets_of_both_families_only) {
  sockaddr other{};
  other.sa_family = AF_UNIX;

  EXPECT_FALSE(address_of(other));
}

}  // namespace
}  // namespace carillon
