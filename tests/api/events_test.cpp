#include "api/rest_world.hpp"
#include "base/listener_list.hpp"
#include "document/document.hpp"
#include "engine/lane.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carillon::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

http::Request a_request(http::Method method, std::string target, std::string body = {}) {
  http::Request request{.method = method, .target = std::move(target), .body = std::move(body)};
  request.headers.add("Host", "localhost");
  request.headers.add("Authorization", "Bearer admin");
  request.headers.add("Content-Type", "application/json");
  return request;
}

std::shared_ptr<StreamReader> watch(RestWorld& world, const std::string& query = "") {
  return world.start(a_request(http::Method::get, "/api/v1/events" + query))->stream();
}

int create(RestWorld& world, const std::string& id) {
  return world
      .ask(a_request(http::Method::post, "/api/v1/schedules", R"({"id":")" + id + R"(","jobType":"t","every":"1h"})"))
      .status;
}

/// Of which everything up to position 50 has been forgotten.
class ShortMemory final : public EventFeed {
 public:
  Result<FeedPage> read_events(std::optional<std::int64_t> after, std::size_t) override {
    return FeedPage{.events = {}, .newest = 100, .is_gap = after && *after < 50};
  }
};

TEST(Events, keep_a_quiet_connection_open) {
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {.beat_interval = std::chrono::milliseconds{1}}};
  const auto stream = watch(world);

  EXPECT_NE(stream->wait_for(": still here\n\n"), "");
}

TEST(Events, reach_others_when_one_reads_too_slowly) {
  RestWorld world;
  const auto slow = watch(world);
  const auto quick = watch(world);
  ASSERT_NE(slow->wait_for("server.status"), "");
  ASSERT_NE(quick->wait_for("server.status"), "");

  slow->go_deaf();
  ASSERT_EQ(create(world, "first"), 201);
  ASSERT_NE(quick->wait_for(R"("id":"first")"), "");
  ASSERT_EQ(create(world, "second"), 201);

  EXPECT_THAT(quick->wait_for(R"("id":"second")"), HasSubstr("event: schedule.changed"));
}

TEST(Events, tell_what_happens_once_the_answer_has_begun_however_busy_the_server_is) {
  RestWorld world;
  const auto first = watch(world);
  ASSERT_NE(first->wait_for("server.status"), "");

  auto busy = first->hold_up();
  ASSERT_EQ(create(world, "earlier"), 201);
  const auto asker = world.start(a_request(http::Method::get, "/api/v1/events"));
  ASSERT_EQ(asker->wait().status, 200);
  ASSERT_EQ(create(world, "bell"), 201);
  busy.unlock();

  EXPECT_THAT(asker->stream()->wait_for(R"("id":"bell")"), Not(HasSubstr("earlier")));
  EXPECT_NE(asker->stream()->wait_for(R"("id":"bell")"), "");
}

TEST(Events, that_are_too_old_to_be_told_are_said_to_be_missing) {
  ShortMemory feed;
  RestWorld world{{.writer_count = 1, .reader_count = 1}, &feed};

  const auto just_in_time = watch(world, "?lastEventId=50");
  const auto late = watch(world, "?lastEventId=49");

  EXPECT_THAT(late->wait_for("resync"), AllOf(HasSubstr("id: 100\nevent: resync\n"), HasSubstr("too_old")));
  EXPECT_THAT(just_in_time->wait_for("server.status"), AllOf(HasSubstr("running"), Not(HasSubstr("resync"))));
}

http::Response ask(RestWorld& world, std::string target, const std::string& body) {
  return world.ask(a_request(http::Method::post, std::move(target), body));
}

std::string text_after(const std::string& text, std::string_view name) {
  const std::size_t begin = text.find(name) + name.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

/// A worker of the queue `default` that fails whatever it claims.
class FailingWorker {
 public:
  explicit FailingWorker(RestWorld& world) : world_{world} {
    const auto opened = ask(world_, "/api/v1/workers", R"({"name":"w","queues":["default"],"lease":"1h"})");
    path_ = "/api/v1/workers/" + text_after(opened.body, R"("worker":")");
  }
  /// The status of the answer.
  int fail(std::int64_t attempt, const std::string& error) {
    const auto claimed = ask(world_, path_ + "/claim", R"({"count":1})");
    const std::string run = text_after(claimed.body, R"("runId":")");
    return ask(world_, path_ + "/fail",
               fmt::format(R"({{"runId":"{}","attempt":{},"error":"{}"}})", run, attempt, error))
        .status;
  }

 private:
  RestWorld& world_;
  std::string path_;
};

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Events, that_are_too_large_to_send_become_a_resync_and_the_stream_goes_on) {
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {.beat_interval = std::chrono::milliseconds{5}}};
  const auto stream = watch(world);
  ASSERT_NE(stream->wait_for("server.status"), "");
  stream->hold_at_most(256 * 1024);
  ASSERT_EQ(ask(world, "/api/v1/jobs",
                R"({"action":{"job":{"type":"t"}},)"
                R"("policies":{"retry":{"maxAttempts":12,"initial":"1s","backoff":"fixed"}}})")
                .status,
            201);

  // Each error is within its bound, but six times as long as JSON.
  for (int attempt = 1; attempt <= 12; ++attempt) {
    ASSERT_EQ(FailingWorker{world}.fail(attempt, repeated("\\u0001", 4'000)), 204) << attempt;
    world.clock().advance(std::chrono::hours{1});
    stream->read_everything();
  }

  const std::string told = stream->read_until("too_large");
  EXPECT_THAT(told, ::testing::ContainsRegex("id: [0-9]+\nevent: resync\ndata: .\"reason\":\"too_large\".\n"));
  ASSERT_EQ(create(world, "afterwards"), 201);
  EXPECT_NE(stream->read_until(R"("id":"afterwards")"), "");
}

TEST(Events, show_the_newest_attempts_of_a_run_alone) {
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {.beat_interval = std::chrono::milliseconds{5}}};
  const auto stream = watch(world);
  ASSERT_NE(stream->wait_for("server.status"), "");
  ASSERT_EQ(ask(world, "/api/v1/jobs",
                R"({"action":{"job":{"type":"t"}},)"
                R"("policies":{"retry":{"maxAttempts":12,"initial":"1s","backoff":"fixed"}}})")
                .status,
            201);

  for (int attempt = 1; attempt <= 11; ++attempt) {
    ASSERT_EQ(FailingWorker{world}.fail(attempt, fmt::format("error-{}.", attempt)), 204) << attempt;
    world.clock().advance(std::chrono::hours{1});
  }

  const std::string told = stream->wait_for("error-11.");
  const std::string newest = told.substr(told.rfind("event: ", told.find("error-11.")));
  EXPECT_THAT(newest, HasSubstr("error-2."));
  EXPECT_THAT(newest, Not(HasSubstr("error-1.")));
}

TEST(Events, wait_for_a_client_that_reads_slowly_and_lose_nothing) {
  RestWorld world;
  const auto stream = watch(world);
  ASSERT_NE(stream->wait_for("server.status"), "");
  stream->hold_at_most(1'000);

  for (int i = 0; i < 20; ++i) ASSERT_EQ(create(world, fmt::format("number-{}", i)), 201);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stream->is_open()) << "not dropped";
    ASSERT_TRUE(stream->wait_until_full_or(R"("id":"number-19")"));
    stream->read_everything();
  }

  const std::string told = stream->wait_for(R"("id":"number-19")");
  for (int i = 0; i < 20; ++i) EXPECT_THAT(told, HasSubstr(fmt::format(R"("id":"number-{}")", i)));
  EXPECT_THAT(told, Not(HasSubstr("resync")));
}

TEST(Pages, of_schedules_end_before_they_grow_too_large_too) {
  RestWorld world;
  const std::string payload = std::string(200'000, 'x');
  for (int i = 0; i < 30; ++i)
    ASSERT_EQ(ask(world, "/api/v1/schedules",
                  fmt::format(R"({{"id":"s{}","jobType":"t","jobPayload":{{"text":"{}"}}}})", i, payload))
                  .status,
              201);

  const auto first = world.ask(a_request(http::Method::get, "/api/v1/schedules?limit=500"));
  ASSERT_EQ(first.status, 200);
  EXPECT_LE(first.body.size(), 4U * 1024 * 1024 + 200);
  const auto document = parse_json(first.body).value();
  const std::string token{document.at("nextPageToken").as_string()};
  const auto second = world.ask(a_request(http::Method::get, "/api/v1/schedules?limit=500&pageToken=" + token));

  EXPECT_EQ(document.at("items").as_array().size() + parse_json(second.body).value().at("items").as_array().size(), 30U)
      << "nothing is left out between pages";
}

TEST(Pages, end_before_they_grow_too_large_and_say_where_to_go_on) {
  RestWorld world;
  const auto opened = ask(world, "/api/v1/workers", R"({"name":"w","queues":["default"],"lease":"1h"})");
  const std::string worker = "/api/v1/workers/" + text_after(opened.body, R"("worker":")");
  const std::string result = std::string(60'000, 'x');
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(ask(world, "/api/v1/jobs", R"({"jobType":"t"})").status, 201);
    const auto claimed = ask(world, worker + "/claim", R"({"count":1})");
    ASSERT_EQ(ask(world, worker + "/complete",
                  fmt::format(R"({{"runId":"{}","attempt":1,"result":"{}"}})", text_after(claimed.body, R"("runId":")"),
                              result))
                  .status,
              204);
  }

  std::size_t count = 0;
  std::string token;
  int pages = 0;
  do {
    const auto page = world.ask(
        a_request(http::Method::get, "/api/v1/runs?limit=500" + (token.empty() ? "" : "&pageToken=" + token)));
    ASSERT_EQ(page.status, 200);
    EXPECT_LE(page.body.size(), 4U * 1024 * 1024 + 200);
    const auto document = parse_json(page.body).value();
    count += document.at("items").as_array().size();
    const auto& next = document.at("nextPageToken");
    token = next.is_null() ? "" : std::string{next.as_string()};
  } while (!token.empty() && ++pages < 10);

  EXPECT_EQ(count, 100U) << "nothing is left out between pages";
  EXPECT_GE(pages, 1);
}

/// Attempts that tell how far they are when a test says so.
class ToldProgress final : public ProgressSource {
 public:
  void tell(AttemptProgress step) {
    {
      const std::scoped_lock lock{mutex_};
      steps_.push_back(std::move(step));
    }
    listeners_.call(0);
  }
  std::optional<RunProgress> progress_of(Seq) override { return std::nullopt; }
  std::vector<AttemptProgress> changed_since(std::uint64_t&) override {
    const std::scoped_lock lock{mutex_};
    return std::exchange(steps_, {});
  }
  std::shared_ptr<void> listen(std::function<void()> listener) override {
    return listeners_.add([listener = std::move(listener)](int) { listener(); });
  }

 private:
  std::mutex mutex_;
  std::vector<AttemptProgress> steps_;
  ListenerList<int> listeners_;
};

/// A run of the schedule that a worker has claimed.
Seq claimed_run(RestWorld& world, const std::string& id) {
  EXPECT_EQ(world.ask(a_request(http::Method::post, "/api/v1/schedules/" + id + "/trigger")).status, 202);
  const auto runs = world.store().list_runs({.filter = {}, .before = {}, .count_max = 1}).value();
  const SessionId session = world.store().open_session("hand", std::chrono::hours{1}).value();
  const std::string queue{queue_of_lane(runs.items.front().queue)};
  const ClaimResult claimed = world.store().claim({.session = session, .queues = {queue}, .count_max = 1}).value();
  return claimed.runs.front().row.seq;
}

TEST(Events, tell_how_far_a_run_is_to_those_who_may_see_it) {
  ToldProgress progress;
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {}, &progress};
  ASSERT_EQ(create(world, "daily"), 201);
  const Seq run = claimed_run(world, "daily");
  const auto stream = watch(world, "?topics=run");
  const auto elsewhere = watch(world, "?schedule=other");
  ASSERT_NE(stream->wait_for("server.status"), "");
  ASSERT_NE(elsewhere->wait_for("server.status"), "");

  progress.tell({.key = {.run = run, .attempt = 1},
                 .progress = {.phase = "map",
                              .done = 17,
                              .failed = 2,
                              .total = 40,
                              .usage = {.calls = 18, .input_tokens = 5, .output_tokens = 6, .cost = 0.5},
                              .remaining = std::chrono::seconds{90}}});

  const std::string text = stream->wait_for("\"remainingMs\"");
  EXPECT_THAT(text, HasSubstr("event: run.progress\n"));
  for (const std::string_view part :
       {R"("schedule":"daily")", R"("phase":"map")", R"("itemsProcessed":17)", R"("itemsFailed":2)",
        R"("itemsTotal":40)", R"("remainingMs":90000)", R"("calls":18)", R"("cost":5E-1)"})
    EXPECT_THAT(text, HasSubstr(std::string{part}));
  ASSERT_EQ(create(world, "other"), 201);
  EXPECT_THAT(elsewhere->wait_for("schedule.changed"), Not(HasSubstr("run.progress")));
}

TEST(Events, tell_no_progress_of_a_run_that_is_not_under_way) {
  ToldProgress progress;
  RestWorld world{one_thread_each(), nullptr, nullptr, {}, {}, &progress};
  ASSERT_EQ(create(world, "daily"), 201);
  const Seq run = claimed_run(world, "daily");
  const auto stream = watch(world);
  ASSERT_NE(stream->wait_for("server.status"), "");

  progress.tell({.key = {.run = run, .attempt = 2}, .progress = {.phase = "map"}});
  progress.tell({.key = {.run = run, .attempt = 1}, .progress = {.phase = "reduce"}});

  EXPECT_THAT(stream->wait_for("reduce"), Not(HasSubstr("\"map\"")));
}

}  // namespace
}  // namespace carillon::testing
