"""Planted violations of I9 by skips around times in which nobody decided."""

import unittest

from expectations import CheckerTest
from story import Story, with_policies


class OutageTest(CheckerTest):
    def test_what_came_due_in_an_outage_overlaps_with_nothing_that_came_after_it(self):
        for reason in ("overlap", "outage"):
            with self.subTest(reason=reason):
                story = Story(with_policies(catchup={"grace": "5m"}))
                story.outage("00:00:40", "00:03:10")
                story.ran("00:01", at="00:03:10.5", lasts="40s")
                story.skipped("00:02", reason, at="00:03:10.5")
                story.skipped("00:03", reason, at="00:03:10.5")

                report = story.judged("00:03:50")

                if reason == "outage":
                    self.assert_clean(report, "I9")
                else:
                    message = "skipped for an overlap with what was started after the outage"
                    self.assert_finds_among_others(report, "I9", message)

    def test_what_ran_on_through_an_outage_is_overlapped(self):
        story = Story(with_policies(catchup={"grace": "5m"}))
        story.ran("00:01", lasts="150s")
        story.outage("00:01:30", "00:03:10")
        story.skipped("00:02", "overlap", at="00:03:10.5")
        story.skipped("00:03", "overlap", at="00:03:10.5")

        self.assert_clean(story.judged("00:03:50"), "I9")

    def test_what_was_queued_through_an_outage_and_is_called_back_after_it_is_overlapped(self):
        for queued_at, finds in (("00:01", False), ("00:03:30", True)):
            with self.subTest(queued_at=queued_at):
                story = Story(with_policies(catchup={"grace": "5m"}))
                if queued_at == "00:01":
                    story.skipped("00:01", "paused", at="00:03:40")
                story.outage("00:01:30", "00:03:10")
                story.skipped("00:02", "overlap", at="00:03:40")
                if queued_at != "00:01":
                    story.skipped("00:03", "paused", at="00:03:40")
                story.change("pause", "00:03:40")

                message = "skipped for an overlap with what was started after the outage"
                found = [violation for violation in story.judged("00:03:50").of("I9") if message in str(violation)]
                self.assertEqual(finds, bool(found))

    def test_whoever_decides_knows_the_newest_outages_alone(self):
        for later_count, finds in ((31, True), (32, False)):
            with self.subTest(later_count=later_count):
                story = Story(with_policies(catchup={"grace": "5m"}))
                story.outage("00:00:40", "00:03:10")
                for _ in range(later_count):
                    story.outage("00:03:10", "00:03:15")
                story.ran("00:01", at="00:03:20", lasts="40s")
                story.skipped("00:02", "overlap", at="00:03:20")
                story.skipped("00:03", "overlap", at="00:03:20")

                self.assertEqual(finds, bool(story.judged("00:03:50").of("I9")))

    def test_an_outage_as_a_reason_must_have_been(self):
        story = Story()
        story.ran("00:01", lasts="70s")
        story.skipped("00:02", "outage")

        self.assert_finds_among_others(story.judged("00:02:30"), "I9", "but there was none when it was due")


class ForgottenTest(CheckerTest):
    """The newest thousand outages are kept."""

    def after_outages(self, count: int, oldest: str) -> Story:
        """A skip for an outage that the ledger does not have, and later ones of which the oldest begins then."""
        story = Story()
        story.ran("00:01", lasts="70s")
        story.skipped("00:02", "outage", at="00:02:05")
        story.outage(oldest, "00:02:40")
        for _ in range(count - 1):
            story.outage("00:02:40", "00:02:45")
        return story

    def test_one_that_was_older_than_as_many_as_are_kept_may_have_been(self):
        report = self.after_outages(1_000, "00:02:30").judged("00:02:50")

        self.assert_clean(report, "I9")
        self.assertEqual(1, report.not_judged["skips for an outage that may be forgotten"])

    def test_one_that_would_be_kept_is_missed(self):
        report = self.after_outages(999, "00:02:30").judged("00:02:50")

        self.assert_finds_among_others(report, "I9", "but there was none when it was due")

    def test_one_that_is_younger_than_the_oldest_is_missed(self):
        report = self.after_outages(1_000, "00:01:59").judged("00:02:50")

        self.assert_finds_among_others(report, "I9", "but there was none when it was due")


if __name__ == "__main__":
    unittest.main()
