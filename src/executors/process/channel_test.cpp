#include "executors/process/channel.hpp"

#include "executors/process/system_calls.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>

#include <array>

namespace carillon {
namespace {

class Channel : public testing::Test {
 protected:
  Channel() { std::tie(one_, other_) = make_channel().value(); }
  PacketStatus receive() { return receive_packet(other_.get(), packet_).value(); }

  FileDescriptor one_;
  FileDescriptor other_;
  Packet packet_;
};

TEST_F(Channel, packets_of_any_size_arrive_whole_and_in_order) {
  for (const std::size_t size : {1UL, 63UL, 64UL, 65UL, 16'384UL, 16'385UL, 200'000UL, 6'000'000UL}) {
    const std::string bytes(size, static_cast<char>('a' + size % 26));
    ASSERT_EQ(send_packet(one_.get(), bytes).value(), PacketStatus::done);
    ASSERT_EQ(send_packet(one_.get(), "next").value(), PacketStatus::done);
    ASSERT_EQ(receive(), PacketStatus::done);
    EXPECT_EQ(packet_.bytes, bytes);
    EXPECT_TRUE(packet_.files.empty());
    ASSERT_EQ(receive(), PacketStatus::done);
    EXPECT_EQ(packet_.bytes, "next");
  }
  EXPECT_EQ(receive(), PacketStatus::not_now);
}

TEST_F(Channel, files_travel_beside_packets_small_and_large) {
  for (const std::size_t size : {10UL, 100'000UL}) {
    const FileDescriptor first = memory_file("first", "1").value();
    const FileDescriptor second = memory_file("second", "2").value();
    const std::array files{first.get(), second.get()};
    ASSERT_EQ(send_packet(one_.get(), std::string(size, 'x'), files).value(), PacketStatus::done);
    ASSERT_EQ(receive(), PacketStatus::done);
    ASSERT_EQ(packet_.files.size(), 2U);

    char letter = 0;
    EXPECT_EQ(::pread(packet_.files[1].get(), &letter, 1, 0), 1);
    EXPECT_EQ(letter, '2');
    EXPECT_EQ(::fcntl(packet_.files[0].get(), F_GETFD), FD_CLOEXEC);
  }
}

TEST_F(Channel, one_that_is_full_says_so_and_loses_nothing) {
  std::size_t sent = 0;
  while (send_packet(one_.get(), std::string(10'000, 'x')).value() == PacketStatus::done) ++sent;
  std::size_t received = 0;
  while (receive() == PacketStatus::done) ++received;

  EXPECT_GT(sent, 0U);
  EXPECT_EQ(received, sent);
  EXPECT_EQ(send_packet(one_.get(), "again").value(), PacketStatus::done);
}

TEST_F(Channel, the_end_of_the_other_side_is_noticed) {
  one_.reset();
  EXPECT_EQ(receive(), PacketStatus::closed);
  EXPECT_EQ(send_packet(other_.get(), "late").value(), PacketStatus::closed);
}

TEST_F(Channel, without_room_for_files_the_first_bytes_still_arrive) {
  for (const std::size_t size : {1'000UL, 100'000UL}) {
    const FileDescriptor file = memory_file("file", "1").value();
    const std::array files{file.get(), file.get(), file.get()};
    const std::string bytes = "who it is about" + std::string(size, 'x');
    ASSERT_EQ(send_packet(one_.get(), bytes, files).value(), PacketStatus::done);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    // Room for two of them, which are given back: who looks for undefined behaviour needs two to look.
    const rlimit two{static_cast<rlim_t>(file.get()) + 3, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &two);
    const auto received = receive_packet(other_.get(), packet_);
    ::setrlimit(RLIMIT_NOFILE, &before);

    EXPECT_FALSE(received);
    EXPECT_TRUE(packet_.files.empty());
    EXPECT_EQ(packet_.bytes, bytes.substr(0, packet_first_bytes));
  }
}

}  // namespace
}  // namespace carillon
