#pragma once

#include "grpc_wire/status.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace carillon::grpc {

using Metadata = std::vector<std::pair<std::string, std::string>>;  // names in lower case

/// One call of a method of a server elsewhere.
struct OutgoingCall {
  std::string path;  // `/package.Service/Method`
  std::string message;
  Metadata metadata{};
  std::optional<std::chrono::milliseconds> timeout{};  // told to the server; nothing here ends the call
};

struct ReceivedAnswer {
  Status status{};
  std::string message{};   // only if the status is ok
  bool is_unsent = false;  // the server has certainly not got the call
};

/// The client's side of one HTTP/2 connection that carries gRPC calls: calls in, bytes out; bytes in, answers out. It
/// has no socket, no thread and no clock. Calls beyond what the server takes at a time wait for their turn.
class ClientSession {
 public:
  using Done = std::function<void(ReceivedAnswer)>;
  struct Target {
    std::string authority;  // `host:port`
    bool is_tls = false;
    std::size_t message_size_max = 4 * 1024 * 1024;  // of an answer, also decompressed
  };

  explicit ClientSession(Target target);
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;
  /// Calls that have no answer get none: `fail_calls` comes before.
  ~ClientSession();

  /// Makes a call; `done` is called once, from within `feed`, `end_call` or `fail_calls`. It may make other calls. The
  /// number names the call.
  std::int32_t call(const OutgoingCall& call, Done done);
  /// Gives a call up, with this status.
  void end_call(std::int32_t number, Status status);
  /// Answers all calls under way with this status: the connection is gone.
  void fail_calls(const Status& status);

  void feed(std::string_view bytes);
  /// What is to be sent; valid until the next call of this object.
  [[nodiscard]] std::string_view output();
  void remove_output(std::size_t count);
  /// Asks the server for a sign of life.
  void ping();
  /// How many signs of life have come.
  [[nodiscard]] std::uint64_t pong_count() const { return pong_count_; }

  [[nodiscard]] std::size_t call_count() const { return calls_.size(); }
  /// Whether new calls are taken: no after the server has said that it goes, or has broken the rules.
  [[nodiscard]] bool is_usable() const { return !has_failed_ && !is_going_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  struct Call;
  struct Callbacks;

  [[nodiscard]] Call* find(std::int32_t number);
  void add_header(std::int32_t number, std::string_view name, std::string_view value);
  void add_data(std::int32_t number, std::string_view bytes);
  void close_call(std::int32_t number, std::uint32_t error);
  [[nodiscard]] ReceivedAnswer answer_of(Call& call, std::uint32_t error) const;

  const Target target_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<std::int32_t, std::unique_ptr<Call>> calls_;
  std::string output_;
  std::size_t output_begin_ = 0;
  std::uint64_t pong_count_ = 0;
  bool has_failed_ = false;
  bool is_going_ = false;
};

}  // namespace carillon::grpc
