#include "damaged_store/everything_asked.hpp"

#include "engine/ledger_record.hpp"

#include <array>
#include <utility>
#include <vector>

namespace carillon::testing {
namespace {

using http::Method;

constexpr std::array schedules{"minutely", "zoned", "buffers", "limited", "gone", "broken"};

void read_all(StoreWorld& world, const PreparedStore& prepared) {
  const auto get = [&](const std::string& target) { (void)world.ask(Method::get, target, prepared.admin); };
  const std::string span = "?from=2026-06-01T00:00:00Z&to=2026-06-03T00:00:00Z";
  for (const std::string id : schedules) {
    const std::string schedule = "/api/v1/schedules/" + id;
    get(schedule);
    get(schedule + "?view=flat");
    get(schedule + "/next-runs?count=3");
    get(schedule + "/occurrences" + span);
    get(schedule + "/why?at=2026-06-01T12:01:00Z");
    get(schedule + "/runs?limit=500");
    get(schedule + "/backfills");
  }
  for (const std::string& run : {prepared.held_run, prepared.ended_run, prepared.job}) {
    get("/api/v1/runs/" + run);
    get("/api/v1/runs/" + run + "/logs");
  }
  get("/api/v1/jobs/" + prepared.job);
  for (const char* target :
       {"/api/v1/schedules", "/api/v1/schedules?status=active&label=team%3Dblue&limit=1", "/api/v1/schedules?q=m",
        "/api/v1/runs?limit=500", "/api/v1/runs?namespace=default&state=failed", "/api/v1/upcoming", "/api/v1/load",
        "/api/v1/queues", "/api/v1/tokens", "/api/v1/audit?limit=500", "/api/v1/audit/verify", "/api/v1/system",
        "/api/v1/locks/report", "/metrics", "/readyz"})
    get(target);
}

void do_all(StoreWorld& world, const PreparedStore& prepared) {
  const auto post = [&](const std::string& target, std::string body = "{}") {
    (void)world.ask(Method::post, "/api/v1" + target, prepared.admin, std::move(body));
  };
  const auto work = [&](const std::string& target, std::string body) {
    (void)world.ask(Method::post, "/api/v1/workers" + target, prepared.worker, std::move(body));
  };
  const std::string held = R"({"runId":")" + prepared.held_run + R"(","attempt":1)";
  work("/" + prepared.session + "/heartbeat", "{}");
  work("/" + prepared.session + "/claim", R"({"count":5,"wait":"0s"})");
  work("/" + prepared.session + "/complete", held + "}");
  post("/schedules/minutely/trigger", R"({"overlap":"allow_all"})");
  post("/schedules/buffers/resume");
  post("/schedules/zoned/pause");
  post("/schedules/limited/disable");
  post("/schedules/gone/trigger");
  post("/runs/" + prepared.ended_run + "/retry");
  post("/runs/" + prepared.job + "/cancel");
  post("/queues/other/resume");
  post("/jobs", R"({"jobType":"t"})");
  for (const char* verb : {"acquire", "extend", "release"})
    (void)world.ask(Method::post, std::string{"/api/v1/locks/report/"} + verb, prepared.worker, R"({"token":"t"})");
  (void)world.ask(Method::put, "/api/v1/schedules/zoned", prepared.admin, R"({"cron":"0 1 * * *","jobType":"t"})");
  (void)world.ask(Method::del, "/api/v1/schedules/limited", prepared.admin);
}

/// What the loops of a server do.
void go_on(StoreWorld& world, SqliteStore& store, ManualClock& clock) {
  for (const Duration later : {Duration{0}, Duration{std::chrono::minutes{2}}, Duration{std::chrono::hours{26}}}) {
    clock.advance(later);
    (void)world.context().scheduling.adopt_zone_rules();
    (void)world.context().scheduling.reopen_future(clock.now());
    (void)world.context().finisher.end_lost(100);
    (void)world.context().finisher.end_expired(100);
    (void)world.context().scheduling.decide_due({}, {});
  }
  (void)store.end_all_sessions_but({}, "test");
  const auto lines = store.read_lines(Seq{}, 10'000);
  std::vector<Seq> old;
  if (lines)
    for (const RetentionCandidate& line : *lines) old.push_back(line.seq);
  for (int uid = 0; uid < 8; ++uid) {
    const auto beyond = store.read_prunable_runs(static_cast<Uid>(uid), 1);
    if (beyond) (void)store.forget_details(static_cast<Uid>(uid), *beyond);
  }
  (void)store.forget_lines(old);
}

void read_as_others_do(SqliteStore& store) {
  (void)store.read_events(0, 100'000);
  if (const auto records = store.read_ledger_and_jobs(Seq{}, 100'000))
    for (const LedgerRecord& record : *records) (void)to_json(record);
}

}  // namespace

void ask_everything(const std::filesystem::path& file, const PreparedStore& prepared, Instant now) {
  ManualClock clock{now};
  if (const auto reader = SqliteStore::open_read_only(file, clock)) {
    read_as_others_do(**reader);
    (void)(*reader)->check_integrity();
  }
  const auto store = SqliteStore::open(file, clock);
  if (!store) return;
  StoreWorld world{**store, clock};
  read_all(world, prepared);
  read_as_others_do(**store);
  do_all(world, prepared);
  go_on(world, **store, clock);
}

}  // namespace carillon::testing
