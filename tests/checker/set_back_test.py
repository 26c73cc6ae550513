"""Planted violations of I1, I2, I5 and I7 around a store's clock that was ahead and is set back."""

import unittest

from expectations import CheckerTest
from moments import instant_text
from story import MINUTELY, Story, clock, with_policies


def two_minutes_and_a_clock_ahead() -> Story:
    """Two starts, then a clock that is ahead: four occurrences are missed and the newest ones start; lines 2 to 10."""
    story = Story(with_policies(catchup={"policy": "none", "grace": "2m"}))
    story.ran("00:01")
    story.ran("00:02")
    story.range("00:03", "00:06", 4, "missed", "00:08:30")
    story.ran("00:07", at="00:08:30", lasts="1ms")
    story.ran("00:08", at="00:08:30.500", lasts="1ms")
    return story


class ClockSetBackTest(CheckerTest):
    def test_what_is_open_again_is_decided_after_a_later_start_that_stands(self):
        story = two_minutes_and_a_clock_ahead()
        for nominal in ("00:03", "00:04", "00:05", "00:06"):
            story.void(nominal, "00:02:40")
        for nominal in ("00:03", "00:04", "00:05", "00:06", "00:09"):
            story.ran(nominal)

        self.assert_clean(story.judged("00:09:30"), "I1", "I2", "I5")

    def test_what_no_void_opened_before_a_later_start_is_found(self):
        story = two_minutes_and_a_clock_ahead()
        story.ran("00:03")

        report = story.judged("00:03:30")

        self.assert_finds_among_others(report, "I5", "00:03:00Z: decided after a later occurrence (seq 9, 11)")

    def test_what_is_older_than_all_that_was_opened_is_found(self):
        story = two_minutes_and_a_clock_ahead()
        story.void("00:04", "00:03:40")
        story.ran("00:03", at="00:03:50")

        report = story.judged("00:03:55")

        self.assert_finds_among_others(report, "I5", "00:03:00Z: decided after a later occurrence (seq 11, 12)")

    def test_what_is_open_again_and_decided_in_no_order_is_found(self):
        story = two_minutes_and_a_clock_ahead()
        for nominal in ("00:03", "00:04", "00:05", "00:06"):
            story.void(nominal, "00:02:40")
        story.ran("00:04")
        story.ran("00:03", at="00:04:10")
        for nominal in ("00:05", "00:06"):
            story.ran(nominal)

        self.assert_finds(story.judged("00:06:30"), "I5", "00:03:00Z: decided after a later occurrence", 15, 17)

    def test_a_void_without_a_clock_set_back_is_found(self):
        story = two_minutes_and_a_clock_ahead()
        story.void("00:06", "00:08:40")
        story.ran("00:06", at="00:08:50")

        report = story.judged("00:08:55")

        self.assert_finds_among_others(report, "I5", "00:06:00Z: decided after a later occurrence (seq 9, 12)")

    def test_what_a_creation_passed_over_comes_due_again(self):
        story = Story(created="00:05:30")
        story.ran("00:06")
        for nominal in ("00:03", "00:04", "00:05", "00:07"):
            story.ran(nominal)

        self.assert_clean(story.judged("00:07:30"), "I2", "I5")

    def test_what_an_edit_passed_over_comes_due_again(self):
        story = Story()
        story.ran("00:01")
        story.change("update", "00:01:20", **MINUTELY | {"spec": {"cron": ["*/5 * * * *"]}})
        story.ran("00:05")
        story.change("update", "00:06:30", **MINUTELY)
        story.ran("00:07")
        for nominal in ("00:03", "00:04", "00:06", "00:08"):
            story.ran(nominal)

        self.assert_clean(story.judged("00:08:30"), "I2", "I5")

    def test_what_comes_due_again_in_no_order_is_found(self):
        story = Story(created="00:05:30")
        story.ran("00:06")
        story.ran("00:04")
        story.ran("00:03", at="00:04:20")

        self.assert_finds(story.judged("00:04:30"), "I5", "00:03:00Z: decided after a later occurrence", 4, 6)

    def test_what_a_creation_passed_over_without_a_clock_set_back_is_found(self):
        story = Story(created="00:05:30")
        story.ran("00:06")
        story.ran("00:05", at="00:06:20")

        report = story.judged("00:06:30")

        self.assert_finds_among_others(report, "I5", "00:05:00Z: decided after a later occurrence (seq 2, 4)")

    def passed_over_and_missed(self) -> Story:
        """A creation passes over 00:04; after a start it is missed, and no line tells that the clock was back."""
        story = Story(with_policies(catchup={"policy": "none", "grace": "1m"}), created="00:04:30")
        story.ran("00:05")
        story.skipped("00:04", "missed", at="00:06:00.002", source="catchup")
        story.ran("00:06")
        return story

    def test_a_clock_that_was_back_for_a_moment_opens_what_was_passed_over(self):
        story = self.passed_over_and_missed()
        story.clock_set("00:05:40", "00:03:30")
        story.clock_set("00:03:36", "00:05:46")

        self.assert_clean(story.judged("00:06:40"), "I1", "I2", "I5", "I11")

    def test_a_moment_before_or_after_both_lines_opens_nothing(self):
        for before in ("00:04:50", "00:06:30"):
            with self.subTest(before=before):
                story = self.passed_over_and_missed()
                story.clock_set(before, "00:03:30")
                story.clock_set("00:03:36", before)

                report = story.judged("00:06:40")

                message = "00:04:00Z: decided after a later occurrence (seq 2, 4)"
                self.assert_finds_among_others(report, "I5", message)

    def test_a_moment_in_which_the_start_was_not_ahead_opens_nothing(self):
        story = self.passed_over_and_missed()
        story.clock_set("00:05:40", "00:05:10")
        story.clock_set("00:05:16", "00:05:46")

        report = story.judged("00:06:40")

        self.assert_finds_among_others(report, "I5", "00:04:00Z: decided after a later occurrence (seq 2, 4)")

    def test_a_moment_before_a_start_that_the_clock_came_to_twice_opens_nothing(self):
        story = Story(created="00:04:30")
        story.ran("00:05", lasts="1s")
        story.void("00:02", "00:01:30")
        story.ran("00:02")
        story.ran("00:06")
        story.skipped("00:04", "missed", at="00:07:20", source="catchup")
        story.clock_set("00:06:30", "00:01:20")

        report = story.judged("00:07:30")

        self.assert_finds_among_others(report, "I5", "00:04:00Z: decided after a later occurrence (seq 7, 9)")

    def edited_under_a_clock_that_was_set_back(self, cron: str) -> Story:
        """A start at 00:05 stands when the clock is set back to 00:02; then the schedule becomes minutely."""
        story = Story(MINUTELY | {"spec": {"cron": [cron]}})
        story.ran("00:05")
        story.change("update", "00:02:20", **MINUTELY)
        for nominal in ("00:03", "00:04", "00:06"):
            story.ran(nominal)
        return story

    def test_what_an_edit_adds_before_a_later_start_that_stands_is_decided_after_it(self):
        story = self.edited_under_a_clock_that_was_set_back("*/5 * * * *")

        self.assert_clean(story.judged("00:06:30"), "I2", "I5")

    def test_what_was_an_occurrence_before_the_edit_already_is_found(self):
        report = self.edited_under_a_clock_that_was_set_back("3,5 * * * *").judged("00:06:30")

        self.assert_finds_among_others(report, "I5", "00:03:00Z: decided after a later occurrence (seq 2, 5)")

    def test_what_an_edit_adds_without_a_clock_set_back_is_found(self):
        story = Story(MINUTELY | {"spec": {"cron": ["*/5 * * * *"]}})
        story.ran("00:05")
        story.change("update", "00:05:20", **MINUTELY)
        story.ran("00:04", at="00:05:30")

        report = story.judged("00:05:40")

        self.assert_finds_among_others(report, "I5", "00:04:00Z: decided after a later occurrence (seq 2, 5)")

    def test_what_no_edit_added_is_found_though_the_definition_is_not_known(self):
        story = Story()
        story.ran("00:05")
        story.ran("00:03")
        story.history.clear()

        report = story.judged("00:03:30")

        self.assert_finds_among_others(report, "I5", "00:03:00Z: decided after a later occurrence (seq 2, 4)")

    def test_what_nothing_passed_over_is_found(self):
        story = Story()
        story.ran("00:01")
        story.ran("00:03")
        story.ran("00:02")

        report = story.judged("00:03:30")

        self.assert_finds_among_others(report, "I5", "00:02:00Z: decided after a later occurrence (seq 4, 6)")

    def test_calls_before_and_after_it_are_in_the_order_of_their_changes(self):
        story = Story()
        story.change("update", "00:05:40", **with_policies(bufferLimit=5))
        story.change("pause", "00:00:50")

        self.assert_clean(story.judged("00:00:55"), "I5", "I7")


class WaitingAcrossAnEditTest(CheckerTest):
    """A start begins to wait at a time before the edit, by a clock that was set back after it."""

    def edit(self, story: Story) -> None:
        spec = {"cron": ["20 * * * * *"]}
        story.change("update", "00:03:30", **with_policies(overlap="buffer_one") | {"spec": spec})

    def edited_before_the_clock_is_set_back(self) -> Story:
        story = Story(with_policies(overlap="buffer_one"))
        for nominal in ("00:01", "00:02", "00:03"):
            story.ran(nominal)
        self.edit(story)
        story.clock_set("00:03:40", "00:01:10")
        story.ran("00:01:20", lasts="70s")
        return story

    def test_it_is_an_occurrence_of_the_edited_definition(self):
        story = self.edited_before_the_clock_is_set_back()
        story.ran("00:02:20", at="00:02:31", waitedFrom="00:02:20.002")

        report = story.judged("00:02:50")

        self.assert_clean(report, "I1", "I5")
        self.assertEqual({}, dict(report.not_judged))

    def test_an_occurrence_of_neither_definition_is_found(self):
        story = self.edited_before_the_clock_is_set_back()
        story.ran("00:02:10", at="00:02:31", waitedFrom="00:02:10.002")

        self.assert_finds(story.judged("00:02:50"), "I1", "00:02:10Z: decided, but not an occurrence of revision 2", 11)

    def test_an_occurrence_of_a_definition_that_comes_after_it_is_found(self):
        story = Story(with_policies(overlap="buffer_one"))
        story.ran("00:01")
        story.clock_set("00:03:40", "00:01:10")
        story.ran("00:02", lasts="30s")
        story.ran("00:02:20", at="00:02:31", waitedFrom="00:02:20.002")
        story.ran("00:03")
        self.edit(story)

        report = story.judged("00:03:32")

        self.assert_finds(report, "I1", "00:02:20Z: decided, but not an occurrence of revision 1", 6)

    def test_an_occurrence_of_the_edited_definition_under_a_good_clock_is_found(self):
        story = Story(with_policies(overlap="buffer_one"))
        story.ran("00:01")
        story.ran("00:02", lasts="120s")
        self.edit(story)
        story.ran("00:02:20", at="00:04:01", waitedFrom="00:02:20.002")

        report = story.judged("00:04:10")

        self.assert_finds_among_others(report, "I1", "00:02:20Z: decided, but not an occurrence of revision 2 (seq 7)")


class OpenedAgainTest(CheckerTest):
    """A skip is taken back because the clock is set back behind its due time, later than its nominal time by a jitter."""

    def taken_back(self, set_back_to: str, is_decided: bool = True, disabled: str = "00:03:50") -> Story:
        story = Story(MINUTELY | {"spec": {"cron": ["* * * * *"], "jitter": "30s"}})
        story.ran("00:01")
        story.ran("00:02", lasts="90s")
        if is_decided:
            story.skipped("00:03", "overlap", at="00:03:25", due=instant_text(clock("00:03:25")))
        story.change("disable", disabled)
        story.clock_set("00:05:00", set_back_to)
        if is_decided:
            story.void("00:03", set_back_to)
        return story

    def test_what_is_due_again_when_the_schedule_is_disabled_needs_no_decision(self):
        self.assert_clean(self.taken_back("00:03:10").judged("00:10"), "I1")

    def test_what_was_due_before_the_time_the_clock_was_set_to_is_found(self):
        report = self.taken_back("00:03:40").judged("00:10")

        self.assert_finds_among_others(report, "I1", "00:03:00Z: no decision, though revision 1 was in force")

    def test_what_was_never_decided_is_found(self):
        report = self.taken_back("00:03:10", is_decided=False).judged("00:10")

        self.assert_finds(report, "I1", "00:03:00Z: no decision, though revision 1 was in force", 1)

    def test_what_is_due_again_under_the_same_revision_is_found(self):
        story = Story(MINUTELY | {"spec": {"cron": ["* * * * *"], "jitter": "30s"}})
        story.ran("00:01")
        story.ran("00:02", lasts="90s")
        story.skipped("00:03", "overlap", at="00:03:25", due=instant_text(clock("00:03:25")))
        story.clock_set("00:03:28", "00:03:10")
        story.void("00:03", "00:03:11")
        story.ran("00:04")

        report = story.judged("00:04:20")

        self.assert_finds_among_others(report, "I1", "00:03:00Z: no decision, though revision 1 was in force")


class RangeDecidedAgainTest(CheckerTest):
    """A skip and a range of four are taken back, and all five are missed together once the clock is right again."""

    def missed_again(self, opened_to: str, opens_in_time: bool = True) -> Story:
        story = Story(with_policies(catchup={"policy": "none", "grace": "2m"}, overlap="skip"))
        story.ran("00:01")
        story.ran("00:02", lasts="100s")
        story.skipped("00:03", "overlap")
        story.range("00:04", "00:07", 4, "missed", "00:09:30")
        story.ran("00:08", at="00:09:30", lasts="1ms")
        story.ran("00:09", at="00:09:30.500", lasts="1ms")
        story.clock_set("00:09:35", "00:02:50")
        story.clock_set("00:02:55", "00:09:40")
        if opens_in_time:
            self.open_again(story, opened_to)
        story.range("00:03", "00:07", 5, "missed", "00:09:40")
        if not opens_in_time:
            self.open_again(story, opened_to)
        return story

    def open_again(self, story: Story, last: str) -> None:
        span = {"from": instant_text(clock("00:03")), "to": instant_text(clock(last))}
        story.row("void", "00:02:51", **span, reason="clock")

    def test_a_range_that_begins_before_the_one_taken_back_is_clean(self):
        self.assert_clean(self.missed_again("00:07").judged("00:09:50"), "I1", "I2", "I5")

    def test_a_range_over_what_was_not_all_taken_back_is_found(self):
        report = self.missed_again("00:06").judged("00:09:50")

        self.assert_finds_among_others(report, "I2", "a range overlaps what was decided otherwise (seq 13, 7)")

    def test_a_range_over_what_is_taken_back_only_later_is_found(self):
        report = self.missed_again("00:07", opens_in_time=False).judged("00:09:50")

        self.assert_finds_among_others(report, "I2", "a range overlaps what was decided otherwise (seq 12, 7)")

    def test_a_range_that_goes_on_behind_the_one_taken_back_is_clean(self):
        story = Story(with_policies(catchup={"policy": "none", "grace": "10s"}))
        story.range("00:01", "00:05", 5, "missed", "00:05:30")
        story.clock_set("00:05:35", "00:02:50")
        self.open_again(story, "00:05")
        story.range("00:03", "00:07", 5, "missed", "00:07:30")

        self.assert_clean(story.judged("00:07:50"), "I1", "I2", "I5")

    def test_a_start_in_a_range_is_found_behind_a_wider_one_taken_back(self):
        story = Story(with_policies(catchup={"policy": "none", "grace": "10s"}))
        story.range("00:01", "00:08", 8, "missed", "00:08:30")
        story.clock_set("00:08:35", "00:02:50")
        self.open_again(story, "00:08")
        story.range("00:03", "00:05", 3, "missed", "00:05:30")
        story.ran("00:04", at="00:05:40")

        report = story.judged("00:05:50")

        self.assert_finds_among_others(report, "I2", "a range overlaps what was decided otherwise (seq 4, 5)")

    def test_a_later_revision_may_decide_between_what_is_left_of_a_range_and_what_was_opened(self):
        # Of the range 00:01 to 00:05 a void left 00:01 and 00:02; 00:02:30 is no time of it.
        for nominal, is_clean in (("00:02:30", True), ("00:02", False)):
            with self.subTest(nominal=nominal):
                policies = with_policies(catchup={"policy": "none", "grace": "10s"})
                story = Story(policies)
                story.range("00:01", "00:05", 5, "missed", "00:05:30")
                story.clock_set("00:05:35", "00:01:50")
                self.open_again(story, "00:05")
                spec = {"spec": {"times": [instant_text(clock(nominal))]}}
                story.change("update", "00:01:55", **policies | spec)
                story.ran(nominal, at="00:02:31")

                found = story.judged("00:02:50").of("I2")

                self.assertEqual(is_clean, not found, found)


if __name__ == "__main__":
    unittest.main()
