#pragma once

#include "api/http/channel.hpp"
#include "api/http/loop.hpp"
#include "api/http/output.hpp"
#include "api/http/request_reader.hpp"
#include "api/http/responder.hpp"
#include "api/http/stream_state.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carillon::http {

/// One client. Except for the answers of the handler, everything happens on the thread of its loop. Shared between the
/// loop, the operations that wait for its socket, and whoever has to answer.
class Connection final : public AnswerSink, public ClientConnection, public std::enable_shared_from_this<Connection> {
 public:
  /// The socket is the connection's from start() on.
  Connection(std::shared_ptr<Loop> loop, const Client& client);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override;

  void start(Place place) override;
  void refuse_admission(ConnectionCounter::Verdict verdict) override;
  void stop() override;
  void cut() override { close(); }
  void on_deadline(DeadlineKind kind) override;
  void give_way() override { close_if_idle(); }

  // By the handler, from any thread:
  void send(Response response) override;
  [[nodiscard]] std::shared_ptr<StreamSink> start_stream(int status, HeaderList headers) override;
  void abandon() override;
  [[nodiscard]] bool is_open() const override;

 private:
  enum class Stage {
    shaking_hands,
    reading,    // a request, or waiting for one
    admitting,  // waits to hear whether the rest of a body may come
    handling,   // the handler has it
    streaming,  // the answer comes in pieces
    leaving,    // nothing more to say than what is being sent
    lingering,  // said everything; waits for the client to go, as closing at once would destroy what it has not read
    closed,
  };
  /// Of the request that is being answered.
  struct Exchange {
    bool is_head = false;
    bool is_http_1_0 = false;
    bool keeps_alive = false;
  };

  void close_if_idle();
  void advance();
  [[nodiscard]] bool step();
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool read();
  [[nodiscard]] bool flush();
  [[nodiscard]] bool serve_stream();
  [[nodiscard]] bool watch_client();
  [[nodiscard]] bool linger();
  void wait_for(Progress::State what);
  [[nodiscard]] bool may_go_on();
  void update_deadline();
  [[nodiscard]] std::optional<DeadlineKind> wanted_patience() const;

  std::size_t feed(std::string_view bytes);
  void dispatch();
  void hold_body();
  std::size_t hold_body_size();
  void ask_admission();
  void settle_admission(std::optional<Response> refusal);
  void release_body();
  void answer(Response response);
  void refuse(int status, std::string_view detail);
  void append_answer(Response response);
  void begin_stream(const std::shared_ptr<StreamState>& stream, int status, const HeaderList& headers);
  void refuse_stream(ConnectionCounter::Verdict verdict);
  void end_stream();
  void tell_sent(bool is_sent);
  void reset();
  void close();
  /// Does this on the loop's thread, now or later. False if the loop has ended.
  template <typename Action>
  bool do_on_loop(Action action);

  const std::shared_ptr<Loop> loop_;
  ServerState& server_;
  const Client client_;
  const std::string peer_text_;
  Place place_;
  LoopDescriptor descriptor_;
  std::unique_ptr<Channel> channel_;
  Stage stage_ = Stage::shaking_hands;
  Exchange exchange_;
  RequestReader reader_;
  std::string input_;  // read, but behind the request that is being answered
  std::size_t input_begin_ = 0;
  Output output_;
  std::vector<std::function<void(bool)>> unsent_;  // who is told when all of it has been sent
  std::shared_ptr<StreamState> stream_;
  std::size_t held_body_size_ = 0;  // counted in body_size_total
  std::size_t lingered_size_ = 0;
  int rounds_left_ = 0;
  std::optional<DeadlineKind> patience_;
  bool is_patience_renewed_ = false;  // a request ended, or the client took some bytes
  bool is_readable_ = false;          // the socket was, and has not been read since
  bool is_waiting_to_read_ = false;
  bool is_waiting_to_write_ = false;
  bool is_waiting_for_turn_ = false;
  bool has_said_continue_ = false;
  bool is_head_sent_ = false;  // of a stream, so that only its own bytes follow
  bool is_advancing_ = false;

  mutable std::mutex socket_mutex_;
  bool is_socket_closed_ = false;  // guarded: its number may then be another's
};

}  // namespace carillon::http
