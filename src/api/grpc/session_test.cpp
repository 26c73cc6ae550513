#include "api/grpc/session.hpp"

#include "api/grpc/h2_client_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace carillon::grpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Keeps what comes, and answers nothing by itself.
struct KeptCalls final : CallReceiver {
  struct Kept {
    std::int32_t number;
    Call call;
  };
  void receive(std::int32_t number, Call call) override { calls.push_back({number, std::move(call)}); }
  [[nodiscard]] Status admit(const Call& /*head*/) override { return verdict; }
  void on_cancelled(std::int32_t number) override { cancelled.push_back(number); }

  std::vector<Kept> calls;
  std::vector<std::int32_t> cancelled;
  Status verdict{};
};

class GrpcSession : public testing::Test {
 protected:
  SessionLimits limits;
  KeptCalls kept;
  H2Client client;
  Session session{limits, kept};

  std::int32_t call(const std::string& path, const std::string& message) {
    return client.call(H2Client::usual_headers(path), framed(message));
  }
};

TEST_F(GrpcSession, a_call_is_handed_over_whole_in_whatever_pieces_it_comes) {
  auto headers = H2Client::usual_headers("/a.B/C");
  headers["authorization"] = "Bearer t0k";
  headers["grpc-timeout"] = "10S";
  client.call(headers, framed("hello"));

  client.talk_to(session, 1);

  ASSERT_EQ(kept.calls.size(), 1U);
  EXPECT_EQ(kept.calls[0].call.path, "/a.B/C");
  EXPECT_EQ(kept.calls[0].call.message, "hello");
  EXPECT_EQ(kept.calls[0].call.authorization, "Bearer t0k");
  EXPECT_TRUE(kept.calls[0].call.deadline);
}

TEST_F(GrpcSession, an_answer_is_a_message_and_a_status_behind_it) {
  const auto number = call("/a.B/C", "hello");
  client.talk_to(session);

  session.answer(kept.calls.at(0).number, {.message = "world"});
  client.talk_to(session);

  const auto& reply = client.replies[number];
  EXPECT_EQ(reply.headers.at(":status"), "200");
  EXPECT_EQ(reply.headers.at("content-type"), "application/grpc");
  EXPECT_EQ(reply.body, framed("world"));
  EXPECT_EQ(reply.headers.at("grpc-status"), "0");
  EXPECT_TRUE(reply.is_closed);
  EXPECT_EQ(session.open_count(), 0U);
}

TEST_F(GrpcSession, an_error_has_its_text_and_its_details_and_no_body) {
  const auto number = call("/a.B/C", "");
  client.talk_to(session);

  session.answer(kept.calls.at(0).number,
                 {.status = {.code = StatusCode::not_found, .message = "no ü", .details = "foo"}});
  client.talk_to(session);

  const auto& reply = client.replies[number];
  EXPECT_EQ(reply.headers.at("grpc-status"), "5");
  EXPECT_EQ(reply.headers.at("grpc-message"), "no %C3%BC");
  EXPECT_EQ(reply.headers.at("grpc-status-details-bin"), "Zm9v");
  EXPECT_EQ(reply.body, "");
}

TEST_F(GrpcSession, calls_are_answered_in_any_order) {
  const auto first = call("/a.B/C", "1");
  const auto second = call("/a.B/C", "2");
  client.talk_to(session);

  session.answer(second, {.message = "two"});
  client.talk_to(session);
  EXPECT_TRUE(client.replies[second].is_closed);
  EXPECT_FALSE(client.replies[first].is_closed);
  session.answer(first, {.message = "one"});
  client.talk_to(session);

  EXPECT_EQ(client.replies[first].body, framed("one"));
}

TEST_F(GrpcSession, large_messages_get_through_both_ways) {
  const std::string large(3'000'000, 'x');
  const auto number = call("/a.B/C", large);
  client.talk_to(session);
  ASSERT_EQ(kept.calls.size(), 1U);
  EXPECT_EQ(kept.calls[0].call.message.size(), large.size());

  session.answer(number, {.message = large});
  client.talk_to(session);

  EXPECT_EQ(client.replies[number].body.size(), large.size() + 5);
  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "0");
}

TEST_F(GrpcSession, a_message_of_one_byte_too_many_is_refused_before_it_is_kept) {
  const auto number = call("/a.B/C", std::string(limits.message_size_max + 1, 'x'));

  client.talk_to(session);

  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "8");
  EXPECT_THAT(client.replies[number].headers.at("grpc-message"), HasSubstr("larger than max"));
  EXPECT_THAT(kept.calls, IsEmpty());
  EXPECT_EQ(session.received_size(), 0U);
}

TEST_F(GrpcSession, a_large_message_is_not_taken_from_one_who_is_not_known) {
  kept.verdict = {.code = StatusCode::unauthenticated, .message = "who are you"};
  const auto number = call("/a.B/C", std::string(limits.unadmitted_size_max + 1, 'x'));

  client.talk_to(session);

  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "16");
  EXPECT_THAT(kept.calls, IsEmpty());
}

TEST_F(GrpcSession, all_messages_being_sent_at_a_time_have_a_bound) {
  std::vector<std::int32_t> numbers;
  for (int i = 0; i < 6; ++i)
    numbers.push_back(client.call(H2Client::usual_headers("/a.B/C"), framed(std::string(3'500'000, 'x')), false));

  client.talk_to(session);

  EXPECT_LE(session.received_size(), limits.received_size_max);
  const auto refused = std::ranges::count_if(
      numbers, [&](std::int32_t number) { return client.replies[number].headers.contains("grpc-status"); });
  EXPECT_GE(refused, 1);
}

TEST_F(GrpcSession, what_is_not_grpc_gets_a_status_of_http) {
  auto get = H2Client::usual_headers("/");
  get[":method"] = "GET";
  auto json = H2Client::usual_headers("/a.B/C");
  json["content-type"] = "application/json";
  const auto first = client.call(get, "");
  const auto second = client.call(json, "{}");

  client.talk_to(session);

  EXPECT_EQ(client.replies[first].headers.at(":status"), "405");
  EXPECT_EQ(client.replies[second].headers.at(":status"), "415");
  EXPECT_THAT(kept.calls, IsEmpty());
}

TEST_F(GrpcSession, headers_beyond_the_limit_are_refused) {
  auto headers = H2Client::usual_headers("/a.B/C");
  for (int i = 0; i < 20; ++i) headers["x-" + std::to_string(i)] = std::string(1'000, 'x');
  const auto number = client.call(headers, framed(""));

  client.talk_to(session);

  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "8");
}

TEST_F(GrpcSession, an_unreadable_timeout_is_refused) {
  auto headers = H2Client::usual_headers("/a.B/C");
  headers["grpc-timeout"] = "soon";
  const auto number = client.call(headers, framed(""));

  client.talk_to(session);

  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "13");
}

TEST_F(GrpcSession, one_who_gives_up_is_told_of_and_his_answer_is_passed_over) {
  const auto number = call("/a.B/C", "");
  client.talk_to(session);

  client.reset(number);
  client.talk_to(session);
  session.answer(number, {.message = "late"});
  client.talk_to(session);

  EXPECT_THAT(kept.cancelled, ElementsAre(number));
  EXPECT_FALSE(session.is_over());
}

TEST_F(GrpcSession, one_who_only_begins_calls_and_gives_them_up_is_sent_away) {
  for (int i = 0; i < 500 && client.goaway < 0; ++i) {
    const auto number = call("/a.B/C", "");
    client.talk_to(session);
    client.reset(number);
    client.talk_to(session);
  }

  EXPECT_EQ(client.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(session.is_over());
}

TEST_F(GrpcSession, pings_are_answered_however_often_they_come) {
  for (int i = 0; i < 1'000; ++i) {
    client.ping();
    client.talk_to(session);
  }

  EXPECT_FALSE(session.is_over());
}

TEST_F(GrpcSession, pings_whose_answers_are_not_read_end_the_session) {
  std::string pings;
  for (int i = 0; i < 20'000; ++i) {
    client.ping();
    pings += client.output();
  }

  session.feed(pings);
  session.remove_output(session.output().size());

  while (!session.output().empty()) session.remove_output(session.output().size());
  EXPECT_TRUE(session.is_over());
}

TEST_F(GrpcSession, what_is_not_http_2_ends_the_session) {
  session.feed("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

  while (!session.output().empty()) session.remove_output(session.output().size());
  EXPECT_TRUE(session.is_over());
  EXPECT_FALSE(session.has_begun());
}

TEST_F(GrpcSession, shutting_down_answers_what_is_under_way_and_takes_nothing_new) {
  const auto number = call("/a.B/C", "");
  client.talk_to(session);

  session.begin_shutdown();
  client.talk_to(session);
  EXPECT_EQ(client.goaway, NGHTTP2_NO_ERROR);
  EXPECT_FALSE(session.is_over());
  session.answer(number, {.message = "done"});
  client.talk_to(session);

  EXPECT_EQ(client.replies[number].body, framed("done"));
  EXPECT_TRUE(session.is_over());
}

TEST_F(GrpcSession, messages_that_never_end_can_be_dropped) {
  const auto number = client.call(H2Client::usual_headers("/a.B/C"), "half", false);
  client.talk_to(session);
  ASSERT_EQ(session.receiving_count(), 1U);

  session.drop_unfinished();
  client.talk_to(session);

  EXPECT_EQ(session.receiving_count(), 0U);
  EXPECT_EQ(session.open_count(), 0U);
  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "4");
}

TEST_F(GrpcSession, each_message_has_its_own_time) {
  const auto old = client.call(H2Client::usual_headers("/a.B/C"), "half", false);
  client.talk_to(session);
  const auto between = std::chrono::steady_clock::now();
  const auto young = client.call(H2Client::usual_headers("/a.B/C"), "half", false);
  client.talk_to(session);

  session.drop_unfinished(between);
  client.talk_to(session);

  EXPECT_TRUE(client.replies[old].is_closed);
  EXPECT_FALSE(client.replies[young].is_closed);
  EXPECT_EQ(session.receiving_count(), 1U);
}

TEST_F(GrpcSession, a_packed_message_is_handed_over_as_it_came) {
  auto headers = H2Client::usual_headers("/a.B/C");
  headers["grpc-encoding"] = "gzip";
  std::string body = framed("not gzip at all");
  body.front() = '\1';
  const auto number = client.call(headers, body);

  client.talk_to(session);

  // Nobody has looked at it: that is for the handler, when it knows who asks.
  ASSERT_EQ(kept.calls.size(), 1U);
  EXPECT_TRUE(kept.calls[0].call.is_packed);
  EXPECT_EQ(kept.calls[0].call.message, "not gzip at all");
  EXPECT_FALSE(client.replies[number].is_closed);
  EXPECT_EQ(unpack(kept.calls[0].call).code, StatusCode::internal);
}

TEST_F(GrpcSession, answers_that_are_too_large_or_not_read_become_errors) {
  const auto number = call("/a.B/C", "");
  client.talk_to(session);

  session.answer(number, {.message = std::string(limits.message_size_max + 1, 'x')});
  client.talk_to(session);

  EXPECT_EQ(client.replies[number].headers.at("grpc-status"), "8");
}

TEST_F(GrpcSession, texts_of_errors_stay_within_what_clients_take) {
  const auto number = call("/a.B/C", "");
  client.talk_to(session);

  session.answer(number,
                 {.status = {.code = StatusCode::internal, .message = std::string(50'000, '\n'), .details = "foo"}});
  client.talk_to(session);

  EXPECT_LT(client.replies[number].headers.at("grpc-message").size(), 8U * 1024);
}

}  // namespace
}  // namespace carillon::grpc
