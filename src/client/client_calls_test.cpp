#include "client/client.hpp"
#include "support/run_documents.hpp"
#include "support/scripted_transport.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace carillon {
namespace {

struct Caller {
  ScriptedTransport transport;
  Client client{transport, {.url = "http://127.0.0.1:7070", .name_space = "billing"}};

  [[nodiscard]] std::string address(std::size_t number) const {
    return transport.requests.at(number).url.substr(std::string_view{"http://127.0.0.1:7070"}.size());
  }
};

constexpr const char* two_runs = R"({"items": [{"id": "r-1", "name": "a@1", "state": "failed", "exotic": 1},
                                               {"id": "r-2", "name": "a@2", "state": "succeeded"}],
                                     "nextPageToken": null})";

TEST(ClientCalls, a_list_has_values_and_the_documents_they_were_read_from) {
  Caller caller;
  caller.transport.answer("GET /api/v1/schedules/a%20b/runs?namespace=ops&state=failed&limit=50", two_runs);

  const auto runs = caller.client.list_runs_of("a b", "ops", {{"state", "failed"}}, 50);

  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->items.size(), 2u);
  EXPECT_EQ(runs->items[1].id, "r-2");
  EXPECT_EQ(runs->documents[0].at("exotic"), 1);
  EXPECT_FALSE(runs->has_more);
}

TEST(ClientCalls, many_schedules_are_sent_each_as_one_would_be_and_told_in_their_order) {
  Caller caller;
  const boost::json::object definition{{"cron", "0 9 * * *"}};
  caller.transport.answer("PUT /api/v1/schedules/a?namespace=ops&dryRun=true", small_schedule("a"));
  caller.transport.refuse("PUT /api/v1/schedules/b?namespace=ops&dryRun=true", 412,
                          R"({"title": "stale", "code": "stale", "detail": "schedule b has revision 2, not 1"})");

  const auto sent = caller.client.put_schedules(
      std::vector<ScheduleRequest>{
          {.id = "a", .name_space = "ops", .definition = &definition},
          {.id = "b", .name_space = "ops", .definition = &definition, .options = {.if_match = "\"1\""}}},
      {{"dryRun", "true"}});

  ASSERT_EQ(sent.size(), 2u);
  ASSERT_TRUE(sent[0]) << sent[0].error().message;
  EXPECT_EQ(sent[0]->value.id, "a");
  ASSERT_FALSE(sent[1]);
  EXPECT_EQ(sent[1].error().message, "schedule b has revision 2, not 1");
  EXPECT_EQ(caller.transport.requests.at(0).body, R"({"cron":"0 9 * * *"})");
  EXPECT_EQ(caller.transport.header("If-Match"), "\"1\"");
}

TEST(ClientCalls, an_empty_namespace_is_that_of_the_endpoint) {
  Caller caller;
  caller.transport.answer("GET /api/v1/runs/r-1?namespace=billing",
                          R"({"id": "r-1", "name": "a@1", "state": "failed"})");

  const auto run = caller.client.get_run("r-1", "");

  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->value.state, "failed");
}

TEST(ClientCalls, the_server_as_a_whole_has_no_namespace) {
  Caller caller;

  static_cast<void>(caller.client.system());
  static_cast<void>(caller.client.list_tokens());
  static_cast<void>(caller.client.version());

  EXPECT_EQ(caller.address(0), "/api/v1/system");
  EXPECT_EQ(caller.address(1), "/api/v1/tokens");
  EXPECT_EQ(caller.address(2), "/version");
}

TEST(ClientCalls, an_item_that_is_not_as_the_contract_has_it_is_named) {
  Caller caller;
  caller.transport.answer("GET /api/v1/runs?namespace=billing&limit=10",
                          R"({"items": [{"id": "r-1", "name": "a@1", "state": "failed"}, {"id": "r-2", "name": "a@2"}],
                              "nextPageToken": null})");

  const auto runs = caller.client.list_runs({{"namespace", "billing"}}, 10);

  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().message, "the answer of the server has no /items/1/state");
}

TEST(ClientCalls, a_refusal_stays_what_it_is) {
  Caller caller;
  caller.transport.refuse("GET /api/v1/schedules/nightly?namespace=ops", 403,
                          R"({"title": "Not allowed", "status": 403, "detail": "not yours", "code": "forbidden"})");

  const auto schedule = caller.client.get_schedule("nightly", "ops");

  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().rule, "forbidden");
}

}  // namespace
}  // namespace carillon
