#include "api/http/connection.hpp"

#include "api/http/response_text.hpp"
#include "base/assertion.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace carillon::http {
namespace {

/// Answers to requests that came together are sent together, up to this size.
constexpr std::size_t output_size_max = 64 * 1024;
/// So often a connection reads, or takes from its stream, before others have their turn.
constexpr int rounds_in_a_row = 4;
/// So much of what is sent to somebody who has been refused is read before the connection is cut.
constexpr std::size_t lingered_size_max = 16 * 1024 * 1024;

ReaderLimits reader_limits(const Limits& limits) {
  return {.head_size_max = limits.header_size_max,
          .header_count_max = limits.header_count_max,
          .body_size_max = limits.body_size_max,
          .unadmitted_body_size_max = limits.unadmitted_body_size_max};
}

}  // namespace

Connection::Connection(std::shared_ptr<Loop> loop, const Client& client)
    : loop_{std::move(loop)},
      server_{loop_->server()},
      client_{client},
      peer_text_{client.peer.text()},
      descriptor_{loop_->executor()},
      channel_{client.is_tls ? server_.tls()->channel(client.socket, http_1_1) : plain_channel(client.socket)},
      reader_{reader_limits(server_.options.limits)} {}

Connection::~Connection() { CARILLON_ASSERT(stage_ == Stage::closed); }

void Connection::start(Place place) {
  place_ = place;
  boost::system::error_code code;
  static_cast<void>(descriptor_.assign(client_.socket, code));
  if (!code) return advance();
  server_.log.warn("connection cannot be watched", {{"peer", peer_text_}, {"error", code.message()}});
  close();
}

void Connection::refuse_admission(ConnectionCounter::Verdict verdict) {
  if (stage_ == Stage::closed) return;
  if (verdict == ConnectionCounter::Verdict::address_full) {
    refuse(429, "there are too many connections from this address");
  } else {
    refuse(503, "there are too many connections");
  }
  advance();
}

void Connection::stop() {
  if (stage_ == Stage::streaming) stream_->close();
  if (stage_ == Stage::shaking_hands) return close();
  close_if_idle();
}

/// A request may have come that nobody has looked at: it is answered first.
void Connection::close_if_idle() {
  if (stage_ != Stage::reading || reader_.has_begun()) return;
  const auto self = shared_from_this();
  is_readable_ = true;
  advance();
  if (stage_ == Stage::reading && !reader_.has_begun() && output_.is_empty()) close();
}

void Connection::on_deadline(DeadlineKind kind) {
  patience_.reset();
  server_.log.debug("client took too long", {{"peer", peer_text_}, {"for", to_text(kind)}});
  switch (kind) {
    case DeadlineKind::head:
      if (stage_ == Stage::shaking_hands) return close();
      refuse(408, "the request took too long to arrive");
      break;
    case DeadlineKind::body: refuse(408, "the body took too long to arrive"); break;
    case DeadlineKind::idle: return close_if_idle();
    case DeadlineKind::write: return reset();
    case DeadlineKind::linger: return close();
  }
  advance();
}

/// Does what can be done without waiting, and then waits for the socket, the handler or the stream.
void Connection::advance() {
  if (is_advancing_ || stage_ == Stage::closed) return;
  const auto self = shared_from_this();
  is_advancing_ = true;
  rounds_left_ = rounds_in_a_row;
  try {
    while (step()) {
    }
    update_deadline();
  } catch (const std::exception& exception) {
    server_.log.error("connection failed", {{"peer", peer_text_}, {"error", exception.what()}});
    close();
  }
  is_advancing_ = false;
}

/// Whether there may be more to do.
bool Connection::step() {
  if (stage_ == Stage::closed) return false;
  if (stage_ == Stage::streaming && !serve_stream()) return false;
  const bool has_next_request = stage_ == Stage::reading && input_begin_ < input_.size();
  const bool may_collect = has_next_request && output_.can_take_more() && output_.size() < output_size_max;
  if (!output_.is_empty() && !may_collect) return flush();
  switch (stage_) {
    case Stage::shaking_hands: return shake_hands();
    case Stage::reading: return read();
    case Stage::streaming: return watch_client();
    case Stage::leaving:
      channel_->say_goodbye();
      ::shutdown(client_.socket, SHUT_WR);
      stage_ = Stage::lingering;
      input_ = {};
      is_readable_ = true;
      return true;
    case Stage::lingering: return linger();
    case Stage::admitting:
    case Stage::handling:
    case Stage::closed: return false;
  }
  return false;
}

bool Connection::shake_hands() {
  const Progress progress = channel_->shake_hands();
  if (progress.state == Progress::State::done) {
    stage_ = Stage::reading;
    return true;
  }
  if (progress.state == Progress::State::failed) {
    server_.log.debug("TLS could not be agreed on", {{"peer", peer_text_}, {"error", channel_->failure()}});
  }
  wait_for(progress.state);
  return false;
}

bool Connection::read() {
  if (input_begin_ < input_.size()) {
    input_begin_ += feed(std::string_view{input_}.substr(input_begin_));
    if (input_begin_ == input_.size()) {
      input_ = {};
      input_begin_ = 0;
    }
    return true;
  }
  if (!is_readable_ && !channel_->may_hold_bytes()) {
    wait_for(Progress::State::wants_read);
    return false;
  }
  if (!may_go_on()) return false;
  is_readable_ = false;
  const std::span<char> scratch = loop_->scratch();
  const Progress progress = channel_->read(scratch);
  if (progress.state != Progress::State::done) {
    wait_for(progress.state);
    return false;
  }
  const std::string_view bytes{scratch.data(), progress.count};
  const std::size_t taken = feed(bytes);
  if (stage_ != Stage::closed) input_ = bytes.substr(taken);
  return true;
}

bool Connection::flush() {
  const Progress progress = channel_->write(output_.pieces());
  if (progress.state != Progress::State::done) {
    wait_for(progress.state == Progress::State::ended ? Progress::State::failed : progress.state);
    return false;
  }
  output_.remove(progress.count);
  if (output_.is_empty()) tell_sent(true);
  is_patience_renewed_ = true;
  if (stream_ && is_head_sent_) stream_->sent(progress.count);
  return true;
}

/// False if there is nothing more to do for now.
bool Connection::serve_stream() {
  if (stream_->is_overflown()) {
    ++server_.dropped_stream_count;
    server_.log.debug("stream dropped, its reader is too slow", {{"peer", peer_text_}});
    reset();
    return false;
  }
  if (!output_.is_empty()) return true;
  if (!may_go_on()) return false;
  is_head_sent_ = true;
  if (stream_->pull(output_.text()) == StreamState::Pull::closing) {
    if (!exchange_.is_http_1_0) output_.text().append(last_chunk);
    stage_ = Stage::leaving;
    end_stream();
  }
  return true;
}

/// A client that goes, or sends something while it is being answered, ends its stream.
bool Connection::watch_client() {
  if (is_readable_ || channel_->may_hold_bytes()) {
    is_readable_ = false;
    const Progress progress = channel_->read(loop_->scratch());
    const bool is_quiet =
        progress.state == Progress::State::wants_read || progress.state == Progress::State::wants_write;
    if (!is_quiet) {
      close();
      return false;
    }
  }
  wait_for(Progress::State::wants_read);
  return false;
}

bool Connection::linger() {
  while (is_readable_) {
    const Progress progress = read_plain(client_.socket, loop_->scratch());
    lingered_size_ += progress.count;
    if (progress.state == Progress::State::done && lingered_size_ <= lingered_size_max) continue;
    is_readable_ = false;
    if (progress.state != Progress::State::wants_read) {
      close();
      return false;
    }
  }
  wait_for(Progress::State::wants_read);
  return false;
}

/// One that sends or takes without end must not keep the thread to itself: false, and it goes on in its turn.
bool Connection::may_go_on() {
  if (rounds_left_-- > 0) return true;
  if (std::exchange(is_waiting_for_turn_, true)) return false;
  loop_->submit([self = shared_from_this()] {
    self->is_waiting_for_turn_ = false;
    self->is_readable_ = true;
    self->advance();
  });
  return false;
}

/// Waits for the socket, unless it waits already, or closes if there is nothing to wait for.
void Connection::wait_for(Progress::State what) {
  if (what == Progress::State::wants_read) {
    if (std::exchange(is_waiting_to_read_, true)) return;
    descriptor_.async_wait(LoopDescriptor::wait_read, [self = shared_from_this()](const boost::system::error_code&) {
      self->is_waiting_to_read_ = false;
      self->is_readable_ = true;
      self->advance();
    });
  } else if (what == Progress::State::wants_write) {
    if (std::exchange(is_waiting_to_write_, true)) return;
    descriptor_.async_wait(LoopDescriptor::wait_write, [self = shared_from_this()](const boost::system::error_code&) {
      self->is_waiting_to_write_ = false;
      self->advance();
    });
  } else {
    close();
  }
}

void Connection::update_deadline() {
  if (stage_ == Stage::closed) return;
  const auto wanted = wanted_patience();
  const bool is_renewed = std::exchange(is_patience_renewed_, false);
  if (wanted == patience_ && !is_renewed) return;
  patience_ = wanted;
  if (wanted) {
    loop_->expect(*this, *wanted);
  } else {
    Deadlines::clear(*this);
  }
}

std::optional<DeadlineKind> Connection::wanted_patience() const {
  if (!output_.is_empty()) return DeadlineKind::write;
  switch (stage_) {
    case Stage::shaking_hands: return DeadlineKind::head;
    case Stage::reading:
      if (!reader_.has_begun()) return DeadlineKind::idle;
      return reader_.state() == RequestReader::State::reading_head ? DeadlineKind::head : DeadlineKind::body;
    case Stage::admitting: return DeadlineKind::body;
    case Stage::lingering: return DeadlineKind::linger;
    default: return std::nullopt;
  }
}

/// For one that does not read: the kernel would keep what was sent to it for minutes after an ordinary close.
void Connection::reset() {
  if (stage_ == Stage::closed) return;
  const ::linger at_once{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(setsockopt(client_.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
  close();
}

/// May be the end of the last reference to it but the caller's.
void Connection::close() {
  if (stage_ == Stage::closed) return;
  const auto self = shared_from_this();
  stage_ = Stage::closed;
  Deadlines::clear(*this);
  end_stream();
  release_body();
  tell_sent(false);
  channel_.reset();
  // Taken out of the set of watched descriptors before it is closed: a child that is just being started may hold a copy
  // for a moment, and the closed socket would stay in the set.
  if (descriptor_.is_open()) descriptor_.release();
  {
    const std::lock_guard lock{socket_mutex_};
    is_socket_closed_ = true;
    ::close(client_.socket);
  }
  if (client_.is_admitted) server_.connections.remove_connection(client_.peer);
  output_ = {};
  input_ = {};
  loop_->remove(place_, !client_.is_admitted);
}

}  // namespace carillon::http
