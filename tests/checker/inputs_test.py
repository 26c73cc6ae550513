"""Reading: times, durations, documents and lines, and what is refused."""

import tempfile
import unittest
from pathlib import Path

from document import merged, read_document
from inputs import UnreadableInput, read_ledger, read_lines, read_operation, read_witness
from moments import SECOND, instant_text, parse_duration, parse_instant
from story import MINUTELY, Story, write_lines


class MomentTest(unittest.TestCase):
    def test_times_are_read_and_written_back(self):
        cases = {
            "2026-01-27T14:00:00Z": "2026-01-27T14:00:00Z",
            "2026-01-27T09:00:00-05:00": "2026-01-27T14:00:00Z",
            "2026-01-27T14:00:00.25Z": "2026-01-27T14:00:00.250000Z",
            "1969-12-31T23:59:59.5Z": "1969-12-31T23:59:59.500000Z",
        }
        for text, expected in cases.items():
            self.assertEqual(expected, instant_text(parse_instant(text)))

    def test_times_without_zone_or_sense_are_refused(self):
        for text in ("2026-01-27T14:00:00", "2026-01-27", "soon", "2026-13-01T00:00:00Z"):
            self.assertRaises(ValueError, parse_instant, text)

    def test_durations_are_read_in_both_forms(self):
        cases = {"90s": 90, "1h30m": 5_400, "2d": 172_800, "250ms": 0.25}
        cases |= {"PT15M": 900, "P1DT12H": 129_600, "PT1.5S": 1.5}
        for text, seconds in cases.items():
            self.assertEqual(int(seconds * SECOND), parse_duration(text), text)

    def test_durations_without_unit_are_refused(self):
        for text in ("90", "", "P", "PT", "1x", "-5s"):
            self.assertRaises(ValueError, parse_duration, text)


class DocumentTest(unittest.TestCase):
    def test_left_out_members_have_their_defaults(self):
        document = read_document({"spec": {"cron": "0 9 * * *"}})

        self.assertEqual(("skip", 1_000), (document.overlap, document.buffer_limit))
        self.assertEqual(("latest", None, 60 * SECOND), (document.catchup, document.window, document.grace))
        self.assertEqual((4, 600 * SECOND), (document.retry.attempt_count_max, document.retry.delay_max))

    def test_the_short_form_means_the_same_as_the_canonical_one(self):
        short = read_document({"cron_expr": "0 9 * * *", "timezone": "Europe/Berlin", "maxRetries": 2, "url": "x"})
        long = read_document(
            {
                "spec": {"cron": "0 9 * * *", "timezone": "Europe/Berlin"},
                "policies": {"retry": {"maxAttempts": 3}},
                "action": {"http": {}},
            }
        )

        self.assertEqual(long, short)

    def test_an_interval_in_seconds_brings_its_own_defaults(self):
        document = read_document({"intervalSeconds": 30, "jobType": "report"})

        self.assertEqual((1, 4), (document.consecutive_failures_max, document.retry.attempt_count_max))
        self.assertEqual((30 * SECOND, 300 * SECOND), (document.retry.initial, document.retry.delay_max))
        self.assertTrue(document.retry.repeats_lost)

    def test_back_off_grows_as_its_kind_says_and_is_capped(self):
        cases = {"fixed": [10, 10, 10], "linear": [10, 20, 25], "exponential": [10, 20, 25]}
        for backoff, seconds in cases.items():
            retry = {"backoff": backoff, "initial": "10s", "maxDelay": "25s"}
            document = read_document({"spec": {}, "policies": {"retry": retry}})

            delays = [document.retry.delay_after(attempt) // SECOND for attempt in (1, 2, 3)]
            self.assertEqual(seconds, delays)

    def test_a_patch_merges_objects_and_removes_what_is_null(self):
        patched = merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None, "e": 4}, "d": [5]})

        self.assertEqual({"a": {"c": 2, "e": 4}, "d": [5]}, patched)


class LineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "lines"

    def test_what_cannot_be_read_is_named_with_its_line(self):
        good = '{"run": "r", "attempt": 1, "event": "beat", "at": "2026-01-27T14:00:00Z"}\n'
        cases = {
            "{": "lines:2: Expecting property name",
            "[]": "lines:2: the line is not a JSON object",
            good.replace("beat", "rest"): "lines:2: 'event' is 'rest', which is none of start, end, beat",
            good.replace("1", '"1"', 1): "lines:2: 'attempt' is not a whole number",
            good.replace("2026-01-27T", "today "): "lines:2: 'today 14:00:00Z' is not a time",
            good.replace('"run": "r", ', ""): "lines:2: 'run' is not a text",
        }
        for text, expected in cases.items():
            with self.subTest(expected=expected):
                self.path.write_text(good + text, encoding="utf-8")

                with self.assertRaises(UnreadableInput) as raised:
                    list(read_lines(self.path, read_witness))

                self.assertIn(expected, str(raised.exception))

    def test_a_file_that_is_not_there_is_unreadable(self):
        with self.assertRaises(UnreadableInput):
            list(read_lines(self.path, read_operation))

    def test_a_ledger_line_of_unknown_type_is_unreadable(self):
        self.path.write_text('{"type": "rumour", "seq": 1}', encoding="utf-8")

        with self.assertRaises(UnreadableInput):
            read_ledger(self.path)

    def test_lines_without_a_namespace_belong_to_the_schedule_that_fits(self):
        story = Story()
        story.ran("00:01")
        story.ledger[1]["namespace"] = "night"

        ledger = read_ledger(write_lines(self.path, story.ledger))

        rows = (*ledger.decisions, *ledger.changes, *ledger.attempts)
        self.assertEqual({"night/beat"}, {row.schedule for row in rows})

    def test_lines_of_jobs_without_a_schedule_stand_apart_from_those_of_schedules(self):
        story = Story()
        at = story.ledger[-1]["at"]
        job = {"at": at, "schedule": None, "run": "~job"}
        decision = {"type": "decision", "seq": 2, "server": "0", "namespace": "default", "incarnation": 0, "revision": 0}
        decision |= {"nominal": at, "due": at, "source": "adhoc", "outcome": "started", "reason": None}
        attempt = {"type": "attempt", "seq": 3, "attempt": 1, "worker": "w", "state": "claimed", "claimedAt": at}

        ledger = read_ledger(write_lines(self.path, [*story.ledger, decision | job, attempt | job]))

        self.assertEqual([], ledger.decisions)
        self.assertEqual(["~job"], [row.run for row in ledger.jobs])
        self.assertEqual([("~job", "")], [(row.run, row.schedule) for row in ledger.attempts])
        self.assertEqual([1, 2, 3], ledger.seqs)

    def test_a_history_line_is_read(self):
        story = Story()

        operation = next(read_lines(write_lines(self.path, story.history), read_operation))

        self.assertEqual(("create", "ok", 1), (operation.op, operation.result, operation.revision))
        self.assertEqual(MINUTELY, operation.arguments)


if __name__ == "__main__":
    unittest.main()
