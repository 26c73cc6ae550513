"""What a store's clock that was set excuses (I9), and what it does not."""

import unittest

from expectations import CheckerTest
from moments import instant_text
from records import ClockStep, Ledger
from store_clock import StoreClock
from story import MINUTELY, Story, clock, with_policies

REPEATS_LOST = with_policies(retry=MINUTELY["policies"]["retry"] | {"onLost": True})


class ClockSetForwardTest(CheckerTest):
    """A lease is over early by the store's clock; the worker goes by his own."""

    def retried_while_alive(self, lived_until: str = "00:01:50", state: str = "lost") -> Story:
        story = Story(REPEATS_LOST)
        run = story.started("00:01")["run"]
        story.attempt(run, clock("00:01:01"), clock("00:01:30"), state=state)
        if state == "lost":
            story.wrote(run, 1, "end", clock(lived_until))
        else:
            story.witness[-1]["at"] = instant_text(clock(lived_until))
        story.attempt(run, clock("00:01:45"), clock("00:01:55"), number=2)
        return story

    def test_a_lost_attempt_may_live_on_for_as_long_as_the_clock_was_set_forward(self):
        story = self.retried_while_alive()
        story.clock_set("00:01:08", "00:01:28")

        self.assert_clean(story.judged("00:01:58"), "I9")

    def test_a_lost_attempt_that_lives_on_under_a_good_clock_is_found(self):
        report = self.retried_while_alive().judged("00:01:58")

        self.assert_finds(report, "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_a_lost_attempt_that_lives_on_for_longer_than_that_is_found(self):
        story = self.retried_while_alive(lived_until="00:01:51")
        story.clock_set("00:01:08", "00:01:28")

        self.assert_finds(story.judged("00:01:58"), "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_an_attempt_that_was_not_lost_is_found(self):
        story = self.retried_while_alive(state="failed")
        story.clock_set("00:01:08", "00:01:28")

        self.assert_finds(story.judged("00:01:58"), "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_a_clock_that_was_set_at_another_time_or_back_explains_nothing(self):
        for before, after in (("00:00:09", "00:00:29"), ("00:01:31", "00:01:51"), ("00:01:20", "00:01:19")):
            with self.subTest(before=before, after=after):
                story = self.retried_while_alive()
                story.clock_set(before, after)

                report = story.judged("00:01:58")

                self.assert_finds(report, "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_a_clock_that_was_set_longer_ago_than_leases_last_explains_nothing(self):
        forward = ClockStep(before=clock("00:01:10"), after=clock("00:01:30"))
        back = ClockStep(before=clock("00:01:33"), after=clock("00:01:32"))
        store_clock = StoreClock(Ledger(), [forward, back])

        cuts = [store_clock.lease_cut_by(clock("00:01"), clock(lost_at)) for lost_at in ("00:02:30", "00:02:31")]

        self.assertEqual([clock("00:00:20") - clock("00:00"), 0], cuts)

    def test_a_clock_that_was_set_longer_before_the_claim_than_leases_last_explains_nothing(self):
        store_clock = StoreClock(Ledger(), [ClockStep(before=clock("00:01:10"), after=clock("00:01:50"))])

        cuts = [store_clock.lease_cut_by(clock(claimed), clock("00:02:30")) for claimed in ("00:02:09", "00:02:10")]

        self.assertEqual([clock("00:00:40") - clock("00:00"), 0], cuts)

    def next_run_beside_a_lost_one(self) -> Story:
        story = Story()
        run = story.started("00:01")["run"]
        story.attempt(run, clock("00:01:01"), clock("00:01:59"), state="lost")
        story.wrote(run, 1, "end", clock("00:02:04"))
        story.ran("00:02")
        return story

    def test_the_next_run_may_begin_beside_a_lost_one_that_lives_on_by_its_own_clock(self):
        story = self.next_run_beside_a_lost_one()
        story.clock_set("00:01:40", "00:01:50")

        self.assert_clean(story.judged("00:02:30"), "I9")

    def test_a_lease_that_was_cut_short_before_the_claim_explains_it_too(self):
        story = self.next_run_beside_a_lost_one()
        story.clock_set("00:00:50", "00:01:00")

        self.assert_clean(story.judged("00:02:30"), "I9")

    def test_a_lease_that_was_cut_short_by_less_is_found(self):
        story = self.next_run_beside_a_lost_one()
        story.clock_set("00:00:57", "00:01:00")

        self.assert_finds(story.judged("00:02:30"), "I9", "while run r-00000001 ran", 2, 4)

    def test_the_next_run_beside_a_lost_one_that_lives_on_is_found(self):
        report = self.next_run_beside_a_lost_one().judged("00:02:30")

        self.assert_finds(report, "I9", "while run r-00000001 ran", 2, 4)


class ClockSetBackTest(CheckerTest):
    """The log knows until when a wrong clock went; the ledger only when it was last written."""

    def ran_early_under_a_wrong_clock(self) -> Story:
        story = Story()
        for nominal in ("00:01", "00:02", "00:03"):
            story.ran(nominal)
        story.skipped("00:04", "clock", at="00:05:00.001")
        story.ran("00:05", lasts="2s")
        story.void("00:04", "00:03:35")
        story.ran("00:04", lasts="70s")
        return story

    def test_runs_in_times_that_the_clock_passed_twice_are_not_held_against_each_other(self):
        story = self.ran_early_under_a_wrong_clock()
        story.clock_set("00:03:30", "00:05:00")
        story.clock_set("00:05:03", "00:03:33")

        report = story.judged("00:05:30")

        self.assertEqual([], report.of("I9"))
        self.assertEqual(1, report.counts["times the clock went back"])

    def test_runs_at_once_are_found_if_the_clock_had_not_come_so_far(self):
        story = self.ran_early_under_a_wrong_clock()
        story.clock_set("00:05:00", "00:03:30")

        self.assert_finds_among_others(story.judged("00:05:30"), "I9", "while run r-00000005 ran")

    def test_runs_at_once_after_the_clock_was_set_are_found(self):
        story = self.ran_early_under_a_wrong_clock()
        story.clock_set("00:03:30", "00:05:00")
        story.clock_set("00:05:03", "00:03:33")
        story.ran("00:06", lasts="70s")
        story.ran("00:07")

        self.assert_finds_among_others(story.judged("00:07:30"), "I9", "while run r-00000006 ran")


if __name__ == "__main__":
    unittest.main()
