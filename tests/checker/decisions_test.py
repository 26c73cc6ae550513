"""Planted violations of completeness (I1), uniqueness (I2) and order (I5)."""

import unittest

from expectations import CheckerTest
from moments import instant_text
from story import MINUTELY, Story, clock, with_policies


def three_minutes() -> Story:
    """Three plain starts; lines 2 to 7."""
    story = Story()
    for nominal in ("00:01", "00:02", "00:03"):
        story.ran(nominal)
    return story


class CompletenessTest(CheckerTest):
    def test_every_occurrence_decided_is_clean(self):
        self.assert_clean(three_minutes().judged("00:03:30"), "I1")

    def test_a_missing_occurrence_is_found(self):
        report = three_minutes().judged("00:04:30")

        self.assert_finds(report, "I1", "2026-03-02T00:04:00Z: no decision", 1)

    def test_an_occurrence_younger_than_the_settling_time_may_be_open(self):
        self.assert_clean(three_minutes().judged("00:04:30", settle=clock("00:01") - clock("00:00")), "I1")

    def test_a_decision_that_is_no_occurrence_is_found(self):
        story = three_minutes()
        story.ran("00:03:20")

        self.assert_finds(story.judged("00:03:40"), "I1", "not an occurrence of revision 1", 8)

    def test_a_decision_before_the_creation_is_found(self):
        story = Story(created="00:00:30")
        story.ran("00:00", at="00:00:31")

        self.assert_finds(story.judged("00:00:40"), "I1", "was in force from 2026-03-02T00:00:30Z", 2)

    def test_a_range_that_counts_wrongly_is_found(self):
        story = Story(with_policies(catchup={"policy": "none"}))
        story.range("00:01", "00:05", 4, "missed", "00:08")
        for nominal in ("00:06", "00:07"):
            story.skipped(nominal, "missed", at="00:08:30")
        story.ran("00:08", at="00:08:30")

        self.assert_finds(story.judged("00:08:30"), "I1", "counts 4, the oracle 5", 2)

    def test_a_range_between_occurrences_is_found(self):
        story = Story(with_policies(catchup={"policy": "none"}))
        line = story.range("00:01", "00:05", 5, "missed", "00:07")
        line["to"] = instant_text(clock("00:05:30"))
        story.skipped("00:06", "missed", at="00:07:30")

        self.assert_finds(story.judged("00:06:30"), "I1", "does not begin and end with an occurrence", 2)

    def test_an_edit_decides_by_the_new_definition_from_then_on(self):
        story = three_minutes()
        story.change("update", "00:03:30", **(MINUTELY | {"spec": {"cron": "*/5 * * * *"}}))
        story.ran("00:05")

        self.assert_clean(story.judged("00:07"), "I1")

    def test_an_occurrence_of_the_definition_before_an_edit_is_found(self):
        story = three_minutes()
        story.change("update", "00:03:30", **(MINUTELY | {"spec": {"cron": "*/5 * * * *"}}))
        story.ran("00:04")
        story.ran("00:05")

        self.assert_finds(story.judged("00:07"), "I1", "not an occurrence of revision 2", 9)

    def test_what_a_patch_changed_is_in_force(self):
        story = three_minutes()
        story.change("update", "00:03:30", patch={"spec": {"cron": "*/5 * * * *"}})
        story.ran("00:05")

        self.assert_clean(story.judged("00:07"), "I1")

    def test_a_spec_that_cannot_be_read_is_loud(self):
        story = Story(MINUTELY | {"spec": {"cron": "often"}})

        self.assert_finds(story.judged("00:02"), "I1", "cannot be read", 1)

    def test_a_disabled_or_paused_schedule_owes_nothing_yet(self):
        for op in ("disable", "pause"):
            with self.subTest(op=op):
                story = three_minutes()
                story.change(op, "00:03:30")

                self.assert_clean(story.judged("01:00"), "I1")

    def test_a_dead_schedule_owes_nothing(self):
        story = Story(with_policies(maxConsecutiveFailures=2, retry={"maxAttempts": 1}))
        story.ran("00:01", state="failed")
        story.ran("00:02", state="failed")

        self.assert_clean(story.judged("01:00"), "I1")

    def test_a_schedule_that_is_not_dead_goes_on(self):
        story = Story(with_policies(maxConsecutiveFailures=3, retry={"maxAttempts": 1}))
        story.ran("00:01", state="failed")
        story.ran("00:02", state="failed")

        self.assert_finds(story.judged("00:03"), "I1", "00:03:00Z: no decision", 1)

    def test_jitter_leaves_open_what_may_not_be_due_yet(self):
        story = Story(MINUTELY | {"spec": {"cron": "* * * * *", "jitter": "30s"}})
        for nominal, due in (("00:01", "00:01:20"), ("00:02", "00:02:10")):
            story.ran(nominal, at=due, due=instant_text(clock(due)))

        self.assert_clean(story.judged("00:03:25"), "I1", "I16")

    def test_a_schedule_added_again_soon_goes_on_where_it_was(self):
        story = three_minutes()
        story.change("delete", "00:03:30")
        story.incarnation, story.revision = 2, 0
        story.change("create", "00:06:10", **MINUTELY)
        story.ran("00:06", at="00:06:10")
        story.ran("00:07")

        self.assert_clean(story.judged("00:07:30"), "I1", "I2")


class UniquenessTest(CheckerTest):
    def test_two_decisions_of_one_occurrence_are_found(self):
        story = three_minutes()
        story.skipped("00:03", "overlap", at="00:03:00.003")

        self.assert_finds(story.judged("00:03:30"), "I2", "two decisions: started and skipped(overlap)", 6, 8)

    def test_a_skip_that_was_voided_does_not_count(self):
        story = three_minutes()
        story.skipped("00:04", "clock")
        story.void("00:04", "00:04:00.004")
        story.ran("00:04", at="00:04:00.005")

        self.assert_clean(story.judged("00:04:30"), "I1", "I2")

    def test_a_start_that_was_voided_is_found(self):
        story = three_minutes()
        story.void("00:03", "00:03:20")

        self.assert_finds(story.judged("00:03:30"), "I2", "a void of what has started", 6, 8)

    def test_a_range_over_a_decision_is_found(self):
        story = Story(with_policies(catchup={"policy": "none"}))
        story.skipped("00:02", "missed", at="00:08:30")
        story.range("00:01", "00:06", 6, "missed", "00:08:30")
        story.ran("00:08", at="00:08:30")

        report = story.judged("00:06:30")

        self.assert_finds(report, "I2", "a range overlaps what was decided otherwise", 3, 2)

    def test_two_ranges_that_overlap_are_found(self):
        story = Story(with_policies(catchup={"policy": "none"}))
        story.range("00:01", "00:04", 4, "missed", "00:06")
        story.range("00:03", "00:04", 2, "missed", "00:06")

        self.assert_finds(story.judged("00:04:30"), "I2", "a range overlaps", 2, 3)

    def test_part_of_a_range_may_be_voided_and_decided_again(self):
        story = Story(with_policies(catchup={"policy": "none"}))
        story.range("00:01", "00:04", 4, "missed", "00:06")
        story.void("00:04", "00:06:01")
        story.skipped("00:04", "missed", at="00:06:02")

        self.assert_clean(story.judged("00:04:30"), "I1", "I2")

    def test_a_run_of_two_decisions_is_found(self):
        story = three_minutes()
        story.started("00:04", run="r-00000003")

        report = story.judged("00:04:30")

        self.assert_finds_among_others(report, "I2", "two decisions name the same run (seq 6, 8)")


class OrderTest(CheckerTest):
    def test_a_cursor_that_went_back_is_found(self):
        story = Story()
        story.ran("00:02")
        story.skipped("00:01", "clock", at="00:02:01")

        self.assert_finds(story.judged("00:02:30"), "I5", "decided after a later occurrence", 2, 4)

    def test_a_decision_under_a_replaced_revision_is_found(self):
        story = three_minutes()
        story.change("update", "00:03:30", **with_policies(bufferLimit=5))
        story.ran("00:04", revision=1)

        report = story.judged("00:04:30")

        self.assert_finds_among_others(report, "I5", "decided under revision 1 after revision 2 (seq 8, 9)")
        self.assertEqual({"I1", "I5"}, {violation.invariant for violation in report.violations})

    def test_a_decision_under_a_revision_nobody_made_is_found(self):
        story = three_minutes()
        story.ran("00:04", revision=7)

        self.assert_finds(story.judged("00:04:30"), "I5", "revision 7, which no change made", 8)

    def test_one_version_written_by_two_servers_is_found(self):
        story = Story()
        story.ran("00:01", version=4)
        story.ran("00:02", version=4, server="server-b")

        self.assert_finds(story.judged("00:02:30"), "I5", "version 4 was written by server-a and by server-b", 2, 4)

    def test_versions_that_go_back_are_found(self):
        story = Story()
        story.ran("00:01", version=4)
        story.ran("00:02", version=3)

        self.assert_finds(story.judged("00:02:30"), "I5", "version 3 follows version 4", 4)

    def test_an_export_out_of_order_is_found(self):
        story = three_minutes()
        story.ledger[6]["seq"] = 5

        self.assert_finds(story.judged("00:03:30"), "I5", "the export does not ascend", 6, 5)

    def test_a_revision_given_twice_is_found(self):
        story = three_minutes()
        story.change("update", "00:03:20", **MINUTELY)
        story.revision -= 1
        story.change("update", "00:03:30", **MINUTELY)

        self.assert_finds(story.judged("00:03:40"), "I5", "revision 2 (updated) follows revision 2", 8, 9)

    def test_what_is_due_at_an_edit_is_decided_under_the_old_revision(self):
        story = Story()
        story.ran("00:01", at="00:01:10")
        story.change("update", "00:01:10", **with_policies(bufferLimit=5))
        story.ledger[1]["revision"], story.ledger[1]["seq"] = 1, 2
        story.ran("00:02")

        self.assert_clean(story.judged("00:02:30"), "I5")


if __name__ == "__main__":
    unittest.main()
