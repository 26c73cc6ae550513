#include "stores/sqlite/sqlite_store.hpp"

#include "stores/sqlite/state_rows.hpp"
#include "stores/sqlite/store_file_test.hpp"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <tuple>

namespace carillon {
namespace {

using namespace conformance;
using namespace std::chrono_literals;
using testing::SizeIs;

class SqliteReopening : public StoreFileTest {};

TEST_F(SqliteReopening, finds_everything_as_it_was) {
  auto store = open();
  create(*store, "Nightly", "{\"a\":1}").value();
  const Backfill backfill{.number = 1, .id = "bf", .from = noon - 1h, .to = noon, .cursor = noon - 1h, .total = 60};
  commit(*store, after(view(*store, "nightly").state, noon)
                     .decides(starting(noon).trigger("t-1").payload("{}"))
                     .decides(waiting(noon + 1min))
                     .decides(skipping(noon, SkipReason::overlap))
                     .has_backfill(backfill)
                     .wakes_at(noon + 1h)
                     .request(41))
      .value();
  const SessionId session = store->open_session("worker", 1h).value();
  const auto claimed = store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value();
  ASSERT_THAT(claimed.runs, SizeIs(1));
  ASSERT_TRUE(store->adopt_zone_edition(ZoneEdition::none, ZoneEdition{7}).value());
  const ScheduleView before = view(*store, "nightly");
  const auto lines = ledger(*store);

  store.reset();
  store = open();

  const ScheduleView found = view(*store, "nightly");
  EXPECT_EQ(found.state, before.state);
  EXPECT_EQ(found.live, before.live);
  EXPECT_EQ(found.backfills, before.backfills);
  EXPECT_EQ(ledger(*store), lines);
  const auto held = store->read_held(session).value();
  ASSERT_THAT(held, SizeIs(1));
  EXPECT_EQ(held[0].row.run, claimed.runs[0].row.run);
  EXPECT_EQ(held[0].row.trigger, "t-1");
  EXPECT_EQ(held[0].fence, claimed.runs[0].fence);
  EXPECT_TRUE(store->find_written(41).value().has_value());
  EXPECT_EQ(store->read_due({}).value().zone_edition, ZoneEdition{7});
  EXPECT_TRUE(store->check_integrity());
}

TEST_F(SqliteReopening, by_a_clock_that_is_behind_holds_no_run_longer_than_its_lease) {
  auto store = open();
  create(*store, "nightly").value();
  commit(*store, after(view(*store, "nightly").state, noon).decides(starting(noon))).value();
  const SessionId session = store->open_session("worker", 30s).value();
  ASSERT_THAT(store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value().runs, SizeIs(1));
  store.reset();
  clock_.set_wall(clock_.now() - 2h);

  store = open();
  clock_.advance(31s);
  ASSERT_TRUE(store->open_session("another", 30s));

  EXPECT_THAT(store->read_lost(10).value(), SizeIs(1));
}

TEST_F(SqliteReopening, goes_on_with_numbers_that_were_never_given) {
  auto store = open();
  const Uid uid = create(*store, "a").value().items.at(0).uid;
  const SessionId session = store->open_session("worker", 1h).value();
  const std::size_t line_count = ledger(*store).size();
  store.reset();

  store = open();

  EXPECT_GT(create(*store, "b").value().items.at(0).uid, uid);
  EXPECT_GT(store->open_session("worker", 1h).value(), session);
  EXPECT_THAT(ledger(*store), SizeIs(line_count + 1));
}

TEST_F(SqliteReopening, knows_whether_the_last_one_ended_in_order) {
  auto store = open();
  EXPECT_TRUE(store->was_closed_cleanly());
  ASSERT_TRUE(is_written(create(*store, "nightly")));
  // What a power cut leaves behind.
  const auto copy = folder_.path() / "copy.db";
  std::filesystem::copy_file(file_, copy);
  std::filesystem::copy_file(file_.native() + "-wal", copy.native() + "-wal");
  store.reset();

  EXPECT_TRUE(open()->was_closed_cleanly());
  const auto cut_off = SqliteStore::open(copy, clock_).value();
  EXPECT_FALSE(cut_off->was_closed_cleanly());
  EXPECT_EQ(view(*cut_off, "nightly").state.version, 1);
  EXPECT_TRUE(cut_off->check_integrity());
}

TEST_F(SqliteReopening, needs_a_folder_that_exists) {
  file_ = folder_.path() / "missing" / "store.db";

  const Error error = refusal();

  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_THAT(error.message, testing::HasSubstr(file_.string()));
}

class SqliteReading : public StoreFileTest {};

TEST_F(SqliteReading, works_for_others_while_somebody_writes) {
  const auto store = open();
  ASSERT_TRUE(is_written(create(*store, "a")));
  const auto reader = SqliteStore::open_read_only(file_, clock_).value();
  EXPECT_THAT(ledger(*reader), SizeIs(1));

  ASSERT_TRUE(is_written(create(*store, "b")));

  EXPECT_THAT(ledger(*reader), SizeIs(2));
  EXPECT_EQ(view(*reader, "b").state.version, 1);
  const auto second = open();
  EXPECT_THAT(ledger(*second), SizeIs(2));
}

TEST_F(SqliteReading, works_from_another_process) {
  std::array<int, 2> go{};
  std::array<int, 2> answer{};
  ASSERT_EQ(::pipe(go.data()) + ::pipe(answer.data()), 0);
  // Before anything is open here, so that the other process shares nothing but the file.
  const pid_t other = ::fork();
  if (other == 0) {
    char ready = 0;
    std::ignore = ::read(go[0], &ready, 1);
    const auto reader = SqliteStore::open_read_only(file_, clock_);
    const char line_count = reader ? static_cast<char>(ledger(**reader).size()) : '\0';
    std::ignore = ::write(answer[1], &line_count, 1);
    ::_exit(0);
  }
  const auto store = open();
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(is_written(create(*store, id)));

  char line_count = 0;
  ASSERT_EQ(::write(go[1], "!", 1), 1);
  ASSERT_EQ(::read(answer[0], &line_count, 1), 1);
  ::waitpid(other, nullptr, 0);

  EXPECT_EQ(line_count, 3);
  EXPECT_TRUE(is_written(create(*store, "d")));
  for (const int end : {go[0], go[1], answer[0], answer[1]}) ::close(end);
}

TEST_F(SqliteReading, leaves_writing_to_others) {
  const auto store = open();
  const auto reader = SqliteStore::open_read_only(file_, clock_).value();

  const auto committed = create(*reader, "a");

  ASSERT_FALSE(committed.has_value());
  EXPECT_EQ(committed.error().code, ErrorCode::conflict);
}

TEST_F(SqliteReading, does_not_make_a_file) {
  const auto reader = SqliteStore::open_read_only(file_, clock_);

  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

class SqliteWriting : public StoreFileTest {};

TEST_F(SqliteWriting, of_many_threads_loses_nothing) {
  constexpr int thread_count = 8;
  constexpr int count = 25;
  auto store = open();
  std::atomic<int> written = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < count; ++i) written += is_written(create(*store, fmt::format("s{}-{}", thread, i))) ? 1 : 0;
      });
  }
  store.reset();

  store = open();

  EXPECT_EQ(written, thread_count * count);
  EXPECT_THAT(store->read_page(Uid{}, 1'000).value().views, SizeIs(thread_count * count));
}

TEST_F(SqliteWriting, keeps_the_log_short) {
  const auto store = open({.log_page_count_max = 100});
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(is_written(create(*store, fmt::format("s{}", i))));
  constexpr int round_count = 60;

  std::uintmax_t longest = 0;
  for (int round = 0; round < round_count; ++round) {
    const ScheduleScanPage page = store->read_page(Uid{}, 200).value();
    std::vector<Transition> transitions;
    for (const ScheduleView& found : page.views)
      transitions.push_back(after(found.state, noon).decides(starting(noon)).transition());
    ASSERT_TRUE(store->commit({.writer = {}, .transitions = transitions}));
    longest = std::max(longest, std::filesystem::file_size(file_.native() + "-wal"));
  }

  // Each round writes at least ten pages of 4 KiB.
  EXPECT_LT(longest, 200 * 4'096 * 10);
  EXPECT_THAT(store->read_page(Uid{}, 1'000).value().views, SizeIs(200));
}

TEST_F(SqliteWriting, a_session_that_was_seen_to_be_over_stays_over_when_the_clock_is_set_back) {
  const auto store = open();
  const AdhocRun job{.document = "{}", .name = "~a", .queue = "default", .rules = {}};
  ASSERT_TRUE(store->enqueue(std::span{&job, 1}, {}));
  const SessionId session = store->open_session("worker", 30s).value();
  ASSERT_THAT(store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value().runs, SizeIs(1));
  clock_.advance(1min);
  ASSERT_THAT(store->read_lost(10).value(), SizeIs(1));

  clock_.set_wall(noon);

  EXPECT_FALSE(store->heartbeat({.session = session, .launched = {}}).has_value());
  EXPECT_THAT(store->read_lost(10).value(), SizeIs(1));
}

TEST(SqlitePlaces, keep_those_together_that_wake_at_the_same_time_of_the_day) {
  const Instant three{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 3h};
  const auto place = [](int uid, Instant wake) { return sqlite::place_of(Uid{uid}, wake); };

  EXPECT_LT(place(1, three), place(9, three + 24h));
  EXPECT_LT(place(9, three), place(2, three + 1min));
  EXPECT_LT(place(2, three + 1min), sqlite::place_of(Uid{1}, std::nullopt));
  EXPECT_NE(place(1, three), place(2, three));
}

class SqliteExport : public StoreFileTest {};

TEST_F(SqliteExport, has_jobs_without_a_schedule_among_the_other_lines) {
  const auto store = open();
  create(*store, "nightly").value();
  const AdhocRun job{.name_space = "blue", .document = "{}", .name = "~a", .queue = "default", .rules = {}};
  store->enqueue(std::span{&job, 1}, {}).value();
  const SessionId session = store->open_session("worker", std::chrono::hours{1}).value();
  store->claim({.session = session, .queues = {"default"}, .count_max = 1}).value();

  const auto records = store->read_ledger_and_jobs(Seq{}, 100).value();

  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(store->read_ledger(Seq{}, 100).value().size(), 1U) << "the story of schedules is told without them";
  EXPECT_TRUE(to_json(records[1]).contains(R"("namespace":"blue","schedule":null)")) << to_json(records[1]);
  EXPECT_TRUE(to_json(records[1]).contains(R"("source":"adhoc","outcome":"started","reason":null,"run":"~a")"));
  EXPECT_TRUE(to_json(records[2]).contains(R"("schedule":null,"run":"~a","attempt":1,"worker":"worker")"))
      << to_json(records[2]);
}

}  // namespace
}  // namespace carillon
