"""A day in which everything happens as promised, checked as a whole and through the command line."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from expectations import CheckerTest
from moments import SECOND, parse_instant
from report import INVARIANTS
from story import Story, clock, with_policies, write_lines

CHECK = Path(__file__).resolve().parent / "check"


def small_day() -> Story:
    """Starts, an overlap, retries, an outage, a pause, a trigger, a backfill, an edit and a wrong clock."""
    story = Story()
    story.ran("00:01", lasts="70s")
    story.skipped("00:02", "overlap")
    tell_retries(story)
    tell_outage(story)
    tell_pause(story)
    tell_trigger_and_backfill(story)
    tell_edit(story)
    tell_wrong_clock(story)
    story.ran("00:20")
    story.counters.append({"schedule": "beat", "skipped": {"overlap": 4, "superseded": 3, "paused": 2, "clock": 1}})
    story.before = story.ledger[:20]
    return story


def tell_retries(story: Story) -> None:
    """Two attempts fail, the third one succeeds."""
    retried = story.started("00:03")
    story.attempt(retried["run"], clock("00:03:01"), clock("00:03:02"), state="failed")
    story.attempt(retried["run"], clock("00:03:12"), clock("00:03:13"), number=2, state="timed_out")
    story.attempt(retried["run"], clock("00:03:33"), clock("00:03:34"), number=3)
    story.sample("00:03:40", "00:04")


def tell_outage(story: Story) -> None:
    """Nothing is decided for some minutes, then the newest one is caught up."""
    story.range("00:04", "00:06", 3, "superseded", "00:08:30")
    story.ran("00:07", at="00:08:30", source="catchup")
    story.skipped("00:08", "overlap", at="00:08:30")
    story.sample("00:08:40", "00:09")


def tell_pause(story: Story) -> None:
    """Two occurrences fall into a pause."""
    story.ran("00:09")
    story.change("pause", "00:09:30", reason="quiet")
    story.range("00:10", "00:11", 2, "paused", "00:11:30")
    story.change("resume", "00:11:30")
    story.ran("00:12")


def tell_trigger_and_backfill(story: Story) -> None:
    """A trigger beside the schedule, and what the pause left out."""
    triggered = story.ran("00:12:20", source="trigger")
    story.call("trigger", "00:12:20", run=triggered["run"])
    story.ran("00:13", lasts="80s")
    story.skipped("00:14", "overlap")
    story.ran("00:10", at="00:14:30", source="backfill", run="beat@2026-03-02T00:10:00Z+backfill-b1")
    story.ran("00:11", at="00:14:40", source="backfill", run="beat@2026-03-02T00:11:00Z+backfill-b1")
    story.backfill("00:10", "00:12", "00:14:50", done=2, total=2)


def tell_edit(story: Story) -> None:
    """Under another policy one occurrence waits for its turn."""
    story.ran("00:15")
    story.change("update", "00:15:30", **with_policies(overlap="buffer_one"))
    story.ran("00:16", lasts="70s")
    waited = story.started("00:17", at="00:17:11", waitedFrom="00:17:00.002")
    begin = parse_instant(waited["at"]) + 1_000
    story.attempt(waited["run"], begin, begin + 65 * SECOND)
    story.skipped("00:18", "overlap")


def tell_wrong_clock(story: Story) -> None:
    """A skip that was made under a wrong clock is taken back and decided again."""
    story.skipped("00:19", "clock", at="00:19:00.001")
    story.void("00:19", "00:19:00.002")
    story.ran("00:19", at="00:19:00.003")


class WholeStoryTest(CheckerTest):
    def test_a_day_without_faults_is_clean_and_every_invariant_was_looked_at(self):
        story = small_day()

        report = story.judged("00:20", healed_at=clock("00:08:20"))

        self.assert_clean(report, *INVARIANTS)

    def test_counts_are_printed_even_when_all_is_well(self):
        text = small_day().judged("00:20").text()

        for words in ("slots", "starts by schedule", "skips overlap", "ranges", "attempts", "voids", "witness starts"):
            self.assertIn(words, text)
        self.assertIn("0 violations", text)


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_check(self, story: Story, *options: str) -> subprocess.CompletedProcess:
        command = [sys.executable, str(CHECK)]
        for name in ("ledger", "history", "witness", "samples", "counters", "clock", "before"):
            if lines := getattr(story, name):
                command += [f"--{name}", str(write_lines(self.folder / name, lines))]
        return subprocess.run([*command, *options], capture_output=True, text=True, check=False)

    def test_a_clean_story_exits_with_0_and_prints_counts(self):
        done = self.run_check(small_day(), "--until", "2026-03-02T00:20:00Z", "--settle", "0s")

        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("I1   completeness", done.stdout)

    def test_a_violation_exits_with_1_and_is_told_as_json(self):
        story = small_day()
        story.witness.append(story.witness[0])

        done = self.run_check(story, "--until", "2026-03-02T00:20:00Z", "--settle", "0s", "-o", "json")

        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        violations = json.loads(done.stdout)["violations"]
        self.assertEqual(["I3"], [violation["invariant"] for violation in violations])

    def test_a_line_that_cannot_be_read_exits_with_2_and_is_named(self):
        story = small_day()
        story.ledger[1]["outcome"] = "perhaps"

        done = self.run_check(story)

        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertIn("ledger:2: 'outcome' is 'perhaps'", done.stderr)

    def test_the_ledger_alone_is_enough(self):
        story = small_day()
        story.history, story.witness, story.samples, story.counters, story.before = [], [], [], [], None

        done = self.run_check(story)

        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("not judged: schedules without a definition", done.stdout)


if __name__ == "__main__":
    unittest.main()
