#include "support/cutting_proxy.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace carillon {
namespace {

constexpr int look_milliseconds = 20;
/// The statement and the name of the command in its completion; not the level READ COMMITTED.
constexpr std::string_view commit_word{"COMMIT\0", 7};

sockaddr_un socket_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder + "/.s.PGSQL.5432").c_str(), sizeof address.sun_path - 1);
  return address;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(std::string server_folder)
    : server_folder_{std::move(server_folder)}, listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  const sockaddr_un address = socket_in(folder());
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 16) != 0)
    throw std::runtime_error{"the proxy cannot listen"};
  thread_ = std::jthread{[this](const std::stop_token& stop) { accept_all(stop); }};
}

CuttingProxy::~CuttingProxy() {
  thread_.request_stop();
  thread_.join();
  ::close(listener_);
}

void CuttingProxy::accept_all(const std::stop_token& stop) {
  std::vector<std::jthread> connections;  // end with this
  while (!stop.stop_requested()) {
    pollfd watched{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, look_milliseconds) <= 0) continue;
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client >= 0) connections.emplace_back([this, client](const std::stop_token& end) { pass_on(end, client); });
  }
}

void CuttingProxy::pass_on(const std::stop_token& stop, int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = socket_in(server_folder_);
  bool is_open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  bool is_losing = false;
  std::array<char, 65'536> buffer{};
  while (is_open && !stop.stop_requested()) {
    std::array<pollfd, 2> watched{
        {{.fd = client, .events = POLLIN, .revents = 0}, {.fd = server, .events = POLLIN, .revents = 0}}};
    if (::poll(watched.data(), watched.size(), look_milliseconds) <= 0) continue;
    if (watched[0].revents != 0) {
      const ssize_t size = ::recv(client, buffer.data(), buffer.size(), 0);
      const std::string_view bytes{buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
      if (bytes.contains(commit_word) && is_armed_.exchange(false)) is_losing = true;
      is_open = size > 0 && send_all(server, bytes);
    }
    if (is_open && watched[1].revents != 0) {
      const ssize_t size = ::recv(server, buffer.data(), buffer.size(), 0);
      const std::string_view bytes{buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
      if (is_losing && bytes.contains(commit_word)) {
        ++lost_count_;
        break;
      }
      is_open = size > 0 && (is_losing || send_all(client, bytes));
    }
  }
  ::close(server);
  ::close(client);
}

}  // namespace carillon
