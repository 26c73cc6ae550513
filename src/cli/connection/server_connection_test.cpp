#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"
#include "support/running_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// `carillon queue list` where these servers run.
class ChosenServer : public ::testing::Test {
 protected:
  Told say(const ServerRecords& records, const std::vector<std::string>& words) {
    console.variables["HOME"] = "/nonexistent";
    console.variables["XDG_STATE_HOME"] = records.state_home();
    transport.answer("GET /api/v1/queues", page_of(std::vector<std::string>{}));
    return carillon_on(console, transport, words);
  }
  std::string asked_url() { return transport.requests.empty() ? "" : transport.requests.back().url; }

  const Impostor one{"carillon"};
  const Impostor two{"carillon"};
  ScriptedConsole console;
  ScriptedTransport transport;
};

TEST_F(ChosenServer, has_to_be_named_where_two_run) {
  const ServerRecords records{{{.pid = one.pid()}, {.pid = two.pid(), .url = "http://127.0.0.1:7171"}}};

  const Told told = say(records, {"queue", "list"});

  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.error, HasSubstr("2 servers run on this machine; choose one"));
  EXPECT_THAT(told.error, HasSubstr("http://127.0.0.1:7070"));
  EXPECT_THAT(told.error, HasSubstr("http://127.0.0.1:7171"));
  EXPECT_THAT(transport.requests, IsEmpty());
}

TEST_F(ChosenServer, may_be_named_by_any_name_of_this_machine) {
  const ServerRecords records{{{.pid = one.pid()}, {.pid = two.pid(), .url = "http://127.0.0.1:7171"}}};

  for (const char* address : {"localhost:7171", "127.0.0.1:7171", "[::1]:7171"}) {
    transport.requests.clear();
    console.error.clear();
    const Told told = say(records, {"queue", "list", "--server", address});

    EXPECT_EQ(told.exit_code, 0) << told.error;
    EXPECT_EQ(transport.header("Authorization"), "Bearer " + ServerRecords::token()) << address;
    // The token is sent only where the server wrote down that it listens.
    EXPECT_EQ(asked_url(), "http://127.0.0.1:7171/api/v1/queues") << address;
  }
}

TEST_F(ChosenServer, flags_may_stand_before_the_command) {
  const ServerRecords records{{{.pid = one.pid()}}};

  const Told told = say(records, {"--server", "localhost:7070", "-o", "json", "queue", "list"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "[]\n");
}

}  // namespace
}  // namespace carillon::cli
