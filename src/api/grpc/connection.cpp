#include "api/grpc/connection.hpp"

#include "api/http/server_state.hpp"
#include "base/assertion.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <utility>

namespace carillon::grpc {
namespace {

using http::DeadlineKind;
using http::LoopDescriptor;
using http::Progress;

/// So often a connection reads before others have their turn.
constexpr int rounds_in_a_row = 4;
/// Clients keep a connection for later calls: it may be idle for so many times the limit of HTTP/1.1.
constexpr int idle_rounds_max = 5;
/// So much is read from one that has been told to go.
constexpr std::size_t lingered_size_max = 16 * 1024 * 1024;

}  // namespace

/// A call that waits for its answer, which may come from any thread.
class Connection::Pending final : public AnswerSink {
 public:
  Pending(std::shared_ptr<Connection> connection, std::int32_t number)
      : connection_{std::move(connection)}, number_{number} {}

  void send(Answer answer) override {
    const auto connection = std::exchange(connection_, nullptr);
    if (!connection) return;
    if (connection->loop_->is_this_thread() && connection->is_advancing_)
      return connection->take_answer(number_, std::move(answer));
    connection->loop_->submit([connection, number = number_, answer = std::move(answer)]() mutable {
      connection->take_answer(number, std::move(answer));
      connection->advance();
    });
  }
  [[nodiscard]] bool is_open() const override { return is_awaited_; }
  void give_up() { is_awaited_ = false; }

 private:
  std::shared_ptr<Connection> connection_;
  const std::int32_t number_;
  std::atomic<bool> is_awaited_ = true;
};

Connection::Connection(std::shared_ptr<http::Loop> loop, const http::Client& client, const SessionLimits& limits,
                       CallHandler& handler)
    : loop_{std::move(loop)},
      server_{loop_->server()},
      client_{client},
      peer_text_{client.peer.text()},
      handler_{handler},
      descriptor_{loop_->executor()},
      channel_{client.is_tls ? server_.tls()->channel(client.socket, client.protocol->name())
                             : http::plain_channel(client.socket)},
      session_{limits, *this} {}

Connection::~Connection() { CARILLON_ASSERT(stage_ == Stage::closed); }

void Connection::start(Place place) {
  place_ = place;
  boost::system::error_code code;
  static_cast<void>(descriptor_.assign(client_.socket, code));
  if (!code) return advance();
  server_.log.warn("connection cannot be watched", {{"peer", peer_text_}, {"error", code.message()}});
  close();
}

/// The client is told by the end of the connection, before it has sent a call: it may try again elsewhere.
void Connection::refuse_admission(http::ConnectionCounter::Verdict /*verdict*/) {
  ++server_.refusal_count;
  stop();
}

void Connection::stop() {
  if (stage_ == Stage::shaking_hands) return close();
  session_.begin_shutdown();
  advance();
}

void Connection::give_way() {
  if (session_.open_count() == 0) stop();
}

void Connection::on_deadline(DeadlineKind kind) {
  patience_.reset();
  switch (kind) {
    case DeadlineKind::body: return advance();
    case DeadlineKind::idle:
      if (++idle_rounds_ < idle_rounds_max) return update_deadline();
      return stop();
    case DeadlineKind::write: {
      // The kernel would keep what was sent to it for minutes after an ordinary close.
      const ::linger at_once{.l_onoff = 1, .l_linger = 0};
      static_cast<void>(setsockopt(client_.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
      return close();
    }
    case DeadlineKind::head:
    case DeadlineKind::linger: return close();
  }
}

void Connection::receive(std::int32_t number, Call call) {
  ++server_.request_count;
  call.peer_address = peer_text_;
  const auto pending = std::make_shared<Pending>(shared_from_this(), number);
  pending_.emplace(number, pending);
  try {
    handler_.handle(std::move(call), Replier{pending});
  } catch (const std::exception& exception) {
    server_.log.error("call could not be handled", {{"peer", peer_text_}, {"error", exception.what()}});
  }
}

Status Connection::admit(const Call& head) {
  Call whole = head;
  whole.peer_address = peer_text_;
  return handler_.admit(whole);
}

void Connection::on_cancelled(std::int32_t number) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;
  found->second->give_up();
  pending_.erase(found);
}

void Connection::take_answer(std::int32_t number, Answer answer) {
  pending_.erase(number);
  if (stage_ == Stage::serving) session_.answer(number, std::move(answer));
}

/// Does what can be done without waiting, and then waits for the socket or the handler.
void Connection::advance() {
  if (is_advancing_ || stage_ == Stage::closed) return;
  const auto self = shared_from_this();
  is_advancing_ = true;
  rounds_left_ = rounds_in_a_row;
  try {
    do {
      while (step()) {
      }
    } while (drop_late_messages());
    update_deadline();
  } catch (const std::exception& exception) {
    server_.log.error("connection failed", {{"peer", peer_text_}, {"error", exception.what()}});
    close();
  }
  is_advancing_ = false;
}

/// Whether there may be more to do. Nothing is read while something waits to be sent, so that what a client makes us
/// keep has a bound.
bool Connection::step() {
  switch (stage_) {
    case Stage::shaking_hands: return shake_hands();
    case Stage::serving: break;
    case Stage::lingering: return linger();
    case Stage::closed: return false;
  }
  if (const std::string_view output = session_.output(); !output.empty()) return flush(output);
  if (!session_.is_over()) return read();
  channel_->say_goodbye();
  ::shutdown(client_.socket, SHUT_WR);
  stage_ = Stage::lingering;
  is_readable_ = true;
  return true;
}

bool Connection::shake_hands() {
  const Progress progress = channel_->shake_hands();
  if (progress.state == Progress::State::done) {
    stage_ = Stage::serving;
    return true;
  }
  if (progress.state == Progress::State::failed)
    server_.log.debug("TLS could not be agreed on", {{"peer", peer_text_}, {"error", channel_->failure()}});
  wait_for(progress.state);
  return false;
}

bool Connection::flush(std::string_view output) {
  const Progress progress = channel_->write(std::span{&output, 1});
  if (progress.state != Progress::State::done) {
    wait_for(progress.state == Progress::State::ended ? Progress::State::failed : progress.state);
    return false;
  }
  session_.remove_output(progress.count);
  is_patience_renewed_ = true;
  return true;
}

bool Connection::read() {
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
  idle_rounds_ = 0;
  session_.feed({scratch.data(), progress.count});
  count_received();
  return true;
}

/// All connections together may not make us keep more than the server allows.
void Connection::count_received() {
  const std::size_t size = session_.received_size();
  const std::size_t before = std::exchange(held_size_, size);
  const std::size_t total = server_.body_size_total.fetch_add(size - before) + (size - before);
  if (size > before && total > server_.options.limits.body_size_total_max) {
    ++server_.refusal_count;
    session_.drop_unfinished();
    server_.body_size_total -= std::exchange(held_size_, session_.received_size()) - session_.received_size();
  }
}

bool Connection::linger() {
  while (is_readable_) {
    const Progress progress = http::read_plain(client_.socket, loop_->scratch());
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

/// One that sends without end must not keep the thread to itself: false, and it goes on in its turn.
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

/// Every message has its own time: others that come and go meanwhile do not give it more. True if one was given up.
bool Connection::drop_late_messages() {
  const std::size_t before = session_.receiving_count();
  if (before == 0 || stage_ != Stage::serving) return false;
  session_.drop_unfinished(std::chrono::steady_clock::now() - server_.options.limits.body_timeout);
  count_received();
  return session_.receiving_count() < before;
}

void Connection::update_deadline() {
  if (stage_ == Stage::closed) return;
  const auto wanted = wanted_patience();
  const bool is_renewed = std::exchange(is_patience_renewed_, false);
  if (wanted == patience_ && !is_renewed) return;
  patience_ = wanted;
  if (wanted)
    loop_->expect(*this, *wanted);
  else
    http::Deadlines::clear(*this);
}

std::optional<DeadlineKind> Connection::wanted_patience() {
  if (stage_ == Stage::lingering) return DeadlineKind::linger;
  if (stage_ == Stage::shaking_hands) return DeadlineKind::head;
  if (!session_.output().empty()) return DeadlineKind::write;
  if (!session_.has_begun()) return DeadlineKind::head;
  if (session_.receiving_count() > 0) return DeadlineKind::body;
  // Answers that wait for the client to open its window are no reason to be patient for ever.
  if (session_.open_count() > pending_.size()) return DeadlineKind::write;
  return pending_.empty() ? std::optional{DeadlineKind::idle} : std::nullopt;
}

/// May be the end of the last reference to it but the caller's.
void Connection::close() {
  if (stage_ == Stage::closed) return;
  const auto self = shared_from_this();
  stage_ = Stage::closed;
  http::Deadlines::clear(*this);
  for (const auto& [number, pending] : pending_) pending->give_up();
  pending_.clear();
  server_.body_size_total -= std::exchange(held_size_, 0);
  channel_.reset();
  // Taken out of the set of watched descriptors before it is closed: a child that is just being started may hold a copy
  // for a moment, and the closed socket would stay in the set.
  if (descriptor_.is_open()) descriptor_.release();
  ::close(client_.socket);
  if (client_.is_admitted) server_.connections.remove_connection(client_.peer);
  loop_->remove(place_, !client_.is_admitted);
}

}  // namespace carillon::grpc
