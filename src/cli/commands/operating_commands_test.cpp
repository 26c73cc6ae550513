#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace carillon::cli {
namespace {

const std::string queues =
    R"({"items":[{"name":"@command","depth":0,"oldest":null,"oldestAgeMs":null,"running":1,"paused":false},)"
    R"({"name":"billing","depth":3,"oldest":"2026-10-29T14:21:17Z","oldestAgeMs":48000,"running":1,"paused":true,)"
    R"("limit":4,"keepFailed":true,"dead":2}]})";

const std::string tokens =
    R"({"items":[{"id":"0jgykyq4","name":"admin","role":"admin","execute":true,"namespace":null,)"
    R"("createdAt":"2026-10-01T12:17:22.344177Z","expiresAt":null,"revokedAt":null},)"
    R"({"id":"7kd02mza","name":"wallboard","role":"viewer","execute":false,"namespace":"billing",)"
    R"("createdAt":"2026-10-02T12:00:00Z","expiresAt":"2026-12-31T12:00:00Z","revokedAt":null},)"
    R"({"id":"7kd9x4qw","name":"old","role":"editor","execute":false,"namespace":null,)"
    R"("createdAt":"2026-10-02T12:00:00Z","expiresAt":"2026-10-03T12:00:00Z","revokedAt":null},)"
    R"({"id":"9aaaaaaa","name":"gone","role":"editor","execute":false,"namespace":null,)"
    R"("createdAt":"2026-10-02T12:00:00Z","expiresAt":null,"revokedAt":"2026-10-03T12:00:00Z"}]})";

const std::string issued =
    R"({"id":"0cafe123","name":"me","role":"operator","execute":false,"namespace":"billing","createdAt":"2026-10-29T14:22:05Z",)"
    R"("expiresAt":"2027-01-27T14:22:05Z","revokedAt":null,"token":"carillon_0cafe123_secret"})";

const std::string audit_first =
    R"({"items":[{"number":6,"at":"2026-10-29T14:17:37.104708Z","actor":"token:7kd02mza","address":"127.0.0.1",)"
    R"("operation":"schedule.trigger","namespace":"default","target":"nightly","outcome":"forbidden","before":null,)"
    R"("after":null,"digest":"a1"},)"
    R"({"number":5,"at":"2026-10-29T14:00:00Z","actor":"token:0jgykyq4","address":"127.0.0.1",)"
    R"("operation":"schedule.create","namespace":"default","target":"nightly","outcome":"done","before":null,)"
    R"("after":"16","digest":"d2"}],"nextPageToken":"n~5"})";
const std::string audit_second =
    R"({"items":[{"number":4,"at":"2026-10-27T09:00:00Z","actor":"server","address":null,)"
    R"("operation":"server.start","namespace":null,"target":null,"outcome":"done","before":null,)"
    R"("after":null,"digest":"48"}],"nextPageToken":null})";

Told told_by(ScriptedTransport& transport, const std::vector<std::string>& words) {
  ScriptedConsole console = console_in_new_york();
  return carillon_on(console, transport, words);
}

TEST(QueueList, tells_what_is_ready_at_work_and_paused) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/queues", queues);

  EXPECT_EQ(told_by(transport, {"queue", "list"}).output, R"(   QUEUE     READY  RUNNING  LIMIT  OLDEST  DEAD  STATE
●  @command      0        1      –       –     0  open
‖  billing       3        1      4     48s     2  paused
)");
}

TEST(QueuePause, pauses_each_that_is_named) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/queues/%40command/pause", "{}");
  transport.answer("POST /api/v1/queues/billing/pause", "{}");

  const Told told = told_by(transport, {"queue", "pause", "@command", "billing"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(transport.requests.size(), 2U);
}

std::string queue_with(std::string_view name, int running) {
  return fmt::format(R"({{"items":[{{"name":"{}","depth":3,"oldestAgeMs":48000,"running":{},"paused":true}},)"
                     R"({{"name":"other","depth":0,"oldestAgeMs":null,"running":7,"paused":false}}]}})",
                     name, running);
}

TEST(QueueDrain, pauses_and_waits_until_nothing_of_the_queue_is_running) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/queues/billing/pause", "{}");
  transport.answer("GET /api/v1/queues", queue_with("billing", 2));
  transport.answer("GET /api/v1/queues", queue_with("billing", 0));

  const Told told = told_by(transport, {"queue", "drain", "billing"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.error, "waiting for 2 runs to end\n");
  EXPECT_EQ(told.output, "billing: paused; nothing new starts\ndrained; to go on: carillon queue resume billing\n");
}

TEST(QueueDrain, is_pending_when_runs_go_on_beyond_its_timeout) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/queues/billing/pause", "{}");
  transport.answer("GET /api/v1/queues", queue_with("billing", 1));

  const Told told = told_by(transport, {"queue", "drain", "billing", "--timeout", "0s"});

  EXPECT_EQ(told.exit_code, 8);
  EXPECT_EQ(told.error, "waiting for 1 run to end\n1 run still running; the queues stay paused\n");
}

TEST(QueueLimit, sends_a_number_or_none) {
  ScriptedTransport transport;
  transport.answer("PATCH /api/v1/queues/billing", "{}");

  EXPECT_EQ(told_by(transport, {"queue", "limit", "billing", "4"}).exit_code, 0);
  EXPECT_EQ(transport.requests.back().body, R"({"limit":4})");
  EXPECT_EQ(told_by(transport, {"queue", "limit", "billing", "none"}).exit_code, 0);
  EXPECT_EQ(transport.requests.back().body, R"({"limit":null})");
  EXPECT_EQ(told_by(transport, {"queue", "limit", "billing", "many"}).exit_code, 2);
}

TEST(QueueDead, lists_retries_and_discards) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/dead-letters?limit=500", R"({"items":[],"nextPageToken":null})");
  transport.answer("POST /api/v1/dead-letters/r-1/retry", R"({"id":"r-2"})");
  transport.answer("DELETE /api/v1/dead-letters/r-1", "");
  transport.answer("PATCH /api/v1/queues/billing", "{}");

  EXPECT_EQ(told_by(transport, {"queue", "dead", "list"}).error, "no dead letters\n");
  EXPECT_EQ(told_by(transport, {"queue", "dead", "retry", "r-1"}).output, "r-1: started again as r-2\n");
  EXPECT_EQ(told_by(transport, {"queue", "dead", "discard", "r-1"}).exit_code, 0);
  EXPECT_EQ(told_by(transport, {"queue", "dead", "keep", "billing", "on"}).exit_code, 0);
  EXPECT_EQ(transport.requests.back().body, R"({"keepFailed":true})");
  EXPECT_EQ(told_by(transport, {"queue", "dead"}).exit_code, 2);
}

TEST(QueueResume, without_a_name_is_refused_before_anything_is_asked) {
  ScriptedTransport transport;

  EXPECT_EQ(told_by(transport, {"queue", "resume"}).exit_code, 2);
  EXPECT_TRUE(transport.requests.empty());
}

TEST(TokenCreate, has_nothing_but_the_secret_on_standard_output) {
  ScriptedTransport transport;
  transport.answer("POST /api/v1/tokens", issued, {}, 201);

  const Told told =
      told_by(transport, {"token", "create", "me", "--role", "operator", "--namespace", "billing", "--expires", "90d"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "carillon_0cafe123_secret\n");
  EXPECT_EQ(told.error.find("secret\n"), std::string::npos) << told.error;
  EXPECT_EQ(transport.requests.back().body,
            R"({"name":"me","role":"operator","namespace":"billing","expiresIn":"90d"})");
}

TEST(TokenCreate, writes_to_a_file_that_only_its_owner_reads) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "me.token").string();
  ScriptedTransport transport;
  transport.answer("POST /api/v1/tokens", issued, {}, 201);

  const Told told = told_by(transport, {"token", "create", "me", "--role", "operator", "--out", path});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, "");
  std::ifstream file{path};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{file}, {}}), "carillon_0cafe123_secret\n");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(TokenCreate, makes_no_token_when_the_file_is_there_already) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "me.token").string();
  std::ofstream{path} << "mine";
  ScriptedTransport transport;
  transport.answer("POST /api/v1/tokens", issued, {}, 201);

  EXPECT_EQ(told_by(transport, {"token", "create", "me", "--role", "operator", "--out", path}).exit_code, 2);
  EXPECT_TRUE(transport.requests.empty());
}

TEST(TokenCreate, leaves_no_file_when_the_server_refuses) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "me.token").string();
  ScriptedTransport transport;
  transport.refuse("POST /api/v1/tokens", 403, R"({"title":"Forbidden","code":"forbidden","detail":"not for you"})");

  EXPECT_EQ(told_by(transport, {"token", "create", "me", "--role", "admin", "--out", path}).exit_code, 4);
  EXPECT_FALSE(std::ifstream{path}.is_open());
}

TEST(TokenCreate, needs_a_role) {
  ScriptedTransport transport;

  EXPECT_EQ(told_by(transport, {"token", "create", "me"}).exit_code, 2);
}

TEST(TokenList, tells_which_are_valid) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/tokens", tokens);

  EXPECT_EQ(told_by(transport, {"token", "list"}).output,
            R"(ID        NAME       ROLE    NAMESPACE  CREATED              EXPIRES           STATE
0jgykyq4  admin      admin   all        Thu  1 Oct 08:17:22  never             valid
7kd02mza  wallboard  viewer  billing    Fri  2 Oct 08:00     Thu 31 Dec 07:00  valid
7kd9x4qw  old        editor  all        Fri  2 Oct 08:00     Sat  3 Oct 08:00  ended
9aaaaaaa  gone       editor  all        Fri  2 Oct 08:00     never             revoked
)");
}

TEST(TokenRevoke, knows_tokens_by_name_and_by_the_beginning_of_their_id) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/tokens", tokens);
  transport.answer("DELETE /api/v1/tokens/7kd02mza", "", {}, 204);
  transport.answer("DELETE /api/v1/tokens/0jgykyq4", "", {}, 204);

  EXPECT_EQ(told_by(transport, {"token", "revoke", "wallboard", "0j"}).output,
            "7kd02mza: revoked\n0jgykyq4: revoked\n");
}

TEST(TokenRevoke, revokes_none_when_one_of_them_is_not_clear) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/tokens", tokens);
  transport.answer("DELETE /api/v1/tokens/0jgykyq4", "", {}, 204);

  const Told told = told_by(transport, {"token", "revoke", "admin", "7kd"});

  EXPECT_EQ(told.exit_code, 3);
  EXPECT_NE(told.error.find("7kd02mza, 7kd9x4qw"), std::string::npos) << told.error;
  EXPECT_EQ(transport.requests.size(), 1U);
}

TEST(Audit, tells_who_did_what_and_what_was_refused) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/tokens", tokens);
  transport.answer("GET /api/v1/audit?limit=500", audit_first);
  transport.answer("GET /api/v1/audit?limit=500&pageToken=n~5", audit_second);

  EXPECT_EQ(told_by(transport, {"audit"}).output,
            R"(#  AT                   BY                          FROM       WHAT              TARGET           OUTCOME
6  Thu 29 Oct 10:17:37  wallboard (token:7kd02mza)  127.0.0.1  schedule.trigger  default/nightly  forbidden
5  Thu 29 Oct 10:00     admin (token:0jgykyq4)      127.0.0.1  schedule.create   default/nightly  done
4  Tue 27 Oct 05:00     server                                 server.start                       done
)");
}

TEST(Audit, ends_at_the_time_it_is_asked_for) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/audit?limit=500", audit_first);
  transport.answer("GET /api/v1/audit?limit=500&pageToken=n~5", audit_second);

  const Told told = told_by(transport, {"audit", "--since", "24h", "--json", "number"});

  EXPECT_EQ(told.output.find("4"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("5"), std::string::npos) << told.output;
}

TEST(Audit, can_be_of_one_person_alone) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/tokens", tokens);
  transport.answer("GET /api/v1/audit?limit=500", audit_first);
  transport.answer("GET /api/v1/audit?limit=500&pageToken=n~5", audit_second);

  const Told told = told_by(transport, {"audit", "--by", "wallboard", "-o", "csv"});

  EXPECT_NE(told.output.find("\n6,"), std::string::npos) << told.output;
  EXPECT_EQ(told.output.find("\n5,"), std::string::npos) << told.output;
}

TEST(AuditVerify, has_findings_when_a_record_was_changed) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/audit/verify", R"({"intact":true,"firstBroken":null})");
  transport.answer("GET /api/v1/audit/verify",
                   R"({"intact":false,"firstBroken":17,"reason":"records 17 to 20 are missing"})");

  const Told intact = told_by(transport, {"audit", "verify"});
  EXPECT_EQ(intact.exit_code, 0);
  EXPECT_EQ(intact.output, "✔ the audit log is intact\n");
  const Told broken = told_by(transport, {"audit", "verify"});
  EXPECT_EQ(broken.exit_code, 7);
  EXPECT_EQ(broken.output, "✗ the audit log was altered, starting at record 17: records 17 to 20 are missing\n");
}

TEST(System, tells_how_much_the_server_has_to_do) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/system", R"({"now":"2026-10-29T14:22:05.2Z","tzdata":"2026f","store":{"status":"ok"},)"
                                         R"("commandsCanReadData":false,"version":"0.1.0","pid":42,)"
                                         R"("startedAt":"2026-10-29T14:00:00Z","schedules":4,"ready":3,"running":1,)"
                                         R"("nextWake":"2026-10-29T16:00:00Z"})");

  EXPECT_EQ(told_by(transport, {"system"}).output, R"(carillon 0.1.0 at http://127.0.0.1:7070  ● serving
  Since      Thu 29 Oct 10:00 EDT · 22m05s · pid 42
  Schedules  4
  Runs       1 running · 3 ready
  Next       Thu 29 Oct 12:00 EDT · in 1h37m
  Zones      tzdata 2026f
)");
}

TEST(System, warns_of_a_clock_that_is_another_one) {
  ScriptedTransport transport;
  transport.answer(
      "GET /api/v1/system",
      R"({"now":"2026-10-29T14:20:00Z","tzdata":"2026f","store":{"status":"ok"},"commandsCanReadData":false})");

  const std::string output = told_by(transport, {"system"}).output;

  EXPECT_NE(output.find("⚠ 2m05s behind this machine"), std::string::npos) << output;
}

TEST(System, says_that_it_is_stopping_and_how_many_runs_that_waits_for) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/system", R"({"now":"2026-10-29T14:22:05Z","tzdata":"2026f","store":{"status":"ok"},)"
                                         R"("commandsCanReadData":false,"version":"0.1.0","stopping":{"waitsFor":2}})");

  EXPECT_THAT(told_by(transport, {"system"}).output, HasSubstr("● stopping (waits for 2 runs)"));
}

TEST(Events, are_one_json_object_a_line) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/events?topics=run",
                   "id: 30\nevent: server.status\ndata: {\"status\":\"running\"}\n\n"
                   "id: 31\nevent: run.queued\ndata: {\"id\":\"r-1\"}\n\n");

  const Told told = told_by(transport, {"events", "--topics", "run", "--limit", "2"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output,
            "{\"event\":\"server.status\",\"id\":\"30\",\"data\":{\"status\":\"running\"}}\n"
            "{\"event\":\"run.queued\",\"id\":\"31\",\"data\":{\"id\":\"r-1\"}}\n");
}

TEST(Events, go_on_behind_the_last_one_when_the_stream_ends) {
  ScriptedTransport transport;
  transport.answer("GET /api/v1/events", "id: 30\nevent: server.status\ndata: {}\n\n");
  transport.answer("GET /api/v1/events", "id: 31\nevent: server.status\ndata: {}\n\n");

  const Told told = told_by(transport, {"events", "--limit", "2"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(transport.requests.size(), 2U);
  EXPECT_EQ(transport.header("Last-Event-ID"), "30");
}

TEST(Events, of_a_server_that_was_never_there_are_not_waited_for) {
  ScriptedTransport transport;
  transport.is_reachable = false;

  EXPECT_EQ(told_by(transport, {"events"}).exit_code, 6);
  EXPECT_EQ(transport.requests.size(), 1U);
}

}  // namespace
}  // namespace carillon::cli
