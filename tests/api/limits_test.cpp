#include "api/rest_world.hpp"
#include "base/task_threads.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <future>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

http::Request limited_request(http::Method method, std::string target, std::string body = {},
                              const std::string& bearer = "admin") {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer " + bearer);
  request.headers.add("Content-Type", "application/json");
  return request;
}

http::Response post(RestWorld& world, std::string target, std::string body = {}) {
  return world.ask(limited_request(http::Method::post, std::move(target), std::move(body)));
}

std::string intervals_from(int seconds, int step) {
  std::string intervals;
  for (int i = 0; i < 64; ++i)
    intervals += fmt::format(R"({}{{"every":"{}s"}})", i == 0 ? "" : ",", seconds + step * i);
  return intervals;
}

/// Of 2.7 kB: every interval is looked at on many days, each day by every exclusion; one second of a day is left.
std::string heavy_spec(std::string_view more = {}) {
  std::string exclude;
  for (int i = 0; i < 46; ++i)
    exclude += fmt::format(R"({{"hour":"{}","minute":"{}"}},)", i / 2, i % 2 == 0 ? "0-29" : "30-59");
  return fmt::format(R"({{"intervals":[{}],"exclude":[{}{{"hour":"23","minute":"0-58"}},)"
                     R"({{"hour":"23","minute":"59","second":"1-59"}}]{}}})",
                     intervals_from(86'000, 7), exclude, more);
}

/// The starts of its first month are easy to find, and so is the one before them.
std::string spec_that_grows_heavy() {
  return heavy_spec(R"(,"calendars":[{"year":"2026","month":"5-6","hour":"23","minute":"59"}])");
}

TEST(Limits, a_spec_that_takes_too_long_is_refused_by_preview_and_when_it_is_saved) {
  RestWorld world;

  const auto preview = post(world, "/api/v1/schedules/preview", heavy_spec());
  const auto short_preview = post(world, "/api/v1/schedules/preview?count=1", heavy_spec());
  const auto created =
      post(world, "/api/v1/schedules",
           fmt::format(R"({{"id":"heavy","spec":{},"action":{{"job":{{"type":"t"}}}}}})", heavy_spec()));

  EXPECT_EQ(preview.status, 422) << preview.body.substr(0, 500);
  EXPECT_THAT(preview.body, AllOf(HasSubstr(R"("code":"too-complex")"), HasSubstr("fewer intervals")));
  EXPECT_EQ(short_preview.status, 422) << "its sentence and warnings take long too";
  EXPECT_EQ(created.status, 422);
  EXPECT_THAT(created.body, HasSubstr(R"("code":"too-complex")"));
}

TEST(Limits, a_spec_that_takes_too_long_is_refused_also_when_an_edit_is_only_tried) {
  RestWorld world;
  ASSERT_EQ(post(world, "/api/v1/schedules", R"({"id":"light","every":"1h","jobType":"t"})").status, 201);

  const auto tried =
      world.ask(limited_request(http::Method::put, "/api/v1/schedules/light?dryRun=true",
                                fmt::format(R"({{"spec":{},"action":{{"job":{{"type":"t"}}}}}})", heavy_spec())));

  EXPECT_EQ(tried.status, 422) << tried.body.substr(0, 500);
  EXPECT_THAT(tried.body, HasSubstr(R"("code":"too-complex")"));
}

TEST(Limits, questions_that_take_too_long_are_refused_though_their_spec_could_be_saved) {
  RestWorld world;
  const std::string sparse = spec_that_grows_heavy();
  const std::string dense = fmt::format(R"({{"intervals":[{}]}})", intervals_from(61, 1));
  for (const auto& [id, spec] : {std::pair{"sparse", sparse}, std::pair{"dense", dense}}) {
    const auto created = post(world, "/api/v1/schedules",
                              fmt::format(R"({{"id":"{}","spec":{},"action":{{"job":{{"type":"t"}}}}}})", id, spec));
    ASSERT_EQ(created.status, 201) << created.body.substr(0, 500);
  }
  const std::string path = "/api/v1/schedules/";
  const std::string decades = R"({"from":"1990-01-01T00:00:00Z","to":"2026-01-01T00:00:00Z"})";

  for (const http::Response& answer :
       {world.ask(limited_request(http::Method::get, path + "sparse/next-runs?count=60")),
        world.ask(limited_request(
            http::Method::get, path + "sparse/occurrences?from=2026-06-01T00:00:00Z&to=2190-01-01T00:00:00Z&limit=60")),
        post(world, path + "preview?count=60", sparse), post(world, path + "dense/backfills/preview", decades),
        post(world, path + "dense/backfills", decades)}) {
    EXPECT_EQ(answer.status, 422) << answer.body.substr(0, 500);
    EXPECT_THAT(answer.body, HasSubstr(R"("code":"too-complex")"));
  }
}

TEST(Limits, questions_find_a_full_queue_rather_than_everybody_elses_threads) {
  RestWorld world{{.writer_count = 1, .reader_count = 1, .question_count = 0, .questions_waiting_max = 1}};
  const auto waiting = world.start(limited_request(http::Method::get, "/api/v1/upcoming"));

  const auto refused = world.ask(limited_request(http::Method::get, "/api/v1/upcoming"));
  const auto other = world.ask(limited_request(http::Method::get, "/api/v1/schedules"));

  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.headers, Contains(Pair("Retry-After", "1")));
  EXPECT_EQ(other.status, 200);
}

TEST(TaskThreads, live_on_when_a_task_throws) {
  std::promise<std::string> failure;
  std::promise<void> second;
  TaskThreads threads{1, 10, [&](std::string_view what) { failure.set_value(std::string{what}); }};

  EXPECT_TRUE(threads.post([] { throw std::runtime_error{"broken"}; }));
  EXPECT_TRUE(threads.post([&] { second.set_value(); }));

  EXPECT_EQ(failure.get_future().get(), "broken");
  second.get_future().wait();
}

TEST(TaskThreads, live_on_when_a_task_throws_what_is_no_exception) {
  std::promise<std::string> failure;
  std::promise<void> second;
  TaskThreads threads{1, 10, [&](std::string_view what) { failure.set_value(std::string{what}); }};

  EXPECT_TRUE(threads.post([] { throw 7; }));
  EXPECT_TRUE(threads.post([&] { second.set_value(); }));

  EXPECT_EQ(failure.get_future().get(), "something that is no std::exception");
  second.get_future().wait();
}

TEST(TaskThreads, refuse_what_would_wait_behind_too_many) {
  TaskThreads threads{0, 2, [](std::string_view) {}};

  EXPECT_TRUE(threads.post([] {}));
  EXPECT_TRUE(threads.post([] {}));
  EXPECT_FALSE(threads.post([] {}));
}

TEST(Limits, refusals_do_not_fill_the_audit_log) {
  RestWorld world;
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(world.ask(limited_request(http::Method::del, "/api/v1/tokens/x", {}, "viewer")).status, 403);
  world.api().stop();

  std::vector<std::string> targets;
  const auto records = world.store().read_audit(std::nullopt, std::nullopt, 1'000).value();
  for (const AuditRecord& record : records)
    if (record.entry.outcome == "forbidden") targets.push_back(record.entry.target);
  EXPECT_LE(targets.size(), 21U);
  EXPECT_THAT(targets, Contains("480 more refused requests"));
}

TEST(Limits, jobs_and_batches_count_as_starts) {
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {.starts_per_second = 1}};
  for (const std::string id : {"a", "b", "c"})
    ASSERT_EQ(post(world, "/api/v1/schedules", fmt::format(R"({{"id":"{}","jobType":"t"}})", id)).status, 201);

  EXPECT_EQ(post(world, "/api/v1/schedules/batch", R"({"operation":"trigger","ids":["a","b","c"]})").status, 429);
  EXPECT_EQ(post(world, "/api/v1/jobs", R"({"jobType":"t"})").status, 201);
  EXPECT_EQ(post(world, "/api/v1/jobs", R"({"jobType":"t"})").status, 201);
  EXPECT_EQ(post(world, "/api/v1/jobs", R"({"jobType":"t"})").status, 429);
}

TEST(Limits, one_batch_starts_no_more_than_a_thousand) {
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {.starts_per_second = 10'000}};
  std::string ids;
  for (int i = 0; i < 1'001; ++i) ids += fmt::format(R"({}"s{}")", i == 0 ? "" : ",", i);

  const auto refused =
      post(world, "/api/v1/schedules/batch", fmt::format(R"({{"operation":"trigger","ids":[{}]}})", ids));

  EXPECT_EQ(refused.status, 413) << refused.body.substr(0, 500);
  EXPECT_THAT(refused.body, HasSubstr("1001 starts are more than the limit of 1000"));
}

http::Request from_page(http::Request request, const std::string& origin) {
  request.headers.add("Origin", origin);
  return request;
}

TEST(Origins, that_are_allowed_may_ask_and_read_and_others_may_not) {
  RestWorld world{{.writer_count = 1, .reader_count = 1, .allowed_origins = {"https://ops.example"}}};
  http::Request preflight{.method = http::Method::options, .target = "/api/v1/schedules"};
  preflight.headers.add("Host", "localhost");
  preflight.headers.add("Access-Control-Request-Method", "POST");

  const auto allowed = world.ask(from_page(preflight, "https://ops.example"));
  const auto foreign = world.ask(from_page(preflight, "https://evil.example"));
  const auto answer =
      world.ask(from_page(limited_request(http::Method::get, "/api/v1/schedules"), "https://ops.example"));
  const auto refused =
      world.ask(from_page(limited_request(http::Method::get, "/api/v1/schedules"), "https://evil.example"));

  EXPECT_EQ(allowed.status, 204);
  EXPECT_THAT(allowed.headers,
              AllOf(Contains(Pair("Access-Control-Allow-Origin", "https://ops.example")),
                    Contains(Pair("Vary", "Origin")), Contains(Pair("Access-Control-Allow-Methods", HasSubstr("POST"))),
                    Contains(Pair("Access-Control-Allow-Headers", HasSubstr("Authorization")))));
  EXPECT_EQ(foreign.status, 405);
  EXPECT_THAT(foreign.headers, Not(Contains(Pair("Access-Control-Allow-Origin", ::testing::_))));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.headers, Contains(Pair("Access-Control-Allow-Origin", "https://ops.example")));
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.headers, Not(Contains(Pair("Access-Control-Allow-Origin", ::testing::_))));
}

TEST(Origins, that_are_allowed_may_read_streams) {
  RestWorld world{{.writer_count = 1, .reader_count = 1, .allowed_origins = {"https://ops.example"}}};

  const auto events = world.ask(from_page(limited_request(http::Method::get, "/api/v1/events"), "https://ops.example"));

  EXPECT_EQ(events.status, 200);
  EXPECT_THAT(events.headers, Contains(Pair("Access-Control-Allow-Origin", "https://ops.example")));
}

TEST(RequestIds, are_given_back_and_stand_in_problems) {
  RestWorld world;
  http::Request request = limited_request(http::Method::get, "/api/v1/schedules/missing");
  request.headers.add("X-Request-Id", "from-a-proxy.7");
  http::Request odd = limited_request(http::Method::get, "/api/v1/schedules/missing");
  odd.headers.add("X-Request-Id", "a b<script>");

  const auto answer = world.ask(request);
  const auto own = world.ask(odd);

  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.headers, Contains(Pair("X-Request-Id", "from-a-proxy.7")));
  EXPECT_THAT(answer.body, HasSubstr(R"("instance":"urn:carillon:request:from-a-proxy.7")"));
  EXPECT_THAT(own.headers, Contains(Pair("X-Request-Id", ::testing::MatchesRegex("[0-9a-f]+"))));
}

}  // namespace
}  // namespace carillon::testing
