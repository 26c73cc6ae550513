#include "executors/process/channel.hpp"

#include "base/assertion.hpp"
#include "executors/process/system_calls.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace carillon {
namespace {

// A packet begins with one of these.
constexpr char whole = 'w';
constexpr char in_memory = 'm';  // all bytes are in the first file, and the first ones here too

// Far below what a socket holds, so that a packet of any size can be sent when the other end has read what came before.
constexpr std::size_t whole_size_max = 16 * 1024;

union ControlBuffer {
  cmsghdr alignment;
  std::array<char, CMSG_SPACE(sizeof(int) * (packet_file_count_max + 1))> bytes;
};

Result<PacketStatus> outcome_of_error() {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return PacketStatus::not_now;
  if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) return PacketStatus::closed;
  return std::unexpected(system_error("cannot speak with the launcher"));
}

void attach(msghdr& message, ControlBuffer& control, std::span<const int> files) {
  if (files.empty()) return;
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(files.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(files.size_bytes());
  std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
}

Result<PacketStatus> send_with(int socket, char kind, std::string_view bytes, std::span<const int> files) {
  std::array<iovec, 2> parts{{{&kind, 1}, {const_cast<char*>(bytes.data()), bytes.size()}}};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  attach(message, control, files);
  ssize_t count = 0;
  do {
    count = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? outcome_of_error() : PacketStatus::done;
}

void take_files(msghdr& message, std::vector<FileDescriptor>& files) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.emplace_back(file);
    }
  }
}

Result<std::string> contents(int file) {
  struct stat facts{};
  if (::fstat(file, &facts) != 0) return std::unexpected(system_error("cannot read a packet"));
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > packet_size_max) return fail(ErrorCode::corrupt, "a packet has {} bytes", size);
  std::string bytes(size, '\0');
  std::size_t position = 0;
  while (position < size) {
    const ssize_t count = ::pread(file, bytes.data() + position, size - position, static_cast<off_t>(position));
    if (count <= 0) return std::unexpected(system_error("cannot read a packet"));
    position += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

Result<std::pair<FileDescriptor, FileDescriptor>> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return std::unexpected(system_error("cannot make a channel to a launcher"));
  return std::pair{FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

Result<PacketStatus> send_packet(int socket, std::string_view bytes, std::span<const int> files) {
  CARILLON_ASSERT(files.size() <= packet_file_count_max && bytes.size() <= packet_size_max);
  if (bytes.size() <= whole_size_max) return send_with(socket, whole, bytes, files);
  const FileDescriptor memory = TRY(memory_file("carillon-packet", bytes));
  std::array<int, packet_file_count_max + 1> all{memory.get()};
  std::ranges::copy(files, all.begin() + 1);
  return send_with(socket, in_memory, bytes.substr(0, packet_first_bytes), std::span{all}.first(files.size() + 1));
}

Result<PacketStatus> receive_packet(int socket, Packet& packet, Waiting waiting) {
  std::array<char, 1 + whole_size_max> buffer;
  iovec part{buffer.data(), buffer.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t count = 0;
  do {
    count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waiting == Waiting::not_at_all ? MSG_DONTWAIT : 0));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return outcome_of_error();
  if (count == 0) return PacketStatus::closed;

  packet = {};
  take_files(message, packet.files);
  packet.bytes.assign(buffer.data() + 1, static_cast<std::size_t>(count) - 1);
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    packet.bytes.resize(std::min(packet.bytes.size(), packet_first_bytes));
    packet.files.clear();
    return fail(ErrorCode::unavailable, "too many open files");
  }
  if (buffer[0] == in_memory) {
    packet.bytes = TRY(contents(packet.files.at(0).get()));
    packet.files.erase(packet.files.begin());
  }
  return PacketStatus::done;
}

}  // namespace carillon
