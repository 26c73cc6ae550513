#include "grpc_wire/client_session.hpp"

#include "grpc_wire/framing.hpp"

#include <gtest/gtest.h>

#include <nghttp2/nghttp2.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carillon::grpc {
namespace {

using Headers = std::map<std::string, std::string>;

std::vector<nghttp2_nv> list_of(const Headers& headers) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : headers)
    list.push_back({.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                    .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
                    .namelen = name.size(),
                    .valuelen = value.size(),
                    .flags = NGHTTP2_NV_FLAG_NONE});
  return list;
}

/// The other side of the connection, by the same library: it keeps requests and answers as it is told.
class PlainServer {
 public:
  PlainServer() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
          auto& own = *static_cast<PlainServer*>(user);
          own.newest = frame->hd.stream_id;
          own.headers[{reinterpret_cast<const char*>(name), name_size}] = {reinterpret_cast<const char*>(value),
                                                                           value_size};
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* bytes, std::size_t size, void* user) {
          static_cast<PlainServer*>(user)->body.append(reinterpret_cast<const char*>(bytes), size);
          return 0;
        });
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }

  /// Headers alone, or a body with trailers behind it.
  void answer(const Headers& first, std::string text = {}, Headers trailers = {}) {
    const auto list = list_of(first);
    if (text.empty()) {
      nghttp2_submit_response(session_.get(), newest, list.data(), list.size(), nullptr);
      return;
    }
    text_ = std::move(text);
    trailers_ = std::move(trailers);
    nghttp2_data_provider provider{};
    provider.read_callback = [](nghttp2_session* session, std::int32_t number, std::uint8_t* into, std::size_t size,
                                std::uint32_t* flags, nghttp2_data_source*, void* user) -> ssize_t {
      auto& own = *static_cast<PlainServer*>(user);
      const std::size_t count = own.text_.copy(reinterpret_cast<char*>(into), size);
      own.text_.erase(0, count);
      if (!own.text_.empty()) return static_cast<ssize_t>(count);
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto behind = list_of(own.trailers_);
      nghttp2_submit_trailer(session, number, behind.data(), behind.size());
      return static_cast<ssize_t>(count);
    };
    nghttp2_submit_response(session_.get(), newest, list.data(), list.size(), &provider);
  }
  void go_away() { nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, newest, NGHTTP2_NO_ERROR, nullptr, 0); }
  void reset() { nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, newest, NGHTTP2_REFUSED_STREAM); }

  /// Lets both say what they have.
  void talk_to(ClientSession& client) {
    for (;;) {
      const std::string in{client.output()};
      client.remove_output(in.size());
      static_cast<void>(
          nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(in.data()), in.size()));
      std::string out;
      const std::uint8_t* bytes = nullptr;
      for (ssize_t count = 0; (count = nghttp2_session_mem_send(session_.get(), &bytes)) > 0;)
        out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
      client.feed(out);
      if (in.empty() && out.empty()) return;
    }
  }

  Headers headers;
  std::string body;
  std::int32_t newest = 0;

 private:
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_{nullptr, nghttp2_session_del};
  std::string text_;
  Headers trailers_;
};

class GrpcClientSession : public testing::Test {
 protected:
  std::int32_t call(const std::string& message = "hello") {
    answer.reset();
    const std::int32_t number = client.call(
        {.path = "/a.B/C", .message = message, .metadata = {{"x-key", "k"}}, .timeout = std::chrono::seconds{2}},
        [this](ReceivedAnswer received) { answer = std::move(received); });
    server.talk_to(client);
    return number;
  }
  const Headers plain{{":status", "200"}, {"content-type", "application/grpc"}};

  std::optional<ReceivedAnswer> answer;
  ClientSession client{{.authority = "host:7233"}};
  PlainServer server;
};

TEST_F(GrpcClientSession, sends_a_call_and_hears_its_answer) {
  call("hello");
  server.answer(plain, framed("world"), {{"grpc-status", "0"}});
  server.talk_to(client);

  EXPECT_EQ(server.headers.at(":path"), "/a.B/C");
  EXPECT_EQ(server.headers.at(":authority"), "host:7233");
  EXPECT_EQ(server.headers.at("grpc-timeout"), "2000m");
  EXPECT_EQ(server.headers.at("x-key"), "k");
  EXPECT_EQ(server.body, framed("hello"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->status.is_ok());
  EXPECT_EQ(answer->message, "world");
  EXPECT_EQ(client.call_count(), 0U);
}

TEST_F(GrpcClientSession, tells_an_error_with_its_text_and_details) {
  call();
  Headers headers = plain;
  headers["grpc-status"] = "6";
  headers["grpc-message"] = percent_encoded("schön, 100 %");
  headers["grpc-status-details-bin"] = base64_unpadded("bytes");
  server.answer(headers);
  server.talk_to(client);

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.code, StatusCode::already_exists);
  EXPECT_EQ(answer->status.message, "schön, 100 %");
  EXPECT_EQ(answer->status.details, "bytes");
}

TEST_F(GrpcClientSession, takes_what_is_no_grpc_for_an_error) {
  call();
  server.answer({{":status", "503"}, {"content-type", "text/html"}});
  server.talk_to(client);

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.code, StatusCode::unavailable);
}

TEST_F(GrpcClientSession, an_answer_without_status_or_whole_message_is_none) {
  call();
  server.answer(plain, framed("world").substr(0, 7), {{"grpc-status", "0"}});
  server.talk_to(client);

  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->status.is_ok());
}

TEST_F(GrpcClientSession, an_answer_that_is_too_large_is_refused) {
  ClientSession small{{.authority = "h", .message_size_max = 10}};
  small.call({.path = "/a.B/C", .message = ""}, [this](ReceivedAnswer received) { answer = std::move(received); });
  server.talk_to(small);
  server.answer(plain, framed(std::string(100, 'x')), {{"grpc-status", "0"}});
  server.talk_to(small);

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.code, StatusCode::resource_exhausted);
}

TEST_F(GrpcClientSession, a_refused_stream_is_unavailable) {
  call();
  server.reset();
  server.talk_to(client);

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.code, StatusCode::unavailable);
  EXPECT_TRUE(client.is_usable());
}

TEST_F(GrpcClientSession, a_server_that_goes_answers_what_it_has) {
  call();
  server.go_away();
  server.talk_to(client);
  EXPECT_FALSE(client.is_usable());
  EXPECT_FALSE(answer);

  server.answer(plain, framed("last"), {{"grpc-status", "0"}});
  server.talk_to(client);

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->message, "last");
}

TEST_F(GrpcClientSession, a_call_can_be_given_up_and_its_late_answer_is_dropped) {
  const std::int32_t number = call();

  client.end_call(number, {.code = StatusCode::deadline_exceeded});

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.code, StatusCode::deadline_exceeded);
  server.answer(plain, framed("late"), {{"grpc-status", "0"}});
  server.talk_to(client);
  EXPECT_EQ(answer->status.code, StatusCode::deadline_exceeded);
}

TEST_F(GrpcClientSession, all_calls_end_with_the_connection) {
  call();

  client.fail_calls({.code = StatusCode::unavailable, .message = "gone"});

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status.message, "gone");
  EXPECT_FALSE(client.is_usable());
}

TEST_F(GrpcClientSession, garbage_ends_the_session) {
  call();
  client.feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_FALSE(client.output().empty()) << "the server is told";

  EXPECT_TRUE(client.has_failed());
}

TEST_F(GrpcClientSession, hears_signs_of_life) {
  client.ping();
  server.talk_to(client);

  EXPECT_EQ(client.pong_count(), 1U);
}

TEST(GrpcForms, are_read_as_they_are_written) {
  EXPECT_EQ(percent_decoded(percent_encoded("a%b\n€")), "a%b\n€");
  EXPECT_EQ(percent_decoded("100%, %zz %4"), "100%, %zz %4");
  for (const std::string text : {"", "a", "ab", "abc", "abcd"}) EXPECT_EQ(base64_decoded(base64_unpadded(text)), text);
  EXPECT_EQ(base64_decoded("YWI="), "ab");
  EXPECT_FALSE(base64_decoded("a*b"));
}

}  // namespace
}  // namespace carillon::grpc
