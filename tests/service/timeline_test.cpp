#include "service/timeline.hpp"

#include "service/load_spread.hpp"
#include "service/service_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class TimelineTest : public ServiceTest {
 protected:
  TimelineAnswer around(Duration time, std::int64_t width = 1'000, std::string text = {}) {
    TimelineRequest request{.from = clock_.now() - time, .to = clock_.now() + time, .width = width};
    request.schedules.filter.text = std::move(text);
    return must(timelines_.timeline(admin(), request));
  }
  TimelineAnswer grouped_around(Duration time, TimelineGrouping grouping, std::string text = {},
                                const Caller& caller = admin()) {
    TimelineRequest request{
        .from = clock_.now() - time, .to = clock_.now() + time + 1s, .grouping = std::move(grouping)};
    request.schedules.filter.text = std::move(text);
    return must(timelines_.timeline(caller, request));
  }
  static std::vector<std::string> names_of(const TimelineAnswer& answer) {
    std::vector<std::string> names;
    for (const TimelineRow& row : answer.rows) names.push_back(row.name);
    return names;
  }
  static std::size_t marks_in(const TimelineAnswer& answer) {
    std::size_t count = 0;
    for (const TimelineRow& row : answer.rows) count += row.marks.size();
    return count;
  }
  static std::int64_t starts_in(const TimelineRow& row, MarkKind kind) {
    std::int64_t count = 0;
    for (const TimelineMark& mark : row.marks) count += mark.kind == kind ? mark.count : 0;
    return count;
  }
  Timelines timelines_{parts_, schedules_};
  LoadSpread spread_{parts_};
};

TEST_F(TimelineTest, has_what_waits_and_what_is_planned) {
  create(R"({"id":"bell","name":"Bell","every":"1h","jobType":"ring"})");
  must(schedules_.trigger(admin(), {.id = "bell"}, {}, {}));
  clock_.advance(1min);

  const TimelineAnswer answer = around(6h);

  ASSERT_THAT(answer.rows, SizeIs(1));
  EXPECT_EQ(answer.rows[0].name, "Bell");
  EXPECT_EQ(starts_in(answer.rows[0], MarkKind::waiting), 1);
  EXPECT_EQ(starts_in(answer.rows[0], MarkKind::planned), 6);
}

TEST_F(TimelineTest, never_has_more_marks_than_can_be_drawn) {
  for (int i = 0; i < 60; ++i) create(fmt::format(R"({{"id":"s-{}","every":"1s","jobType":"t"}})", i));

  const TimelineAnswer answer = around(48h, 10'000);

  EXPECT_LE(marks_in(answer), Timelines::mark_count_max);
  EXPECT_THAT(answer.rows, SizeIs(50));
  EXPECT_EQ(answer.total, 60);
  EXPECT_TRUE(answer.next);
  EXPECT_EQ(starts_in(answer.rows[0], MarkKind::planned), 48 * 3'600 - 1);
}

TEST_F(TimelineTest, joins_starts_that_lie_closer_together_than_a_bar_is_wide) {
  create(R"({"id":"bell","every":"1m","jobType":"ring"})");

  const TimelineAnswer wide = around(30min, 10'000);
  const TimelineAnswer narrow = around(30min, 60);

  EXPECT_EQ(marks_in(wide), 29U);
  EXPECT_LT(marks_in(narrow), 15U);
  EXPECT_EQ(starts_in(narrow.rows[0], MarkKind::planned), 29);
}

TEST_F(TimelineTest, by_schedule_leaves_out_those_that_have_no_start) {
  create(R"({"id":"bell","name":"Bell","every":"1h","jobType":"ring"})");
  create(R"({"id":"yearly","cron":"@yearly","jobType":"ring"})");
  must(runs_.enqueue(admin(), json(R"({"jobType":"mail"})"), {}));
  const RunAnswer started = must(schedules_.trigger(admin(), {.id = "yearly"}, {}, {})).run;
  clock_.advance(1min);

  const TimelineAnswer answer = grouped_around(6h, {.kind = TimelineGrouping::Kind::schedule});

  EXPECT_THAT(names_of(answer), ElementsAre("Bell", "jobs without a schedule", "yearly"));
  EXPECT_EQ(starts_in(answer.rows[0], MarkKind::planned), 6);
  EXPECT_FALSE(answer.rows[1].key);
  ASSERT_THAT(answer.rows[2].marks, SizeIs(1));
  EXPECT_EQ(answer.rows[2].marks[0].run, started.id);
  EXPECT_EQ(answer.rows[2].marks[0].kind, MarkKind::waiting);
  EXPECT_EQ(answer.rows[2].marks[0].to, clock_.now());
}

TEST_F(TimelineTest, has_a_row_for_each_queue_namespace_or_label) {
  create(R"({"id":"a","labels":{"team":"data"},"every":"1h","jobType":"t","queue":"reports"})");
  create(R"({"id":"b","labels":{"team":"data"},"every":"2h","jobType":"t","queue":"mail"})");
  create(R"({"id":"c","namespace":"other","every":"3h","jobType":"t","queue":"reports"})");
  using Kind = TimelineGrouping::Kind;

  const TimelineAnswer labels = grouped_around(6h, {.kind = Kind::label, .label = "team"});

  EXPECT_THAT(names_of(labels), ElementsAre("data", "without team"));
  EXPECT_EQ(starts_in(labels.rows[0], MarkKind::planned), 6 + 3);
  EXPECT_THAT(names_of(grouped_around(6h, {.kind = Kind::name_space})), ElementsAre("default", "other"));
  EXPECT_THAT(names_of(grouped_around(6h, {.kind = Kind::queue})), ElementsAre("mail", "reports"));
  EXPECT_THAT(names_of(grouped_around(6h, {.kind = Kind::queue}, "b")), ElementsAre("mail")) << "of those that match";
  EXPECT_THAT(names_of(grouped_around(6h, {.kind = Kind::name_space}, {}, bound_to("other"))), ElementsAre("other"));
}

TEST_F(TimelineTest, has_groups_in_pages) {
  for (int i = 0; i < 7; ++i) create(fmt::format(R"({{"id":"s-{}","every":"1h","jobType":"t"}})", i));
  TimelineRequest request{.from = clock_.now(), .to = clock_.now() + 2h};
  request.grouping.kind = TimelineGrouping::Kind::schedule;
  request.schedules.count_max = 5;

  const TimelineAnswer first = must(timelines_.timeline(admin(), request));
  request.offset = first.next_offset.value();
  const TimelineAnswer rest = must(timelines_.timeline(admin(), request));

  EXPECT_EQ(first.total, 7);
  EXPECT_THAT(first.rows, SizeIs(5));
  EXPECT_THAT(names_of(rest), ElementsAre("s-5", "s-6"));
  EXPECT_FALSE(rest.next_offset);
  request.offset = 100;
  EXPECT_THAT(must(timelines_.timeline(admin(), request)).rows, SizeIs(0));
}

TEST_F(TimelineTest, a_start_at_a_time_of_the_past_has_not_waited_since) {
  create(R"({"id":"bell","cron":"@yearly","jobType":"ring"})");
  must(schedules_.trigger(admin(), {.id = "bell"}, {.nominal = clock_.now() - 3h}, {}));

  const TimelineAnswer answer = grouped_around(6h, {.kind = TimelineGrouping::Kind::schedule});

  ASSERT_THAT(answer.rows, SizeIs(1));
  ASSERT_THAT(answer.rows[0].marks, SizeIs(1));
  EXPECT_EQ(answer.rows[0].marks[0].from, clock_.now());
}

TEST_F(TimelineTest, refuses_a_time_that_ends_before_it_begins) {
  EXPECT_FALSE(timelines_.timeline(admin(), {.from = clock_.now(), .to = clock_.now()}));
}

TEST_F(TimelineTest, as_a_calendar_has_the_planned_starts_of_active_schedules_in_order) {
  create(R"({"id":"late","every":"3h","jobType":"t"})");
  create(R"({"id":"often","every":"1h","jobType":"t"})");
  create(R"({"id":"paused","every":"1h","jobType":"t"})");
  must(schedules_.pause(admin(), {.id = "paused"}, {}, {}));

  const auto entries = must(timelines_.calendar(admin(), {}, clock_.now() + 1s, clock_.now() + 3h + 1s, 10));

  ASSERT_THAT(entries, SizeIs(4));
  EXPECT_EQ(entries[0].key.id.text(), "often");
  EXPECT_EQ(entries[0].start.due, clock_.now() + 1h);
  EXPECT_THAT(must(timelines_.calendar(admin(), {}, clock_.now() + 1s, clock_.now() + 3h, 1)), SizeIs(1));
}

TEST_F(TimelineTest, proposes_jitter_for_those_who_start_together) {
  for (int i = 0; i < 20; ++i)
    create(fmt::format(R"({{"id":"report-{}","cron":"0 3 * * *","timezone":"UTC","jobType":"t"}})", i));
  create(R"({"id":"alone","cron":"17 5 * * *","timezone":"UTC","jobType":"t"})");
  create(R"({"id":"always","every":"1s","jobType":"t"})");

  const SpreadAnswer answer = must(spread_.propose(admin(), std::nullopt, clock_.now(), clock_.now() + 24h, 10));

  ASSERT_THAT(answer.items, SizeIs(1));
  EXPECT_THAT(answer.items[0].ids, SizeIs(20));
  EXPECT_EQ(answer.items[0].starts, 80);
  EXPECT_EQ(answer.items[0].minutes.at(0), parse_instant("2026-06-02T03:00:00Z").value());
  EXPECT_GT(answer.items[0].jitter, Duration{});
  EXPECT_LT(answer.items[0].expected, answer.items[0].starts);
  EXPECT_EQ(answer.peak, 80);
}

TEST_F(TimelineTest, proposes_nothing_for_those_who_are_spread_already) {
  for (int i = 0; i < 20; ++i)
    create(fmt::format(
        R"({{"id":"r-{}","spec":{{"cron":["0 3 * * *"],"jitter":"1h"}},"action":{{"job":{{"type":"t"}}}}}})", i));

  EXPECT_THAT(must(spread_.propose(admin(), std::nullopt, clock_.now(), clock_.now() + 24h, 10)).items, SizeIs(0));
}

}  // namespace
}  // namespace carillon::testing
