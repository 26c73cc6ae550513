#include "conformance/store_test.hpp"

#include <algorithm>

namespace carillon::conformance {
namespace {

/// Schedules by their wake times.
class DueReading : public StoreTest {
 protected:
  Uid create_waking_at(std::string_view id, Instant wake) { return write(creation(id, now()).wakes_at(wake)).uid; }
  std::optional<Instant> next_wake(std::size_t count_max = 100) { return read_due(count_max).next_wake; }
};
CARILLON_RUN_FOR_EVERY_STORE(DueReading);

TEST_P(DueReading, a_schedule_is_due_from_its_wake_time_on) {
  const Uid uid = create_waking_at("nightly", noon + 1min);

  set_time(noon + 1min - 1us);
  EXPECT_THAT(due(), IsEmpty());
  set_time(noon + 1min);
  EXPECT_THAT(due(), ElementsAre(uid));
  set_time(noon + 48h);
  EXPECT_THAT(due(), ElementsAre(uid));
}

TEST_P(DueReading, reading_changes_nothing) {
  const Uid uid = create_waking_at("nightly", noon);

  EXPECT_THAT(due(), ElementsAre(uid));
  EXPECT_THAT(due(), ElementsAre(uid));
  EXPECT_EQ(view("nightly").state.version, 1);
}

TEST_P(DueReading, a_schedule_without_a_wake_time_is_never_due) {
  create("sleeper");

  set_time(noon + 24h * 365);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(next_wake(), std::nullopt);
}

TEST_P(DueReading, a_decision_moves_the_wake_time) {
  const Uid uid = create_waking_at("nightly", noon);
  write(next("nightly").wakes_at(noon + 1h));

  EXPECT_THAT(due(), IsEmpty());
  set_time(noon + 1h);
  EXPECT_THAT(due(), ElementsAre(uid));
}

TEST_P(DueReading, the_earliest_wake_comes_first_and_then_the_smaller_uid) {
  const Uid late = create_waking_at("late", noon + 2s);
  const Uid same_a = create_waking_at("same-a", noon + 1s);
  const Uid same_b = create_waking_at("same-b", noon + 1s);
  const Uid early = create_waking_at("early", noon);

  set_time(noon + 2s);

  EXPECT_THAT(due(), ElementsAre(early, same_a, same_b, late));
}

TEST_P(DueReading, no_more_are_handed_out_than_asked_for_and_the_earliest_are) {
  create_waking_at("third", noon + 3s);
  const Uid first = create_waking_at("first", noon + 1s);
  const Uid second = create_waking_at("second", noon + 2s);

  set_time(noon + 5s);

  EXPECT_THAT(due(2), ElementsAre(first, second));
}

TEST_P(DueReading, the_next_wake_is_the_earliest_of_those_not_handed_out) {
  create_waking_at("now", noon);
  create_waking_at("later", noon + 2h);
  create_waking_at("soon", noon + 1h);

  EXPECT_EQ(next_wake(), noon + 1h);
}

TEST_P(DueReading, the_next_wake_counts_what_is_due_but_was_cut_off) {
  create_waking_at("first", noon);
  create_waking_at("second", noon + 1s);
  set_time(noon + 10s);

  EXPECT_EQ(next_wake(1), noon + 1s);
}

TEST_P(DueReading, there_is_no_next_wake_when_all_that_are_planned_were_handed_out) {
  create_waking_at("only", noon);
  create("sleeper");

  EXPECT_EQ(next_wake(), std::nullopt);
}

TEST_P(DueReading, may_go_on_behind_what_was_read_before) {
  const Uid early = create_waking_at("early", noon);
  const Uid same_a = create_waking_at("same-a", noon + 1s);
  const Uid same_b = create_waking_at("same-b", noon + 1s);
  const Uid late = create_waking_at("late", noon + 2s);
  create_waking_at("later", noon + 1h);
  set_time(noon + 2s);
  const auto behind = [&](Instant wake, Uid uid, std::size_t count_max = 10) {
    const ZoneEdition rules = must(schedules().read_page(Uid{}, 0)).zone_edition;
    const DueSchedules read =
        must(schedules().read_due({.count_max = count_max, .rules = rules, .after = WakePlace{wake, uid}}));
    std::vector<Uid> uids;
    for (const ScheduleView& found : read.views) uids.push_back(found.state.uid);
    return std::pair{uids, read.next_wake};
  };

  EXPECT_EQ(behind(noon, early), std::pair(std::vector{same_a, same_b, late}, std::optional{noon + 1h}));
  EXPECT_EQ(behind(noon + 1s, same_a, 1), std::pair(std::vector{same_b}, std::optional{noon + 2s}));
  EXPECT_EQ(behind(noon + 1s, same_b), std::pair(std::vector{late}, std::optional{noon + 1h}));
  EXPECT_EQ(behind(noon + 2s, late), std::pair(std::vector<Uid>{}, std::optional{noon + 1h}));
  EXPECT_EQ(behind(noon + 2h, late), std::pair(std::vector<Uid>{}, std::optional<Instant>{}));
}

TEST_P(DueReading, tombstones_are_neither_due_nor_planned) {
  create_waking_at("nightly", noon);
  create_waking_at("weekly", noon);
  write(next("nightly").deletes());
  write(next("weekly").deletes().wakes_at(noon));

  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(next_wake(), std::nullopt);
}

TEST_P(DueReading, views_carry_their_live_runs_by_seq) {
  create_waking_at("nightly", noon);
  const Seq first = decide("nightly", starting(noon - 1min));
  const Seq second = decide("nightly", waiting(noon));

  const auto read = read_due(10);

  ASSERT_THAT(read.views, SizeIs(1));
  EXPECT_EQ(read.views[0].state, view("nightly").state);
  ASSERT_THAT(read.views[0].live, SizeIs(2));
  EXPECT_EQ(read.views[0].live[0].seq, first);
  EXPECT_EQ(read.views[0].live[1].seq, second);
}

TEST_P(DueReading, each_schedule_falls_to_one_server) {
  std::vector<Uid> created;
  for (int i = 0; i < 40; ++i) created.push_back(create_waking_at("s" + std::to_string(i), noon));

  std::vector<Uid> read;
  for (std::uint32_t server = 0; server < 3; ++server) {
    const ServerShare share{.index = server, .count = 3};
    for (const Uid uid : due(100, share)) {
      EXPECT_TRUE(is_in(share, uid));
      read.push_back(uid);
    }
  }

  std::ranges::sort(read);
  EXPECT_EQ(read, created);
}

TEST_P(DueReading, what_is_long_overdue_falls_to_every_server) {
  std::vector<Uid> created;
  for (int i = 0; i < 10; ++i) created.push_back(create_waking_at("s" + std::to_string(i), noon));

  set_time(noon + overdue_for_all - 1us);
  EXPECT_LT(due(100, {.index = 0, .count = 2}).size(), 10);
  EXPECT_LT(due(100, {.index = 1, .count = 2}).size(), 10);
  set_time(noon + overdue_for_all + 1us);
  EXPECT_THAT(due(100, {.index = 0, .count = 2}), testing::UnorderedElementsAreArray(created));
  EXPECT_THAT(due(100, {.index = 1, .count = 2}), testing::UnorderedElementsAreArray(created));
}

TEST_P(DueReading, a_servers_own_part_comes_first_however_late_the_others_are) {
  const ServerShare share{.index = 1, .count = 2};
  std::vector<Uid> created;
  for (int i = 0; i < 10; ++i) created.push_back(create_waking_at("s" + std::to_string(i), noon));
  const auto own_count = std::ranges::count_if(created, [&](Uid uid) { return is_in(share, uid); });
  set_time(noon + 1h);

  const std::vector<Uid> read = due(100, share);

  ASSERT_THAT(read, SizeIs(10));
  EXPECT_TRUE(std::ranges::is_partitioned(read, [&](Uid uid) { return is_in(share, uid); }));
  EXPECT_EQ(std::ranges::count_if(read.begin(), read.begin() + own_count, [&](Uid uid) { return is_in(share, uid); }),
            own_count);
}

TEST_P(DueReading, the_schedules_of_other_servers_do_not_crowd_out_our_own) {
  std::vector<Uid> ours;
  const ServerShare share{.index = 1, .count = 2};
  for (int i = 0; i < 40; ++i) {
    const Uid uid = create_waking_at("s" + std::to_string(i), noon);
    if (is_in(share, uid)) ours.push_back(uid);
  }
  ASSERT_GE(ours.size(), 3);
  ours.resize(3);

  EXPECT_EQ(due(3, share), ours);
}

TEST_P(DueReading, a_server_looks_again_when_what_others_leave_behind_has_become_everybodys) {
  const Uid uid = create_waking_at("nightly", noon);
  const std::uint32_t stranger = is_in({.index = 0, .count = 2}, uid) ? 1 : 0;
  const ServerShare share{.index = stranger, .count = 2};

  const auto early = read_due(10, share);
  EXPECT_THAT(early.views, IsEmpty());
  EXPECT_EQ(early.next_wake, noon + overdue_for_all);

  set_time(noon + overdue_for_all);
  EXPECT_THAT(due(10, share), ElementsAre(uid));
}

TEST_P(DueReading, what_comes_due_after_a_quiet_time_goes_to_its_own_server_first) {
  const Uid uid = create_waking_at("nightly", noon + 1h);
  const std::uint32_t index = is_in({.index = 0, .count = 2}, uid) ? 0 : 1;
  const ServerShare own{.index = index, .count = 2};
  const ServerShare other{.index = 1 - index, .count = 2};
  for (int look = 0; look < 2; ++look) {
    EXPECT_THAT(due(10, own), IsEmpty());
    EXPECT_EQ(read_due(10, own).next_wake, noon + 1h);
  }

  set_time(noon + 1h);

  EXPECT_THAT(due(10, other), IsEmpty());
  EXPECT_THAT(due(10, own), ElementsAre(uid));
}

TEST_P(DueReading, a_server_looks_again_for_its_own_before_what_others_may_leave_behind) {
  const ServerShare share{.index = 0, .count = 2};
  std::optional<Uid> ours;
  std::optional<Uid> theirs;
  for (int i = 0; !ours || !theirs; ++i) {
    const Uid uid = create("s" + std::to_string(i));
    (is_in(share, uid) ? ours : theirs) = uid;
  }
  for (const ScheduleView& found : must(schedules().read_page(Uid{}, 100)).views) {
    if (found.state.uid == *theirs) write(after(found.state, now()).wakes_at(noon + 1s));
    if (found.state.uid == *ours) write(after(found.state, now()).wakes_at(noon + 1s + overdue_for_all / 2));
  }

  EXPECT_EQ(read_due(10, share).next_wake, noon + 1s + overdue_for_all / 2);
}

}  // namespace
}  // namespace carillon::conformance
