#pragma once

#include "grpc_wire/status.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace carillon::grpc {

/// One call of a method: a message in, a message or an error out.
struct Call {
  std::string path;                                                 // `/package.Service/Method`
  std::string authorization{};                                      // the header of that name; empty: none
  std::string peer_address{};                                       // network address of the client
  std::string message{};                                            // as it was serialised, or packed
  bool is_packed = false;                                           // see `unpack`
  std::size_t message_size_max = 4 * 1024 * 1024;                   // of what is unpacked
  std::optional<std::chrono::steady_clock::time_point> deadline{};  // after which nobody waits for the answer
};

/// Makes the message readable, once its caller is known. A status that is not ok says why it cannot be read.
[[nodiscard]] Status unpack(Call& call);

struct Answer {
  Status status{};
  std::string message{};  // serialised; only if the status is ok
};

/// Where the answer to a call goes. From any thread.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void send(Answer answer) = 0;
  /// Whether anybody still waits for the answer.
  [[nodiscard]] virtual bool is_open() const = 0;
};

/// The right, and the duty, to answer one call. A call whose replier is dropped is answered with an error.
class Replier {
 public:
  explicit Replier(std::shared_ptr<AnswerSink> sink) : sink_{std::move(sink)} {}
  Replier(Replier&&) noexcept = default;
  Replier& operator=(Replier&&) noexcept = default;
  Replier(const Replier&) = delete;
  Replier& operator=(const Replier&) = delete;
  ~Replier() {
    if (sink_) sink_->send({.status = {.code = StatusCode::internal, .message = "the call could not be answered"}});
  }

  /// Once.
  void send(Answer answer) { std::exchange(sink_, nullptr)->send(std::move(answer)); }
  [[nodiscard]] bool is_open() const { return sink_ && sink_->is_open(); }

 private:
  std::shared_ptr<AnswerSink> sink_;
};

/// What answers calls. Called on the threads of the server, which serve many clients: neither may wait.
class CallHandler {
 public:
  virtual ~CallHandler() = default;

  /// Answers a call, at once or later. Its message may be packed, and is to be unpacked for known callers only.
  virtual void handle(Call call, Replier replier) = 0;
  /// Asked once a large message begins to come, when only its head is known: a status that is not ok refuses the call.
  [[nodiscard]] virtual Status admit(const Call& head) = 0;
};

}  // namespace carillon::grpc
