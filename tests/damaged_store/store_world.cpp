#include "damaged_store/store_world.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include <functional>

namespace carillon::testing {
namespace {

using http::Method;

std::string member(const http::Response& response, std::string_view pointer) {
  const auto value = boost::json::parse(response.body);
  return std::string{value.at_pointer(pointer).as_string()};
}

}  // namespace

StoreWorld::StoreWorld(SqliteStore& store, ManualClock& clock)
    : store_{store},
      definitions_{store, zones_},
      commands_{store, store, definitions_, [] {}},
      context_{store, store, definitions_, 77},
      application_{{.store = store.ports(),
                    .logs = logs_,
                    .commands = commands_,
                    .definitions = definitions_,
                    .zones = zones_,
                    .clock = clock,
                    .run_ids = run_ids_},
                   {},
                   log_},
      api_{application_,
           {.stalled = [] { return std::vector<LoopMonitor::State>{}; },
            .unreadiness = [] { return std::nullopt; },
            .metrics = [] { return std::string{}; },
            .version = "0"},
           {.writer_count = 1, .reader_count = 1},
           log_} {}

http::Response StoreWorld::ask(Method method, std::string target, const std::string& token, std::string body) {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer " + token);
  request.headers.add("Content-Type", "application/json");
  if (method == Method::post)
    request.headers.add("Idempotency-Key", std::to_string(std::hash<std::string>{}(request.target + request.body)));
  request.peer_address = "127.0.0.1";
  const auto asker = std::make_shared<Asker>();
  api_.handle(std::move(request), http::Responder{asker});
  return asker->wait();
}

std::string StoreWorld::issue(Role role) {
  const Caller first{.actor = "test", .address = {}, .role = Role::admin};
  return application_.access().issue(first, {.name = "test", .role = role})->text;
}

namespace {

/// Rows that later decisions would take away.
void fill_what_passes(StoreWorld& world, SqliteStore& store, ManualClock& clock, PreparedStore& prepared) {
  using std::chrono::hours;
  const auto work = [&](const std::string& target, std::string body) {
    http::Response response = world.ask(Method::post, "/api/v1/workers" + target, prepared.worker, std::move(body));
    EXPECT_LT(response.status, 300) << target << ": " << response.body;
    return response;
  };
  prepared.session = member(work("", R"({"name":"second","queues":["default"],"lease":"1h"})"), "/worker");
  const auto jobs = boost::json::parse(work("/" + prepared.session + "/claim", R"({"count":1,"wait":"0s"})").body);
  work("/" + prepared.session + "/fail",
       R"({"runId":")" + std::string{jobs.at_pointer("/jobs/0/runId").as_string()} + R"(","attempt":)" +
           std::to_string(jobs.at_pointer("/jobs/0/attempt").as_int64()) + R"(,"error":"again"})");
  const auto uid_of = [&](const char* id) {
    return store.find({*NamespaceId::parse("default"), *ScheduleId::parse(id)}).value().view.value().state;
  };
  const ScheduleState broken = uid_of("broken");
  EXPECT_TRUE(store.quarantine(broken.uid, broken.version, "cannot be", clock.now() + hours{1}).value());
  const Uid minutely = uid_of("minutely").uid;
  EXPECT_TRUE(store.forget_details(minutely, store.read_prunable_runs(minutely, 0).value()));
  EXPECT_TRUE(store.note_deciding({.since = clock.now()}));
  clock.advance(std::chrono::minutes{30});
  EXPECT_TRUE(store.note_deciding({.since = clock.now()}).value().has_value());
}

}  // namespace

PreparedStore fill(SqliteStore& store, ManualClock& clock) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  StoreWorld world{store, clock};
  PreparedStore prepared;
  EXPECT_TRUE(world.context().scheduling.adopt_zone_rules());
  prepared.admin = world.issue(Role::admin);
  prepared.worker = world.issue(Role::worker);
  const auto post = [&](std::string target, std::string body = "{}") {
    http::Response response = world.ask(Method::post, "/api/v1" + target, prepared.admin, std::move(body));
    EXPECT_LT(response.status, 300) << target << ": " << response.body;
    return response;
  };
  const auto work = [&](const std::string& target, std::string body) {
    http::Response response = world.ask(Method::post, "/api/v1/workers" + target, prepared.worker, std::move(body));
    EXPECT_LT(response.status, 300) << target << ": " << response.body;
    return response;
  };
  const auto decide = [&] { EXPECT_TRUE(world.context().scheduling.decide_due({}, {})); };

  post("/schedules",
       R"({"id":"minutely","cron":"* * * * *","jobType":"t","labels":{"team":"blue"},"payload":{"workflowId":"w"}})");
  post(
      "/schedules",
      R"({"id":"zoned","cron":"30 2 * * *","timezone":"Europe/Berlin","jobType":"t","policies":{"overlap":"buffer_all"}})");
  post("/schedules", R"({"id":"buffers","every":"1m","jobType":"t","policies":{"overlap":"buffer_all"}})");
  post("/schedules",
       R"({"id":"limited","every":"1h","jobType":"u","policies":{"startDeadline":"1m","retry":{"maxAttempts":3}}})");
  post("/schedules", R"({"id":"gone","every":"1h","jobType":"t"})");
  post("/schedules", R"({"id":"broken","every":"1h","jobType":"t"})");
  clock.advance(minutes{1});
  decide();
  prepared.session = member(work("", R"({"name":"w","queues":["default"],"lease":"1h"})"), "/worker");
  const std::string ended = work("/" + prepared.session + "/claim", R"({"count":1,"wait":"0s"})").body;
  prepared.ended_run = std::string{boost::json::parse(ended).at_pointer("/jobs/0/runId").as_string()};
  work("/" + prepared.session + "/fail",
       R"({"runId":")" + prepared.ended_run + R"(","attempt":1,"error":"no such luck"})");
  prepared.job = member(post("/jobs", R"({"jobType":"t","payload":{"a":1}})"), "/id");
  clock.advance(minutes{3});
  decide();
  const std::string claimed = work("/" + prepared.session + "/claim", R"({"count":2,"wait":"0s"})").body;
  const auto jobs = boost::json::parse(claimed).at("jobs").as_array();
  prepared.held_run = std::string{jobs.at(0).at("runId").as_string()};
  if (jobs.size() > 1)
    work("/" + prepared.session + "/complete",
         R"({"runId":")" + std::string{jobs.at(1).at("runId").as_string()} + R"(","attempt":)" +
             std::to_string(jobs.at(1).at("attempt").as_int64()) + R"(,"result":{"rows":3}})");
  work("/" + prepared.session + "/heartbeat", "{}");
  post("/schedules/limited/trigger", R"({"payload":{"b":2}})");
  post("/schedules/zoned/backfills", R"({"from":"2026-05-01T00:00:00Z","to":"2026-05-05T00:00:00Z"})");
  post("/schedules/buffers/pause", R"({"reason":"holiday","until":"2026-06-02T00:00:00Z"})");
  post("/schedules/minutely/trigger");
  post("/queues/other/pause");
  post("/runs/" + prepared.held_run + "/cancel");
  EXPECT_EQ(world.ask(Method::del, "/api/v1/schedules/gone", prepared.admin).status, 204);
  EXPECT_EQ(world.ask(Method::patch, "/api/v1/schedules/minutely", prepared.admin, R"({"name":"every minute"})").status,
            200);
  // A long gap is one range; a clock that goes back takes it out again.
  clock.advance(hours{30});
  decide();
  clock.advance(-hours{2});
  EXPECT_TRUE(world.context().scheduling.reopen_future(clock.now() + hours{2}));
  decide();
  EXPECT_EQ(
      world.ask(Method::post, "/api/v1/locks/report/acquire", prepared.worker, R"({"ttl":"1d","token":"t"})").status,
      200);
  fill_what_passes(world, store, clock, prepared);
  return prepared;
}

}  // namespace carillon::testing
