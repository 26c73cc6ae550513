#include "conformance/store_test.hpp"

namespace carillon::conformance {
namespace {

CARILLON_CONFORMANCE_SUITE(Quarantine);

TEST_P(Quarantine, lets_a_schedule_sleep_and_says_why) {
  const Uid uid = write(creation("broken", noon).wakes_at(noon)).uid;

  EXPECT_TRUE(must(schedules().quarantine(uid, 1, "its zone is unknown", noon + 1min)));

  EXPECT_THAT(must(schedules().read_quarantine(uid)), Optional(std::string{"its zone is unknown"}));
  EXPECT_FALSE(is_due(uid));
  EXPECT_EQ(read_due(10).next_wake, noon + 1min);
  advance(1min);
  EXPECT_TRUE(is_due(uid));
  EXPECT_EQ(view("broken").state.version, 1);
}

TEST_P(Quarantine, is_refused_if_the_schedule_was_decided_meanwhile) {
  const Uid uid = write(creation("nightly", noon).wakes_at(noon)).uid;
  write(next("nightly").wakes_at(noon));

  EXPECT_FALSE(must(schedules().quarantine(uid, 1, "it broke", noon + 1min)));

  EXPECT_EQ(must(schedules().read_quarantine(uid)), std::nullopt);
  EXPECT_TRUE(is_due(uid));
}

TEST_P(Quarantine, of_an_unknown_schedule_is_refused) {
  EXPECT_FALSE(must(schedules().quarantine(Uid{4711}, 1, "it broke", noon + 1min)));
}

TEST_P(Quarantine, ends_with_the_next_transition) {
  const Uid uid = create("nightly");
  ASSERT_TRUE(must(schedules().quarantine(uid, 1, "it broke", noon + 1min)));

  write(next("nightly").wakes_at(noon));

  EXPECT_EQ(must(schedules().read_quarantine(uid)), std::nullopt);
  EXPECT_TRUE(is_due(uid));
}

TEST_P(Quarantine, does_not_end_with_a_transition_that_is_refused) {
  const Uid uid = create("nightly");
  const ScheduleState read = view("nightly").state;
  write(next("nightly"));
  ASSERT_TRUE(must(schedules().quarantine(uid, 2, "it broke", noon + 1min)));

  commit(after(read, now()));

  EXPECT_THAT(must(schedules().read_quarantine(uid)), Optional(std::string{"it broke"}));
}

TEST_P(Quarantine, may_be_repeated_with_another_error) {
  const Uid uid = create("nightly");
  must(schedules().quarantine(uid, 1, "first", noon + 1min));

  EXPECT_TRUE(must(schedules().quarantine(uid, 1, "second", noon + 2min)));

  EXPECT_THAT(must(schedules().read_quarantine(uid)), Optional(std::string{"second"}));
  EXPECT_EQ(read_due(10).next_wake, noon + 2min);
}

TEST_P(Quarantine, concerns_nobody_else) {
  const Uid broken = create("broken");
  const Uid fine = write(creation("fine", noon).wakes_at(noon)).uid;
  must(schedules().quarantine(broken, 1, "it broke", noon + 1min));

  EXPECT_EQ(must(schedules().read_quarantine(fine)), std::nullopt);
  EXPECT_TRUE(is_due(fine));
}

CARILLON_CONFORMANCE_SUITE(ZoneEditions);

TEST_P(ZoneEditions, begin_with_none_and_go_on_by_comparison) {
  const ZoneEdition first{64'833};
  const ZoneEdition second{64'834};

  EXPECT_FALSE(must(schedules().adopt_zone_edition(first, second)));
  EXPECT_EQ(read_due(1).zone_edition, ZoneEdition::none);
  EXPECT_TRUE(must(schedules().adopt_zone_edition(ZoneEdition::none, first)));
  EXPECT_FALSE(must(schedules().adopt_zone_edition(ZoneEdition::none, second)));
  EXPECT_EQ(read_due(1).zone_edition, first);
  EXPECT_TRUE(must(schedules().adopt_zone_edition(first, second)));

  EXPECT_EQ(read_due(1).zone_edition, second);
  EXPECT_EQ(must(schedules().find(key_of("nightly"))).zone_edition, second);
  EXPECT_EQ(must(schedules().read_page(Uid{}, 1)).zone_edition, second);
}

TEST_P(ZoneEditions, are_settled_when_every_schedule_has_been_brought_to_them) {
  const ZoneEdition first{64'833};
  must(schedules().adopt_zone_edition(ZoneEdition::none, first));
  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).settled_edition, ZoneEdition::none);

  must(schedules().settle_zone_edition(first));
  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).settled_edition, first);
  must(schedules().adopt_zone_edition(first, ZoneEdition{64'834}));
  must(schedules().settle_zone_edition(first));

  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).settled_edition, first);
}

CARILLON_CONFORMANCE_SUITE(NewestWrite);

TEST_P(NewestWrite, is_the_latest_time_at_which_something_was_written) {
  create("nightly");
  advance(1h);
  start("nightly");
  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).newest_write, noon + 1h);

  set_time(noon);
  start("nightly");
  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).newest_write, noon + 1h);
}

TEST_P(NewestWrite, is_moved_by_the_end_of_a_run_too) {
  create("nightly");
  start("nightly");
  const QueuedRun row = claim_one(open_session(1h)).row;
  advance(1min);
  finish(row, RunState::succeeded);

  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).newest_write, noon + 1min);
}

TEST_P(NewestWrite, is_not_moved_by_looking) {
  create("nightly");
  advance(1h);
  read_due();
  lost();

  EXPECT_EQ(must(schedules().read_page(Uid{}, 0)).newest_write, noon);
}

/// A schedule that depends on zone rules, and one that does not.
class ZoneRules : public StoreTest {
 protected:
  static constexpr ZoneEdition in_force{64'834};

  void SetUp() override {
    must(schedules().adopt_zone_edition(ZoneEdition::none, in_force));
    auto creating = creation("zoned", noon).wakes_at(noon);
    creating.next().zone_edition = ZoneEdition{64'833};
    zoned = write(creating).uid;
    plain = write(creation("plain", noon).wakes_at(noon)).uid;
  }
  std::vector<Uid> due_for(ZoneEdition rules) {
    std::vector<Uid> uids;
    for (const auto& found : must(schedules().read_due({.count_max = 10, .rules = rules})).views) {
      uids.push_back(found.state.uid);
    }
    return uids;
  }

  Uid zoned{};
  Uid plain{};
};
CARILLON_RUN_FOR_EVERY_STORE(ZoneRules);

TEST_P(ZoneRules, a_server_with_the_rules_in_force_decides_everything) {
  EXPECT_THAT(due_for(in_force), ElementsAre(zoned, plain));
}

TEST_P(ZoneRules, a_server_with_other_rules_is_not_handed_what_depends_on_them) {
  EXPECT_THAT(due_for(ZoneEdition{64'833}), ElementsAre(plain));
  EXPECT_THAT(due_for(ZoneEdition{64'835}), ElementsAre(plain));
  EXPECT_THAT(due_for(ZoneEdition::none), ElementsAre(plain));
}

TEST_P(ZoneRules, what_is_left_out_for_its_rules_does_not_crowd_out_the_rest) {
  const auto read = must(schedules().read_due({.count_max = 1, .rules = ZoneEdition{64'833}}));

  ASSERT_THAT(read.views, SizeIs(1));
  EXPECT_EQ(read.views[0].state.uid, plain);
}

TEST_P(ZoneRules, a_server_does_not_wake_for_what_it_is_not_handed) {
  write(next("plain").wakes_at(noon + 1h));

  const auto read = must(schedules().read_due({.count_max = 10, .rules = ZoneEdition{64'833}}));

  EXPECT_THAT(read.views, IsEmpty());
  EXPECT_EQ(read.next_wake, noon + 1h);
}

TEST_P(ZoneRules, that_come_into_force_change_who_may_decide) {
  must(schedules().adopt_zone_edition(in_force, ZoneEdition{64'835}));

  EXPECT_THAT(due_for(in_force), ElementsAre(plain));
  EXPECT_THAT(due_for(ZoneEdition{64'835}), ElementsAre(zoned, plain));
}

CARILLON_CONFORMANCE_SUITE(Requests);

TEST_P(Requests, are_known_once_they_were_written) {
  write(creation("nightly", noon).request(41));
  write(next("nightly").request(42));

  EXPECT_TRUE(must(schedules().find_written(41)).has_value());
  EXPECT_TRUE(must(schedules().find_written(42)).has_value());
  EXPECT_FALSE(must(schedules().find_written(43)).has_value());
}

TEST_P(Requests, are_known_with_what_they_wrote_whatever_came_after_them) {
  const WriteOutcome created = write(creation("nightly", noon).request(41));
  TransitionBuilder edit = next("nightly").request(42);
  edit.next().revision = 7;
  write(edit);
  const WriteOutcome started = write(next("nightly").request(43).decides(starting(noon)));
  TransitionBuilder later = next("nightly").request(44);
  later.next().revision = 8;
  write(later);

  EXPECT_EQ(must(schedules().find_written(42)), (WrittenRequest{.uid = created.uid, .revision = 7, .decision = {}}));
  EXPECT_EQ(must(schedules().find_written(43)),
            (WrittenRequest{.uid = created.uid, .revision = 7, .decision = started.decisions.at(0)}));
}

TEST_P(Requests, that_were_refused_are_not_known) {
  create("nightly");
  commit(creation("nightly", noon).request(41));

  EXPECT_FALSE(must(schedules().find_written(41)).has_value());
}

TEST_P(Requests, are_remembered_for_a_day) {
  write(creation("nightly", noon).request(41));

  advance(24h - 1s);
  write(next("nightly").request(42));

  EXPECT_TRUE(must(schedules().find_written(41)).has_value());
}

}  // namespace
}  // namespace carillon::conformance
