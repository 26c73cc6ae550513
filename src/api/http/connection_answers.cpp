// What a connection does with requests, and with the answers to them.
#include "api/http/connection.hpp"
#include "api/http/host_check.hpp"
#include "api/http/response_text.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <exception>
#include <utility>

namespace carillon::http {
namespace {

constexpr std::string_view unanswered = "the request could not be answered";

/// Without it the kernel keeps up to 4 MB for a client that does not read, before we notice.
constexpr int stream_socket_buffer_size = 64 * 1024;

}  // namespace

/// Reads a request, or a part of one. Returns how many bytes it took.
std::size_t Connection::feed(std::string_view bytes) {
  const std::size_t count = reader_.put(bytes);
  switch (reader_.state()) {
    case RequestReader::State::reading_head: break;
    case RequestReader::State::awaiting_admission: ask_admission(); break;
    case RequestReader::State::reading_body: hold_body(); break;
    case RequestReader::State::complete: dispatch(); break;
    case RequestReader::State::refused: refuse(reader_.refusal().status, reader_.refusal().detail); break;
  }
  return count;
}

void Connection::hold_body() {
  if (reader_.wants_continue() && reader_.body_size() == 0 && !std::exchange(has_said_continue_, true)) {
    output_.text().append("HTTP/1.1 100 Continue\r\n\r\n");
  }
  if (hold_body_size() > server_.options.limits.body_size_total_max) refuse(503, "too many bodies are being received");
}

/// Counts what has come of the body; the size of all bodies that are being received.
std::size_t Connection::hold_body_size() {
  const std::size_t added = reader_.body_size() - std::exchange(held_body_size_, reader_.body_size());
  return server_.body_size_total.fetch_add(added) + added;
}

void Connection::ask_admission() {
  hold_body_size();
  const Request& so_far = reader_.request_so_far();
  if (!is_own_host(so_far.headers.find("Host").value_or(""), server_.options.allowed_hosts))
    return refuse(421, "this server does not answer for the host that was asked for");
  if (!server_.options.admit) {
    reader_.admit();
    return hold_body();
  }
  Request head{.method = so_far.method,
               .target = so_far.target,
               .headers = so_far.headers,
               .peer_address = peer_text_,
               .is_tls = client_.is_tls};
  stage_ = Stage::admitting;
  try {
    server_.options.admit(head, [self = shared_from_this()](std::optional<Response> refusal) {
      self->do_on_loop([connection = self.get(), refusal = std::move(refusal)]() mutable {
        connection->settle_admission(std::move(refusal));
      });
    });
  } catch (const std::exception& exception) {
    server_.log.error("request cannot be admitted", {{"peer", peer_text_}, {"error", exception.what()}});
    refuse(500, unanswered);
  }
}

void Connection::settle_admission(std::optional<Response> refusal) {
  // It may have taken too long, or the client have gone.
  if (stage_ != Stage::admitting) return;
  if (!refusal) {
    stage_ = Stage::reading;
    reader_.admit();
    return hold_body();
  }
  ++server_.refusal_count;
  exchange_ = {.is_head = reader_.is_head(), .is_http_1_0 = reader_.is_http_1_0(), .keeps_alive = false};
  append_answer(*std::move(refusal));
}

void Connection::release_body() { server_.body_size_total -= std::exchange(held_body_size_, 0); }

void Connection::dispatch() {
  exchange_ = {
      .is_head = reader_.is_head(), .is_http_1_0 = reader_.is_http_1_0(), .keeps_alive = reader_.keeps_alive()};
  Request request = reader_.take();
  request.peer_address = peer_text_;
  request.is_tls = client_.is_tls;
  reader_.reset();
  release_body();
  has_said_continue_ = false;
  is_patience_renewed_ = true;
  if (!is_own_host(request.headers.find("Host").value_or(""), server_.options.allowed_hosts)) {
    return refuse(421, "this server does not answer for the host that was asked for");
  }
  ++server_.request_count;
  stage_ = Stage::handling;
  try {
    server_.handler(std::move(request), Responder{shared_from_this()});
  } catch (const std::exception& exception) {
    server_.log.error("request handler failed", {{"peer", peer_text_}, {"error", exception.what()}});
  }
}

/// Most answers are given during the call of the handler. The others come by the loop, as a task of it.
template <typename Action>
bool Connection::do_on_loop(Action action) {
  if (loop_->is_this_thread() && is_advancing_) {
    action();
    return true;
  }
  return loop_->submit([self = shared_from_this(), action = std::move(action)]() mutable {
    action();
    self->advance();
  });
}

void Connection::send(Response response) {
  const auto on_sent = response.on_sent;
  const bool is_taken = do_on_loop([this, response = std::move(response)]() mutable { answer(std::move(response)); });
  if (!is_taken && on_sent) on_sent(false);
}

void Connection::tell_sent(bool is_sent) {
  for (const auto& tell : std::exchange(unsent_, {})) tell(is_sent);
}

void Connection::abandon() {
  do_on_loop([this] {
    if (stage_ == Stage::handling) refuse(500, unanswered);
  });
}

/// Asks the kernel rather than the loop: the loop may be busy, and reads nothing while a request is being answered.
bool Connection::is_open() const {
  const std::lock_guard lock{socket_mutex_};
  if (is_socket_closed_) return false;
  pollfd watched{.fd = client_.socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&watched, 1, 0) == 0;
}

void Connection::answer(Response response) {
  const auto on_sent = std::exchange(response.on_sent, nullptr);
  // The client may have been cut off meanwhile.
  const bool is_awaited = stage_ == Stage::handling;
  const bool is_sound = is_sendable(response.status, response.headers);
  if (on_sent && is_awaited && is_sound) unsent_.push_back(on_sent);
  if (on_sent && !(is_awaited && is_sound)) on_sent(false);
  if (!is_awaited) return;
  if (!is_sound) {
    server_.log.error("answer cannot be sent", {{"status", response.status}});
    return refuse(500, unanswered);
  }
  append_answer(std::move(response));
}

void Connection::refuse(int status, std::string_view detail) {
  ++server_.refusal_count;
  server_.log.debug("request refused", {{"peer", peer_text_}, {"status", status}, {"detail", detail}});
  append_answer(server_.refusal(status, detail));
}

void Connection::append_answer(Response response) {
  const Exchange exchange = std::exchange(exchange_, {});
  const bool keeps_alive = exchange.keeps_alive && !response.close && !loop_->is_stopping();
  const bool has_body = !has_no_body(response.status);
  append_head(output_.text(), response.status, response.headers,
              {.length = has_body ? std::optional{response.body.size()} : std::nullopt,
               .is_http_1_0 = exchange.is_http_1_0,
               .keeps_alive = keeps_alive},
              loop_->date());
  if (has_body && !exchange.is_head) output_.append_body(std::move(response.body));
  stage_ = keeps_alive ? Stage::reading : Stage::leaving;
  release_body();
}

std::shared_ptr<StreamSink> Connection::start_stream(int status, HeaderList headers) {
  const auto look = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->advance();
  };
  const auto stream = std::make_shared<StreamState>(
      loop_, look, exchange_.is_http_1_0 ? StreamState::Form::plain : StreamState::Form::chunked,
      server_.options.limits.stream_buffer_size_max);
  const auto verdict = server_.connections.add_stream(client_.peer);
  if (verdict != ConnectionCounter::Verdict::admitted) {
    stream->finish();
    do_on_loop([this, verdict] { refuse_stream(verdict); });
  } else if (!do_on_loop(
                 [this, stream, status, headers = std::move(headers)] { begin_stream(stream, status, headers); })) {
    server_.connections.remove_stream(client_.peer);
    stream->finish();
  }
  return std::make_shared<StreamHandle>(stream);
}

void Connection::refuse_stream(ConnectionCounter::Verdict verdict) {
  if (stage_ != Stage::handling) return;
  if (verdict == ConnectionCounter::Verdict::full) return refuse(503, "there are too many open streams");
  refuse(429, "there are too many open streams to this address");
}

void Connection::begin_stream(const std::shared_ptr<StreamState>& stream, int status, const HeaderList& headers) {
  stream_ = stream;
  is_head_sent_ = false;
  if (stage_ != Stage::handling) return end_stream();
  if (!is_sendable(status, headers)) {
    server_.log.error("answer cannot be sent", {{"status", status}});
    refuse(500, unanswered);
    return end_stream();
  }
  static_cast<void>(
      setsockopt(client_.socket, SOL_SOCKET, SO_SNDBUF, &stream_socket_buffer_size, sizeof stream_socket_buffer_size));
  append_head(output_.text(), status, headers, {.is_chunked = !exchange_.is_http_1_0, .keeps_alive = false},
              loop_->date());
  stage_ = exchange_.is_head ? Stage::leaving : Stage::streaming;
  if (exchange_.is_head) return end_stream();
  if (loop_->is_stopping()) stream_->close();
}

void Connection::end_stream() {
  if (!stream_) return;
  server_.connections.remove_stream(client_.peer);
  std::exchange(stream_, nullptr)->finish();
}

}  // namespace carillon::http
