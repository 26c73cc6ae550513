#pragma once

#include "api/grpc/session.hpp"
#include "api/http/channel.hpp"
#include "api/http/loop.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace carillon::grpc {

/// One client that speaks gRPC. Except for answers, everything happens on the thread of its loop. Shared between the
/// loop, the operations that wait for its socket, and whoever has to answer.
class Connection final : public http::ClientConnection,
                         public CallReceiver,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<http::Loop> loop, const http::Client& client, const SessionLimits& limits,
             CallHandler& handler);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override;

  void start(Place place) override;
  void refuse_admission(http::ConnectionCounter::Verdict verdict) override;
  void stop() override;
  void cut() override { close(); }
  void on_deadline(http::DeadlineKind kind) override;
  void give_way() override;

  void receive(std::int32_t number, Call call) override;
  [[nodiscard]] Status admit(const Call& head) override;
  void on_cancelled(std::int32_t number) override;

 private:
  class Pending;
  enum class Stage { shaking_hands, serving, lingering, closed };

  void advance();
  [[nodiscard]] bool step();
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool flush(std::string_view output);
  [[nodiscard]] bool read();
  [[nodiscard]] bool linger();
  [[nodiscard]] bool may_go_on();
  void wait_for(http::Progress::State what);
  void update_deadline();
  [[nodiscard]] bool drop_late_messages();
  [[nodiscard]] std::optional<http::DeadlineKind> wanted_patience();
  void take_answer(std::int32_t number, Answer answer);
  void count_received();
  void close();

  const std::shared_ptr<http::Loop> loop_;
  http::ServerState& server_;
  const http::Client client_;
  const std::string peer_text_;
  CallHandler& handler_;
  Place place_;
  http::LoopDescriptor descriptor_;
  std::unique_ptr<http::Channel> channel_;
  Session session_;
  std::map<std::int32_t, std::shared_ptr<Pending>> pending_;  // calls that wait for their answers
  Stage stage_ = Stage::shaking_hands;
  std::optional<http::DeadlineKind> patience_{};
  bool is_patience_renewed_ = false;
  std::size_t held_size_ = 0;  // of messages being received, as counted by the server
  std::size_t lingered_size_ = 0;
  int idle_rounds_ = 0;
  int rounds_left_ = 0;
  bool is_readable_ = true;
  bool is_advancing_ = false;
  bool is_waiting_to_read_ = false;
  bool is_waiting_to_write_ = false;
  bool is_waiting_for_turn_ = false;
};

}  // namespace carillon::grpc
