#include "api/grpc/session.hpp"

#include "grpc_wire/framing.hpp"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace carillon::grpc {
namespace {

/// As much is made ready to be sent at a time.
constexpr std::size_t output_size_max = 64 * 1024;
/// What the client may send of one message, and of all, before we have taken it.
constexpr std::uint32_t stream_window = 256 * 1024;
constexpr std::int32_t connection_window = 1024 * 1024;
/// Trailers that are larger are refused by some clients.
constexpr std::size_t trailers_size_max = 7 * 1024;

nghttp2_nv header(std::string_view name, std::string_view value) {
  return {.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

/// `tchar` and what stands in values: what else comes here was let through by nobody.
std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// The headers of a status, which live as long as this.
class StatusHeaders {
 public:
  explicit StatusHeaders(const Status& status)
      : code_{std::to_string(static_cast<int>(status.code))}, message_{percent_encoded(status.message)} {
    if (!status.details.empty()) details_ = base64_unpadded(status.details);
    if (message_.size() + details_.size() > trailers_size_max) details_.clear();
    // Cut at a byte of its own: a half `%XX` would not be read.
    if (message_.size() > trailers_size_max)
      message_ = percent_encoded(status.message.substr(0, trailers_size_max / 3));
  }

  void append_to(std::vector<nghttp2_nv>& headers) const {
    headers.push_back(header("grpc-status", code_));
    if (!message_.empty()) headers.push_back(header("grpc-message", message_));
    if (!details_.empty()) headers.push_back(header("grpc-status-details-bin", details_));
  }

 private:
  std::string code_;
  std::string message_;
  std::string details_;
};

}  // namespace

Status unpack(Call& call) {
  if (!std::exchange(call.is_packed, false)) return {};
  auto message = unpacked(call.message, call.message_size_max);
  if (!message) return std::move(message).error();
  call.message = *std::move(message);
  return {};
}

struct Session::Stream {
  std::int32_t number = 0;
  std::chrono::steady_clock::time_point begun_at{};
  Call call{};
  std::string method{};
  std::string content_type{};
  std::string encoding{};
  std::string timeout{};
  std::size_t header_size = 0;
  std::string body{};
  bool is_receiving = true;  // more of the request may come
  bool is_admitted = false;  // its caller may send a large message
  bool is_answered = false;
  bool is_ended = false;  // the client has said all
  std::string answer{};   // framed
  std::size_t answer_begin = 0;
  Status status{};  // sent behind the answer
};

/// nghttp2 calls these from within mem_recv and mem_send.
struct Session::Callbacks {
  static Session& self(void* user) { return *static_cast<Session*>(user); }

  static int on_begin_headers(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
      self(user).begin_stream(frame->hd.stream_id);
    return 0;
  }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t /*flags*/,
                       void* user) {
    self(user).add_header(frame->hd.stream_id, text_of(name, name_size), text_of(value, value_size));
    return 0;
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    Session& session = self(user);
    session.has_begun_ = true;
    const bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
      session.end_headers(frame->hd.stream_id);
    const bool has_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (has_end && is_end) session.end_stream(frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_RST_STREAM) session.count_reset();
    return 0;
  }

  static int on_data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t number,
                     const std::uint8_t* bytes, std::size_t size, void* user) {
    self(user).add_data(number, text_of(bytes, size));
    return 0;
  }

  static int on_close(nghttp2_session* /*session*/, std::int32_t number, std::uint32_t error, void* user) {
    self(user).close_stream(number, error != NGHTTP2_NO_ERROR);
    return 0;
  }

  static int on_sent(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS)
      self(user).note_sent(frame->hd.stream_id, (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0);
    return 0;
  }

  /// The answer, and behind it the trailers.
  static ssize_t on_read(nghttp2_session* session, std::int32_t number, std::uint8_t* into, std::size_t size,
                         std::uint32_t* flags, nghttp2_data_source* /*source*/, void* user) {
    Session& own = self(user);
    Stream* stream = own.find(number);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t count = std::min(size, stream->answer.size() - stream->answer_begin);
    std::memcpy(into, stream->answer.data() + stream->answer_begin, count);
    stream->answer_begin += count;
    if (stream->answer_begin == stream->answer.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const StatusHeaders status{stream->status};
      std::vector<nghttp2_nv> trailers;
      status.append_to(trailers);
      nghttp2_submit_trailer(session, number, trailers.data(), trailers.size());
    }
    return static_cast<ssize_t>(count);
  }
};

Session::Session(const SessionLimits& limits, CallReceiver& receiver)
    : limits_{limits}, receiver_{receiver}, session_{nullptr, nghttp2_session_del} {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Callbacks::on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::on_sent);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  // Kept for priorities, which nobody uses here.
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new2(&session, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const std::array settings{nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.stream_count_max},
                            nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
                            nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                                                   static_cast<std::uint32_t>(limits.header_size_max)}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, connection_window);
}

Session::~Session() = default;

Session::Stream* Session::find(std::int32_t number) {
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Session::feed(std::string_view bytes) {
  if (has_failed_) return;
  const ssize_t count =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (count < 0) fail();
}

/// What the client is told of it is sent, as far as it is ready.
void Session::fail() {
  if (std::exchange(has_failed_, true)) return;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_PROTOCOL_ERROR);
}

void Session::begin_stream(std::int32_t number) {
  auto stream = std::make_unique<Stream>();
  stream->number = number;
  stream->begun_at = std::chrono::steady_clock::now();
  streams_.emplace(number, std::move(stream));
  ++receiving_count_;
}

void Session::add_header(std::int32_t number, std::string_view name, std::string_view value) {
  Stream* stream = find(number);
  if (stream == nullptr || !stream->is_receiving) return;
  // As RFC 9113 counts them.
  stream->header_size += name.size() + value.size() + 32;
  if (stream->header_size > limits_.header_size_max) return;
  if (name == ":method") stream->method = value;
  if (name == ":path") stream->call.path = value;
  if (name == "content-type") stream->content_type = value;
  if (name == "authorization") stream->call.authorization = value;
  if (name == "grpc-encoding") stream->encoding = value;
  if (name == "grpc-timeout") stream->timeout = value;
}

void Session::end_headers(std::int32_t number) {
  Stream* stream = find(number);
  if (stream == nullptr || !stream->is_receiving) return;
  if (stream->header_size > limits_.header_size_max)
    return refuse(*stream, {.code = StatusCode::resource_exhausted,
                            .message = fmt::format("the headers are larger than {} bytes", limits_.header_size_max)});
  if (stream->method != "POST") return refuse_request(*stream, 405);
  if (!is_grpc_content(stream->content_type)) return refuse_request(*stream, 415);
  if (!stream->timeout.empty()) {
    const auto timeout = parse_timeout(stream->timeout);
    if (!timeout)
      return refuse(*stream,
                    {.code = StatusCode::internal, .message = "grpc-timeout cannot be read; send 10S or 500m"});
    stream->call.deadline = std::chrono::steady_clock::now() + *timeout;
  }
}

void Session::add_data(std::int32_t number, std::string_view bytes) {
  Stream* stream = find(number);
  if (stream == nullptr || !stream->is_receiving) return;
  constexpr std::size_t prefix_size = 5;
  if (stream->body.size() + bytes.size() > limits_.message_size_max + prefix_size)
    return refuse(*stream, {.code = StatusCode::resource_exhausted,
                            .message = fmt::format("grpc: received message larger than max ({} vs. {})",
                                                   stream->body.size() + bytes.size(), limits_.message_size_max)});
  if (received_size_ + bytes.size() > limits_.received_size_max)
    return refuse(*stream, {.code = StatusCode::resource_exhausted,
                            .message = "too much is being sent on this connection at a time"});
  stream->body.append(bytes);
  received_size_ += bytes.size();
  if (stream->is_admitted || stream->body.size() <= limits_.unadmitted_size_max) return;
  stream->is_admitted = true;
  if (Status verdict = receiver_.admit(stream->call); !verdict.is_ok()) refuse(*stream, std::move(verdict));
}

void Session::stop_receiving(Stream& stream) {
  if (!std::exchange(stream.is_receiving, false)) return;
  --receiving_count_;
  received_size_ -= stream.body.size();
}

void Session::end_stream(std::int32_t number) {
  Stream* stream = find(number);
  if (stream == nullptr) return;
  stream->is_ended = true;
  if (!stream->is_receiving) return;
  stop_receiving(*stream);
  auto message = take_message(stream->body, stream->encoding, limits_.message_size_max);
  stream->body = {};
  if (!message) return submit(*stream, {.status = std::move(message).error()});
  stream->call.message = std::move(message->bytes);
  stream->call.is_packed = message->is_packed;
  stream->call.message_size_max = limits_.message_size_max;
  receiver_.receive(number, std::move(stream->call));
}

void Session::close_stream(std::int32_t number, bool is_cancelled) {
  Stream* stream = find(number);
  if (stream == nullptr) return;
  stop_receiving(*stream);
  unsent_size_ -= stream->answer.size();
  if (is_cancelled && !stream->is_answered) receiver_.on_cancelled(number);
  streams_.erase(number);
}

void Session::refuse(Stream& stream, Status status) {
  stop_receiving(stream);
  stream.body = {};
  submit(stream, {.status = std::move(status)});
}

/// For those who do not speak gRPC: a status of HTTP, and nothing else.
void Session::refuse_request(Stream& stream, int http_status) {
  stop_receiving(stream);
  stream.is_answered = true;
  const std::string status = std::to_string(http_status);
  const std::array headers{header(":status", status)};
  nghttp2_submit_response(session_.get(), stream.number, headers.data(), headers.size(), nullptr);
}

void Session::answer(std::int32_t number, Answer answer) {
  Stream* stream = find(number);
  if (stream == nullptr || stream->is_answered || has_failed_) return;
  const bool is_too_large = answer.message.size() > limits_.message_size_max;
  const bool is_too_much = unsent_size_ + answer.message.size() > limits_.unsent_size_max;
  if (answer.status.is_ok() && (is_too_large || is_too_much)) {
    answer = {.status = {.code = StatusCode::resource_exhausted,
                         .message = is_too_large
                                        ? fmt::format("the answer is larger than {} bytes; ask for less at a time",
                                                      limits_.message_size_max)
                                        : std::string{"the client does not read its answers"}}};
  }
  ++answered_count_;
  submit(*stream, std::move(answer));
}

void Session::submit(Stream& stream, Answer answer) {
  if (std::exchange(stream.is_answered, true)) return;
  std::vector<nghttp2_nv> headers{header(":status", "200"), header("content-type", "application/grpc")};
  if (!answer.status.is_ok()) {
    const StatusHeaders status{answer.status};
    status.append_to(headers);
    nghttp2_submit_response(session_.get(), stream.number, headers.data(), headers.size(), nullptr);
    return;
  }
  headers.push_back(header("grpc-accept-encoding", "identity,gzip"));
  stream.answer = framed(answer.message);
  unsent_size_ += stream.answer.size();
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::on_read;
  nghttp2_submit_response(session_.get(), stream.number, headers.data(), headers.size(), &provider);
}

/// A client that was refused before it had said all need not go on.
void Session::note_sent(std::int32_t number, bool is_end) {
  const Stream* stream = find(number);
  if (stream == nullptr || !is_end || stream->is_ended) return;
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, number, NGHTTP2_NO_ERROR);
}

/// Calls that are begun and given up at once cost us more than the client.
void Session::count_reset() {
  ++reset_count_;
  if (reset_count_ <= limits_.reset_count_max + 2 * answered_count_) return;
  if (std::exchange(has_failed_, true)) return;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

void Session::begin_shutdown() {
  if (std::exchange(is_shutting_down_, true) || has_failed_) return;
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_.get()),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

void Session::drop_unfinished(std::chrono::steady_clock::time_point begun_before) {
  std::vector<std::int32_t> numbers;
  // Those with smaller numbers have begun before.
  for (const auto& [number, stream] : streams_) {
    if (stream->begun_at >= begun_before || numbers.size() >= receiving_count_) break;
    if (stream->is_receiving) numbers.push_back(number);
  }
  for (const std::int32_t number : numbers)
    refuse(*find(number), {.code = StatusCode::deadline_exceeded, .message = "the request took too long to arrive"});
}

std::string_view Session::output() {
  if (output_begin_ == output_.size()) {
    output_.clear();
    output_begin_ = 0;
    while (output_.size() < output_size_max) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t count = nghttp2_session_mem_send(session_.get(), &bytes);
      if (count < 0) has_failed_ = true;
      if (count <= 0) break;
      output_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    }
    if (output_.empty()) output_ = {};
  }
  return std::string_view{output_}.substr(output_begin_);
}

void Session::remove_output(std::size_t count) { output_begin_ += count; }

bool Session::is_over() {
  if (!output().empty()) return false;
  if (has_failed_) return true;
  if (is_shutting_down_ && streams_.empty()) return true;
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

}  // namespace carillon::grpc
