// A client of Temporal's schedules that is quick enough not to be what is measured.
//
//   temporal_bench describe PORT TOKEN PREFIX SCHEDULES IN_FLIGHT SECONDS   one line of JSON
//   temporal_bench connect PORT TOKEN CONNECTIONS
//       prints `ready`, holds them until its input ends

#include "grpc_wire/client_session.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace carillon;
using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "temporal_bench: {}\n", why);
  std::exit(1);
}

class Connection {
 public:
  explicit Connection(const std::string& port) : session_{{.authority = "127.0.0.1:" + port}} {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("cannot connect");
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::close(socket_); }

  grpc::ClientSession& session() { return session_; }
  /// Sends all there is, and waits for something to come.
  void exchange() {
    flush();
    const ssize_t count = ::read(socket_, scratch_.data(), scratch_.size());
    if (count <= 0) give_up("the server has closed the connection");
    session_.feed({scratch_.data(), static_cast<std::size_t>(count)});
  }

 private:
  void flush() {
    for (std::string_view output = session_.output(); !output.empty(); output = session_.output()) {
      const ssize_t count = ::write(socket_, output.data(), output.size());
      if (count <= 0) give_up("cannot send");
      session_.remove_output(static_cast<std::size_t>(count));
    }
  }

  grpc::ClientSession session_;
  int socket_ = -1;
  std::array<char, 64 * 1024> scratch_{};
};

grpc::OutgoingCall call_of(std::string_view method, std::string message, const std::string& token) {
  return {.path = fmt::format("/temporal.api.workflowservice.v1.WorkflowService/{}", method),
          .message = std::move(message),
          .metadata = {{"authorization", "Bearer " + token}, {"temporal-namespace", "default"}}};
}

/// DescribeScheduleRequest{namespace, schedule_id}: two texts.
std::string description_of(std::string_view id) {
  return fmt::format("\x0a\x07{}\x12{}{}", "default", static_cast<char>(id.size()), id);
}

double cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct Describing {
  Connection connection;
  std::string token;
  std::vector<std::string> requests{};
  std::size_t next = 0;
  Clock::time_point until{};
  std::vector<double> microseconds{};
  std::size_t answer_size = 0;

  void call() {
    const auto begun = Clock::now();
    connection.session().call(call_of("DescribeSchedule", requests[next++ % requests.size()], token),
                              [this, begun](const grpc::ReceivedAnswer& answer) {
                                if (!answer.status.is_ok()) give_up(answer.status.message);
                                answer_size = answer.message.size();
                                const auto now = Clock::now();
                                microseconds.push_back(std::chrono::duration<double, std::micro>(now - begun).count());
                                if (now < until) call();
                              });
  }
};

int describe(const std::string& port, const std::string& token, const std::string& prefix, int count, int in_flight,
             int seconds) {
  Describing describing{.connection = Connection{port}, .token = token};
  for (int i = 0; i < count; ++i) describing.requests.push_back(description_of(fmt::format("{}{}", prefix, i)));
  const auto begun = Clock::now();
  describing.until = begun + std::chrono::seconds{seconds};
  for (int i = 0; i < in_flight; ++i) describing.call();
  while (describing.connection.session().call_count() > 0) describing.connection.exchange();
  const double took = std::chrono::duration<double>(Clock::now() - begun).count();
  auto& times = describing.microseconds;
  std::ranges::sort(times);
  fmt::print(R"({{"calls":{},"seconds":{:.3f},"p50":{:.0f},"p99":{:.0f},"clientCpu":{:.3f},"bytes":{}}})"
             "\n",
             times.size(), took, times[times.size() / 2], times[times.size() * 99 / 100], cpu_seconds(),
             describing.answer_size);
  return 0;
}

int connect(const std::string& port, const std::string& token, int count) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < count; ++i) {
    auto& connection = *connections.emplace_back(std::make_unique<Connection>(port));
    connection.session().call(call_of("GetSystemInfo", {}, token), [](const grpc::ReceivedAnswer& answer) {
      if (!answer.status.is_ok()) give_up(answer.status.message);
    });
    while (connection.session().call_count() > 0) connection.exchange();
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> arguments{values + 1, values + count};
  if (arguments.size() == 7 && arguments[0] == "describe")
    return describe(arguments[1], arguments[2], arguments[3], std::stoi(arguments[4]), std::stoi(arguments[5]),
                    std::stoi(arguments[6]));
  if (arguments.size() == 4 && arguments[0] == "connect")
    return connect(arguments[1], arguments[2], std::stoi(arguments[3]));
  give_up("see the beginning of its source");
}
