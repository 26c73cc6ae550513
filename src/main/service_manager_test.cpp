#include "main/service_manager.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <vector>

namespace carillon {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr int patience_milliseconds = 60'000;
constexpr const char* soon = "20000";  // a watchdog that wants to be fed every 10 ms

class ListedLog final : public Log {
 public:
  void write(LogLevel, std::string_view event, std::initializer_list<LogField>) override {
    const std::lock_guard lock{mutex_};
    events_.emplace_back(event);
  }
  [[nodiscard]] std::vector<std::string> events() {
    const std::lock_guard lock{mutex_};
    return events_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_;
};

/// A socket that hears what a service manager would.
class Listener {
 public:
  explicit Listener(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.starts_with('@')) address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
      ADD_FAILURE() << "cannot listen at " << name;
  }

  /// The next message; empty if none comes.
  std::string next() {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, patience_milliseconds) != 1) return {};
    std::array<char, 4096> bytes{};
    const auto count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string{};
  }

  /// The next one that is not the watchdog's.
  std::string next_but_watchdog() {
    std::string message = next();
    while (message == "WATCHDOG=1") message = next();
    return message;
  }

 private:
  FileDescriptor socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

class ServiceManagerTest : public testing::Test {
 protected:
  ServiceManagerTest() { ::setenv("NOTIFY_SOCKET", path_.c_str(), 1); }
  ~ServiceManagerTest() override {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() / "notify";
  Listener listener_{path_};
  ListedLog log_;
};

std::int64_t monotonic_microseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1'000;
}

TEST_F(ServiceManagerTest, hears_that_the_server_is_ready_and_what_it_does) {
  ServiceManager manager{log_};

  manager.tell_ready("Serves http://127.0.0.1:7070");

  EXPECT_EQ(listener_.next(), "READY=1\nSTATUS=Serves http://127.0.0.1:7070");
}

TEST_F(ServiceManagerTest, may_listen_at_a_name_without_a_file) {
  const std::string name = fmt::format("@carillon-notify-{}", ::getpid());
  Listener listener{name};
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  ServiceManager manager{log_};

  manager.tell_stopping("Stops");

  EXPECT_EQ(listener.next(), "STOPPING=1\nSTATUS=Stops");
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST_F(ServiceManagerTest, hears_when_a_reload_began_and_that_it_ended) {
  ServiceManager manager{log_};
  manager.tell_ready("Serves");
  (void)listener_.next();

  const std::int64_t before = monotonic_microseconds();
  manager.tell_reloading();
  manager.tell_reloaded();

  const std::string message = listener_.next();
  constexpr std::string_view beginning = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_THAT(message, StartsWith(beginning));
  const std::int64_t told = std::stoll(message.substr(beginning.size()));
  EXPECT_GE(told, before);
  EXPECT_LE(told, monotonic_microseconds());
  EXPECT_EQ(listener_.next(), "READY=1\nSTATUS=Serves");
}

TEST_F(ServiceManagerTest, is_not_known_to_what_the_server_starts) {
  ::setenv("WATCHDOG_USEC", soon, 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);

  const ServiceManager manager{log_};

  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_USEC"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_PID"), nullptr);
}

TEST_F(ServiceManagerTest, is_told_one_line_whatever_the_status_is) {
  ServiceManager manager{log_};

  manager.tell_ready("Serves a\nMAINPID=1\tb");

  EXPECT_EQ(listener_.next(), "READY=1\nSTATUS=Serves a MAINPID=1 b");
}

TEST_F(ServiceManagerTest, gets_no_more_than_a_line_in_the_log_when_it_is_gone) {
  ::setenv("NOTIFY_SOCKET", (folder_.path() / "nobody").c_str(), 1);
  ServiceManager manager{log_};

  manager.tell_ready("Serves");
  manager.tell_stopping("Stops");

  EXPECT_THAT(log_.events(), ElementsAre("service manager was not notified"));
}

TEST_F(ServiceManagerTest, with_an_address_that_is_none_is_done_without) {
  for (const std::string& address : {std::string{"vsock:2:1"}, std::string{"@"}, "/" + std::string(200, 'x')}) {
    ListedLog log;
    ::setenv("NOTIFY_SOCKET", address.c_str(), 1);
    ServiceManager manager{log};

    manager.tell_ready("Serves");

    EXPECT_THAT(log.events(), ElementsAre("cannot notify the service manager")) << address;
  }
}

TEST_F(ServiceManagerTest, hears_of_the_watchdog_as_long_as_the_loop_lives) {
  ::setenv("WATCHDOG_USEC", soon, 1);
  std::atomic<bool> is_alive = true;
  ServiceManager manager{log_};
  manager.tell_ready("Serves");
  (void)listener_.next();

  manager.feed_watchdog([&] { return is_alive ? std::string{} : std::string{"worker for 31s"}; });

  for (int i = 0; i < 3; ++i) EXPECT_EQ(listener_.next(), "WATCHDOG=1");
  is_alive = false;
  EXPECT_EQ(listener_.next_but_watchdog(), "STATUS=Stalled: worker for 31s");
  manager.tell_reloading();
  EXPECT_THAT(listener_.next(), StartsWith("RELOADING=1")) << "and not the watchdog";
  is_alive = true;
  EXPECT_EQ(listener_.next(), "STATUS=Serves");
  EXPECT_EQ(listener_.next(), "WATCHDOG=1");
  EXPECT_THAT(log_.events(), ElementsAre("threads are stuck: watchdog notifications stopped",
                                         "all threads are running again: watchdog notifications resumed"));
}

TEST_F(ServiceManagerTest, hears_of_the_watchdog_while_the_server_stops_though_its_loop_has_ended) {
  ::setenv("WATCHDOG_USEC", soon, 1);
  std::atomic<bool> is_alive = true;
  ServiceManager manager{log_};
  manager.feed_watchdog([&] { return is_alive ? std::string{} : std::string{"worker for 31s"}; });

  manager.tell_stopping("Stops");
  is_alive = false;

  EXPECT_EQ(listener_.next_but_watchdog(), "STOPPING=1\nSTATUS=Stops");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(listener_.next(), "WATCHDOG=1");
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST(Watchdog, is_fed_twice_in_the_time_it_waits_if_it_watches_this_process) {
  struct Case {
    const char* microseconds_text;
    const char* pid;
    std::optional<microseconds> interval;
  };
  const std::vector<Case> cases{{"60000000", "42", microseconds{30'000'000}},
                                {"60000000", nullptr, microseconds{30'000'000}},
                                {"60000000", "43", std::nullopt},
                                {"60000000", "x", std::nullopt},
                                {nullptr, "42", std::nullopt},
                                {"0", "42", std::nullopt},
                                {"1", "42", std::nullopt},
                                {"-5", "42", std::nullopt},
                                {"1m", "42", std::nullopt},
                                {"99999999999999999999", "42", std::nullopt}};

  for (const auto& [text, pid, interval] : cases)
    EXPECT_EQ(watchdog_interval(text, pid, 42), interval)
        << (text == nullptr ? "-" : text) << ' ' << (pid == nullptr ? "-" : pid);
}

}  // namespace
}  // namespace carillon
