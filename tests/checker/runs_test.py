"""Planted violations of launches (I3, I4), retries (I13) and terminal stability (I14)."""

import unittest
from copy import deepcopy
from typing import Any

from expectations import CheckerTest
from moments import SECOND, instant_text, parse_instant
from story import Story, clock, with_policies


def one_run() -> Story:
    """One start in line 2, its attempt in line 3."""
    story = Story()
    story.ran("00:01")
    return story


def retried(*ends: str, retry: dict | None = None, action: dict | None = None) -> Story:
    """One run whose attempts end in these states, a second long, twenty seconds apart and more."""
    document = with_policies(retry=retry or {"maxAttempts": 5, "initial": "10s"})
    story = Story(document | ({"action": action} if action else {}))
    run = story.started("00:01", at="00:01")["run"]
    for number, state in enumerate(ends, start=1):
        begin = clock("00:01") + number * number * 20_000_000
        story.attempt(run, begin, begin + 1_000_000, number=number, state=state)
    return story


def failing_with(retry: dict, *delays: int) -> Story:
    """One run whose attempts end at once and follow each other after these seconds."""
    story = Story(with_policies(retry=retry))
    run = story.started("00:01", at="00:01")["run"]
    begin = clock("00:01:01")
    story.attempt(run, begin, begin, state="failed")
    for number, delay in enumerate(delays, start=2):
        begin += delay * SECOND
        story.attempt(run, begin, begin, number=number, state="failed")
    return story


class LaunchTest(CheckerTest):
    def test_starts_that_match_the_ledger_are_clean(self):
        self.assert_clean(one_run().judged("00:01:30"), "I3", "I4")

    def test_an_attempt_started_twice_is_found(self):
        story = one_run()
        story.wrote("r-00000001", 1, "start", clock("00:01:02"))

        self.assert_finds(story.judged("00:01:30"), "I3", "attempt 1 started 2 times (lines 1, 3", 3)

    def test_a_launch_without_a_start_is_found(self):
        story = one_run()
        story.ran("00:02")
        story.witness = story.witness[:2]

        self.assert_finds(story.judged("00:02:30"), "I3", "launched in the ledger, the witness has no start", 5)

    def test_a_start_of_what_was_never_launched_is_found(self):
        story = one_run()
        story.ledger[2] |= {"state": "failed", "launchedAt": None}

        self.assert_finds(story.judged("00:01:30"), "I3", "not launched in the ledger, the witness has a start", 3)

    def test_a_lost_attempt_may_have_started_or_not(self):
        for witness_count in (0, 1):
            story = one_run()
            lost = story.started("00:02")
            story.attempt(lost["run"], clock("00:02:01"), clock("00:02:30"), state="lost", launchedAt=None)
            story.witness = story.witness[: 2 + witness_count]

            self.assert_clean(story.judged("00:02:40"), "I3")

    def test_a_start_the_ledger_does_not_know_is_found(self):
        story = one_run()
        story.wrote("r-elsewhere", 1, "start", clock("00:01:02"))

        self.assert_finds(story.judged("00:01:30"), "I4", "the ledger has no such attempt")

    def test_a_start_before_its_claim_is_found(self):
        story = one_run()
        story.witness[0]["at"] = instant_text(clock("00:01:00.002"))

        self.assert_finds(story.judged("00:01:30"), "I4", "attempt 1 started before it was claimed", 3)

    def test_a_start_before_its_claim_within_the_skew_is_clean(self):
        story = one_run()
        story.witness[0]["at"] = instant_text(clock("00:01:00.002"))

        self.assert_clean(story.judged("00:01:30", skew=2_000), "I4")

    def test_a_start_by_another_worker_is_found(self):
        story = one_run()
        story.witness[0]["worker"] = "worker-b"

        self.assert_finds(story.judged("00:01:30"), "I4", "claimed by worker-a and started by worker-b", 3)

    def test_an_attempt_without_a_decision_is_found(self):
        story = one_run()
        story.attempt("r-elsewhere", clock("00:01:10"), clock("00:01:11"))

        self.assert_finds(story.judged("00:01:30"), "I4", "a run that no decision started", 4)

    def test_an_attempt_of_a_skipped_occurrence_is_found(self):
        story = one_run()
        story.ledger[1] |= {"outcome": "skipped", "reason": "clock"}

        self.assert_finds(story.judged("00:01:30"), "I4", "an attempt of a run that was skipped", 2, 3)


class RetryTest(CheckerTest):
    def test_retries_that_keep_their_back_off_are_clean(self):
        self.assert_clean(retried("failed", "timed_out", "succeeded").judged("00:01:59"), "I13")

    def test_a_missing_number_is_found(self):
        story = retried("failed", "succeeded")
        story.ledger[3]["attempt"] = 3
        story.witness[2]["attempt"] = story.witness[3]["attempt"] = 3

        self.assert_finds(story.judged("00:01:59"), "I13", "attempt 3 stands where 2 should", 4)

    def test_too_many_attempts_are_found(self):
        story = retried("failed", "failed", "failed", retry={"maxAttempts": 2, "initial": "1s"})

        self.assert_finds(story.judged("00:01:59"), "I13", "attempt 3 is more than the 2 allowed", 5)

    def test_attempts_that_were_given_back_do_not_count_and_keep_no_back_off(self):
        story = retried("failed", "released", "failed", retry={"maxAttempts": 2, "initial": "1s"})
        story.ledger[3]["launchedAt"] = None
        story.witness = [entry for entry in story.witness if entry["attempt"] != 2]

        self.assert_clean(story.judged("00:01:59"), "I13")

    def test_an_attempt_that_was_launched_and_given_back_is_found(self):
        story = retried("released", "succeeded")

        self.assert_finds(story.judged("00:01:59"), "I13", "attempt 1 was given back after it had been launched", 3)

    def test_a_retry_after_success_is_found(self):
        story = retried("succeeded", "succeeded")

        self.assert_finds(story.judged("00:01:59"), "I13", "follows an attempt that was succeeded", 3, 4)

    def test_a_retry_while_an_attempt_runs_is_found(self):
        story = retried("failed", "succeeded")
        story.ledger[2] |= {"state": "launched", "endedAt": None}

        self.assert_finds(story.judged("00:01:59"), "I13", "claimed while attempt 1 was launched", 3, 4)

    def test_a_retry_before_its_back_off_is_found(self):
        for backoff, factor, delays in (("fixed", 2, (10, 10)), ("linear", 2, (10, 20)), ("exponential", 3, (10, 30))):
            with self.subTest(backoff=backoff):
                retry = {"maxAttempts": 3, "backoff": backoff, "initial": "10s", "factor": factor}

                self.assert_clean(failing_with(retry, *delays).judged("00:01:59"), "I13")
                too_early = failing_with(retry, delays[0], delays[1] - 1).judged("00:01:59")
                self.assert_finds(too_early, "I13", f"the back-off is {delays[1]} s", 4, 5)

    def test_the_back_off_is_capped(self):
        story = retried("failed", "failed", "succeeded", retry={"maxAttempts": 9, "initial": "15s", "maxDelay": "15s"})

        self.assert_clean(story.judged("00:01:59"), "I13")

    def test_a_back_off_beyond_its_jitter_is_found(self):
        story = retried("failed", "succeeded", retry={"maxAttempts": 9, "initial": "10s", "jitter": 0.5})
        story.ledger[3]["claimableFrom"] = instant_text(clock("00:01:36.1"))

        self.assert_finds(story.judged("00:01:59"), "I13", "only after more than the back-off", 3, 4)

    def test_a_back_off_ends_later_by_what_the_clock_was_set_forward_meanwhile(self):
        story = retried("failed", "succeeded", retry={"maxAttempts": 9, "initial": "10s", "jitter": 0.5})
        story.ledger[3]["claimableFrom"] = instant_text(clock("00:01:36.1"))
        ended, claimed = story.ledger[2]["endedAt"][11:19], story.ledger[3]["claimedAt"][11:19]
        story.clock_set(ended, claimed)

        self.assert_clean(story.judged("00:01:59"), "I13")

    def test_a_small_step_that_no_store_sees_is_made_good_with_the_next(self):
        for is_seen_before, finds in ((True, False), (False, True)):
            story = retried("failed", "succeeded", retry={"maxAttempts": 9, "initial": "10s", "jitter": 0.5})
            ended, claimed = story.ledger[2]["endedAt"], story.ledger[3]["claimedAt"]
            latest = max(parse_instant(ended), parse_instant(story.ledger[2]["at"])) + 15 * SECOND
            set_forward = parse_instant(claimed) - parse_instant(ended)
            story.ledger[3]["claimableFrom"] = instant_text(latest + set_forward + 40_000)
            if is_seen_before:
                story.clock_set("00:00:02", "00:00:02.04")
            story.clock_set(ended[11:19], claimed[11:19])

            found = story.judged("00:01:59").of("I13")
            self.assertEqual(finds, bool(found), found)

    def test_a_back_off_ends_earlier_by_what_the_clock_was_set_back_meanwhile(self):
        unseen = ("00:00:02", "00:00:01.9")  # too small for a store to call it a step: made good with the next
        for steps, set_to, finds in (
            ([], "00:01:05", False),
            ([], "00:01:07", True),
            ([], "00:01:05.1", True),
            ([unseen], "00:01:05.1", False),
        ):
            story = retried("failed", "succeeded", retry={"maxAttempts": 9, "initial": "10s", "jitter": 0})
            ended = clock("00:01:02")
            story.ledger[2] |= {"endedAt": instant_text(ended), "at": instant_text(ended)}
            later = clock("00:01:09")
            times = {name: instant_text(later) for name in ("claimedAt", "launchedAt", "claimableFrom")}
            story.ledger[3] |= times | {"endedAt": instant_text(later + SECOND), "at": instant_text(later + SECOND)}
            for step in [*steps, ("00:01:08", set_to)]:
                story.clock_set(*step)

            found = [line for line in story.judged("00:01:59").of("I13") if "back-off" in line.message]
            self.assertEqual(finds, bool(found), found)

    def test_a_clock_that_was_set_forward_before_an_attempt_ended_lengthens_no_back_off(self):
        story = retried("failed", "succeeded", retry={"maxAttempts": 9, "initial": "10s", "jitter": 0.5})
        story.ledger[3]["claimableFrom"] = instant_text(clock("00:01:36.1"))
        story.clock_set("00:00:02", "00:00:20")

        self.assert_finds(story.judged("00:01:59"), "I13", "only after more than the back-off", 3, 4)

    def test_a_lost_command_that_is_repeated_is_found(self):
        story = retried("lost", "succeeded")

        self.assert_finds(story.judged("00:01:59"), "I13", "repeats a lost attempt", 3, 4)

    def test_a_lost_request_may_be_repeated(self):
        story = retried("lost", "succeeded", action={"http": {"url": "https://example.org"}})

        self.assert_clean(story.judged("00:01:59"), "I13")

    def test_an_end_that_does_not_fit_the_state_is_found(self):
        story = one_run()
        story.ledger[2]["endedAt"] = None

        self.assert_finds(story.judged("00:01:30"), "I13", "is succeeded, which its end does not fit", 3)

    def test_a_success_without_a_launch_is_found(self):
        story = one_run()
        story.ledger[2]["launchedAt"] = None
        story.witness = []

        self.assert_finds(story.judged("00:01:30"), "I13", "but was never launched", 3)

    def test_times_out_of_order_are_found(self):
        story = one_run()
        story.ledger[2]["launchedAt"] = instant_text(clock("00:01:20"))

        self.assert_finds(story.judged("00:01:30"), "I13", "in this order", 3)

    def test_a_retry_after_the_deletion_is_found(self):
        story = Story()
        run = story.started("00:01")["run"]
        story.attempt(run, clock("00:01:01"), clock("00:01:05"), state="failed")
        story.change("delete", "00:01:30")
        story.attempt(run, clock("00:01:45"), clock("00:01:50"), number=2)

        self.assert_finds(story.judged("00:01:59"), "I13", "retries a run of a deleted schedule", 5)

    def test_a_retry_that_was_written_before_a_deletion_that_took_its_time_is_clean(self):
        story = retried("failed", "succeeded")
        story.change("delete", "00:01:30")

        self.assert_clean(story.judged("00:01:59"), "I13")

    def given_back_before_the_deletion(self, first: str = "released", **members: Any) -> Story:
        """Claimed again when the schedule is deleted; its worker finds that out before it launches anything."""
        story = Story()
        run = story.started("00:01")["run"]
        if first == "released":
            story.released(run, clock("00:01:01"), clock("00:01:05"))
        else:
            story.attempt(run, clock("00:01:01"), clock("00:01:05"), state=first)
        story.change("delete", "00:01:30")
        claimed = story.released(run, clock("00:01:40"), clock("00:01:41"), number=2, **members)
        claimed["state"] = "cancelled"
        return story

    def test_one_that_was_given_back_may_be_claimed_after_the_deletion_if_nothing_is_launched(self):
        self.assert_clean(self.given_back_before_the_deletion().judged("00:01:59"), "I13")

    def test_one_that_was_given_back_and_is_launched_after_the_deletion_is_found(self):
        story = self.given_back_before_the_deletion(launchedAt=instant_text(clock("00:01:40")))

        self.assert_finds_among_others(story.judged("00:01:59"), "I13", "retries a run of a deleted schedule")

    def test_one_that_failed_and_is_claimed_after_the_deletion_is_found(self):
        story = self.given_back_before_the_deletion(first="failed")

        self.assert_finds_among_others(story.judged("00:01:59"), "I13", "retries a run of a deleted schedule")


class StabilityTest(CheckerTest):
    def two_exports(self) -> Story:
        story = one_run()
        story.skipped("00:02", "clock")
        story.before = deepcopy(story.ledger)
        story.ran("00:03")
        return story

    def test_an_export_that_only_grew_is_clean(self):
        self.assert_clean(self.two_exports().judged("00:03:30"), "I14")

    def test_a_success_that_became_a_failure_is_found(self):
        story = self.two_exports()
        story.ledger[2]["state"] = "failed"

        self.assert_finds(story.judged("00:03:30"), "I14", "had state succeeded and has failed", 3, 3)

    def test_another_exit_code_is_found(self):
        story = self.two_exports()
        story.ledger[2]["exitCode"] = 1

        self.assert_finds(story.judged("00:03:30"), "I14", "had exit_code None and has 1", 3, 3)

    def test_another_decision_is_found(self):
        story = self.two_exports()
        story.ledger[3]["reason"] = "exhausted"

        self.assert_finds_among_others(story.judged("00:03:30"), "I14", "had reason clock and has exhausted")

    def test_a_decision_that_vanished_is_found(self):
        story = self.two_exports()
        story.ledger.pop(3)

        self.assert_finds_among_others(story.judged("00:03:30"), "I14", "the decision has vanished (seq 4)")

    def test_a_decision_folded_into_a_range_is_clean(self):
        story = self.two_exports()
        story.ledger.pop(3)
        story.range("00:02", "00:02", 1, "clock", "00:03:10")

        self.assert_clean(story.judged("00:03:30"), "I14")

    def test_an_attempt_that_vanished_is_found(self):
        story = self.two_exports()
        story.ledger.pop(2)

        self.assert_finds_among_others(story.judged("00:03:30"), "I14", "attempt 1 has vanished")

    def test_a_change_that_vanished_is_found(self):
        story = self.two_exports()
        story.before.append(story.before[0] | {"seq": 100, "revision": 2, "kind": "updated"})

        self.assert_finds(story.judged("00:03:30"), "I14", "a change or void is no longer what it was", 100)


if __name__ == "__main__":
    unittest.main()
