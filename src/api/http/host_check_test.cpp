#include "api/http/host_check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon::http {
namespace {

TEST(HostCheck, accepts_addresses_and_localhost_without_being_told) {
  for (const std::string_view host : {"127.0.0.1", "127.0.0.1:8080", "192.0.2.7:80", "[::1]", "[::1]:8080", "localhost",
                                      "LocalHost:8080", "localhost.", "[2001:db8::1]"}) {
    EXPECT_TRUE(is_own_host(host, {})) << host;
  }
}

TEST(HostCheck, refuses_names_that_may_be_anybodys) {
  for (const std::string_view host : {"evil.example", "127.0.0.1.nip.io", "localhost.evil.example", "evil-localhost",
                                      "127.0.0.1.", "0x7f000001", "2130706433", "127.1", "", "[::1].evil", "[v1.x]"}) {
    EXPECT_FALSE(is_own_host(host, {})) << host;
  }
}

TEST(HostCheck, accepts_the_names_it_is_given_and_no_others) {
  const std::vector<std::string> allowed{"carillon.example"};

  EXPECT_TRUE(is_own_host("carillon.example", allowed));
  EXPECT_TRUE(is_own_host("Carillon.Example.:443", allowed));
  EXPECT_FALSE(is_own_host("a.carillon.example", allowed));
  EXPECT_FALSE(is_own_host("carillon.example.evil", allowed));
}

TEST(HostCheck, accepts_everything_if_told_so) {
  EXPECT_TRUE(is_own_host("evil.example", std::vector<std::string>{"*"}));
}

}  // namespace
}  // namespace carillon::http
