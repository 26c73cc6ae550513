#pragma once

#include "api/grpc/call.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct nghttp2_session;

namespace carillon::grpc {

/// What one connection may ask for.
struct SessionLimits {
  std::uint32_t stream_count_max = 100;              // calls at a time; more are refused, and may be sent again
  std::size_t header_size_max = 16 * 1024;           // of one call, names and values
  std::size_t message_size_max = 4 * 1024 * 1024;    // also decompressed
  std::size_t unadmitted_size_max = 16 * 1024;       // so much of a message is taken before its caller is asked for
  std::size_t received_size_max = 16 * 1024 * 1024;  // of all messages that are being received
  std::size_t unsent_size_max = 16 * 1024 * 1024;    // of all answers that wait for the client to read
  std::size_t reset_count_max = 200;                 // calls given up by the client, beyond those it let us answer
};

/// Receives the calls of a session. The number names the call in `Session::answer`.
class CallReceiver {
 public:
  virtual ~CallReceiver() = default;
  virtual void receive(std::int32_t number, Call call) = 0;
  [[nodiscard]] virtual Status admit(const Call& head) = 0;
  /// The client gave the call up.
  virtual void on_cancelled(std::int32_t number) = 0;
};

/// The server's side of one HTTP/2 connection that carries gRPC calls: bytes in, calls out; answers in, bytes out. It
/// has no socket and no thread. What breaks the rules of HTTP/2 ends the session, what breaks those of gRPC is
/// answered.
class Session {
 public:
  /// The receiver is called from within `feed`, and may answer at once. It outlives the session.
  Session(const SessionLimits& limits, CallReceiver& receiver);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Takes bytes from the client.
  void feed(std::string_view bytes);
  /// Answers a call; one that the client has given up is passed over.
  void answer(std::int32_t number, Answer answer);
  /// No more calls: those under way are answered, and then the session is over.
  void begin_shutdown();
  /// Gives up the calls whose messages have not come completely, of those that have begun before a time.
  void drop_unfinished(
      std::chrono::steady_clock::time_point begun_before = std::chrono::steady_clock::time_point::max());

  /// Bytes for the client, from the front of all that waits; empty: nothing can be sent now.
  [[nodiscard]] std::string_view output();
  void remove_output(std::size_t count);
  /// Nothing more will be read or written, beside the output.
  [[nodiscard]] bool is_over();

  /// Whether the client has said hello.
  [[nodiscard]] bool has_begun() const { return has_begun_; }
  [[nodiscard]] std::size_t open_count() const { return streams_.size(); }
  [[nodiscard]] std::size_t receiving_count() const { return receiving_count_; }
  [[nodiscard]] std::size_t received_size() const { return received_size_; }

 private:
  struct Stream;
  struct Callbacks;
  friend struct Callbacks;

  void begin_stream(std::int32_t number);
  void add_header(std::int32_t number, std::string_view name, std::string_view value);
  void end_headers(std::int32_t number);
  void add_data(std::int32_t number, std::string_view bytes);
  void end_stream(std::int32_t number);
  void close_stream(std::int32_t number, bool is_cancelled);
  void stop_receiving(Stream& stream);
  void refuse(Stream& stream, Status status);
  void refuse_request(Stream& stream, int http_status);
  void submit(Stream& stream, Answer answer);
  void note_sent(std::int32_t number, bool is_end);
  void count_reset();
  void fail();
  [[nodiscard]] Stream* find(std::int32_t number);

  const SessionLimits limits_;
  CallReceiver& receiver_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<std::int32_t, std::unique_ptr<Stream>> streams_;
  std::string output_;
  std::size_t output_begin_ = 0;
  std::size_t receiving_count_ = 0;
  std::size_t received_size_ = 0;
  std::size_t unsent_size_ = 0;
  std::size_t reset_count_ = 0;
  std::size_t answered_count_ = 0;
  bool has_begun_ = false;
  bool has_failed_ = false;
  bool is_shutting_down_ = false;
};

}  // namespace carillon::grpc
