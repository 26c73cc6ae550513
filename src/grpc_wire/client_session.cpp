#include "grpc_wire/client_session.hpp"

#include "grpc_wire/framing.hpp"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace carillon::grpc {
namespace {

constexpr std::size_t client_output_max = 64 * 1024;
constexpr std::uint32_t client_stream_window = 256 * 1024;
constexpr std::int32_t client_connection_window = 4 * 1024 * 1024;
constexpr std::size_t answer_headers_max = 64 * 1024;

nghttp2_nv name_value(std::string_view name, std::string_view value) {
  return {.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

std::string_view bytes_in(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// What gRPC makes of an answer that is none: https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
StatusCode code_of_http(std::string_view status) {
  if (status == "400") return StatusCode::internal;
  if (status == "401") return StatusCode::unauthenticated;
  if (status == "403") return StatusCode::permission_denied;
  if (status == "404") return StatusCode::unimplemented;
  if (status == "429" || status == "502" || status == "503" || status == "504") return StatusCode::unavailable;
  return StatusCode::unknown;
}

std::optional<StatusCode> code_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  if (number > static_cast<int>(StatusCode::unauthenticated)) return StatusCode::unknown;
  return static_cast<StatusCode>(number);
}

}  // namespace

struct ClientSession::Call {
  Done done;
  std::string request;  // framed
  std::size_t request_begin = 0;
  std::string http_status{};
  std::string encoding{};
  std::string content_type{};
  std::optional<StatusCode> code{};
  std::string status_message{};
  std::string status_details{};
  std::string body{};
  std::size_t header_size = 0;
  bool is_too_large = false;
};

/// nghttp2 calls these from within mem_recv and mem_send.
struct ClientSession::Callbacks {
  static ClientSession& self(void* user) { return *static_cast<ClientSession*>(user); }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t /*flags*/,
                       void* user) {
    self(user).add_header(frame->hd.stream_id, bytes_in(name, name_size), bytes_in(value, value_size));
    return 0;
  }

  static int on_data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t number,
                     const std::uint8_t* bytes, std::size_t size, void* user) {
    self(user).add_data(number, bytes_in(bytes, size));
    return 0;
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) self(user).is_going_ = true;
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) ++self(user).pong_count_;
    return 0;
  }

  static int on_close(nghttp2_session* /*session*/, std::int32_t number, std::uint32_t error, void* user) {
    self(user).close_call(number, error);
    return 0;
  }

  static ssize_t on_read(nghttp2_session* /*session*/, std::int32_t number, std::uint8_t* into, std::size_t size,
                         std::uint32_t* flags, nghttp2_data_source* /*source*/, void* user) {
    Call* call = self(user).find(number);
    if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t count = std::min(size, call->request.size() - call->request_begin);
    std::memcpy(into, call->request.data() + call->request_begin, count);
    call->request_begin += count;
    if (call->request_begin == call->request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
};

ClientSession::ClientSession(Target target) : target_{std::move(target)}, session_{nullptr, nghttp2_session_del} {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const std::array settings{nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                            nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, client_stream_window}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, client_connection_window);
}

ClientSession::~ClientSession() = default;

ClientSession::Call* ClientSession::find(std::int32_t number) {
  const auto found = calls_.find(number);
  return found == calls_.end() ? nullptr : found->second.get();
}

std::int32_t ClientSession::call(const OutgoingCall& call, Done done) {
  const std::string timeout = call.timeout ? fmt::format("{}m", call.timeout->count()) : std::string{};
  std::vector<nghttp2_nv> headers{name_value(":method", "POST"),
                                  name_value(":scheme", target_.is_tls ? "https" : "http"),
                                  name_value(":path", call.path),
                                  name_value(":authority", target_.authority),
                                  name_value("te", "trailers"),
                                  name_value("content-type", "application/grpc"),
                                  name_value("grpc-accept-encoding", "identity,gzip")};
  if (!timeout.empty()) headers.push_back(name_value("grpc-timeout", timeout));
  for (const auto& [name, value] : call.metadata) headers.push_back(name_value(name, value));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::on_read;
  const std::int32_t number =
      nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(), &provider, nullptr);
  if (number < 0) {
    done({.status = {.code = StatusCode::unavailable, .message = nghttp2_strerror(number)}});
    return number;
  }
  calls_.emplace(number, std::make_unique<Call>(Call{.done = std::move(done), .request = framed(call.message)}));
  return number;
}

void ClientSession::end_call(std::int32_t number, Status status) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const Done done = std::move(found->second->done);
  calls_.erase(found);
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, number, NGHTTP2_CANCEL);
  done({.status = std::move(status)});
}

void ClientSession::fail_calls(const Status& status) {
  has_failed_ = true;
  for (const auto calls = std::exchange(calls_, {}); const auto& [number, call] : calls) call->done({.status = status});
}

void ClientSession::feed(std::string_view bytes) {
  if (has_failed_) return;
  const ssize_t count =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (count < 0) has_failed_ = true;
}

std::string_view ClientSession::output() {
  while (output_.size() - output_begin_ < client_output_max) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_.get(), &bytes);
    if (count < 0) has_failed_ = true;
    if (count <= 0) break;
    output_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  }
  // It has told the server that the connection is over: because of what it sent, or because nothing is left of it.
  if (nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0)
    has_failed_ = true;
  return std::string_view{output_}.substr(output_begin_);
}

void ClientSession::remove_output(std::size_t count) {
  output_begin_ += count;
  if (output_begin_ < output_.size()) return;
  output_.clear();
  output_begin_ = 0;
}

void ClientSession::ping() { nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr); }

void ClientSession::add_header(std::int32_t number, std::string_view name, std::string_view value) {
  Call* call = find(number);
  if (call == nullptr) return;
  call->header_size += name.size() + value.size();
  if (call->header_size > answer_headers_max) return;
  if (name == ":status") call->http_status = value;
  if (name == "content-type") call->content_type = value;
  if (name == "grpc-encoding") call->encoding = value;
  if (name == "grpc-status") call->code = code_in(value);
  if (name == "grpc-message") call->status_message = percent_decoded(value);
  if (name == "grpc-status-details-bin") call->status_details = base64_decoded(value).value_or("");
}

void ClientSession::add_data(std::int32_t number, std::string_view bytes) {
  Call* call = find(number);
  if (call == nullptr || call->is_too_large) return;
  constexpr std::size_t prefix_size = 5;
  call->is_too_large = call->body.size() + bytes.size() > target_.message_size_max + prefix_size;
  if (call->is_too_large)
    call->body = {};
  else
    call->body.append(bytes);
}

ReceivedAnswer ClientSession::answer_of(Call& call, std::uint32_t error) const {
  if (call.code && *call.code != StatusCode::ok)
    return {.status = {.code = *call.code, .message = call.status_message, .details = call.status_details}};
  if (call.is_too_large)
    return {.status = {.code = StatusCode::resource_exhausted,
                       .message = fmt::format("the answer is larger than {} bytes", target_.message_size_max)}};
  if (!call.code && !call.http_status.empty() && (call.http_status != "200" || !is_grpc_content(call.content_type)))
    return {
        .status = {.code = code_of_http(call.http_status),
                   .message = fmt::format("the server does not speak gRPC: it answers with status {} and content {}",
                                          call.http_status, call.content_type)}};
  if (!call.code)
    return {.status = {.code = StatusCode::unavailable,
                       .message = fmt::format("the connection was closed before the answer ({})",
                                              nghttp2_http2_strerror(error))}};
  auto message = read_message(call.body, call.encoding, target_.message_size_max);
  if (!message) return {.status = std::move(message).error()};
  return {.status = {}, .message = *std::move(message)};
}

void ClientSession::close_call(std::int32_t number, std::uint32_t error) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  call->done(answer_of(*call, error));
}

}  // namespace carillon::grpc
