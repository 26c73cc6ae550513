"""Planted violations among runs of the same name: those of a schedule and of its namesake."""

import unittest

from expectations import CheckerTest
from story import Story, clock


def namesakes(created: str = "00:14", worker: str = "worker-a") -> Story:
    """Deleted and created again, then the clock is set back and an occurrence comes again; lines 2 to 9."""
    story = Story()
    story.ran("00:01")
    story.ran("00:02", lasts="1s", run="beat@00:02")
    story.change("delete", "00:02:40")
    story.incarnation, story.revision = 2, 0
    story.change("create", created, **{"id": "beat", "spec": {"cron": ["* * * * *"]}, "action": {"job": {"type": "x"}}})
    story.clock_set("00:15:10", "00:01:50")
    begin = clock("00:02:00.003")
    story.started("00:02", run="beat@00:02")
    story.attempt("beat@00:02", begin, begin + 1_000_000, worker=worker)
    for entry in story.witness[-2:]:
        entry["worker"] = worker
    return story


class NamesakeTest(CheckerTest):
    def test_a_run_may_have_the_name_of_one_of_an_earlier_incarnation(self):
        for worker in ("worker-a", "worker-b"):
            with self.subTest(worker=worker):
                self.assert_clean(namesakes(worker=worker).judged("00:02:30"), "I2", "I3", "I4", "I13")

    def test_a_second_start_of_the_later_one_is_found(self):
        story = namesakes()
        story.wrote("beat@00:02", 1, "start", clock("00:02:00.500"))

        report = story.judged("00:02:30")

        self.assert_finds_among_others(report, "I3", "beat@00:02 of incarnation 2: attempt 1 started 2 times")

    def test_a_start_by_somebody_who_claimed_neither_is_found(self):
        story = namesakes()
        for entry in story.witness[-2:]:
            entry["worker"] = "worker-b"

        self.assert_finds_among_others(story.judged("00:02:30"), "I4", "started by worker-b")

    def test_a_second_run_of_that_name_in_one_incarnation_is_found(self):
        story = namesakes()
        story.started("00:03", run="beat@00:02")

        self.assert_finds_among_others(story.judged("00:03:30"), "I2", "two decisions name the same run")

    def test_the_same_occurrence_of_one_that_goes_on_where_it_was_is_found(self):
        report = namesakes(created="00:03").judged("00:02:30")

        self.assert_finds_among_others(report, "I2", "two decisions: started and started")


if __name__ == "__main__":
    unittest.main()
