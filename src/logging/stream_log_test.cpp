#include "logging/stream_log.hpp"

#include "support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>

namespace carillon {
namespace {

class StreamLogTest : public ::testing::Test {
 protected:
  StreamLogTest() { EXPECT_EQ(::pipe(pipe_.data()), 0); }
  ~StreamLogTest() override {
    for (const int end : pipe_) ::close(end);
  }
  std::string written() {
    std::string text(4096, '\0');
    const auto count = ::read(pipe_[0], text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

  std::array<int, 2> pipe_{};
  ManualClock clock_{parse_instant("2027-03-01T09:00:00.25Z").value()};
};

TEST_F(StreamLogTest, people_read_a_line_per_event) {
  StreamLog log{clock_, pipe_[1], StreamLog::Form::text};

  log.warn("run started late", {{"schedule", "nightly"}, {"late", Duration{std::chrono::seconds{90}}}, {"count", 3}});

  EXPECT_EQ(written(), "2027-03-01T09:00:00.250Z warn  run started late schedule=nightly late=1m30s count=3\n");
}

TEST_F(StreamLogTest, a_duration_has_seconds_with_milliseconds) {
  StreamLog log{clock_, pipe_[1], StreamLog::Form::text};

  log.info("run succeeded", {{"a", Duration{std::chrono::milliseconds{4}}},
                             {"b", Duration{std::chrono::milliseconds{12'014}}},
                             {"c", Duration{std::chrono::milliseconds{3'690'500}}},
                             {"d", Duration{0}}});

  EXPECT_EQ(written(), "2027-03-01T09:00:00.250Z info  run succeeded a=0.004s b=12.014s c=1h1m30.500s d=0s\n");
}

TEST_F(StreamLogTest, programs_read_json) {
  StreamLog log{clock_, pipe_[1], StreamLog::Form::json};

  log.info("run ended", {{"schedule", "nightly"}, {"due", clock_.now()}, {"ok", true}});

  EXPECT_EQ(written(), R"({"time":"2027-03-01T09:00:00.25Z","level":"info","event":"run ended","schedule":"nightly",)"
                       R"("due":"2027-03-01T09:00:00.25Z","ok":true})"
                       "\n");
}

TEST_F(StreamLogTest, what_users_write_neither_breaks_a_line_nor_drives_a_terminal) {
  StreamLog text{clock_, pipe_[1], StreamLog::Form::text};
  text.info("run ended", {{"error", "one\ntwo \x1b]0;x\x07 \"three\""}});
  EXPECT_EQ(written(),
            "2027-03-01T09:00:00.250Z info  run ended error=\"one\\ntwo \\u001b]0;x\\u0007 \\\"three\\\"\"\n");

  StreamLog json{clock_, pipe_[1], StreamLog::Form::json};
  json.info("run ended", {{"error", "\r\n{}"}});
  EXPECT_EQ(
      written(),
      "{\"time\":\"2027-03-01T09:00:00.25Z\",\"level\":\"info\",\"event\":\"run ended\",\"error\":\"\\u000d\\n{}\"}\n");
}

TEST_F(StreamLogTest, what_is_below_the_level_is_left_out) {
  StreamLog log{clock_, pipe_[1], StreamLog::Form::text, LogLevel::error};

  log.warn("first");
  log.error("second");

  EXPECT_EQ(written(), "2027-03-01T09:00:00.250Z error second\n");
}

}  // namespace
}  // namespace carillon
