"""Catching up (I11) beside triggers, which have an overlap policy of their own, and across edits."""

import unittest
from typing import Any

from expectations import CheckerTest
from story import Story, with_policies

ALL = {"catchup": {"policy": "all"}}


def triggered(story: Story, at: str, overlap: str | None, **members: Any) -> None:
    """A call for a trigger and its decision, which started or still waits."""
    story.call("trigger", at, arguments={} if overlap is None else {"overlap": overlap})
    outcome = members.pop("outcome", "started")
    story.decision(at, outcome, at=at, source="trigger", run=f"beat@{at}+trigger-1", **members)


class GivingWayTest(CheckerTest):
    def test_what_would_start_together_with_a_replacing_trigger_gives_way(self):
        for overlap in ("cancel_other", "terminate_other"):
            story = Story(with_policies(overlap="allow_all", **ALL))
            story.skipped("00:01", "superseded", at="00:01")
            triggered(story, "00:01", overlap)

            self.assert_clean(story.judged("00:01:30"), "I11")

    def test_what_waits_gives_way_to_a_replacing_trigger(self):
        for overlap in ("buffer_latest", "cancel_other", "terminate_other"):
            story = Story(with_policies(overlap="buffer_all", **ALL))
            story.ran("00:01", lasts="90s")
            story.skipped("00:02", "superseded", at="00:02:20", waitedFrom="00:02")
            triggered(story, "00:02:20", overlap, outcome="waiting")

            self.assert_clean(story.judged("00:02:25"), "I11")

    def test_a_trigger_beside_everything_else_replaces_nothing(self):
        for overlap in ("allow_all", "buffer_one", "buffer_all", "skip", None):
            story = Story(with_policies(overlap="allow_all", **ALL))
            story.skipped("00:01", "superseded", at="00:01")
            triggered(story, "00:01", overlap)

            self.assert_finds(story.judged("00:01:30"), "I11", "nothing may replace it", 2)

    def test_what_waits_does_not_give_way_to_a_trigger_that_joins_the_queue(self):
        story = Story(with_policies(overlap="buffer_all", **ALL))
        story.ran("00:01", lasts="90s")
        story.skipped("00:02", "superseded", at="00:02:20", waitedFrom="00:02")
        triggered(story, "00:02:20", "buffer_all", outcome="waiting")

        self.assert_finds(story.judged("00:02:25"), "I11", "nothing newer took its place", 4)

    def test_a_trigger_of_another_moment_replaces_nothing(self):
        story = Story(with_policies(overlap="allow_all", **ALL))
        story.skipped("00:01", "superseded", at="00:01")
        triggered(story, "00:01:01", "terminate_other")

        self.assert_finds(story.judged("00:01:30"), "I11", "nothing may replace it", 2)

    def test_a_trigger_that_was_refused_replaces_nothing(self):
        story = Story(with_policies(overlap="allow_all", **ALL))
        story.skipped("00:01", "superseded", at="00:01")
        triggered(story, "00:01", "allow_all")
        story.call("trigger", "00:01", "fail", arguments={"overlap": "terminate_other"})

        self.assert_finds(story.judged("00:01:30"), "I11", "nothing may replace it", 2)

    def test_a_trigger_is_known_by_the_run_it_was_answered_with(self):
        story = Story(with_policies(overlap="allow_all", **ALL))
        story.skipped("00:01", "superseded", at="00:01")
        triggered(story, "00:01", "allow_all")
        triggered(story, "00:01:05", "terminate_other")
        story.history[-1] |= {"time": story.history[1]["time"], "run": "beat@00:01:05+trigger-1"}

        self.assert_finds(story.judged("00:01:30"), "I11", "nothing may replace it", 2)

    def test_the_newest_missed_one_replaces_the_others_though_it_gives_way_itself(self):
        story = Story()
        story.range("00:01", "00:02", 2, "superseded", "00:04:30")
        story.skipped("00:03", "superseded", at="00:04:30", source="catchup")
        story.skipped("00:04", "superseded", at="00:04:30")
        triggered(story, "00:04:30", "terminate_other")

        self.assert_clean(story.judged("00:04:40"), "I1", "I11")


class EditTest(CheckerTest):
    def waited(self, window_before: str | None, window_after: str | None) -> Story:
        """One waits for three minutes and is given up as missed under a new definition."""
        story = Story(with_policies(overlap="buffer_one", catchup={"policy": "all", "window": window_before}))
        story.ran("00:01", lasts="4m")
        line = story.skipped("00:02", "missed", at="00:05:02", waitedFrom="00:02")
        story.change("update", "00:02:30", **with_policies(overlap="skip", catchup={"window": window_after}))
        line["revision"] = story.revision
        for nominal in ("00:03", "00:04", "00:05"):
            story.skipped(nominal, "overlap")
        return story

    def test_a_wait_is_missed_by_the_window_of_the_definition_its_turn_comes_under(self):
        for before in (None, "1h"):
            self.assert_clean(self.waited(before, "2m").judged("00:05:30"), "I11")

    def test_a_wait_within_the_new_window_is_not_missed(self):
        for before in (None, "1h", "2m"):
            for after in (None, "1h"):
                report = self.waited(before, after).judged("00:05:30")

                self.assert_finds(report, "I11", "neither late nor beyond the window", 4)


if __name__ == "__main__":
    unittest.main()
