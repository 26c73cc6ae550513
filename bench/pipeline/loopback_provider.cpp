#include "pipeline/loopback_provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>

namespace carillon::bench {
namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

/// Whether all of a request has come.
bool is_whole(std::string_view request) {
  const std::size_t head_end = request.find("\r\n\r\n");
  if (head_end == request.npos) return false;
  constexpr std::string_view name = "Content-Length: ";
  const std::size_t length = request.find(name);
  if (length == request.npos || length > head_end) return true;
  return request.size() >= head_end + 4 + std::strtoull(request.data() + length + name.size(), nullptr, 10);
}

const std::string& reply() {
  static const std::string text = [] {
    const std::string body =
        R"({"choices":[{"message":{"content":"{\"grade\": \"A\", \"reason\": \"as good as it gets\"}"},)"
        R"("finish_reason":"stop"}],"usage":{"prompt_tokens":40,"completion_tokens":20}})";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }();
  return text;
}

class Connections {
 public:
  explicit Connections(int listener) : listener_{listener}, poll_{::epoll_create1(EPOLL_CLOEXEC)} { watch(listener_); }

  [[noreturn]] void serve() {
    std::array<epoll_event, 64> events;
    for (;;) {
      const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int file = events[static_cast<std::size_t>(i)].data.fd;
        file == listener_ ? accept_all() : read_from(file);
      }
    }
  }

 private:
  void watch(int file) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = file}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, file, &event);
  }

  void accept_all() {
    for (;;) {
      const int file = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (file < 0) return;
      requests_[file].clear();
      watch(file);
    }
  }

  void read_from(int file) {
    std::array<char, 16 * 1024> buffer;
    std::string& request = requests_[file];
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count > 0) request.append(buffer.data(), static_cast<std::size_t>(count));
    if (count > 0 && !is_whole(request)) return;
    if (count > 0) (void)!::send(file, reply().data(), reply().size(), MSG_NOSIGNAL);
    requests_.erase(file);
    ::close(file);
  }

  int listener_;
  int poll_;
  std::unordered_map<int, std::string> requests_;
};

}  // namespace

LoopbackProvider::LoopbackProvider() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 1'024) != 0 || ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    give_up("loopback provider");
  port_ = ::ntohs(address.sin_port);
  pid_ = ::fork();
  if (pid_ < 0) give_up("fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Connections{listener}.serve();
  }
  ::close(listener);
}

LoopbackProvider::~LoopbackProvider() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace carillon::bench
