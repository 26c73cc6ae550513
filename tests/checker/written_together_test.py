"""Planted violations of durability (I7) and pause (I10) where carillon adds a change to the one that was asked for."""

import unittest
from typing import Any

from expectations import CheckerTest
from moments import instant_text
from story import ALICE, MINUTELY, Story, clock


def deleted(at: str, **pause: Any) -> Story:
    """One start, then a pause from 00:01:30 on, line 4, and a deletion, line 5."""
    story = Story()
    story.ran("00:01")
    story.change("pause", "00:01:30", **pause)
    story.change("delete", at)
    story.incarnation, story.revision = 2, 0
    return story


def add_again_paused(story: Story, at: str) -> None:
    """Added again as carillon does it: two changes, answered with the revision of the second."""
    story.change("create", at, **MINUTELY)
    story.history[-1]["revision"] = story.revision = 2
    story.row("change", at, incarnation=2, revision=2, kind="paused", by="carillon")


class TakenUpTest(CheckerTest):
    def test_the_pause_is_kept_and_covers_the_time_between(self):
        story = deleted("00:01:40")
        add_again_paused(story, "00:04:30")
        story.range("00:02", "00:05", 4, "paused", "00:05:30")
        story.change("resume", "00:05:30")
        story.ran("00:06")

        self.assert_clean(story.judged("00:06:30"), "I1", "I2", "I5", "I7", "I10")

    def test_the_pause_ends_when_it_was_to_end(self):
        story = deleted("00:01:40", until=instant_text(clock("00:04")))
        add_again_paused(story, "00:01:50")
        story.range("00:02", "00:03", 2, "paused", "00:04:00.002")
        story.row("change", "00:04:00.002", incarnation=2, revision=3, kind="resumed", by="carillon")
        story.revision = 3
        story.ran("00:04", at="00:04:00.002")

        self.assert_clean(story.judged("00:04:30"), "I7", "I10")

    def test_a_paused_range_from_before_the_deletion_is_found(self):
        story = deleted("00:02:30")
        add_again_paused(story, "00:04:30")
        story.range("00:02", "00:05", 4, "paused", "00:05:30")
        story.change("resume", "00:05:30")

        report = story.judged("00:05:40")

        self.assert_finds_among_others(report, "I10", "does not lie in a pause (seq 8)")

    def test_a_pause_that_is_not_kept_is_found(self):
        story = deleted("00:01:40")
        story.change("create", "00:01:50", **MINUTELY)
        story.ran("00:02")

        self.assert_finds(story.judged("00:02:30"), "I10", "added again, but no longer paused", 5, 6)

    def test_a_creation_answered_with_a_revision_that_is_not_there_is_found(self):
        story = deleted("00:01:40")
        add_again_paused(story, "00:01:50")
        story.history[-1]["revision"] = 3

        report = story.judged("00:01:55")

        self.assert_finds_among_others(report, "I7", "create (line 4 of the history) was acknowledged with revision 3")

    def test_a_creation_paused_by_somebody_else_is_found(self):
        story = deleted("00:01:40")
        add_again_paused(story, "00:01:50")
        story.ledger[-1]["by"] = ALICE

        report = story.judged("00:01:55")

        self.assert_finds_among_others(report, "I7", "create (line 4 of the history) was acknowledged with revision 2")
        self.assert_finds_among_others(report, "I7", "revision 2 was paused by alice, none of whose calls")

    def test_a_pause_that_had_ended_and_is_kept_is_found(self):
        story = Story()
        story.change("pause", "00:00:40")
        story.change("resume", "00:00:42")
        story.change("delete", "00:00:44")
        story.incarnation, story.revision = 2, 0
        add_again_paused(story, "00:00:50")

        report = story.judged("00:00:55")

        self.assert_finds_among_others(report, "I7", "create (line 5 of the history) was acknowledged with revision 2")

    def test_a_pause_of_long_ago_that_is_kept_is_found(self):
        story = deleted("00:01:40")
        add_again_paused(story, "00:12:00")

        report = story.judged("00:12:00")

        self.assert_finds_among_others(report, "I7", "create (line 4 of the history) was acknowledged with revision 2")


def disabled_in_a_pause() -> Story:
    """A pause until 00:02, and a schedule that is disabled before that."""
    story = Story()
    story.change("pause", "00:00:40", until=instant_text(clock("00:02")))
    story.change("disable", "00:00:50")
    return story


def enable_and_resume(story: Story, at: str) -> None:
    """As carillon does it once the pause is over: two changes, answered with the revision of the second."""
    story.change("enable", at)
    story.revision += 1
    story.history[-1]["revision"] = story.revision
    story.row("change", at, incarnation=1, revision=story.revision, kind="resumed", by="carillon")


class EnabledAfterAPauseTest(CheckerTest):
    def test_a_pause_that_is_over_ends_with_the_enabling(self):
        story = disabled_in_a_pause()
        enable_and_resume(story, "00:02:30")
        story.ran("00:03")

        self.assert_clean(story.judged("00:03:30"), "I5", "I7", "I10")

    def test_an_enabling_answered_with_a_revision_of_later_is_found(self):
        story = disabled_in_a_pause()
        story.change("enable", "00:02:30")
        story.history[-1]["revision"] = 5
        story.revision = 5
        story.row("change", "00:02:31", incarnation=1, revision=5, kind="resumed", by="carillon")

        report = story.judged("00:02:40")

        self.assert_finds_among_others(report, "I7", "revision 4 was enabled by alice, none of whose calls")

    def test_an_enabling_that_ends_no_pause_is_found(self):
        story = Story()
        story.change("disable", "00:00:40")
        enable_and_resume(story, "00:00:50")

        report = story.judged("00:00:55")

        self.assert_finds_among_others(report, "I7", "revision 3 was enabled by alice, none of whose calls")


if __name__ == "__main__":
    unittest.main()
