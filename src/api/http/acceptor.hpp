#pragma once

#include "api/http/listening_socket.hpp"
#include "api/http/loop.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

namespace carillon::http {

/// Takes connections and hands them to the loops, in turn. Lives on the first loop's thread.
class Acceptor {
 public:
  Acceptor(ServerState& server, std::vector<std::shared_ptr<Loop>> loops, std::vector<ListeningSocket> sockets);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  ~Acceptor();

  // On the first loop's thread:
  void start();
  /// Takes those who wait already, and nobody after them.
  void stop();

 private:
  struct Gate {
    LoopDescriptor descriptor;
    LoopTimer pause_timer;
    bool is_tls;
    Protocol* protocol;
  };
  enum class Outcome { would_block, has_more, exhausted };

  void wait(Gate& gate);
  void accept_some(Gate& gate);
  [[nodiscard]] Outcome accept_batch(Gate& gate);
  void hand_over(const Client& client);
  void pause(Gate& gate);

  ServerState& server_;
  std::vector<std::shared_ptr<Loop>> loops_;
  std::list<Gate> gates_;
  std::size_t next_loop_ = 0;
  std::size_t pause_count_ = 0;
  int exhaustion_ = 0;  // the error that told of it last
  SteadyTime last_warning_{};
  bool is_stopped_ = false;
};

}  // namespace carillon::http
