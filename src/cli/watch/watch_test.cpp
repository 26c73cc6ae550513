#include "cli/watch/watch_loop.hpp"
#include "support/command_line_fixture.hpp"
#include "support/run_documents.hpp"

#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include <deque>
#include <string>
#include <vector>

namespace carillon::cli {
namespace {

/// A screen at which things happen one after the other; when nothing is left it is gone.
class ScriptedScreen final : public Screen {
 public:
  Size dimensions{.columns = 80, .rows = 12};
  std::deque<Happening> happenings;
  std::vector<std::vector<std::string>> frames;

  [[nodiscard]] Size size() const override { return dimensions; }
  void show(const std::vector<std::string>& lines) override { frames.push_back(lines); }
  [[nodiscard]] Happening wait(Duration) override {
    if (happenings.empty()) return {.is_over = true};
    Happening next = happenings.front();
    happenings.pop_front();
    return next;
  }

  void type(const std::string& keys) { happenings.push_back({.keys = keys}); }

  [[nodiscard]] std::string frame(std::size_t i) const { return fmt::format("{}\n", fmt::join(frames.at(i), "\n")); }
  [[nodiscard]] std::string last() const { return frame(frames.size() - 1); }
};

const std::string retried =
    R"({"id":"r-80ab03ff","name":"geo-refresh@2026-10-29T14:21:00Z","schedule":"geo-refresh","namespace":"default",)"
    R"("nominal":"2026-10-29T14:21:00Z","due":"2026-10-29T14:21:00Z","source":"schedule","revision":1,)"
    R"("state":"running","reason":null,"attempt":2,"attempts":[)"
    R"({"attempt":1,"state":"failed","error":"HTTP 503"},{"attempt":2,"state":"launched","error":null}],)"
    R"("startedAt":"2026-10-29T14:21:53Z","endedAt":null,"durationMs":null,"error":null,"why":"attempt 2 is running"})";

std::string invoice(const std::string& id) {
  return R"({"id":")" + id +
         R"(","name":"invoices@x","schedule":"invoices","namespace":"default","source":"schedule",)"
         R"("state":"queued","attempt":0,"why":"scheduled for 2026-10-29T14:21:00Z (revision 1); waits for a worker"})";
}

const std::string paused = small_schedule("weekly-sync", "paused", R"(,"pause":{"by":"ops","reason":"API quota"})");

std::string start(const std::string& schedule, const std::string& due) {
  return R"({"schedule":")" + schedule + R"(","namespace":"default","name":")" + schedule + R"(","nominal":")" + due +
         R"(","due":")" + due + R"(","local":")" + due + R"("})";
}

const std::string upcoming =
    page_of({start("queue-monitor", "2026-10-29T16:00:00Z"), start("queue-monitor", "2026-10-29T16:15:00Z"),
             start("nightly-etl", "2026-10-30T04:00:00Z"), start("daily-report", "2026-10-30T13:00:00Z")});

constexpr std::string_view running_request = "GET /api/v1/runs?state=running%2Cretrying&limit=200";

/// A server with something of every kind.
ScriptedTransport busy_server() {
  ScriptedTransport transport;
  transport.answer(std::string{running_request}, page_of({run_by_hand, retried}));
  transport.answer("GET /api/v1/runs?state=waiting%2Cqueued&limit=200",
                   page_of({invoice("r-3"), invoice("r-2"), invoice("r-1")}));
  transport.answer("GET /api/v1/schedules?status=paused&limit=200", page_of({paused}));
  transport.answer("GET /api/v1/upcoming?limit=500", upcoming);
  transport.answer("GET /api/v1/runs?state=failed%2Ctimed_out%2Clost&since=2026-10-28T14%3A22%3A05Z&limit=100",
                   page_of({run_that_failed}));
  return transport;
}

/// `watch` at a scripted screen.
struct Watched {
  ScriptedConsole console = console_in_new_york();
  FixedZoneSource zones{};
  RecordedServer server{};
  ScriptedTransport transport = busy_server();
  ScriptedScreen screen{};
  Session session{.console = console,
                  .zones = zones,
                  .server = server,
                  .transport = transport,
                  .now = console.time,
                  .paint = Paint{false, true}};
  Client client{transport, {.url = "http://127.0.0.1:7070"}};

  Result<ExitCode> run() { return run_over(client); }
  Result<ExitCode> run_over(Client& way) {
    return WatchLoop{way, session, screen, *zones.zone("America/New_York"), "carillon · 127.0.0.1:7070"}.run();
  }

  [[nodiscard]] bool has_asked(std::string_view method, std::string_view end) const {
    return std::ranges::any_of(transport.requests, [&](const ServerRequest& request) {
      return request.method == method && request.url.ends_with(end);
    });
  }
};

TEST(Watch, shows_once_what_runs_waits_and_comes_next) {
  ScriptedConsole console = console_in_new_york();
  ScriptedTransport transport = busy_server();

  const Told told = carillon_on(console, transport, {"watch", "--once"});

  EXPECT_EQ(told.exit_code, 0) << told.error;
  EXPECT_EQ(told.output, R"(carillon · 127.0.0.1:7070 · 14:22:05Z    ▶ 2  ⧗ 3  ✗ 1 in 24h
 ▶ nightly-etl  r-80aa12dd  running 4m10s
 ▶ geo-refresh  r-80ab03ff  running 12s  attempt 2 after HTTP 503
 ⧗ invoices ×3  waits for a worker
 ‖ weekly-sync  paused by ops: "API quota"
 next  queue-monitor 1h37m · nightly-etl 13h37m · daily-report 22h37m
)");
}

TEST(Watch, has_another_word_and_ascii) {
  ScriptedConsole console = console_in_new_york();
  console.variables["LANG"] = "C";
  ScriptedTransport transport = busy_server();

  EXPECT_EQ(carillon_on(console, transport, {"top"}).output,
            R"(carillon - 127.0.0.1:7070 - 14:22:05Z    > 2  ~ 3  x 1 in 24h
 > nightly-etl  r-80aa12dd  running 4m10s
 > geo-refresh  r-80ab03ff  running 12s  attempt 2 after HTTP 503
 ~ invoices x3  waits for a worker
 = weekly-sync  paused by ops: "API quota"
 next  queue-monitor 1h37m - nightly-etl 13h37m - daily-report 22h37m
)");
}

TEST(Watch, fills_the_screen_and_ends_with_q) {
  Watched watch;
  watch.screen.type("q");

  const auto outcome = watch.run();

  EXPECT_EQ(outcome, ExitCode::ok);
  EXPECT_EQ(watch.screen.last(), R"(carillon · 127.0.0.1:7070 · 14:22:05Z                       ▶ 2  ⧗ 3  ✗ 1 in 24h
>▶ nightly-etl    r-80aa12dd  running 4m10s
 ▶ geo-refresh    r-80ab03ff  running 12s  attempt 2 after HTTP 503
 ⧗ invoices ×3    waits for a worker
 ‖ weekly-sync    paused by ops: "API quota"
 · queue-monitor  in 1h37m    Thu 29 Oct 12:00 EDT
 · nightly-etl    in 13h37m   Fri 30 Oct 00:00 EDT
 · daily-report   in 22h37m   Fri 30 Oct 09:00 EDT



Enter logs · w why · t trigger · c cancel · f failures · / find · ? · q quit
)");
}

TEST(Watch, is_interrupted_when_the_screen_goes_away) {
  Watched watch;

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
}

TEST(Watch, moves_the_mark_with_letters_and_arrows) {
  Watched watch;
  watch.screen.type("jj\x1b[Bk");
  watch.screen.type("q");

  EXPECT_EQ(watch.run(), ExitCode::ok);
  EXPECT_NE(watch.screen.last().find(">⧗ invoices ×3"), std::string::npos) << watch.screen.last();
}

TEST(Watch, keeps_the_mark_on_the_screen_however_small_that_is) {
  Watched watch;
  watch.screen.dimensions = {.columns = 20, .rows = 4};
  watch.screen.type("jjjjjj");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  ASSERT_EQ(watch.screen.frames.back().size(), 4U);
  EXPECT_NE(watch.screen.last().find(">· daily-report"), std::string::npos) << watch.screen.last();
}

TEST(Watch, never_draws_beyond_the_screen) {
  for (const std::size_t columns : {0U, 1U, 5U, 40U}) {
    for (const std::size_t rows : {1U, 2U, 3U, 30U}) {
      Watched watch;
      watch.screen.dimensions = {.columns = columns, .rows = rows};
      watch.screen.type("?");
      EXPECT_EQ(watch.run(), ExitCode::interrupted);
      for (const auto& frame : watch.screen.frames) {
        EXPECT_LE(frame.size(), rows);
        for (const std::string& line : frame) {
          // A row has at least its mark and its sign.
          EXPECT_EQ(clipped(line, std::max<std::size_t>(columns, 3)), line);
        }
      }
    }
  }
}

TEST(Watch, shows_only_names_with_the_text_behind_a_slash) {
  Watched watch;
  watch.screen.type("/night");
  watch.screen.type("\x7f\x7fgh\r");
  watch.screen.type("\x1b");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(1).find("/night_"), std::string::npos) << watch.screen.frame(1);
  EXPECT_EQ(watch.screen.frame(1).find("geo-refresh"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.frame(2).find("names with \"niggh\""), std::string::npos) << watch.screen.frame(2);
  EXPECT_NE(watch.screen.frame(3).find("geo-refresh"), std::string::npos) << watch.screen.frame(3);
}

TEST(Watch, finds_schedules_to_which_nothing_happens) {
  Watched watch;
  watch.transport.answer("GET /api/v1/schedules?q=bin&limit=200",
                         page_of({small_schedule("my-bin", "disabled"), small_schedule("weekly-sync", "paused")}));
  watch.screen.type("/bin\r");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.last().find("my-bin  disabled"), std::string::npos) << watch.screen.last();
  EXPECT_EQ(watch.screen.last().find("geo-refresh"), std::string::npos) << watch.screen.last();
}

TEST(Watch, cancels_a_run_after_a_yes) {
  Watched watch;
  watch.transport.answer("POST /api/v1/runs/r-80aa12dd/cancel?namespace=default", run_by_hand, {}, 202);
  watch.screen.type("c");
  watch.screen.type("y");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(1).find("cancel nightly-etl r-80aa12dd? y/n"), std::string::npos);
  EXPECT_NE(watch.screen.last().find("nightly-etl: cancel done"), std::string::npos) << watch.screen.last();
}

TEST(Watch, lists_what_failed_and_retries_it) {
  Watched watch;
  watch.transport.answer("POST /api/v1/runs/r-7c0b77e0/retry?namespace=default", "{}", {}, 202);
  watch.screen.type("f");
  watch.screen.type("ry");
  watch.screen.type("\x1b");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(1).find("daily-report  r-7c0b77e0"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.frame(1).find("exited with 3  attempt 2"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.frame(2).find("daily-report: retry done"), std::string::npos) << watch.screen.frame(2);
  EXPECT_NE(watch.screen.frame(3).find("geo-refresh"), std::string::npos) << watch.screen.frame(3);
}

TEST(Watch, says_why) {
  Watched watch;
  watch.transport.answer("GET /api/v1/runs/r-80aa12dd?namespace=default", run_by_hand);
  watch.screen.type("w");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.last().find("why nightly-etl  r-80aa12dd\nstarted by hand; attempt 1 is running\n"),
            std::string::npos)
      << watch.screen.last();
  EXPECT_NE(watch.screen.last().find("carillon why nightly-etl 2026-10-29T14:17:54.9Z"), std::string::npos);
}

TEST(Watch, triggers_a_schedule_after_a_yes) {
  Watched watch;
  watch.transport.answer("POST /api/v1/schedules/nightly-etl/trigger?namespace=default", "{}", {}, 202);
  watch.screen.type("t");
  watch.screen.type("n");
  watch.screen.type("t");
  watch.screen.type("y");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(1).find("trigger nightly-etl? y/n"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.last().find("nightly-etl: trigger done"), std::string::npos) << watch.screen.last();
  EXPECT_EQ(std::ranges::count(watch.transport.requests, "POST", &ServerRequest::method), 1);
}

TEST(Watch, pauses_what_is_active_and_resumes_what_is_paused) {
  Watched watch;
  watch.screen.type("py");
  watch.screen.type("jjjpy");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_TRUE(watch.has_asked("POST", "/schedules/nightly-etl/pause?namespace=default"));
  EXPECT_TRUE(watch.has_asked("POST", "/schedules/weekly-sync/resume?namespace=default"));
}

TEST(Watch, says_what_the_server_refuses) {
  Watched watch;
  watch.transport.refuse("POST /api/v1/schedules/nightly-etl/pause?namespace=default", 403,
                         R"({"title":"Forbidden","code":"forbidden","detail":"a viewer may not do this"})");
  watch.screen.type("py");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.last().find("a viewer may not do this"), std::string::npos) << watch.screen.last();
}

TEST(Watch, opens_the_log_of_a_run) {
  Watched watch;
  watch.transport.answer("GET /api/v1/runs/r-80aa12dd/logs?tail=65536&namespace=default",
                         "line 1\nline 2 \x1b[2J\nline 3\n");
  watch.screen.dimensions.rows = 4;
  watch.screen.type("\r");
  watch.screen.type("q");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_EQ(watch.screen.frame(1), "log of nightly-etl  r-80aa12dd\nline 2 \\x1b[2J\nline 3\nEsc or q: back\n");
  EXPECT_NE(watch.screen.frame(2).find("geo-refresh"), std::string::npos);
}

TEST(Watch, opens_the_log_of_the_newest_run_of_a_schedule) {
  Watched watch;
  watch.transport.answer("GET /api/v1/schedules/daily-report/runs?namespace=default&limit=1",
                         page_of({run_that_succeeded}));
  watch.transport.answer("GET /api/v1/runs/r-7f3a91c2/logs?tail=65536&namespace=default", "42 bugs\n");
  watch.screen.type("jjjjjj\r");

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.last().find("42 bugs"), std::string::npos) << watch.screen.last();
}

TEST(Watch, reads_anew_when_there_are_news) {
  Watched watch;
  watch.transport.answer(std::string{running_request}, page_of(std::vector<std::string>{}));
  watch.screen.happenings.push_back({.has_news = true});

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(0).find("▶ 2"), std::string::npos) << watch.screen.frame(0);
  EXPECT_NE(watch.screen.frame(1).find("▶ 0"), std::string::npos) << watch.screen.frame(1);
}

TEST(Watch, counts_on_between_readings) {
  Watched watch;
  watch.screen.happenings.push_back({});
  watch.screen.happenings.push_back({});

  EXPECT_EQ(watch.run(), ExitCode::interrupted);
  EXPECT_EQ(watch.screen.frames.size(), 3U);
  EXPECT_EQ(watch.transport.requests.size(), 5U);
}

TEST(Watch, keeps_what_it_has_while_the_server_is_away) {
  Watched watch;
  class Leaving final : public Transport {
   public:
    explicit Leaving(ScriptedTransport& server) : server_{server} {}
    Result<ServerAnswer> perform(const ServerRequest& request) override {
      // Gone after the first reading, back after the second.
      server_.is_reachable = server_.requests.size() < 6 || server_.requests.size() > 6;
      return server_.perform(request);
    }
    Result<ServerAnswer> stream(const ServerRequest& request, const Sink& sink) override {
      return server_.stream(request, sink);
    }

   private:
    ScriptedTransport& server_;
  };
  Leaving leaving{watch.transport};
  Client client{leaving, {.url = "http://127.0.0.1:7070"}};
  watch.screen.happenings.push_back({.has_news = true});
  watch.screen.happenings.push_back({.has_news = true});

  EXPECT_EQ(watch.run_over(client), ExitCode::interrupted);
  EXPECT_NE(watch.screen.frame(1).find("cannot reach carillon"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.frame(1).find("geo-refresh"), std::string::npos) << watch.screen.frame(1);
  EXPECT_EQ(watch.screen.frame(2).find("cannot reach carillon"), std::string::npos) << watch.screen.frame(2);
}

TEST(Watch, of_a_server_that_is_not_there_fails_at_once) {
  Watched watch;
  watch.transport.is_reachable = false;

  const auto outcome = watch.run();

  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().rule, "unreachable");
  EXPECT_TRUE(watch.screen.frames.empty());
}

TEST(Watch, explains_its_keys) {
  Watched watch;
  watch.screen.type("?");
  watch.screen.type("q");
  watch.screen.type("q");

  EXPECT_EQ(watch.run(), ExitCode::ok);
  EXPECT_NE(watch.screen.frame(1).find("trigger the schedule"), std::string::npos) << watch.screen.frame(1);
  EXPECT_NE(watch.screen.frame(2).find("geo-refresh"), std::string::npos) << watch.screen.frame(2);
}

TEST(Watch, shows_how_far_a_pipeline_is_and_looks_every_second) {
  Watched watched;
  std::string run = run_by_hand;
  const std::string nothing_known = R"("itemsProcessed":null,)";
  run.replace(run.find(nothing_known), nothing_known.size(),
              R"("itemsProcessed":25310,"itemsFailed":0,"itemsTotal":41492,)"
              R"("progress":{"phase":"map","remainingMs":160000},)"
              R"("usage":{"calls":1,"inputTokens":1,"outputTokens":1,"cost":1.84},)");
  ScriptedTransport transport;
  transport.answer(std::string{running_request}, page_of({run}));
  for (const std::string path :
       {"GET /api/v1/runs?state=waiting%2Cqueued&limit=200", "GET /api/v1/schedules?status=paused&limit=200",
        "GET /api/v1/upcoming?limit=500",
        "GET /api/v1/runs?state=failed%2Ctimed_out%2Clost&since=2026-10-28T14%3A22%3A05Z&limit=100"})
    transport.answer(path, R"({"items":[],"nextPageToken":null})");
  watched.transport = transport;
  watched.screen.dimensions.columns = 120;
  watched.screen.happenings.push_back({});

  (void)watched.run();

  EXPECT_NE(
      watched.screen.last().find("████████████░░░░░░░░  60%  25,310/41,492 items  eta 2m40s  cost 1.84  for 4m10s"),
      std::string::npos)
      << watched.screen.last();
  EXPECT_EQ(std::ranges::count_if(watched.transport.requests,
                                  [](const ServerRequest& request) { return request.url.contains("running"); }),
            2);
}

}  // namespace
}  // namespace carillon::cli
