#include "api/rest_world.hpp"
#include "document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

namespace carillon::testing {
namespace {

using ::testing::HasSubstr;

class DashboardRoutes : public ::testing::Test {
 protected:
  DashboardRoutes() {
    send(http::Method::post, "/api/v1/schedules", R"({"id":"bell","name":"The, bell","every":"1h","jobType":"t"})");
    send(http::Method::patch, "/api/v1/schedules/bell", R"({"every":"2h"})");
  }
  http::Response send(http::Method method, std::string target, std::string body = {}, std::string if_match = {}) {
    http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
    request.headers.add("Host", "localhost");
    request.headers.add("Authorization", "Bearer admin");
    request.headers.add("Content-Type", "application/json");
    if (!if_match.empty()) request.headers.add("If-Match", if_match);
    return world_.ask(std::move(request));
  }
  http::Response get(std::string target) { return send(http::Method::get, std::move(target)); }
  static boost::json::value tree(const http::Response& response) { return parse_json(response.body).value(); }
  static std::string header(const http::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers)
      if (key == name) return value;
    return {};
  }

  RestWorld world_;
};

TEST_F(DashboardRoutes, restore_a_revision_by_an_edit_that_is_refused_when_it_comes_late) {
  const auto page = tree(get("/api/v1/schedules/bell/revisions?limit=1"));
  EXPECT_EQ(page.at("items").at(0).at("revision").as_int64(), 2);
  EXPECT_TRUE(page.at("items").at(0).at("current").as_bool());
  const auto older =
      tree(get("/api/v1/schedules/bell/revisions?pageToken=" + std::string{page.at("nextPageToken").as_string()}));
  EXPECT_EQ(older.at("items").at(0).at("kind").as_string(), "created");
  const auto first = tree(get("/api/v1/schedules/bell/revisions/1"));
  const std::string definition = boost::json::serialize(first.at("definition"));
  const std::string tag = header(get("/api/v1/schedules/bell"), "ETag");

  EXPECT_EQ(send(http::Method::put, "/api/v1/schedules/bell", definition, tag).status, 200);
  EXPECT_EQ(send(http::Method::put, "/api/v1/schedules/bell", definition, tag).status, 412);
  EXPECT_THAT(get("/api/v1/schedules/bell").body, HasSubstr(R"("every":"1h")"));
  EXPECT_EQ(get("/api/v1/schedules/bell/revisions/9").status, 404);
  EXPECT_EQ(get("/api/v1/schedules/bell/revisions/x").status, 404);
}

TEST_F(DashboardRoutes, answer_a_search_or_say_where_it_is_wrong) {
  EXPECT_EQ(tree(get("/api/v1/schedules?filter=name~bell%20state:active")).at("total").as_int64(), 1);
  EXPECT_EQ(tree(get("/api/v1/schedules?filter=-bell")).at("total").as_int64(), 0);
  EXPECT_EQ(get("/api/v1/runs?filter=state:failed%20since:24h").status, 200);
  const auto wrong = get("/api/v1/schedules?filter=bell%20colour:red");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_THAT(wrong.body, HasSubstr("at character 6"));
  EXPECT_THAT(wrong.body, HasSubstr("state, label, kind, name, id, tz, next, namespace"));
}

TEST_F(DashboardRoutes, do_a_batch_only_as_it_was_previewed) {
  const std::string preview = R"({"operation":"pause","filter":"bell","preview":true})";
  const auto shown = tree(send(http::Method::post, "/api/v1/schedules/batch", preview));
  EXPECT_EQ(shown.at("affected").as_int64(), 1);
  EXPECT_EQ(shown.at("samples").at(0).at("name").as_string(), "The, bell");
  const std::string token{shown.at("token").as_string()};
  const std::string action = R"({"operation":"pause","filter":"bell","token":")" + token + "\"}";

  send(http::Method::patch, "/api/v1/schedules/bell", R"({"every":"3h"})");
  const auto late = send(http::Method::post, "/api/v1/schedules/batch", action);

  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(tree(late).at("code").as_string(), "preview_stale");
  EXPECT_EQ(send(http::Method::post, "/api/v1/schedules/batch", R"({"operation":"pause","filter":" "})").status, 422);
  EXPECT_EQ(send(http::Method::post, "/api/v1/schedules/batch", R"({"operation":"patch","filter":"bell"})").status,
            422);
}

TEST_F(DashboardRoutes, patch_many_schedules_at_once) {
  const auto done = send(http::Method::post, "/api/v1/schedules/batch",
                         R"({"operation":"patch","ids":["bell"],"patch":{"spec":{"jitter":"5m"}}})");

  EXPECT_EQ(done.status, 200);
  EXPECT_THAT(get("/api/v1/schedules/bell").body, HasSubstr(R"("jitter":"5m")"));
}

TEST_F(DashboardRoutes, say_how_many_runs_are_at_work_only_if_asked) {
  const auto plain = tree(get("/api/v1/load?bucket=12h"));
  EXPECT_FALSE(plain.as_object().contains("capacity"));
  EXPECT_FALSE(plain.at("items").at(0).as_object().contains("busy"));

  const auto load = tree(get("/api/v1/load?bucket=12h&work=true"));

  EXPECT_EQ(load.at("timed").as_int64(), 0);
  EXPECT_TRUE(load.at("capacity").is_null()) << "this server performs nothing itself";
  EXPECT_EQ(load.at("items").at(0).at("busy").to_number<double>(), 0);
}

TEST_F(DashboardRoutes, draw_a_timeline_and_a_calendar) {
  const auto timeline = tree(get("/api/v1/timeline?filter=bell&width=500"));
  EXPECT_EQ(timeline.at("items").at(0).at("schedule").as_string(), "bell");
  EXPECT_EQ(timeline.at("items").at(0).at("marks").at(0).at("kind").as_string(), "planned");
  const auto calendar = get("/api/v1/calendar.ics?limit=1");
  EXPECT_EQ(header(calendar, "Content-Type"), "text/calendar; charset=utf-8");
  EXPECT_THAT(calendar.body, HasSubstr("SUMMARY:The\\, bell\r\n"));
  EXPECT_THAT(calendar.body, HasSubstr("DTSTART:20260601T140000Z\r\n"));
  const auto groups = tree(get("/api/v1/timeline?group=queue"));
  EXPECT_EQ(groups.at("items").at(0).at("name").as_string(), "default");
  EXPECT_TRUE(groups.at("items").at(0).at("schedule").is_null());
  EXPECT_EQ(get("/api/v1/timeline?width=0").status, 422);
  EXPECT_EQ(get("/api/v1/timeline?group=colour").status, 422);
  EXPECT_EQ(get("/api/v1/timeline?group=label:").status, 422);
  EXPECT_EQ(get("/api/v1/timeline?group=queue&pageToken=s~default~bell").status, 422);
  EXPECT_EQ(get("/api/v1/timeline?pageToken=n~3").status, 422);
  EXPECT_EQ(get("/api/v1/load/spread").status, 200);
}

}  // namespace
}  // namespace carillon::testing
