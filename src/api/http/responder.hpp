#pragma once

#include "api/http/message.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace carillon::http {

/// Where the pieces of a stream go: a connection, or whatever a test makes of them. See ResponseStream.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual bool write(std::string_view bytes) = 0;
  virtual void close() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
  [[nodiscard]] virtual std::size_t room() const = 0;
  virtual void when_drained(std::function<void()> what) = 0;
  virtual void on_closed(std::function<void()> what) = 0;
};

/// An answer that is sent in pieces, for as long as both sides want: server-sent events, a log that is followed. Copies
/// mean the same stream. Every member may be called from any thread, and none of them waits.
class ResponseStream {
 public:
  explicit ResponseStream(std::shared_ptr<StreamSink> sink);

  /// Sends these bytes behind what was written before. False, and nothing is sent, once the stream is over: closed,
  /// the client gone, or the server stopping. A client that reads so slowly that more than the buffer's bound would
  /// have to be kept for it is dropped, and this write is the first to give false.
  bool write(std::string_view bytes) const;  // NOLINT(modernize-use-nodiscard): on_closed tells as well
  /// Ends the answer properly behind what was written. May be called twice. A stream whose last copy is destroyed is
  /// closed as well.
  void close() const;
  [[nodiscard]] bool is_open() const;

  /// How many bytes may be written now before the client counts as too slow. Events are written as they come; who has
  /// much to send at once (the beginning of a long log) writes what there is room for, and goes on when_drained.
  [[nodiscard]] std::size_t room() const;
  /// Calls this once, on a thread of the server, when everything written so far has been taken, or the stream is over.
  /// Replaces what was given before. It must neither wait nor throw.
  void when_drained(std::function<void()> what) const;
  /// Called once, on a thread of the server, when the stream is over for whatever reason, close() included; also if it
  /// is over already. Replaces what was given before. It must neither wait nor throw.
  void on_closed(std::function<void()> what) const;

 private:
  std::shared_ptr<StreamSink> sink_;
};

/// Where an answer goes: a connection, or whatever a test makes of it. See Responder.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void send(Response response) = 0;
  [[nodiscard]] virtual std::shared_ptr<StreamSink> start_stream(int status, HeaderList headers) = 0;
  [[nodiscard]] virtual bool is_open() const { return true; }
  /// The answer of one who forgot to give one.
  virtual void abandon() { send(Response{.status = 500}); }
};

/// The right to answer one request, once, from any thread, during the call of the handler or later. Neither way waits
/// for the client. One that is destroyed unused answers 500, so that no client waits for nothing. Outliving the server
/// does no harm: the answer is thrown away.
class Responder {
 public:
  explicit Responder(std::shared_ptr<AnswerSink> sink);
  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  void send(Response response);
  /// Begins an answer whose body follows in pieces. The connection ends with it. If there are too many streams already,
  /// the client gets 429 or 503, and the stream is over before its first write; so it is in answer to HEAD.
  [[nodiscard]] ResponseStream start_stream(int status, HeaderList headers);

  /// Whether somebody is still there to be answered: for who gives away what nobody else can have then. False also if
  /// the client has said that it sends nothing more, which does not keep it from reading an answer. Looks at the
  /// socket, without waiting.
  [[nodiscard]] bool is_open() const { return sink_ != nullptr && sink_->is_open(); }

  /// False once it has been used, or moved from.
  [[nodiscard]] explicit operator bool() const { return sink_ != nullptr; }

 private:
  std::shared_ptr<AnswerSink> sink_;
};

}  // namespace carillon::http
