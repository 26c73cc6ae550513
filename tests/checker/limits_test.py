"""What done and dead schedules owe (I1): nothing from the limit on, and everything before."""

import unittest

from expectations import CheckerTest
from moments import instant_text
from story import Story, clock, with_policies


def two_successes() -> Story:
    """Two runs that succeeded; lines 2 to 5."""
    story = Story()
    story.ran("00:01")
    story.ran("00:02")
    return story


def jittered() -> Story:
    """Due up to half a minute later, and dead with its first failure."""
    document = with_policies(maxConsecutiveFailures=1, retry={"maxAttempts": 1})
    return Story(document | {"spec": {"cron": "* * * * *", "jitter": "30s"}})


class StartLimitTest(CheckerTest):
    def test_after_the_last_start_nothing_is_owed(self):
        story = Story(with_policies(maxStarts=2))
        story.ran("00:01")
        story.ran("00:02")

        self.assert_clean(story.judged("01:00"), "I1")

    def test_before_it_everything_is(self):
        story = Story(with_policies(maxStarts=3))
        story.ran("00:01")
        story.ran("00:02")

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision, though revision 1", 1)

    def test_one_start_too_many_is_found(self):
        story = Story(with_policies(maxStarts=1))
        story.ran("00:01")
        story.ran("00:02")

        self.assert_finds(story.judged("00:02:30"), "I11", "2 starts, maxStarts allows 1", 4)

    def test_starts_by_hand_use_up_nothing(self):
        story = Story(with_policies(maxStarts=1))
        story.call("trigger", "00:00:40")
        story.ran("00:00:40", source="trigger")
        story.ran("00:01")

        self.assert_clean(story.judged("01:00"), "I1")
        self.assert_clean(story.judged("01:00"), "I11")

    def test_an_edit_that_allows_more_starts_it_again(self):
        story = Story(with_policies(maxStarts=1))
        story.ran("00:01")
        story.change("update", "00:02:30", **with_policies(maxStarts=2))

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision, though revision 2", 4)
        story.ran("00:03")
        self.assert_clean(story.judged("01:00"), "I1")
        self.assert_clean(story.judged("01:00"), "I11")

    def test_a_limit_counts_from_when_it_is_set(self):
        story = Story()
        story.ran("00:01")
        story.ran("00:02")
        story.change("update", "00:02:30", **with_policies(maxStarts=1))
        story.ran("00:03")

        self.assert_clean(story.judged("01:00"), "I1")
        self.assert_clean(story.judged("01:00"), "I11")

    def test_a_reset_counts_from_zero(self):
        story = Story(with_policies(maxStarts=1))
        story.ran("00:01")
        story.change("reset", "00:01:30")
        story.ran("00:02")

        self.assert_clean(story.judged("01:00"), "I11")

    def test_exhausted_with_starts_left_is_found(self):
        story = Story(with_policies(maxStarts=2))
        story.ran("00:01")
        story.skipped("00:02", "exhausted")

        self.assert_finds(story.judged("00:02:30"), "I21", "skipped as exhausted with starts left", 4)


class CreationTest(CheckerTest):
    def test_a_trigger_that_is_asked_for_and_not_there_is_found(self):
        story = Story(with_policies() | {"onCreate": {"trigger": {}}})

        self.assert_finds(story.judged("00:00:40"), "I7", "its creation has 0 triggers, not 1", 1)

    def test_one_that_is_there_needs_no_call_of_its_own(self):
        story = Story(with_policies() | {"onCreate": {"trigger": {}}})
        story.ran("00:00:30", source="trigger", run="beat@2026-03-02T00:00:30Z+trigger-create")

        self.assert_clean(story.judged("00:00:40"), "I7")

    def test_one_that_was_taken_back_unclaimed_was_there(self):
        story = Story(with_policies() | {"onCreate": {"trigger": {}}})
        story.skipped("00:00:30", "deleted", at="00:00:35", source="trigger")
        story.change("delete", "00:00:35")

        self.assert_clean(story.judged("00:00:40"), "I7")

    def test_a_later_one_that_was_taken_back_is_another(self):
        story = Story(with_policies() | {"onCreate": {"trigger": {}}})
        story.skipped("00:00:31", "deleted", at="00:00:35", source="trigger")
        story.change("delete", "00:00:35")

        self.assert_finds_among_others(story.judged("00:00:40"), "I7", "its creation has 0 triggers, not 1")

    def test_one_that_nobody_asked_for_is_found(self):
        story = Story()
        story.ran("00:00:30", source="trigger", run="beat@2026-03-02T00:00:30Z+trigger-create")

        self.assert_finds(story.judged("00:00:40"), "I7", "its creation has 1 triggers, not 0", 1)


class UsedUpTest(CheckerTest):
    def test_an_edit_that_allows_no_more_repeats_ends_the_schedule(self):
        story = two_successes()
        story.change("update", "00:02:30", **with_policies(totalRepeats=2))

        self.assert_clean(story.judged("01:00"), "I1")

    def test_an_edit_that_leaves_a_repeat_does_not(self):
        story = two_successes()
        story.change("update", "00:02:30", **with_policies(totalRepeats=3))

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision, though revision 2", 6)

    def test_what_was_due_before_the_edit_is_owed(self):
        story = two_successes()
        story.change("update", "00:03:30", **with_policies(totalRepeats=2))

        self.assert_finds(story.judged("01:00"), "I1", "00:03:00Z: no decision, though revision 1", 1)

    def test_runs_that_failed_use_up_nothing(self):
        story = two_successes()
        story.ran("00:03", state="failed")
        story.change("update", "00:03:30", **with_policies(totalRepeats=3, retry={"maxAttempts": 1}))

        self.assert_finds(story.judged("00:04"), "I1", "00:04:00Z: no decision", 8)

    def test_starts_by_hand_use_up_nothing(self):
        story = two_successes()
        story.call("trigger", "00:02:20")
        story.ran("00:02:20", source="trigger")
        story.change("update", "00:02:30", **with_policies(totalRepeats=3))

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision", 8)

    def test_a_reset_forgets_what_was_used_up(self):
        story = two_successes()
        story.change("reset", "00:02:20")
        story.change("update", "00:02:30", **with_policies(totalRepeats=2))

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision", 7)

    def test_a_later_edit_that_leaves_a_repeat_starts_it_again(self):
        story = two_successes()
        story.change("update", "00:02:30", **with_policies(totalRepeats=1))
        story.change("update", "00:05:30", **with_policies(totalRepeats=3))

        self.assert_finds(story.judged("00:06"), "I1", "00:06:00Z: no decision, though revision 3", 7)

    def test_an_edit_in_a_pause_ends_the_schedule_with_the_pause(self):
        for is_told in (True, False):
            with self.subTest(is_told=is_told):
                story = two_successes()
                story.change("pause", "00:02:20")
                story.change("update", "00:02:30", **with_policies(totalRepeats=2))
                if is_told:
                    story.skipped("00:03", "paused", at="00:03:30")
                story.change("resume", "00:03:30")

                report = story.judged("01:00")

                if is_told:
                    self.assert_clean(report, "I1")
                else:
                    self.assert_finds(report, "I1", "00:03:00Z: no decision", 7)

    def test_an_edit_that_allows_fewer_failures_kills_nobody(self):
        story = Story()
        story.ran("00:01", state="failed")
        story.change("update", "00:01:30", **with_policies(maxConsecutiveFailures=1))

        self.assert_finds(story.judged("00:02"), "I1", "00:02:00Z: no decision", 4)


class JitterTest(CheckerTest):
    def failed_at(self, end: str, decided: str) -> Story:
        """A run that was still under way at the next occurrence, which comes due after 00:02:00 and before 00:02:30."""
        story = jittered()
        decision = story.started("00:01", at=decided, due=instant_text(clock(decided)))
        story.attempt(decision["run"], clock(decided) + 1_000, clock(end), state="failed")
        return story

    def test_what_was_not_due_yet_when_the_limit_was_reached_is_not_owed(self):
        self.assert_clean(self.failed_at("00:02:10", "00:01:20").judged("01:00"), "I1")

    def test_what_was_due_whatever_its_jitter_is_owed(self):
        report = self.failed_at("00:02:31", "00:01:20").judged("01:00")

        self.assert_finds(report, "I1", "00:02:00Z: no decision", 1)


class SetBackTest(CheckerTest):
    """What failed after a reset has an earlier time than it where the clock was set back in between."""

    def failed_twice(self, is_reset_between: bool = False, first: str = "failed") -> Story:
        """A failure when the clock is back at 00:03, and another one when it is right again."""
        story = Story(with_policies(maxConsecutiveFailures=2, retry={"maxAttempts": 1}))
        story.ran("00:01")
        story.ran("00:02")
        if is_reset_between:
            story.ran("00:03", state=first)
        story.change("reset", "00:04:30")
        story.ran("00:05")
        story.clock_set("00:05:30", "00:02:40")
        if not is_reset_between:
            story.ran("00:03", state=first)
        story.clock_set("00:03:30", "00:06:20")
        story.skipped("00:04", "clock", at="00:06:20")
        story.ran("00:06", at="00:06:20", state="failed")
        return story

    def test_failures_after_a_reset_with_times_before_it_kill(self):
        self.assert_clean(self.failed_twice().judged("01:00"), "I1")

    def test_a_failure_that_was_before_the_reset_does_not_count(self):
        report = self.failed_twice(is_reset_between=True).judged("00:07")

        self.assert_finds_among_others(report, "I1", "00:07:00Z: no decision")

    def test_a_success_at_a_time_that_was_passed_twice_is_no_failure(self):
        report = self.failed_twice(first="succeeded").judged("00:07")

        self.assert_finds_among_others(report, "I1", "00:07:00Z: no decision")

    def test_a_success_before_the_steps_does_not_come_between_failures(self):
        """Its attempt is no line of the ledger that tells when the clock was set, nor is that of the last failure."""
        story = Story(with_policies(maxConsecutiveFailures=2, retry={"maxAttempts": 1}))
        story.ran("00:01")
        story.clock_set("00:01:30", "00:01:20")
        story.ran("00:02", state="failed")
        story.ran("00:03", state="failed")
        story.clock_set("00:03:30", "00:00:50")
        story.clock_set("00:01:30", "00:04:10")

        self.assert_clean(story.judged("01:00"), "I1")

    def started_before_the_creation(self, starts_max: int) -> Story:
        story = Story(with_policies(maxStarts=starts_max), created="00:02:30")
        story.clock_set("00:02:50", "00:01:40")
        story.ran("00:02")
        story.clock_set("00:02:10", "00:04:10")
        return story

    def test_a_start_with_a_time_before_the_creation_is_one_of_those_allowed(self):
        self.assert_clean(self.started_before_the_creation(1).judged("01:00"), "I1")

    def test_another_one_that_is_allowed_is_owed(self):
        report = self.started_before_the_creation(2).judged("00:05")

        self.assert_finds_among_others(report, "I1", "00:05:00Z: no decision")

    def exhausted_when_the_clock_is_back(self, starts_max: int) -> Story:
        story = Story(with_policies(maxStarts=starts_max), created="00:02:30")
        story.ran("00:03")
        story.clock_set("00:03:30", "00:01:40")
        story.skipped("00:02", "exhausted")
        story.clock_set("00:02:10", "00:04:10")
        return story

    def test_starts_before_the_clock_was_set_back_have_used_up_the_limit(self):
        self.assert_clean(self.exhausted_when_the_clock_is_back(1).judged("01:00"), "I21")

    def test_exhausted_with_starts_left_when_the_clock_is_back_is_found(self):
        report = self.exhausted_when_the_clock_is_back(2).judged("00:03")

        self.assert_finds_among_others(report, "I21", "skipped as exhausted with starts left")

    def ended_before_the_creation(self, state: str) -> Story:
        story = Story(with_policies(maxConsecutiveFailures=1, retry={"maxAttempts": 1}), created="00:02:30")
        story.ran("00:03")
        story.clock_set("00:03:30", "00:01:40")
        story.ran("00:02", state=state)
        story.clock_set("00:02:10", "00:04:00")
        return story

    def test_a_failure_with_a_time_before_the_creation_kills(self):
        self.assert_clean(self.ended_before_the_creation("failed").judged("01:00"), "I1")

    def test_a_success_with_a_time_before_the_creation_does_not(self):
        report = self.ended_before_the_creation("succeeded").judged("00:05")

        self.assert_finds_among_others(report, "I1", "00:05:00Z: no decision")


if __name__ == "__main__":
    unittest.main()
