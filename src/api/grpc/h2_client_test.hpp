#pragma once

#include "api/grpc/session.hpp"
#include "grpc_wire/framing.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace carillon::grpc {

using HeaderMap = std::map<std::string, std::string>;

/// The client's side of a session, by the same library but the other way round.
class H2Client {
 public:
  struct Reply {
    HeaderMap headers;  // and trailers
    std::string body;
    bool is_closed = false;
    std::uint32_t error = 0;
  };

  H2Client() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
          self(user).replies[frame->hd.stream_id].headers[{reinterpret_cast<const char*>(name), name_size}] = {
              reinterpret_cast<const char*>(value), value_size};
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t number, const std::uint8_t* bytes, std::size_t size,
                      void* user) {
          self(user).replies[number].body.append(reinterpret_cast<const char*>(bytes), size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t number, std::uint32_t error, void* user) {
          self(user).replies[number].is_closed = true;
          self(user).replies[number].error = error;
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          if (frame->hd.type == NGHTTP2_GOAWAY) self(user).goaway = static_cast<int>(frame->goaway.error_code);
          return 0;
        });
    nghttp2_session* session = nullptr;
    nghttp2_session_client_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }

  static HeaderMap usual_headers(const std::string& path) {
    return {{":method", "POST"},         {":scheme", "http"}, {":path", path},
            {":authority", "localhost"}, {"te", "trailers"},  {"content-type", "application/grpc"}};
  }

  /// `has_end` false: the body is not ended.
  std::int32_t call(const HeaderMap& headers, std::string body, bool has_end = true) {
    std::vector<nghttp2_nv> list;
    const auto add = [&](const auto& entry) {
      list.push_back({.name = bytes_of(entry.first),
                      .value = bytes_of(entry.second),
                      .namelen = entry.first.size(),
                      .valuelen = entry.second.size(),
                      .flags = NGHTTP2_NV_FLAG_NONE});
    };
    for (const auto& entry : headers)
      if (entry.first.starts_with(':')) add(entry);
    for (const auto& entry : headers)
      if (!entry.first.starts_with(':')) add(entry);
    auto& sent = bodies_.emplace_back(std::make_unique<Body>(Body{std::move(body), has_end}));
    nghttp2_data_provider provider{};
    provider.source.ptr = sent.get();
    provider.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                                std::uint32_t* flags, nghttp2_data_source* source, void*) -> ssize_t {
      auto& own = *static_cast<Body*>(source->ptr);
      const std::size_t count = std::min(size, own.bytes.size());
      if (count == 0 && !own.has_end) return NGHTTP2_ERR_DEFERRED;
      std::memcpy(into, own.bytes.data(), count);
      own.bytes.erase(0, count);
      if (own.bytes.empty() && own.has_end) *flags |= NGHTTP2_DATA_FLAG_EOF;
      return static_cast<ssize_t>(count);
    };
    return nghttp2_submit_request(session_.get(), nullptr, list.data(), list.size(), &provider, nullptr);
  }

  void reset(std::int32_t number) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, number, NGHTTP2_CANCEL);
  }
  void ping() { nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr); }

  /// What the client has to send now.
  std::string output() {
    std::string out;
    const std::uint8_t* bytes = nullptr;
    for (ssize_t count = 0; (count = nghttp2_session_mem_send(session_.get(), &bytes)) > 0;)
      out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    return out;
  }
  void feed(std::string_view bytes) {
    static_cast<void>(
        nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
  /// Lets both sides say what they have, until neither has more; the server gets it in pieces of this size.
  void talk_to(Session& server, std::size_t piece_size = 1 << 20) {
    for (;;) {
      const std::string out = output();
      for (std::size_t i = 0; i < out.size(); i += piece_size) server.feed(out.substr(i, piece_size));
      const std::string in{server.output()};
      server.remove_output(in.size());
      feed(in);
      if (out.empty() && in.empty()) return;
    }
  }

  std::map<std::int32_t, Reply> replies;
  int goaway = -1;

 private:
  struct Body {
    std::string bytes;
    bool has_end;
  };
  static H2Client& self(void* user) { return *static_cast<H2Client*>(user); }
  static std::uint8_t* bytes_of(const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  }

  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_{nullptr, nghttp2_session_del};
  std::vector<std::unique_ptr<Body>> bodies_;
};

}  // namespace carillon::grpc
