"""Planted violations of overlap (I9), pause (I10), catch-up (I11) and backfill (I12)."""

import unittest
from typing import Any

from expectations import CheckerTest
from moments import SECOND, instant_text, parse_instant
from report import Report
from story import MINUTELY, Story, clock, with_policies

NO_CATCHUP = {"catchup": {"policy": "none"}}


class OverlapTest(CheckerTest):
    def test_runs_one_after_another_are_clean(self):
        story = Story()
        story.ran("00:01", lasts="59s")
        story.ran("00:02", lasts="70s")
        story.skipped("00:03", "overlap")

        self.assert_clean(story.judged("00:03:30"), "I9")

    def test_two_runs_at_once_are_found_in_the_ledger_and_by_the_witness(self):
        for policy in ("skip", "buffer_one", "buffer_latest", "buffer_all", "cancel_other", "terminate_other"):
            with self.subTest(policy=policy):
                story = Story(with_policies(overlap=policy))
                story.ran("00:01", lasts="70s")
                story.ran("00:02")

                report = story.judged("00:02:30")

                self.assertEqual([(2, 4), (2, 4)], [violation.seqs for violation in report.of("I9")])
                self.assert_finds_among_others(report, "I9", "while run r-00000001 ran")
                self.assert_finds_among_others(report, "I9", "while run r-00000001 held the slot")

    def test_two_runs_at_once_are_clean_if_all_are_allowed(self):
        story = Story(with_policies(overlap="allow_all"))
        story.ran("00:01", lasts="70s")
        story.ran("00:02")

        self.assert_clean(story.judged("00:02:30"), "I9")

    def test_a_start_that_was_called_back_at_once_held_the_slot(self):
        for is_paused in (True, False):
            with self.subTest(is_paused=is_paused):
                story = Story()
                story.skipped("00:01", "paused", at="00:02:10", source="catchup")
                story.skipped("00:02", "overlap", at="00:02:10")
                if is_paused:
                    story.change("pause", "00:02:10")

                report = story.judged("00:02:50")

                if is_paused:
                    self.assert_clean(report, "I9")
                else:
                    self.assert_finds_among_others(report, "I9", "skipped for an overlap, but no run held the slot")

    def test_a_process_that_outlived_its_record_is_found_by_the_witness_alone(self):
        story = Story()
        story.ran("00:01", lasts="50s")
        story.ran("00:02")
        story.witness[1]["at"] = instant_text(clock("00:02:02"))

        self.assert_finds(story.judged("00:02:30"), "I9", "while run r-00000001 ran", 2, 4)

    def test_a_triggered_run_may_go_beside_the_schedule(self):
        story = Story()
        story.ran("00:01", lasts="50s")
        run = story.ran("00:01:20", source="trigger")["run"]
        story.call("trigger", "00:01:20", run=run)

        self.assert_clean(story.judged("00:01:50"), "I9")

    def retried_beside_a_later_run(self, policy: str) -> Story:
        story = Story()
        first = story.started("00:01")["run"]
        story.attempt(first, clock("00:01:01"), clock("00:01:05"), state="failed")
        story.change("update", "00:01:30", **with_policies(overlap=policy))
        story.ran("00:02", lasts="20s")
        story.attempt(first, clock("00:02:10"), clock("00:02:12"), number=2)
        return story

    def test_a_retry_may_begin_beside_a_later_run_that_was_allowed_beside_all(self):
        self.assert_clean(self.retried_beside_a_later_run("allow_all").judged("00:02:50"), "I9")

    def test_a_retry_beside_a_later_run_that_must_be_alone_is_found(self):
        report = self.retried_beside_a_later_run("buffer_one").judged("00:02:50")

        self.assert_finds_among_others(report, "I9", "while run r-00000002 ran")

    def test_two_attempts_of_a_run_at_once_are_found(self):
        story = Story()
        run = story.started("00:01")["run"]
        story.attempt(run, clock("00:01:01"), clock("00:01:05"), state="failed")
        story.attempt(run, clock("00:01:20"), clock("00:01:21"), number=2)
        story.witness[1]["at"] = instant_text(clock("00:01:30"))

        self.assert_finds(story.judged("00:01:50"), "I9", "attempt 2 began while attempt 1 was alive", 2)

    def test_a_skip_for_a_run_that_had_ended_is_found(self):
        story = Story()
        story.ran("00:01", lasts="5s")
        story.skipped("00:02", "overlap")

        self.assert_finds(story.judged("00:02:30"), "I9", "no run held the slot", 4)

    def test_a_skip_for_a_run_whose_end_may_not_have_been_seen_is_clean(self):
        for begin, end, is_clean in (("00:01:00", "00:02:10", True), ("00:00:50", "00:01:40", False)):
            with self.subTest(begin=begin):
                story = Story()
                story.ran("00:01", lasts="5s")
                story.skipped("00:02", "overlap")
                story.disturbed(begin, end)

                report = story.judged("00:02:30")

                if is_clean:
                    self.assert_clean(report, "I9")
                else:
                    self.assert_finds(report, "I9", "no run held the slot", 4)

    def waiting_one_called_back(self, called_back: str) -> Story:
        story = Story(with_policies(overlap="buffer_one"))
        story.ran("00:01", lasts="110s")
        story.skipped("00:02", "paused", at=called_back, waitedFrom="00:02:00.002")
        story.skipped("00:03", "overlap", at="00:03:20")
        story.change("pause", "00:03:20")
        return story

    def test_a_skip_for_one_that_waited_and_is_called_back_with_it_is_clean(self):
        self.assert_clean(self.waiting_one_called_back("00:03:20").judged("00:03:30"), "I9")

    def test_a_skip_for_one_that_was_called_back_before_is_found(self):
        report = self.waiting_one_called_back("00:03:10").judged("00:03:30")

        self.assert_finds_among_others(report, "I9", "no run held the slot")

    def test_a_skip_for_a_run_that_may_be_retried_is_clean(self):
        story = Story()
        story.ran("00:01", lasts="5s", state="failed")
        story.skipped("00:02", "overlap")

        self.assert_clean(story.judged("00:02:30"), "I9")

    def waiting_story(self, policy: str, **policies: Any) -> Story:
        story = Story(with_policies(overlap=policy, **policies))
        story.ran("00:01", lasts="200s")
        story.decision("00:02", "waiting")
        story.decision("00:03", "waiting")
        return story

    def test_more_waiting_than_the_policy_keeps_is_found(self):
        for policy, limit in (("buffer_one", 1), ("buffer_latest", 1), ("buffer_all", 1)):
            with self.subTest(policy=policy):
                story = self.waiting_story(policy, bufferLimit=1)

                self.assert_finds(story.judged("00:03:30"), "I9", f"2 wait, the policy keeps {limit}", 4, 5)

    def test_waiting_within_the_limit_is_clean(self):
        self.assert_clean(self.waiting_story("buffer_all", bufferLimit=2).judged("00:03:30"), "I9")

    def test_waiting_under_skip_is_found(self):
        story = Story()
        story.ran("00:01", lasts="90s")
        story.decision("00:02", "waiting")

        self.assert_finds(story.judged("00:02:30"), "I9", "1 wait, the policy keeps 0", 4)

    def test_waiting_starts_released_out_of_order_are_found(self):
        story = Story(with_policies(overlap="buffer_all"))
        story.ran("00:01", lasts="150s")
        story.ran("00:02", at="00:03:50", waitedFrom="00:02:00.002")
        story.ran("00:03", at="00:03:40", waitedFrom="00:03:00.002")

        self.assert_finds(story.judged("00:03:59"), "I9", "released after the later 2026-03-02T00:03:00Z", 6, 4)

    def test_a_full_buffer_with_room_is_found(self):
        story = self.waiting_story("buffer_all", bufferLimit=3)
        story.skipped("00:04", "buffer_full")

        self.assert_finds(story.judged("00:04:10"), "I9", "but there was room", 6)

    def test_a_full_buffer_is_clean(self):
        story = self.waiting_story("buffer_all", bufferLimit=2)
        story.skipped("00:04", "buffer_full")

        self.assert_clean(story.judged("00:04:10"), "I9")

    def test_a_full_buffer_of_another_policy_is_found(self):
        story = Story()
        story.skipped("00:01", "buffer_full")

        self.assert_finds(story.judged("00:01:10"), "I9", "but the policy is skip", 2)


class PauseTest(CheckerTest):
    def paused_story(self, **policies: Any) -> Story:
        """Paused from 00:01:30 to 00:03:30; the lines of the pause are 4 and 5."""
        story = Story(with_policies(**policies))
        story.ran("00:01")
        story.change("pause", "00:01:30")
        return story

    def test_a_pause_is_clean(self):
        story = self.paused_story()
        story.range("00:02", "00:03", 2, "paused", "00:03:30")
        story.change("resume", "00:03:30")
        story.ran("00:04")

        self.assert_clean(story.judged("00:04:30"), "I10")

    def test_a_pause_that_gets_another_reason_is_one_pause(self):
        story = self.paused_story()
        story.change("pause", "00:02:30")
        story.range("00:02", "00:03", 2, "paused", "00:03:30")
        story.change("resume", "00:03:30")
        story.ran("00:04")

        self.assert_clean(story.judged("00:04:30"), "I10")

    def test_a_start_in_a_pause_is_found(self):
        story = self.paused_story()
        story.ran("00:02")
        story.range("00:03", "00:03", 1, "paused", "00:03:30")
        story.change("resume", "00:03:30")

        report = story.judged("00:03:40")

        self.assert_finds_among_others(report, "I10", "started while paused (seq 4, 5)")
        self.assert_finds_among_others(report, "I10", "due in a pause, but the reason is none")

    def test_a_start_decided_before_and_claimed_in_the_pause_is_found(self):
        for is_written_after in (True, False):
            with self.subTest(is_written_after=is_written_after):
                story = self.paused_story()
                attempt = story.ledger[2]
                attempt |= {"claimedAt": instant_text(clock("00:01:40")), "launchedAt": instant_text(clock("00:01:40"))}
                attempt["endedAt"] = instant_text(clock("00:01:45"))
                story.witness = []
                if is_written_after:
                    attempt["seq"] = story.ledger[-1]["seq"] + 1
                    story.ledger.append(story.ledger.pop(2))

                report = story.judged("00:01:50")

                if is_written_after:
                    self.assert_finds(report, "I10", "claimed while paused", 4, 2)
                else:
                    self.assert_clean(report, "I10")

    def test_a_retry_in_a_pause_is_clean(self):
        story = self.paused_story()
        story.ledger[2]["state"] = "failed"
        story.attempt("r-00000001", clock("00:01:40"), clock("00:01:41"), number=2)

        self.assert_clean(story.judged("00:01:50"), "I10", "I13")

    def test_a_trigger_in_a_pause_is_clean(self):
        story = self.paused_story()
        run = story.ran("00:01:40", source="trigger")["run"]
        story.call("trigger", "00:01:40", run=run)

        self.assert_clean(story.judged("00:01:50"), "I10")

    def test_an_occurrence_of_a_pause_with_another_reason_is_found(self):
        story = self.paused_story()
        story.ran("00:02", at="00:03:30", source="catchup")
        story.range("00:03", "00:03", 1, "paused", "00:03:30")
        story.change("resume", "00:03:30")

        self.assert_finds(story.judged("00:03:50"), "I10", "due in a pause, but the reason is none", 4, 5)

    def test_what_a_pause_missed_may_be_kept(self):
        story = self.paused_story(pause={"missed": "buffer"})
        story.range("00:02", "00:02", 1, "superseded", "00:04:30")
        story.change("resume", "00:04:30")
        story.ran("00:03", at="00:04:30", source="catchup")
        story.skipped("00:04", "overlap", at="00:04:30")

        self.assert_clean(story.judged("00:04:50"), "I1", "I10")

    def test_paused_without_a_pause_is_found(self):
        story = Story()
        story.skipped("00:01", "paused")

        self.assert_finds(story.judged("00:01:30"), "I10", "but there was no pause", 2)

    def test_a_paused_range_outside_of_a_pause_is_found(self):
        story = self.paused_story()
        story.change("resume", "00:03:30")
        story.range("00:02", "00:04", 3, "paused", "00:04:10")

        self.assert_finds(story.judged("00:04:30"), "I10", "does not lie in a pause", 6)

    def test_a_start_while_disabled_is_found(self):
        story = Story()
        story.change("disable", "00:00:50")
        story.ran("00:01")

        self.assert_finds(story.judged("00:01:30"), "I10", "started while disabled", 2, 3)


class CatchupTest(CheckerTest):
    def test_latest_starts_the_newest_missed_one(self):
        story = Story()
        story.range("00:01", "00:04", 4, "superseded", "00:06:30")
        story.ran("00:05", at="00:06:30", source="catchup")
        story.skipped("00:06", "overlap", at="00:06:30")

        self.assert_clean(story.judged("00:06:50"), "I1", "I11")

    def test_latest_that_starts_an_older_one_is_found(self):
        story = Story(with_policies(overlap="allow_all"))
        story.ran("00:01", at="00:03:30", source="catchup")
        story.ran("00:02", at="00:03:30", source="catchup")
        story.ran("00:03", at="00:03:30")

        self.assert_finds(story.judged("00:03:50"), "I11", "2026-03-02T00:02:00Z was missed after it", 2)

    def test_superseded_by_nothing_is_found(self):
        story = Story()
        story.range("00:01", "00:04", 4, "superseded", "00:04:50")

        self.assert_finds_among_others(story.judged("00:04:50"), "I11", "a range skipped as superseded")

    def test_superseded_though_all_are_wanted_is_found(self):
        story = Story(with_policies(catchup={"policy": "all"}))
        story.skipped("00:01", "superseded", at="00:02:30")
        story.ran("00:02", at="00:02:30")

        self.assert_finds(story.judged("00:02:50"), "I11", "nothing may replace it", 2)

    def test_a_late_start_under_none_is_found(self):
        story = Story(with_policies(**NO_CATCHUP))
        story.ran("00:01", at="00:02:01", source="catchup")

        self.assert_finds(story.judged("00:01:59"), "I11", "started late, but the policy is none", 2)

    def test_a_start_within_grace_is_not_late(self):
        story = Story(with_policies(**NO_CATCHUP))
        story.ran("00:01", at="00:02")

        self.assert_clean(story.judged("00:01:59"), "I11")

    def test_a_start_beyond_the_window_is_found(self):
        story = Story(with_policies(catchup={"policy": "all", "window": "2m"}))
        story.ran("00:01", at="00:03:01", source="catchup")
        story.skipped("00:02", "overlap", at="00:03:01")
        story.skipped("00:03", "overlap", at="00:03:01")

        self.assert_finds(story.judged("00:03:10"), "I11", "started 121 s late, beyond the window", 2)

    def test_missed_though_it_was_in_time_is_found(self):
        for policy in ({"policy": "none"}, {"policy": "all", "window": "2m"}):
            story = Story(with_policies(catchup=policy))
            story.skipped("00:01", "missed", at="00:01:50")

            self.assert_finds(story.judged("00:01:59"), "I11", "neither late nor beyond the window", 2)

    def test_missed_beyond_the_window_is_clean(self):
        story = Story(with_policies(catchup={"policy": "all", "window": "2m"}))
        story.skipped("00:01", "missed", at="00:03:01")

        self.assert_clean(story.judged("00:01:59"), "I11")

    def test_more_runs_than_the_limit_are_found(self):
        story = Story(with_policies(overlap="allow_all", catchup={"policy": "all", "maxRuns": 2}))
        for nominal in ("00:01", "00:02", "00:03"):
            story.ran(nominal, at="00:05", source="catchup")

        self.assert_finds(story.judged("00:03:50"), "I11", "3 started late together, the limit is 2", 6)

    def test_a_quota_of_another_policy_is_found(self):
        story = Story(with_policies(**NO_CATCHUP))
        story.range("00:01", "00:02", 2, "quota", "00:04")

        self.assert_finds(story.judged("00:02:50"), "I11", "but the policy is none", 2)


class ShortWindowTest(CheckerTest):
    def test_a_window_below_the_grace_holds_for_what_is_late(self):
        story = Story(with_policies(catchup={"policy": "all", "window": "20s"}, overlap="allow_all"))
        story.ran("00:01", at="00:01:25")

        self.assert_finds_among_others(story.judged("00:01:50"), "I11", "beyond the window")

    def test_a_grace_below_a_second_is_raised(self):
        story = Story(with_policies(catchup={"policy": "none", "grace": "0s"}))
        story.ran("00:01", at="00:01:00.9")

        self.assert_clean(story.judged("00:01:50"), "I11")


class BackfillTest(CheckerTest):
    def backfilled(self, *nominals: str, run_ends: str = "+backfill-b1", **members: Any) -> Story:
        """A minute of ordinary life, then a backfill from 00:10 to 00:13, long before the creation."""
        story = Story(created="12:00:30")
        story.ran("12:01")
        for index, nominal in enumerate(nominals):
            name = f"beat@{instant_text(clock(nominal))}{run_ends}{'x' * index if not run_ends else ''}"
            story.ran(nominal, at=f"12:01:{20 + 10 * index}", source="backfill", run=name)
        story.backfill("00:10", "00:13", "12:01:59", **({"done": 3, "total": 3} | members))
        return story

    def test_a_complete_backfill_is_clean(self):
        for run_ends in ("+backfill-b1", ""):
            story = self.backfilled("00:10", "00:11", "00:12", run_ends=run_ends)

            self.assert_clean(story.judged("12:01:59"), "I12")

    def test_newest_first_is_clean(self):
        self.assert_clean(self.backfilled("00:12", "00:11", "00:10").judged("12:01:59"), "I12")

    def test_an_occurrence_left_out_is_found(self):
        story = self.backfilled("00:10", "00:12")

        self.assert_finds(story.judged("12:01:59"), "I12", "00:11:00Z: backfill b1 is complete without it", 8)

    def edited_while_one_waits(self, waited_from: str) -> Report:
        """It waits for the slot of its schedule, which has other times from 12:01:25 on, and starts by those."""
        story = Story(created="12:00:30")
        story.ran("12:01")
        story.change("update", "12:01:25", **(MINUTELY | {"spec": {"cron": ["30 * * * *"]}}))
        name = f"beat@{instant_text(clock('00:12'))}+backfill-b1"
        story.ran("00:12", at="12:01:45", source="backfill", run=name, waitedFrom=waited_from)
        story.backfill("00:12", "00:13", "12:01:50", done=1, total=1)
        return story.judged("12:01:59")

    def test_one_that_waits_while_its_schedule_is_edited_was_a_time_of_it(self):
        self.assert_clean(self.edited_while_one_waits("12:01:22"), "I12")

    def test_one_that_waits_since_the_edit_was_none(self):
        self.assert_finds_among_others(self.edited_while_one_waits("12:01:28"), "I12", "not an occurrence of revision")

    def test_an_open_backfill_may_lack_some(self):
        story = self.backfilled("00:10", state="running", done=1)

        self.assert_clean(story.judged("12:01:59"), "I12")

    def test_the_end_of_the_range_is_not_part_of_it(self):
        story = self.backfilled("00:10", "00:11", "00:12", "00:13")

        self.assert_finds(story.judged("12:01:59"), "I12", "no backfill covers it", 10)

    def test_an_occurrence_backfilled_twice_is_found(self):
        story = self.backfilled("00:10", "00:11", "00:11", "00:12", total=4, done=4)
        story.ledger[7]["run"] += "-again"
        story.ledger[8]["run"] += "-again"
        story.witness[6]["run"] += "-again"
        story.witness[7]["run"] += "-again"
        story.ledger[7]["backfill"] = "b1"

        self.assert_finds(story.judged("12:01:59"), "I12", "backfilled twice", 6, 8)

    def skipped_and_backfilled(self, backfill_count: int) -> Story:
        """Each occurrence is skipped, for a backfill that is not named, before the first backfill runs it."""
        story = Story(created="12:00:30")
        story.ran("12:01")
        nominals = ("00:10", "00:11", "00:12")
        for nominal in nominals:
            story.skipped(nominal, "overlap", at="12:01:15", source="backfill")
        for index, nominal in enumerate(nominals):
            name = f"beat@{instant_text(clock(nominal))}+backfill-b1"
            story.ran(nominal, at=f"12:01:{20 + 10 * index}", source="backfill", run=name)
        for number in range(1, backfill_count + 1):
            story.backfill("00:10", "00:13", "12:01:59", id=f"b{number}", done=3, total=3)
        return story

    def test_what_one_backfill_skips_another_may_run(self):
        self.assert_clean(self.skipped_and_backfilled(2).judged("12:01:59"), "I12")

    def skipped_after_another(self, first_ends: str) -> Story:
        """A backfill that finds nothing missing, and one that skips two and runs the third; skips name no backfill."""
        story = Story()
        for nominal in ("00:01", "00:02", "00:03", "00:04", "00:05"):
            story.ran(nominal)
        story.backfill("00:01", "00:04", first_ends, id="b1", done=3, total=3)
        for nominal in ("00:01", "00:02"):
            story.skipped(nominal, "superseded", at="00:05:10", source="backfill")
        story.ran("00:03", at="00:05:10", source="backfill", run=f"beat@{instant_text(clock('00:03'))}+backfill-b2")
        story.backfill("00:01", "00:04", "00:05:30", id="b2", done=3, total=3)
        for call, changes in zip(story.history[-2:], ({"reprocess": "missing"}, {})):
            call["arguments"] |= {"overlap": "cancel_other"} | changes
        return story

    def test_a_backfill_that_was_over_has_skipped_nothing(self):
        self.assert_clean(self.skipped_after_another("00:04:10").judged("00:05:50"), "I12")

    def test_what_one_backfill_skips_and_runs_is_found(self):
        self.assert_finds_among_others(self.skipped_and_backfilled(1).judged("12:01:59"), "I12", "backfilled twice")

    def test_what_is_no_occurrence_is_found(self):
        story = self.backfilled("00:10", "00:10:30", "00:11", "00:12", total=4, done=4)

        self.assert_finds(story.judged("12:01:59"), "I12", "not an occurrence of revision 1", 6)

    def test_a_backfill_in_no_order_is_found(self):
        story = self.backfilled("00:11", "00:10", "00:12")

        self.assert_finds(story.judged("12:01:59"), "I12", "backfilled in no order", 4, 8)

    def test_a_backfill_that_says_complete_too_early_is_found(self):
        story = self.backfilled("00:10", "00:11", "00:12", done=2)

        self.assert_finds(story.judged("12:01:59"), "I12", "is completed with 2 of 3", 10)

    def test_two_runs_at_once_in_its_lane_are_found(self):
        story = self.backfilled("00:10", "00:11", "00:12")
        story.witness[3]["at"] = instant_text(parse_instant(story.witness[4]["at"]) + SECOND)

        self.assert_finds(story.judged("12:01:59"), "I12", "2 runs of backfill b1", 6)


if __name__ == "__main__":
    unittest.main()
