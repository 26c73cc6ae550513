#pragma once

#include "base/error.hpp"
#include "files/file_descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon {

/// What is sent at once between a server and its launcher: bytes, and open files beside them.
struct Packet {
  std::string bytes;
  std::vector<FileDescriptor> files;
};

/// Nothing is larger than this; what does not fit into the socket's buffer goes through memory that both can see.
inline constexpr std::size_t packet_size_max = 16 * 1024 * 1024;
/// Files beside one packet.
inline constexpr std::size_t packet_file_count_max = 5;
/// What there is of every packet, whatever else fails.
inline constexpr std::size_t packet_first_bytes = 64;

enum class PacketStatus {
  done,
  not_now,  // the buffer is full, or empty
  closed,   // nobody is at the other end
};

enum class Waiting { not_at_all, until_there };

/// Two connected sockets that keep packets whole.
[[nodiscard]] Result<std::pair<FileDescriptor, FileDescriptor>> make_channel();

/// Sends a packet, or nothing of it, without waiting. The files stay open here. An error if the system lacks something.
[[nodiscard]] Result<PacketStatus> send_packet(int socket, std::string_view bytes, std::span<const int> files = {});

/// The next packet into `packet`. An error if this process cannot open its files; `packet` then has no more than the
/// first bytes.
[[nodiscard]] Result<PacketStatus> receive_packet(int socket, Packet& packet, Waiting waiting = Waiting::not_at_all);

}  // namespace carillon
