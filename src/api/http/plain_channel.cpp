#include "api/http/channel.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace carillon::http {
namespace {

bool is_would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(int socket) : socket_{socket} {}

  Progress shake_hands() override { return {}; }

  Progress read(std::span<char> into) override {
    const Progress progress = read_plain(socket_, into);
    // Less than asked for: the socket is empty, and asking again would be a system call for nothing.
    may_hold_bytes_ = progress.state == Progress::State::done && progress.count == into.size();
    return progress;
  }

  Progress write(std::span<const std::string_view> pieces) override {
    std::array<iovec, 4> vectors{};
    const std::size_t count = std::min(pieces.size(), vectors.size());
    for (std::size_t i = 0; i < count; ++i) {
      vectors[i] = {.iov_base = const_cast<char*>(pieces[i].data()), .iov_len = pieces[i].size()};
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent >= 0) return {.count = static_cast<std::size_t>(sent)};
    return {.state = is_would_block(errno) ? Progress::State::wants_write : Progress::State::failed};
  }

  [[nodiscard]] bool may_hold_bytes() const override { return may_hold_bytes_; }
  [[nodiscard]] std::string_view failure() const override { return {}; }
  void say_goodbye() override {}

 private:
  int socket_;
  bool may_hold_bytes_ = false;
};

}  // namespace

Progress read_plain(int socket, std::span<char> into) {
  const ssize_t count = recv(socket, into.data(), into.size(), 0);
  if (count > 0) return {.count = static_cast<std::size_t>(count)};
  if (count == 0) return {.state = Progress::State::ended};
  return {.state = is_would_block(errno) ? Progress::State::wants_read : Progress::State::failed};
}

std::unique_ptr<Channel> plain_channel(int socket) { return std::make_unique<PlainChannel>(socket); }

}  // namespace carillon::http
