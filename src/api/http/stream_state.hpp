#pragma once

#include "api/http/responder.hpp"
#include "api/http/tasks.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace carillon::http {

/// What those who write to a stream and the connection that sends it share. Shared, as each may go first.
class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  enum class Form { chunked, plain };

  /// Tells `loop` to call `on_change` when there is something to pull.
  StreamState(std::shared_ptr<TaskRunner> loop, std::function<void()> on_change, Form form, std::size_t size_max);

  // From any thread, as ResponseStream says:
  bool write(std::string_view bytes);
  void close();
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] std::size_t room() const;
  void when_drained(std::function<void()> what);
  void on_closed(std::function<void()> what);

  // On the thread of the connection:
  /// Whether its client must be dropped.
  [[nodiscard]] bool is_overflown() const;
  enum class Pull { going_on, closing };
  /// Puts what has been written since into `out`, which is empty, ready to be sent; nothing comes behind it if the
  /// stream is closing. Who does not pull is not told of changes again, except that the stream is overflown.
  Pull pull(std::string& out);
  /// So many of the bytes that were pulled have been taken by the client.
  void sent(std::size_t count);
  /// The stream is over: tells those who wanted to know. May be called twice.
  void finish();

 private:
  void wake();
  void tell_loop();
  void run_later(const std::function<void()>& what);

  const std::shared_ptr<TaskRunner> loop_;
  const std::function<void()> on_change_;
  const Form form_;
  const std::size_t size_max_;

  mutable std::mutex mutex_;
  std::string pending_;
  std::size_t unsent_size_ = 0;  // pending, or pulled and not yet sent
  bool is_woken_ = false;
  bool is_closing_ = false;
  bool is_overflown_ = false;
  bool is_finished_ = false;
  std::function<void()> drained_;
  std::function<void()> closed_;
};

/// The end of a stream that is handed out: closes it when the last one lets go.
class StreamHandle final : public StreamSink {
 public:
  explicit StreamHandle(std::shared_ptr<StreamState> state) : state_{std::move(state)} {}
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;
  ~StreamHandle() override { state_->close(); }

  bool write(std::string_view bytes) override { return state_->write(bytes); }
  void close() override { state_->close(); }
  [[nodiscard]] bool is_open() const override { return state_->is_open(); }
  [[nodiscard]] std::size_t room() const override { return state_->room(); }
  void when_drained(std::function<void()> what) override { state_->when_drained(std::move(what)); }
  void on_closed(std::function<void()> what) override { state_->on_closed(std::move(what)); }

 private:
  std::shared_ptr<StreamState> state_;
};

}  // namespace carillon::http
