"""Planted violations about jobs without a schedule, what workers were told, and attempts that were given back."""

import unittest
from copy import deepcopy

from expectations import CheckerTest
from story import Story, clock, with_policies

TWICE = {"maxAttempts": 2, "backoff": "fixed", "initial": "1s"}


def one_job(**retry: object) -> tuple[Story, str]:
    """A job in line 2, not yet attempted."""
    story = Story()
    run = story.job("00:00:40", retry=TWICE | retry)
    return story, run


class JobTest(CheckerTest):
    def test_a_job_that_is_performed_is_clean(self):
        story, run = one_job()
        story.job_attempt(run, "00:00:41", "00:00:42")

        report = story.judged("00:00:50")

        self.assert_clean(report, "I2", "I3", "I4", "I7", "I13")
        self.assertEqual(1, report.counts["jobs"])

    def test_a_job_decides_nothing_for_a_schedule(self):
        story, _ = one_job()

        report = story.judged("00:00:50")

        self.assert_clean(report)
        self.assertEqual((1, 0), (report.counts["schedules"], report.counts["decisions"]))

    def test_an_acknowledged_job_that_is_not_there_is_found(self):
        story, _ = one_job()
        story.ledger.pop()

        words = "a job (line 2 of the history) was acknowledged, but is not there"
        self.assert_finds(story.judged("00:00:50"), "I7", words)

    def test_a_job_of_unknown_outcome_may_be_there_or_not(self):
        for is_there in (True, False):
            story, _ = one_job()
            story.history[-1] |= {"result": "unknown", "end": None, "run": None}
            if not is_there:
                story.ledger.pop()

            self.assert_clean(story.judged("00:00:50"), "I7")

    def test_a_job_that_was_queued_twice_is_found(self):
        story, _ = one_job()
        story.job("00:00:41")
        story.history.pop()

        self.assert_finds(story.judged("00:00:50"), "I7", "2 jobs, 1 acknowledged, 0 unknown")

    def test_two_jobs_of_one_run_are_found(self):
        story, run = one_job()
        story.job("00:00:41")
        story.ledger[-1]["run"] = story.history[-1]["run"] = run

        self.assert_finds(story.judged("00:00:50"), "I2", "two decisions name the same run", 2, 3)

    def test_an_attempt_of_a_job_that_nobody_queued_is_found(self):
        story, run = one_job()
        story.job_attempt(run, "00:00:41", "00:00:42")
        story.ledger[-1]["run"] = "~elsewhere"
        story.witness = []

        self.assert_finds(story.judged("00:00:50"), "I4", "a run that no decision started", 3)

    def test_an_attempt_of_a_job_that_was_performed_twice_is_found(self):
        story, run = one_job()
        story.job_attempt(run, "00:00:41", "00:00:42")
        story.wrote(run, 1, "start", clock("00:00:41.5"))

        self.assert_finds_among_others(story.judged("00:00:50"), "I3", "attempt 1 started 2 times")

    def test_two_attempts_of_a_job_at_once_are_found(self):
        story, run = one_job(onLost=True)
        story.job_attempt(run, "00:00:41", "00:00:43", state="lost")
        story.wrote(run, 1, "end", clock("00:00:47"))
        story.job_attempt(run, "00:00:45", "00:00:46", number=2)

        self.assert_finds(story.judged("00:00:50"), "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_more_attempts_of_a_job_than_it_allows_are_found(self):
        story, run = one_job()
        for number in (1, 2, 3):
            begin = clock("00:00:40") + number * 4_000_000
            story.attempt(run, begin, begin + 1_000_000, number, "failed", schedule=None)

        self.assert_finds(story.judged("00:00:59"), "I13", "attempt 3 is more than the 2 allowed", 5)

    def test_a_lost_attempt_of_a_job_is_repeated_only_if_it_says_so(self):
        for repeats in (True, False):
            story, run = one_job(onLost=repeats)
            story.job_attempt(run, "00:00:41", "00:00:42", state="lost")
            story.job_attempt(run, "00:00:44", "00:00:45", number=2)

            report = story.judged("00:00:50")

            if repeats:
                self.assert_clean(report, "I13")
            else:
                self.assert_finds(report, "I13", "repeats a lost attempt", 3, 4)

    def test_a_job_that_vanished_is_found(self):
        story, _ = one_job()
        story.skipped("00:01", "clock")
        story.before = deepcopy(story.ledger)
        story.ledger.pop(1)
        story.history.pop(1)

        self.assert_finds(story.judged("00:01:10"), "I14", "the decision has vanished", 2)


class WorkerTest(CheckerTest):
    """What a worker was told of an attempt in line 3."""

    def ended(self, state: str) -> tuple[Story, str]:
        story, run = one_job()
        if state == "released":
            story.released(run, clock("00:00:41"), clock("00:00:42"), schedule=None)
        else:
            story.job_attempt(run, "00:00:41", "00:00:42", state=state)
        return story, run

    def test_ends_that_were_acknowledged_and_are_there_are_clean(self):
        for op, state in (("complete", "succeeded"), ("fail", "failed"), ("fail", "timed_out"), ("fail", "cancelled")):
            with self.subTest(op=op, state=state):
                story, run = self.ended(state)
                story.said(op, run, "00:00:42")

                self.assert_clean(story.judged("00:00:50"), "I7")

    def test_an_acknowledged_end_that_became_another_is_found(self):
        for op, state in (("complete", "lost"), ("complete", "released"), ("complete", "failed"), ("fail", "lost")):
            with self.subTest(op=op, state=state):
                story, run = self.ended(state)
                story.said(op, run, "00:00:42")

                words = f"{op} of attempt 1 (line 3 of the history) was acknowledged, but it is {state}"
                self.assert_finds_among_others(story.judged("00:00:50"), "I7", words)

    def test_an_acknowledged_end_of_what_is_not_there_is_found(self):
        story, run = one_job()
        story.said("complete", run, "00:00:42")

        self.assert_finds(story.judged("00:00:50"), "I7", "but the ledger has no such attempt")

    def test_an_end_of_unknown_outcome_may_have_happened_or_not(self):
        for state in ("succeeded", "lost"):
            story, run = self.ended(state)
            story.said("complete", run, "00:00:42", "unknown")
            # Said again, and too late in either case.
            story.said("complete", run, "00:00:43", "fail")

            self.assert_clean(story.judged("00:00:50"), "I7")

    def test_an_end_that_its_worker_was_refused_is_found(self):
        story, run = self.ended("succeeded")
        story.said("complete", run, "00:00:42", "fail")

        self.assert_finds(story.judged("00:00:50"), "I7", "attempt 1 is succeeded, which worker-a has not said", 3)

    def test_an_end_that_its_worker_never_said_is_found(self):
        story, run = self.ended("failed")
        story.said("complete", run, "00:00:42", "unknown")

        self.assert_finds(story.judged("00:00:50"), "I7", "attempt 1 is failed, which worker-a has not said", 3)

    def test_workers_whose_calls_are_not_written_down_are_believed(self):
        story, _ = self.ended("succeeded")

        self.assert_clean(story.judged("00:00:50"), "I7")


class ReleasedTest(CheckerTest):
    def test_a_start_of_an_attempt_that_was_given_back_is_found(self):
        story, run = one_job()
        story.released(run, clock("00:00:41"), clock("00:00:42"), schedule=None)
        story.wrote(run, 1, "start", clock("00:00:41.5"))
        story.job_attempt(run, "00:00:44", "00:00:45", number=2)

        words = "released and not launched in the ledger, the witness has a start"
        self.assert_finds_among_others(story.judged("00:00:50"), "I3", words)

    def test_an_attempt_that_was_given_back_uses_up_none(self):
        story, run = one_job(maxAttempts=1)
        story.released(run, clock("00:00:41"), clock("00:00:42"), schedule=None)
        story.job_attempt(run, "00:00:42", "00:00:45", number=2)

        self.assert_clean(story.judged("00:00:50"), "I13")

    def skipped_beside(self, *states: str) -> Story:
        """A run that may be tried twice, its attempts, and a skip as overlap in the next minute."""
        story = Story(with_policies(retry={"maxAttempts": 2, "backoff": "fixed", "initial": "1h"}))
        run = story.started("00:01")["run"]
        for number, state in enumerate(states, start=1):
            begin = clock("00:01") + number * 10_000_000
            write = story.released if state == "released" else story.attempt
            write(run, begin, begin + 1_000_000, number, **({} if state == "released" else {"state": state}))
        story.skipped("00:02", "overlap")
        return story

    def test_a_run_that_waits_again_after_it_was_given_back_holds_its_slot(self):
        for states in (("released",), ("released", "released"), ("released", "failed")):
            with self.subTest(states=states):
                self.assert_clean(self.skipped_beside(*states).judged("00:02:30"), "I9")

    def test_a_run_whose_attempts_are_used_up_holds_no_slot_beside_one_that_was_given_back(self):
        story = self.skipped_beside("released", "lost", "lost")

        self.assert_finds_among_others(story.judged("00:02:30"), "I9", "no run held the slot")


if __name__ == "__main__":
    unittest.main()
