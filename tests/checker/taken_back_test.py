"""Starts that waited and came to nothing, and a pause that outlives its schedule."""

import unittest
from typing import Any

from expectations import CheckerTest
from moments import instant_text
from story import Story, clock, with_policies

FULL_WITH_ONE = with_policies(overlap="buffer_all", bufferLimit=1)


class CancelledWaitTest(CheckerTest):
    """The ledger calls it started, and ended at the same moment."""

    def cancelled_in_a_pause(self, ended: str) -> Story:
        story = Story(with_policies(overlap="buffer_one", pause={"missed": "buffer"}))
        story.ran("00:01", lasts="100s")
        ended_at = instant_text(clock(ended))
        story.started("00:02", at="00:02:30", waitedFrom="00:02:00.002", endedAt=ended_at)
        story.change("pause", "00:02:10")
        return story

    def test_a_waiting_start_that_is_cancelled_in_a_pause_is_clean(self):
        self.assert_clean(self.cancelled_in_a_pause("00:02:30").judged("00:02:50"), "I9", "I10")

    def test_a_waiting_start_that_is_released_in_a_pause_is_found(self):
        report = self.cancelled_in_a_pause("00:02:31").judged("00:02:50")

        self.assert_finds_among_others(report, "I10", "started while paused")
        self.assert_finds_among_others(report, "I9", "while run r-00000001 held the slot")

    def test_a_waiting_start_that_is_claimed_in_a_pause_is_found(self):
        story = self.cancelled_in_a_pause("00:02:30")
        story.attempt("r-00000002", clock("00:02:30"), clock("00:02:30"))

        report = story.judged("00:02:50")

        self.assert_finds_among_others(report, "I10", "started while paused")
        self.assert_finds_among_others(report, "I9", "while run r-00000001 ran")

    def test_a_start_that_never_waited_is_found(self):
        story = Story()
        story.change("pause", "00:00:50")
        story.started("00:01", endedAt=instant_text(clock("00:01:00.002")))

        self.assert_finds_among_others(story.judged("00:01:30"), "I10", "started while paused")

    def later_one_ended_first(self, ended: str) -> Story:
        story = Story(with_policies(overlap="buffer_all", bufferLimit=3))
        story.ran("00:01", lasts="150s")
        first = story.started("00:02", at="00:03:40", waitedFrom="00:02:00.002")
        story.started("00:03", at="00:03:20", waitedFrom="00:03:00.002", endedAt=instant_text(clock(ended)))
        story.attempt(first["run"], clock("00:03:41"), clock("00:03:45"))
        return story

    def test_a_later_one_that_is_cancelled_first_does_not_break_the_order(self):
        self.assert_clean(self.later_one_ended_first("00:03:20").judged("00:03:50"), "I9")

    def test_a_later_one_that_is_released_first_is_found(self):
        report = self.later_one_ended_first("00:03:39").judged("00:03:50")

        self.assert_finds_among_others(report, "I9", "released after the later 2026-03-02T00:03:00Z")


class WithdrawnTest(CheckerTest):
    """The ledger tells when it began to wait and when it was taken back, not when it was queued in between."""

    def withdrawn_by_a_pause(self, lasts: str, version: int | None = None) -> Story:
        story = Story(with_policies(overlap="buffer_latest"))
        story.ran("00:01", lasts=lasts)
        story.skipped("00:02", "paused", at="00:04:30", waitedFrom="00:02:00.002", version=version)
        story.skipped("00:03", "superseded", at="00:04:00.002", waitedFrom="00:03:00.002")
        story.skipped("00:04", "paused", at="00:04:30", waitedFrom="00:04:00.002")
        story.change("pause", "00:04:30")
        return story

    def test_one_that_was_queued_when_the_slot_was_free_does_not_wait_any_more(self):
        self.assert_clean(self.withdrawn_by_a_pause(lasts="70s").judged("00:04:50"), "I9")

    def test_one_that_could_not_be_queued_yet_waits(self):
        report = self.withdrawn_by_a_pause(lasts="150s").judged("00:04:50")

        self.assert_finds(report, "I9", "2 wait, the policy keeps 1", 4, 5)

    def test_one_that_was_never_queued_has_kept_its_version_and_waits(self):
        report = self.withdrawn_by_a_pause(lasts="70s", version=7).judged("00:04:50")

        self.assert_finds_among_others(report, "I9", "2 wait, the policy keeps 1")


class CalledBackSoonTest(CheckerTest):
    """A start that was queued, kept the next one from starting, and was called back unclaimed by a later pause."""

    def judged(self, **members):
        story = Story()
        story.skipped("00:01", "paused", at="00:02:00.012", **members)
        story.skipped("00:02", "overlap", at="00:02:00.002")
        story.change("disable", "00:02:00.012")
        return story.judged("00:02:30")

    def test_it_held_the_slot_meanwhile(self):
        self.assertEqual([], [found for found in self.judged(version=None).of("I9") if "slot" in found.message])

    def test_one_that_was_never_queued_held_nothing(self):
        self.assert_finds_among_others(self.judged(version=7), "I9", "no run held the slot")


class CalledBackAtOnceTest(CheckerTest):
    """A pause at the instant of an occurrence: that is decided first, and what waits is called back after it."""

    def full_until_a_pause(self, called_back: str, op: str = "pause", **arguments: Any) -> Story:
        story = Story(FULL_WITH_ONE)
        story.ran("00:01", lasts="170s")
        story.skipped("00:02", "paused", at=called_back, waitedFrom="00:02:00.002", version=2)
        story.skipped("00:03", "buffer_full", at="00:03:00.002", version=3)
        story.change(op, "00:03:00.002", **arguments)
        return story

    def test_one_that_is_called_back_by_a_pause_was_waiting_before_it(self):
        self.assert_clean(self.full_until_a_pause("00:03:00.002").judged("00:03:30"), "I9")

    def test_one_that_is_called_back_because_the_schedule_is_disabled_was_waiting_before_it(self):
        self.assert_clean(self.full_until_a_pause("00:03:00.002", "disable").judged("00:03:30"), "I9")

    def test_one_that_is_called_back_by_an_edit_that_disables_was_waiting_before_it(self):
        story = self.full_until_a_pause("00:03:00.002", "update", **FULL_WITH_ONE, enabled=False)

        self.assert_clean(story.judged("00:03:30"), "I9")

    def test_one_that_is_called_back_by_an_edit_that_does_not_disable_has_left_room(self):
        story = self.full_until_a_pause("00:03:00.002", "update", **FULL_WITH_ONE)

        report = story.judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "skipped for a full buffer, but there was room")

    def test_one_that_was_called_back_before_has_left_room(self):
        report = self.full_until_a_pause("00:03:00.001").judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "skipped for a full buffer, but there was room")

    def test_one_that_is_called_back_without_a_pause_has_left_room(self):
        report = self.full_until_a_pause("00:03:00.002", "reset").judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "skipped for a full buffer, but there was room")


class EditedAtOnceTest(CheckerTest):
    """An edit at the instant of an occurrence: that is decided first, and what waits is given up after it."""

    def full_until_an_edit(self, revision: int) -> Story:
        story = Story(with_policies(overlap="buffer_all", bufferLimit=1))
        story.ran("00:01", lasts="170s")
        story.skipped("00:02", "exhausted", at="00:03:00.002", waitedFrom="00:02:00.002", revision=revision)
        story.skipped("00:03", "buffer_full", at="00:03:00.002")
        story.change("update", "00:03:00.002", **with_policies(overlap="buffer_all", bufferLimit=1, totalRepeats=1))
        return story

    def test_one_that_is_given_up_after_the_edit_was_waiting_before_it(self):
        self.assertEqual([], self.full_until_an_edit(revision=2).judged("00:03:30").of("I9"))

    def test_one_that_was_given_up_before_the_edit_has_left_room(self):
        report = self.full_until_an_edit(revision=1).judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "skipped for a full buffer, but there was room")

    def full_until_a_release(self, released_at: str) -> Story:
        story = Story(with_policies(overlap="buffer_all", bufferLimit=1))
        story.ran("00:01", lasts="119s")
        story.ran("00:02", at=released_at, waitedFrom="00:02:00.002")
        story.skipped("00:03", "buffer_full", at="00:03:00.002")
        return story

    def test_one_that_was_released_at_that_instant_may_have_been_waiting_before_it(self):
        self.assertEqual([], self.full_until_a_release("00:03:00.002").judged("00:03:30").of("I9"))

    def test_one_that_was_released_earlier_has_left_room(self):
        report = self.full_until_a_release("00:03:00.001").judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "skipped for a full buffer, but there was room")


if __name__ == "__main__":
    unittest.main()
