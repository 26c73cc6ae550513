#include "api/http/connection_counter.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

namespace carillon::http {
namespace {

PeerAddress peer(const std::string& text) {
  sockaddr_storage storage{};
  sockaddr_in v4{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    std::memcpy(&storage, &v4, sizeof v4);
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
    std::memcpy(&storage, &v6, sizeof v6);
  }
  return PeerAddress{storage};
}

constexpr ConnectionLimits narrow{.connection_count_max = 3,
                                  .connection_count_per_address_max = 2,
                                  .stream_count_max = 2,
                                  .stream_count_per_address_max = 1};

TEST(PeerAddress, shows_an_ipv4_address_as_such_whatever_dress_it_comes_in) {
  EXPECT_EQ(peer("192.0.2.1").text(), "192.0.2.1");
  EXPECT_EQ(peer("::ffff:192.0.2.1").text(), "192.0.2.1");
  EXPECT_EQ(peer("2001:db8::1").text(), "2001:db8::1");
}

TEST(PeerAddress, knows_loopback) {
  EXPECT_TRUE(peer("127.0.0.1").is_loopback());
  EXPECT_TRUE(peer("127.8.9.1").is_loopback());
  EXPECT_TRUE(peer("::1").is_loopback());
  EXPECT_TRUE(peer("::ffff:127.0.0.1").is_loopback());
  EXPECT_FALSE(peer("128.0.0.1").is_loopback());
  EXPECT_FALSE(peer("::2").is_loopback());
}

TEST(PeerAddress, counts_an_ipv6_network_as_one_client) {
  EXPECT_EQ(peer("2001:db8:0:1::1").key(), peer("2001:db8:0:1:ffff::2").key());
  EXPECT_NE(peer("2001:db8:0:1::1").key(), peer("2001:db8:0:2::1").key());
  EXPECT_NE(peer("192.0.2.1").key(), peer("192.0.2.2").key());
}

TEST(ConnectionCounter, admits_so_many_from_one_address) {
  ConnectionCounter connections{narrow};
  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);
  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);

  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::address_full);
  EXPECT_EQ(connections.add_connection(peer("192.0.2.2")), ConnectionCounter::Verdict::admitted);
  EXPECT_EQ(connections.connection_count(), 3);
}

TEST(ConnectionCounter, admits_so_many_in_all) {
  ConnectionCounter connections{narrow};
  for (const auto* address : {"192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
    EXPECT_EQ(connections.add_connection(peer(address)), ConnectionCounter::Verdict::admitted);
  }

  EXPECT_EQ(connections.add_connection(peer("192.0.2.4")), ConnectionCounter::Verdict::full);
}

TEST(ConnectionCounter, has_room_again_when_one_leaves) {
  ConnectionCounter connections{narrow};
  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);
  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);

  connections.remove_connection(peer("192.0.2.1"));

  EXPECT_EQ(connections.add_connection(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);
}

TEST(ConnectionCounter, does_not_count_loopback_by_address_as_a_proxy_there_speaks_for_everybody) {
  ConnectionCounter connections{narrow};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(connections.add_connection(peer("127.0.0.1")), ConnectionCounter::Verdict::admitted);

  EXPECT_EQ(connections.add_connection(peer("127.0.0.1")), ConnectionCounter::Verdict::full);
}

TEST(ConnectionCounter, counts_streams_apart) {
  ConnectionCounter connections{narrow};
  EXPECT_EQ(connections.add_stream(peer("192.0.2.1")), ConnectionCounter::Verdict::admitted);

  EXPECT_EQ(connections.add_stream(peer("192.0.2.1")), ConnectionCounter::Verdict::address_full);
  EXPECT_EQ(connections.add_stream(peer("192.0.2.2")), ConnectionCounter::Verdict::admitted);
  EXPECT_EQ(connections.add_stream(peer("192.0.2.3")), ConnectionCounter::Verdict::full);
  connections.remove_stream(peer("192.0.2.1"));
  EXPECT_EQ(connections.stream_count(), 1);
  EXPECT_EQ(connections.add_stream(peer("192.0.2.3")), ConnectionCounter::Verdict::admitted);
}

}  // namespace
}  // namespace carillon::http
