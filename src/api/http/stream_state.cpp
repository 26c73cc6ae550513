#include "api/http/stream_state.hpp"

#include "api/http/response_text.hpp"

#include <algorithm>
#include <utility>

namespace carillon::http {
namespace {

/// What a chunk has around its bytes, at most: its length in hexadecimal and two line ends.
constexpr std::size_t chunk_frame_size_max = 16 + 2 + 2;

}  // namespace

StreamState::StreamState(std::shared_ptr<TaskRunner> loop, std::function<void()> on_change, Form form,
                         std::size_t size_max)
    : loop_{std::move(loop)}, on_change_{std::move(on_change)}, form_{form}, size_max_{size_max} {}

bool StreamState::write(std::string_view bytes) {
  const std::lock_guard lock{mutex_};
  if (is_closing_ || is_overflown_ || is_finished_) return false;
  if (bytes.empty()) return true;
  if (unsent_size_ + bytes.size() > size_max_) {
    is_overflown_ = true;
    tell_loop();
    return false;
  }
  const std::size_t size_before = pending_.size();
  if (form_ == Form::chunked) {
    append_chunk(pending_, bytes);
  } else {
    pending_.append(bytes);
  }
  unsent_size_ += pending_.size() - size_before;
  wake();
  return true;
}

void StreamState::close() {
  const std::lock_guard lock{mutex_};
  if (std::exchange(is_closing_, true) || is_finished_) return;
  wake();
}

bool StreamState::is_open() const {
  const std::lock_guard lock{mutex_};
  return !is_closing_ && !is_overflown_ && !is_finished_;
}

std::size_t StreamState::room() const {
  const std::lock_guard lock{mutex_};
  const std::size_t taken = unsent_size_ + chunk_frame_size_max;
  return is_closing_ || is_overflown_ || is_finished_ || taken >= size_max_ ? 0 : size_max_ - taken;
}

void StreamState::when_drained(std::function<void()> what) {
  std::unique_lock lock{mutex_};
  if (!is_finished_ && unsent_size_ > 0) {
    drained_ = std::move(what);
    return;
  }
  lock.unlock();
  run_later(what);
}

void StreamState::on_closed(std::function<void()> what) {
  std::unique_lock lock{mutex_};
  if (!is_finished_) {
    closed_ = std::move(what);
    return;
  }
  lock.unlock();
  run_later(what);
}

bool StreamState::is_overflown() const {
  const std::lock_guard lock{mutex_};
  return is_overflown_;
}

StreamState::Pull StreamState::pull(std::string& out) {
  const std::lock_guard lock{mutex_};
  is_woken_ = false;
  // The buffers change places, so nothing is copied.
  out.swap(pending_);
  return is_closing_ ? Pull::closing : Pull::going_on;
}

void StreamState::sent(std::size_t count) {
  std::unique_lock lock{mutex_};
  unsent_size_ -= std::min(count, unsent_size_);
  if (unsent_size_ > 0) return;
  // A stream is idle most of its life: it keeps no memory for its next piece.
  pending_ = {};
  const auto drained = std::exchange(drained_, {});
  lock.unlock();
  if (drained) drained();
}

void StreamState::finish() {
  std::unique_lock lock{mutex_};
  if (std::exchange(is_finished_, true)) return;
  pending_ = {};
  unsent_size_ = 0;
  const auto drained = std::exchange(drained_, {});
  const auto closed = std::exchange(closed_, {});
  lock.unlock();
  if (drained) drained();
  if (closed) closed();
}

void StreamState::wake() {
  if (!std::exchange(is_woken_, true)) tell_loop();
}

void StreamState::tell_loop() {
  loop_->submit([state = shared_from_this()] { state->on_change_(); });
}

/// With the server gone there is no thread left but this one.
void StreamState::run_later(const std::function<void()>& what) {
  if (!loop_->submit(what)) what();
}

}  // namespace carillon::http
