#include "cli/connection/log_reading.hpp"

#include "client/document_reader.hpp"
#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <deque>
#include <string>
#include <vector>

namespace carillon::cli {
namespace {

const std::string logs = "/api/v1/runs/r-80aa12dd/logs";

std::string with_state(std::string run, const std::string& state) {
  return run.replace(run.find("\"running\""), 9, '"' + state + '"');
}
std::string with_attempt(std::string run, const std::string& attempt) {
  return run.replace(run.find("\"attempt\":1"), 11, "\"attempt\":" + attempt);
}

HeaderFields log_place(const std::string& next_offset, const std::string& is_at_end) {
  return {{"carillon-log-attempt", "1"},
          {"carillon-log-next-offset", next_offset},
          {"carillon-log-end", is_at_end},
          {"carillon-log-truncated", "false"}};
}

/// A server whose streams break in the middle.
class BreakingTransport final : public Transport {
 public:
  struct Part {
    std::string bytes;
    bool breaks;
  };

  ScriptedTransport rest;
  std::deque<Part> streams;
  std::vector<std::string> streamed;

  Result<ServerAnswer> perform(const ServerRequest& request) override { return rest.perform(request); }
  Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override {
    streamed.push_back(request.url);
    const Part part = streams.front();
    streams.pop_front();
    static_cast<void>(sink(part.bytes));
    if (!part.breaks) return ServerAnswer{.status = 200};
    return std::unexpected(Error{.code = ErrorCode::unavailable,
                                 .message = "cannot reach carillon at 127.0.0.1:7070 (the connection broke)",
                                 .hint = {},
                                 .rule = "unreachable",
                                 .position = {},
                                 .context = {}});
  }
};

/// What print_log needs around it.
struct Reader {
  ScriptedConsole console = console_in_new_york();
  FixedZoneSource zones{};
  RecordedServer server{};
  BreakingTransport transport{};
  Session session{.console = console,
                  .zones = zones,
                  .server = server,
                  .transport = transport,
                  .now = console.time,
                  .paint = Paint{false, true}};
  Client client{transport, {.url = "http://127.0.0.1:7070"}};
  PollBackoff backoff{{}, [](Duration) {}};

  Result<> follow(const std::string& run) {
    const auto value = TRY(client::read_document<client::Run>(boost::json::parse(run)));
    return print_log(client, value, {.is_followed = true}, session, backoff);
  }
};

TEST(RunLogs, are_the_bytes_that_the_run_printed) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("GET " + logs + "?offset=0&namespace=default", "one\n\x1b[31mtwo", log_place("12", "false"));
  transport.answer("GET " + logs + "?offset=12&attempt=1&namespace=default", "\n", log_place("13", "true"));

  const Told told = carillon_on(console, transport, {"run", "logs", "r-80aa12dd"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "one\n\x1b[31mtwo\n");
}

TEST(RunLogs, cannot_command_a_terminal) {
  ScriptedConsole console = console_in_new_york();
  console.has_terminal = true;
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("GET " + logs + "?offset=0&namespace=default", "a\x1b[2Jb\r\nlast", log_place("11", "true"));

  const Told told = carillon_on(console, transport, {"run", "logs", "r-80aa12dd"});

  EXPECT_EQ(told.output.find('\x1b'), std::string::npos) << told.output;
  EXPECT_TRUE(told.output.ends_with("b\nlast\n")) << told.output;
}

TEST(RunLogs, can_be_cut_to_the_last_lines) {
  for (const auto& [log, expected] : std::vector<std::pair<std::string, std::string>>{
           {"one\ntwo\nthree\n", "two\nthree\n"}, {"one\ntwo\nthree", "two\nthree"}, {"one\n", "one\n"}, {"", ""}}) {
    ScriptedConsole console = console_in_new_york();
    ScriptedTransport transport;
    transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
    transport.answer("GET " + logs + "?tail=1048576&namespace=default", log, log_place("14", "true"));

    EXPECT_EQ(carillon_on(console, transport, {"run", "logs", "r-80aa12dd", "--tail", "2"}).output, expected);
  }
}

TEST(RunLogs, of_an_earlier_try_can_be_asked_for) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.answer("GET /api/v1/runs/r-7c0b77e0/logs?offset=0&attempt=1&namespace=default", "first try\n",
                   log_place("10", "true"));

  EXPECT_EQ(carillon_on(console, transport, {"run", "logs", "r-7c0b77e0", "--attempt", "1"}).output, "first try\n");
}

TEST(RunLogs, of_a_run_that_has_not_begun_are_empty) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80ac0001", run_that_waits);

  const Told told = carillon_on(console, transport, {"run", "logs", "r-80ac0001"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "");
  EXPECT_EQ(told.error, "r-80ac0001 is queued: it has not started yet\n");
}

TEST(RunLogs, of_an_attempt_that_could_not_be_started_say_why_they_are_empty) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-7c0b77e0", run_that_failed);
  transport.answer("GET /api/v1/runs/r-7c0b77e0/logs?offset=0&namespace=default", "", log_place("0", "true"));

  const Told told = carillon_on(console, transport, {"run", "logs", "r-7c0b77e0"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "");
  EXPECT_EQ(told.error, "attempt 1 of r-7c0b77e0 wrote no output: timed out after 10m\n");
}

TEST(FollowedLogs, go_on_at_the_byte_they_had_when_the_stream_breaks) {
  Reader reader;
  auto& rest = reader.transport.rest;
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", run_by_hand);
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", run_by_hand);
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", with_state(run_by_hand, "succeeded"));
  rest.answer("GET " + logs + "?offset=8&attempt=1&namespace=default", "", log_place("8", "true"));
  reader.transport.streams = {{.bytes = "one\n", .breaks = true}, {.bytes = "two\n", .breaks = false}};

  const auto outcome = reader.follow(run_by_hand);

  EXPECT_TRUE(outcome.has_value());
  EXPECT_EQ(reader.console.output, "one\ntwo\n");
  ASSERT_EQ(reader.transport.streamed.size(), 2U);
  EXPECT_TRUE(reader.transport.streamed[1].contains("offset=4&follow=true")) << reader.transport.streamed[1];
}

TEST(FollowedLogs, go_through_all_tries) {
  Reader reader;
  auto& rest = reader.transport.rest;
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", run_by_hand);
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", with_attempt(run_by_hand, "2"));
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", with_attempt(run_by_hand, "2"));
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", with_state(with_attempt(run_by_hand, "2"), "failed"));
  rest.answer("GET " + logs + "?offset=6&attempt=1&namespace=default", "", log_place("6", "true"));
  rest.answer("GET " + logs + "?offset=7&attempt=2&namespace=default", "", log_place("7", "true"));
  reader.transport.streams = {{.bytes = "try 1\n", .breaks = false}, {.bytes = "try 2!\n", .breaks = false}};

  const auto outcome = reader.follow(run_by_hand);

  EXPECT_TRUE(outcome.has_value());
  EXPECT_EQ(reader.console.output, "try 1\ntry 2!\n");
}

TEST(FollowedLogs, miss_nothing_that_came_between_the_stream_and_the_end) {
  Reader reader;
  auto& rest = reader.transport.rest;
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", run_by_hand);
  rest.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", with_state(run_by_hand, "succeeded"));
  rest.answer("GET " + logs + "?offset=4&attempt=1&namespace=default", "two\n", log_place("8", "true"));
  reader.transport.streams = {{.bytes = "one\n", .breaks = false}};

  const auto outcome = reader.follow(run_by_hand);

  EXPECT_TRUE(outcome.has_value());
  EXPECT_EQ(reader.console.output, "one\ntwo\n");
}

TEST(FollowedLogs, are_given_up_when_the_server_stays_away) {
  Reader reader;
  reader.transport.rest.is_reachable = false;

  const auto outcome = reader.follow(run_by_hand);

  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().rule, "unreachable");
}

TEST(Logs, of_a_schedule_are_those_of_its_newest_run) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/nightly-etl", small_schedule("nightly-etl"));
  transport.answer("GET /api/v1/schedules/nightly-etl/runs?namespace=default&limit=1", page_of({run_by_hand}));
  transport.answer("GET " + logs + "?offset=0&namespace=default", "hello\n", log_place("6", "true"));

  const Told told = carillon_on(console, transport, {"logs", "nightly-etl"});

  EXPECT_EQ(told.output, "hello\n");
  EXPECT_EQ(told.error, "r-80aa12dd nightly-etl@2026-10-29T14:17:54.9Z+trigger-796256ff\n");
}

TEST(Logs, of_a_schedule_that_never_ran_say_so) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/schedules/nightly-etl", small_schedule("nightly-etl"));
  transport.answer("GET /api/v1/schedules/nightly-etl/runs?namespace=default&limit=1",
                   page_of(std::vector<std::string>{}));

  const Told told = carillon_on(console, transport, {"logs", "nightly-etl"});

  EXPECT_EQ(told.output, "");
  EXPECT_EQ(told.error, "nightly-etl has not run yet\n");
}

TEST(Logs, of_a_run_need_no_other_verb) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport;
  transport.answer("GET /api/v1/runs/r-80aa12dd", run_by_hand);
  transport.answer("GET " + logs + "?offset=0&namespace=default", "hello\n", log_place("6", "true"));

  EXPECT_EQ(carillon_on(console, transport, {"logs", "r-80aa12dd"}).output, "hello\n");
}

}  // namespace
}  // namespace carillon::cli
