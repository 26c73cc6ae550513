#include "executors/http/http_executor.hpp"
#include "support/http_attempts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace carillon {
namespace {

using Outcome = AttemptOutcome;
using testing::HasSubstr;
using testing::IsEmpty;

void stay_silent(SinkConnection& connection, const SinkRequest&) { connection.await_close(); }

TEST_F(HttpAttempts, keep_the_beginning_of_an_endless_answer) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send(std::string(64 * 1024, '1'))) continue;
  }};

  const AttemptKey key = launch(sink.url());
  const AttemptEnd end = record_.await_end(key);

  EXPECT_EQ(end.outcome, Outcome::succeeded);
  EXPECT_EQ(end.exit_code, 200);
  EXPECT_FALSE(end.result);
  EXPECT_EQ(record_.story(key).output.size(), 1024U * 1024U);
  EXPECT_EQ(record_.story(key).errors, "\n… the answer was cut after 1048576 bytes …\n");
}

TEST_F(HttpAttempts, take_an_answer_of_just_the_bound_as_whole) {
  HttpOptions small = options();
  small.answer_size_max = 100;
  start(small);
  HttpSink sink{[](SinkConnection& connection, const SinkRequest& request) {
    connection.answer("200 OK", std::string(request.target == "/more" ? 101 : 100, '1'));
  }};

  const AttemptKey whole = launch(sink.url());
  const AttemptKey cut = launch(sink.url("127.0.0.1", "/more"));

  EXPECT_EQ(record_.await_end(whole).result, std::string(100, '1'));
  EXPECT_EQ(record_.story(whole).errors, "");
  EXPECT_FALSE(record_.await_end(cut).result);
  EXPECT_EQ(record_.story(cut).output, std::string(100, '1'));
  EXPECT_THAT(record_.story(cut).errors, HasSubstr("cut after 100 bytes"));
}

TEST_F(HttpAttempts, do_not_unpack_answers) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.answer("200 OK", "not gzip", "Content-Encoding: gzip\r\n");
  }};

  const AttemptKey key = launch(sink.url());

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::succeeded);
  EXPECT_EQ(record_.story(key).output, "not gzip");
}

TEST_F(HttpAttempts, end_with_endless_headers) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 200 OK\r\n");
    while (connection.send("X-More: " + std::string(1'000, 'x') + "\r\n")) continue;
  }};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_THAT(end.error, HasSubstr("bytes of headers"));
}

TEST_F(HttpAttempts, fail_when_the_answer_breaks_off) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  }};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.exit_code, 200);
  EXPECT_THAT(end.error, HasSubstr("5 bytes remaining"));
}

TEST_F(HttpAttempts, fail_when_there_is_no_http_behind_the_port) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.send("SSH-2.0-x\r\n"); }};

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::failed);
}

TEST_F(HttpAttempts, are_sent_once_even_if_the_server_hangs_up) {
  HttpSink sink{[](SinkConnection&, const SinkRequest&) {}};

  const AttemptKey key = launch(sink.url());

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::lost) << "the server may have done what was asked";
  EXPECT_EQ(record_.story(key).launched_count, 1);
  EXPECT_EQ(sink.connection_count(), 1U);
}

TEST_F(HttpAttempts, have_a_connection_of_their_own) {
  std::atomic<bool> is_used_again = false;
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
    connection.answer("200 OK");
    if (!connection.receive().empty()) is_used_again = true;
  }};

  performed(sink.url());
  performed(sink.url());

  EXPECT_EQ(sink.connection_count(), 2U);
  EXPECT_FALSE(is_used_again);
}

TEST_F(HttpAttempts, fail_when_nobody_listens) {
  std::string url;
  {
    HttpSink gone{stay_silent};
    url = gone.url();
  }

  const AttemptKey key = launch(url);
  const AttemptEnd end = record_.await_end(key);

  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.error, "cannot connect: Connection refused");
  EXPECT_FALSE(end.exit_code);
  EXPECT_EQ(record_.story(key).launched_count, 0);
}

TEST_F(HttpAttempts, end_when_the_whole_takes_too_long) {
  HttpOptions hasty = options();
  hasty.total_timeout = std::chrono::milliseconds{50};
  start(hasty);
  HttpSink sink{stay_silent};

  const AttemptEnd end = performed(sink.url());

  EXPECT_EQ(end.outcome, Outcome::lost);
  EXPECT_THAT(end.error, HasSubstr("timed out"));
}

TEST_F(HttpAttempts, end_when_an_answer_that_has_begun_stands_still) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1");
    connection.await_close();
  }};
  const AttemptKey key = launch(sink.url());
  record_.await_output(key, 1);

  clock_.advance_boot(std::chrono::minutes{1});

  const AttemptEnd end = record_.await_end(key);
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.exit_code, 200);
  EXPECT_EQ(end.error, "no data received for 1m");
}

TEST_F(HttpAttempts, end_when_an_answer_only_trickles) {
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send("1")) clock_.advance_boot(std::chrono::seconds{1});
  }};

  const AttemptKey key = launch(sink.url());

  EXPECT_EQ(record_.await_end(key).error, "no data received for 1m");
}

TEST_F(HttpAttempts, give_a_server_time_to_think_before_it_answers) {
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) {
    clock_.advance_boot(std::chrono::minutes{10});
    connection.answer("200 OK");
  }};

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::succeeded);
}

TEST_F(HttpAttempts, are_stopped_while_they_wait_for_an_answer) {
  HttpSink sink{stay_silent};
  for (const Stop how : {Stop::cancel, Stop::terminate}) {
    const AttemptKey key = launch(sink.url());
    record_.await_launch(key);

    executor().stop(key, how);

    EXPECT_EQ(record_.await_end(key).outcome, Outcome::cancelled);
  }
}

TEST_F(HttpAttempts, are_stopped_before_they_have_begun) {
  HttpSink sink{stay_silent};
  HttpOptions bounded = options();
  bounded.transfer_count_max = 1;
  start(bounded);
  const AttemptKey first = launch(sink.url());
  record_.await_launch(first);
  const AttemptKey second = launch(sink.url());

  executor().stop(second, Stop::cancel);

  EXPECT_EQ(record_.await_end(second).outcome, Outcome::cancelled);
  EXPECT_EQ(record_.story(second).launched_count, 0);
  EXPECT_THAT(record_.story(first).ends, IsEmpty());
}

TEST_F(HttpAttempts, that_have_ended_or_never_were_are_not_stopped) {
  HttpSink sink{[](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK"); }};
  const AttemptKey ended = launch(sink.url());
  record_.await_end(ended);

  executor().stop(ended, Stop::terminate);
  executor().stop({.run = Seq{99}, .attempt = 1}, Stop::cancel);
  performed(sink.url());

  EXPECT_EQ(record_.story(ended).ends.size(), 1U);
  EXPECT_THAT(record_.story({.run = Seq{99}, .attempt = 1}).ends, IsEmpty());
}

TEST_F(HttpAttempts, that_come_too_late_are_not_launched) {
  HttpSink sink{stay_silent};
  clock_.set_boot(lease_end);

  const AttemptKey key = launch(sink.url());

  EXPECT_EQ(record_.await_end(key).outcome, Outcome::released);
  EXPECT_EQ(record_.story(key).launched_count, 0);
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, that_wait_for_their_turn_too_long_are_not_launched) {
  HttpSink sink{stay_silent};
  HttpOptions bounded = options();
  bounded.transfer_count_max = 1;
  start(bounded);
  const AttemptKey first = launch(sink.url());
  record_.await_launch(first);
  const AttemptKey second = launch(sink.url());

  clock_.set_boot(lease_end);

  EXPECT_EQ(record_.await_end(second).outcome, Outcome::released);
  EXPECT_THAT(record_.story(first).ends, IsEmpty());
}

TEST_F(HttpAttempts, are_ended_when_the_right_to_perform_them_is_not_renewed) {
  HttpSink sink{stay_silent};
  executor().extend_until(begin + std::chrono::seconds{10});
  const AttemptKey key = launch(sink.url());
  record_.await_launch(key);

  clock_.advance_boot(std::chrono::seconds{10});

  const AttemptEnd end = record_.await_end(key);
  EXPECT_EQ(end.outcome, Outcome::lost);
  EXPECT_EQ(end.error, "its lease was not renewed in time");
}

TEST_F(HttpAttempts, go_on_while_the_right_to_perform_them_is_renewed) {
  HttpSink sink{[&](SinkConnection& connection, const SinkRequest&) { connection.answer("200 OK"); }};
  executor().extend_until(begin + std::chrono::seconds{10});
  executor().extend_until(begin + std::chrono::seconds{30});
  clock_.advance_boot(std::chrono::seconds{20});

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::succeeded);
}

TEST_F(HttpAttempts, are_not_begun_without_the_right_to_perform_them) {
  HttpSink sink{stay_silent};
  executor().extend_until(begin);

  EXPECT_EQ(performed(sink.url()).outcome, Outcome::released);
  EXPECT_EQ(sink.connection_count(), 0U);
}

TEST_F(HttpAttempts, end_without_a_word_with_their_executor) {
  HttpSink sink{stay_silent};
  const AttemptKey key = launch(sink.url());
  record_.await_launch(key);

  destroy_executor();

  EXPECT_THAT(record_.story(key).ends, IsEmpty());
}

}  // namespace
}  // namespace carillon
