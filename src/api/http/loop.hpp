#pragma once

#include "api/http/deadlines.hpp"
#include "api/http/protocol.hpp"
#include "api/http/server_state.hpp"
#include "api/http/tasks.hpp"
#include "base/loop_monitor.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon::http {

/// The executor by its own type: through the general one every operation would cost an indirection.
using LoopExecutor = boost::asio::io_context::executor_type;
using LoopTimer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                    boost::asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;
using LoopDescriptor = boost::asio::posix::basic_stream_descriptor<LoopExecutor>;

/// One thread and the connections it serves. All of a connection happens on its thread, so connections need no locks.
/// Shared, since those who still have to answer hold on to it.
class Loop final : public TaskRunner, public std::enable_shared_from_this<Loop> {
 public:
  using Connections = std::list<std::shared_ptr<ClientConnection>>;

  explicit Loop(std::shared_ptr<ServerState> server);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() override;

  /// Until it has been stopped and the last connection is gone.
  void run();

  bool submit(Task task) override;
  [[nodiscard]] bool is_this_thread() const { return thread_.load() == std::this_thread::get_id(); }

  // On the loop's thread:
  /// Takes a connected socket over: serves it, or refuses it if there are too many.
  void adopt(Client client);
  /// Ends connections and streams; those that have a request under way when it is answered, or after the grace.
  void begin_stop(Duration grace);
  [[nodiscard]] bool is_stopping() const { return is_stopping_; }
  /// Closes connections that wait for a request, longest first, at most this many.
  void close_idle(std::size_t count_max);

  // For its connections:
  [[nodiscard]] ServerState& server() { return *server_; }
  [[nodiscard]] LoopExecutor executor() { return context_.get_executor(); }
  void expect(Expiring& item, DeadlineKind kind);
  void remove(Connections::iterator place, bool was_refused);
  /// Where bytes are read to; what is to be kept is copied out before anything else is read.
  [[nodiscard]] std::span<char> scratch() { return scratch_; }
  /// The value of a Date header.
  [[nodiscard]] std::string_view date();

 private:
  void serve(const Client& client, ConnectionCounter::Verdict verdict);
  void run_tasks();
  void arm(SteadyTime when);
  void on_timer();
  void end_if_empty();

  std::shared_ptr<ServerState> server_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<LoopExecutor> work_;
  LoopTimer timer_;
  LoopTimer grace_timer_;
  SteadyTime armed_for_ = SteadyTime::max();
  Deadlines deadlines_;
  LoopMonitor::Pulse pulse_;  // until it runs
  Connections connections_;
  std::size_t refused_count_ = 0;  // of the connections, those that are here to be told so
  bool is_stopping_ = false;
  std::vector<char> scratch_;
  std::chrono::sys_seconds date_time_{};
  std::string date_;
  std::atomic<std::thread::id> thread_;

  std::mutex mutex_;
  std::vector<Task> tasks_;
  bool is_over_ = false;
};

}  // namespace carillon::http
