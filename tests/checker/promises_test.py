"""Planted violations of durability (I7), next runs (I15), lateness (I16), progress (I17) and counters (I21)."""

import unittest

from expectations import CheckerTest
from moments import instant_text
from story import MINUTELY, Story, clock, with_policies


def two_minutes() -> Story:
    """Two plain starts; lines 2 to 5."""
    story = Story()
    story.ran("00:01")
    story.ran("00:02")
    return story


class DurabilityTest(CheckerTest):
    def test_calls_with_their_changes_are_clean(self):
        story = two_minutes()
        story.change("update", "00:02:10", **with_policies(bufferLimit=5))
        story.change("disable", "00:02:20")
        story.change("enable", "00:02:30")
        story.change("reset", "00:02:40")
        story.change("delete", "00:02:50")

        self.assert_clean(story.judged("00:02:59"), "I7")

    def test_an_acknowledged_change_that_is_not_there_is_found(self):
        for op in ("update", "pause", "resume", "delete"):
            with self.subTest(op=op):
                story = two_minutes()
                story.call(op, "00:02:30", arguments=MINUTELY, revision=2)

                report = story.judged("00:02:50")

                self.assert_finds(report, "I7", f"{op} (line 2 of the history) was acknowledged with revision 2")

    def test_an_acknowledged_change_replaced_by_another_is_found(self):
        story = two_minutes()
        story.call("update", "00:02:10", arguments=with_policies(bufferLimit=5), revision=2)
        story.change("pause", "00:02:30")

        self.assert_finds(story.judged("00:02:50"), "I7", "update (line 2 of the history)")

    def test_a_change_that_was_told_to_have_failed_is_found(self):
        story = two_minutes()
        story.change("pause", "00:02:30")
        story.history[-1] |= {"result": "fail", "revision": None}

        self.assert_finds(story.judged("00:02:50"), "I7", "revision 2 was paused by alice, none of whose calls", 6)

    def test_a_call_of_unknown_outcome_may_have_happened_or_not(self):
        for has_happened in (True, False):
            story = two_minutes()
            if has_happened:
                story.change("update", "00:02:10", **with_policies(bufferLimit=5))
            else:
                story.call("update", "00:02:10", arguments=MINUTELY)
            story.history[-1] |= {"result": "unknown", "revision": None, "end": None}
            story.ran("00:03")

            self.assert_clean(story.judged("00:03:10"), "I1", "I7")

    def test_two_calls_that_cannot_be_told_apart_leave_the_definition_open(self):
        story = two_minutes()
        story.call("update", "00:02:05", "unknown", arguments=with_policies(bufferLimit=7), end=None)
        story.change("update", "00:02:10", **(MINUTELY | {"spec": {"cron": "*/5 * * * *"}}))
        story.history[-1] |= {"result": "unknown", "revision": None, "end": None}
        story.ran("00:03")

        report = story.judged("00:03:10")

        self.assert_clean(report, "I7")
        self.assertEqual(1, report.not_judged["decisions without a known definition"])

    def test_a_call_for_what_is_already_so_is_clean(self):
        story = two_minutes()
        story.call("update", "00:02:10", arguments=MINUTELY, revision=1)
        story.call("enable", "00:02:20", revision=1)

        self.assert_clean(story.judged("00:02:50"), "I7")

    def test_a_schedule_that_is_created_again_after_a_call_without_answer_is_clean(self):
        story = two_minutes()
        story.history[0] |= {"result": "unknown", "revision": None, "end": None}
        story.change("pause", "00:02:10")
        story.change("resume", "00:02:15")
        story.change("delete", "00:02:20")
        story.change("create", "00:02:30", **MINUTELY)
        story.ledger[-1] |= {"incarnation": 2, "revision": 1}
        story.history[-1] |= {"revision": 1}

        self.assert_clean(story.judged("00:02:50"), "I7")

    def test_revisions_against_the_order_of_calls_are_found(self):
        story = two_minutes()
        story.change("disable", "00:02:20")
        story.change("enable", "00:02:40")
        story.history[-2] |= {"time": instant_text(clock("00:02:45")), "end": instant_text(clock("00:02:46"))}

        self.assert_finds_among_others(story.judged("00:02:50"), "I7", "was asked for after revision 3 was answered")

    def test_an_acknowledged_trigger_that_is_not_there_is_found(self):
        story = two_minutes()
        story.call("trigger", "00:02:30", run="r-gone")

        report = story.judged("00:02:50")

        self.assert_finds_among_others(report, "I7", "a trigger (line 2 of the history) was acknowledged")
        self.assert_finds_among_others(report, "I7", "0 effects of trigger, 1 acknowledged, 0 unknown")

    def test_a_trigger_that_was_told_to_have_failed_is_found(self):
        story = two_minutes()
        story.ran("00:02:30", source="trigger")
        story.call("trigger", "00:02:30", "fail")

        self.assert_finds(story.judged("00:02:50"), "I7", "1 effects of trigger, 0 acknowledged, 0 unknown")

    def test_an_acknowledged_backfill_that_is_not_there_is_found(self):
        story = two_minutes()
        story.call("backfill", "00:02:30", backfill="b1")

        self.assert_finds_among_others(story.judged("00:02:50"), "I7", "backfill b1 (line 2 of the history)")

    def test_a_decision_after_the_deletion_is_found(self):
        story = two_minutes()
        story.change("delete", "00:02:30")
        story.ran("00:03", revision=1)

        report = story.judged("00:03:10")

        self.assert_finds_among_others(report, "I7", "decided after the schedule was deleted (seq 6, 7)")

    def test_skipped_as_deleted_without_a_deletion_is_found(self):
        story = two_minutes()
        story.skipped("00:03", "deleted")

        self.assert_finds(story.judged("00:03:10"), "I7", "skipped as deleted, but the schedule was not", 6)


class NextRunTest(CheckerTest):
    def test_samples_that_go_forward_are_clean(self):
        story = two_minutes()
        story.sample("00:00:50", "00:01")
        story.sample("00:01:30", "00:02")

        self.assert_clean(story.judged("00:02:30"), "I15")

    def test_a_next_run_that_was_decided_before_is_found(self):
        story = two_minutes()
        story.sample("00:01:30", "00:01")

        self.assert_finds(story.judged("00:02:30"), "I15", "not after 2026-03-02T00:01:00Z, which was decided before")

    def test_a_next_run_that_is_no_occurrence_is_found(self):
        story = two_minutes()
        story.sample("00:01:30", "00:02:30")

        self.assert_finds(story.judged("00:02:30"), "I15", "the next run is not an occurrence")

    def test_a_next_run_that_goes_back_is_found(self):
        story = two_minutes()
        story.sample("00:01:20", "00:03")
        story.sample("00:01:30", "00:02")

        self.assert_finds(story.judged("00:02:30"), "I15", "went back from 2026-03-02T00:03:00Z")

    def test_a_next_run_may_go_back_after_an_edit(self):
        story = Story(MINUTELY | {"spec": {"cron": "*/5 * * * *"}})
        story.sample("00:01:20", "00:05")
        story.change("update", "00:01:25", **MINUTELY)
        story.sample("00:01:30", "00:02")
        story.ran("00:02")

        self.assert_clean(story.judged("00:02:30"), "I15")

    def test_a_next_run_of_a_paused_schedule_is_found(self):
        story = two_minutes()
        story.sample("00:01:30", "00:02", status="paused")

        self.assert_finds(story.judged("00:02:30"), "I15", "a next run though the schedule is paused")


class LatenessTest(CheckerTest):
    def test_what_begins_when_it_is_due_is_clean_and_measured(self):
        report = two_minutes().judged("00:02:30", lateness_max=3_000)

        self.assert_clean(report, "I16")
        self.assertEqual("3.0", report.measures["lateness max (ms)"])

    def test_a_decision_before_it_is_due_is_found(self):
        story = Story()
        story.started("00:01", at="00:00:59.9")

        self.assert_finds(story.judged("00:01:30"), "I16", "decided 0.1 s before it was due", 2)

    def test_a_process_that_begins_before_it_is_due_is_found(self):
        story = Story()
        story.ran("00:01")
        story.witness[0]["at"] = instant_text(clock("00:00:59"))

        report = story.judged("00:01:30")

        self.assert_finds_among_others(report, "I16", "begun 1 s before it was due (seq 2)")

    def test_a_due_time_outside_of_the_jitter_is_found(self):
        story = Story(MINUTELY | {"spec": {"cron": "* * * * *", "jitter": "10s"}})
        story.ran("00:01", at="00:01:10", due=instant_text(clock("00:01:10")))

        self.assert_finds(story.judged("00:01:30"), "I16", "due 10 s after its nominal time, the jitter is 10 s", 2)

    def test_a_range_of_the_future_is_found(self):
        story = two_minutes()
        story.change("pause", "00:02:10")
        story.range("00:03", "00:05", 3, "paused", "00:04:10")

        self.assert_finds(story.judged("00:04:20"), "I16", "a range ends after it was written", 7)

    def test_a_start_later_than_the_bound_is_found(self):
        story = two_minutes()

        report = story.judged("00:02:30", lateness_max=2_999)

        self.assertEqual([(2,), (4,)], [violation.seqs for violation in report.of("I16")])


class ProgressTest(CheckerTest):
    def healed_story(self, decided: str) -> Story:
        """Two occurrences were missed while nothing worked."""
        story = Story()
        story.range("00:01", "00:02", 2, "superseded", decided)
        story.ran("00:03", at=decided, source="catchup")
        return story

    def test_what_is_decided_soon_after_healing_is_clean(self):
        report = self.healed_story("00:04:40").judged("00:03:59", healed_at=clock("00:04:30"))

        self.assert_clean(report)

    def test_what_is_decided_long_after_healing_is_found(self):
        story = self.healed_story("00:04:50")

        report = story.judged("00:03:59", healed_at=clock("00:03:30"))

        self.assertEqual([(2,), (2,), (3,)], [violation.seqs for violation in report.of("I17")])
        self.assert_finds_among_others(report, "I17", "00:03:00Z: decided 80 s after it could be")

    def test_a_schedule_that_was_set_aside_has_time_until_it_is_tried_again(self):
        for schedule, is_late in (("beat", False), ("other", True)):
            with self.subTest(schedule=schedule):
                story = self.healed_story("00:04:20")
                story.ran("00:04", at="00:04:20")

                report = story.judged(
                    "00:04:59", healed_at=clock("00:03:30"), set_aside={schedule: clock("00:04:10")}
                )

                self.assertEqual((4, 4 if is_late else 0), (report.facts["I17"], len(report.of("I17"))))

    def test_a_schedule_that_was_set_aside_and_stays_so_is_found(self):
        story = self.healed_story("00:04:50")

        report = story.judged("00:04:59", healed_at=clock("00:03:30"), set_aside={"beat": clock("00:04:10")})

        self.assert_finds_among_others(report, "I17", "00:03:00Z: decided 40 s after it could be")

    def test_a_schedule_that_stays_silent_is_found(self):
        report = two_minutes().judged("00:03:20", healed_at=clock("00:00"))

        self.assert_finds_among_others(report, "I17", "00:03:00Z: never decided")

    def test_what_was_decided_under_a_wrong_clock_is_judged_by_what_came_after_it(self):
        cases = (("00:03:40", None, False), ("00:03:50", None, True), ("00:03:50", "00:03:35", False))
        for written_at, set_to, is_late in cases:
            with self.subTest(written_at=written_at, set_to=set_to):
                story = Story(with_policies(catchup={"policy": "none"}))
                story.range("00:01", "00:05", 5, "missed", "00:05:30")
                story.row("void", written_at, **{"from": instant_text(clock("00:04")), "reason": "clock"})
                story.ledger[-1]["to"] = instant_text(clock("00:05"))
                if set_to is not None:
                    story.clock_set("00:05:40", set_to)

                report = story.judged("00:03:59", healed_at=clock("00:03:30"))

                self.assertEqual([(2,)] * 3 if is_late else [], [found.seqs for found in report.of("I17")])
                self.assertEqual(3, report.facts["I17"])

    def test_a_clock_that_was_set_by_hours_is_not_believed_for_a_minute(self):
        for set_from, decided_at, is_late in (
            ("-2:00", "00:04:40", False),
            ("-2:00", "00:04:50", True),
            ("00:00:40", "00:04:40", True),
        ):
            with self.subTest(set_from=set_from, decided_at=decided_at):
                story = self.healed_story(decided_at)
                story.ran("00:04", at=decided_at)
                story.clock_set(set_from, "00:03:30")

                report = story.judged("00:04:59", healed_at=clock("00:03:30"))

                self.assertEqual(is_late, bool(report.of("I17")), report.of("I17"))

    def test_nothing_is_expected_while_the_bound_has_not_passed(self):
        report = two_minutes().judged("00:03:10", healed_at=clock("00:00"))

        self.assertEqual([], report.of("I17"))
        self.assertEqual(2, report.facts["I17"])


class CounterTest(CheckerTest):
    def skipping_story(self) -> Story:
        story = Story(with_policies(catchup={"policy": "none"}))
        story.range("00:01", "00:03", 3, "missed", "00:05")
        story.skipped("00:04", "clock", at="00:05")
        return story

    def test_counters_that_add_up_are_clean(self):
        story = self.skipping_story()
        story.counters.append({"schedule": "beat", "skipped": {"missed": 3, "clock": 1}})

        self.assert_clean(story.judged("00:04:30"), "I21")

    def test_a_counter_that_lacks_a_skip_is_found(self):
        story = self.skipping_story()
        story.counters.append({"schedule": "beat", "skipped": {"missed": 2, "clock": 1}})

        report = story.judged("00:04:30")

        self.assert_finds(report, "I21", "2 skips for missed are reported (line 1 of the counters), the ledger has 3")

    def test_a_skip_without_a_reason_is_found(self):
        story = self.skipping_story()
        story.ledger[2]["reason"] = None

        self.assert_finds(story.judged("00:04:30"), "I21", "skipped with the reason None", 3)

    def test_a_reason_that_does_not_exist_is_found(self):
        story = self.skipping_story()
        story.ledger[2]["reason"] = "tired"

        self.assert_finds(story.judged("00:04:30"), "I21", "skipped with the reason tired", 3)

    def test_a_range_of_nothing_is_found(self):
        story = self.skipping_story()
        story.ledger[1]["count"] = 0

        self.assert_finds_among_others(story.judged("00:04:30"), "I21", "a range of 0")

    def test_a_start_without_a_run_is_found(self):
        story = Story()
        story.decision("00:01", "started")

        self.assert_finds(story.judged("00:01:30"), "I21", "started without a run", 2)

    def test_exhausted_without_a_limit_is_found(self):
        story = Story()
        story.skipped("00:01", "exhausted")

        self.assert_finds(story.judged("00:01:30"), "I21", "skipped as exhausted without a limit", 2)


class WrongClockTest(CheckerTest):
    def test_times_the_clock_passed_twice_are_not_judged(self):
        story = Story()
        story.ran("00:01")
        story.skipped("00:05", "clock", at="00:05")
        story.void("00:05", "00:01:30")
        story.ran("00:02")

        report = story.judged("00:02:30")

        self.assert_clean(report, "I2")
        self.assertEqual(1, report.counts["times the clock went back"])


if __name__ == "__main__":
    unittest.main()
