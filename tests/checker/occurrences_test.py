"""The oracle against occurrences worked out by hand: cron fields, days, clock changes, intervals, exclusions."""

import unittest
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from moments import DAY, instant_text, parse_instant
from occurrences import Occurrences


def between(spec: dict[str, Any], low: str, high: str, creation: str = "2026-01-01T00:00:00Z") -> list[str]:
    """Occurrences as text, without the date's zone mark to keep tables narrow."""
    oracle = Occurrences(spec, parse_instant(creation))
    return [instant_text(instant).rstrip("Z") for instant in oracle.within(parse_instant(low), parse_instant(high))]


class ClockChangeTest(unittest.TestCase):
    CASES = [
        # zone, cron, from, until, expected
        ("America/New_York", "30 2 * * *", "2026-03-07", "2026-03-10", ["03-07T07:30", "03-08T07:00", "03-09T06:30"]),
        ("America/New_York", "30 2 * * *", "2026-03-08", "2026-03-09", ["03-08T07:00"]),
        ("America/New_York", "0,15,30 2 * * *", "2026-03-08", "2026-03-09", ["03-08T07:00"]),
        ("America/New_York", "0 2,3 * * *", "2026-03-08", "2026-03-09", ["03-08T07:00"]),
        ("America/New_York", "*/30 2 * * *", "2026-03-08", "2026-03-09", []),
        ("America/New_York", "0 * * * *", "2026-03-08T05:30", "2026-03-08T07:30", ["03-08T06:00", "03-08T07:00"]),
        ("America/New_York", "30 1 * * *", "2026-11-01", "2026-11-02", ["11-01T05:30"]),
        ("America/New_York", "30 * * * *", "2026-11-01T05:00", "2026-11-01T07:00", ["11-01T05:30", "11-01T06:30"]),
        ("America/New_York", "30 1,2 * * *", "2026-11-01", "2026-11-02", ["11-01T05:30", "11-01T07:30"]),
        ("Australia/Lord_Howe", "10 2 * * *", "2026-10-03", "2026-10-05", ["10-03T15:30", "10-04T15:10"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04", "2026-04-05", ["04-04T14:45"]),
        ("Australia/Lord_Howe", "*/15 1 * * *", "2026-04-04T14:00", "2026-04-04T15:29",
         ["04-04T14:00", "04-04T14:15", "04-04T14:30", "04-04T14:45", "04-04T15:00", "04-04T15:15"]),
        ("Pacific/Apia", "0 12 * * *", "2011-12-29", "2012-01-01", ["12-29T22:00", "12-30T22:00", "12-31T22:00"]),
        ("Pacific/Apia", "0 12 30 12 *", "2011-12-01", "2012-01-31", []),
        ("Asia/Pyongyang", "45 23 * * *", "2018-05-03", "2018-05-06", ["05-03T15:15", "05-04T15:00", "05-05T14:45"]),
        ("Asia/Pyongyang", "0 0 * * *", "2018-05-04", "2018-05-06", ["05-04T15:00", "05-05T15:00"]),
        ("Europe/London", "30 1 * * *", "2026-03-28", "2026-03-30", ["03-28T01:30", "03-29T01:00"]),
        ("America/Santiago", "30 0 * * *", "2026-09-05", "2026-09-07", ["09-05T04:30", "09-06T04:00"]),
        ("Africa/Casablanca", "30 2 * * *", "2026-02-14", "2026-02-16", ["02-14T01:30", "02-15T01:30"]),
        ("Asia/Kathmandu", "5 0 * * *", "1985-12-31", "1986-01-01", ["12-31T18:30"]),
    ]

    def test_fixed_times_happen_once_and_wildcards_follow_the_clock(self):
        for zone, cron, low, high, expected in self.CASES:
            with self.subTest(zone=zone, cron=cron, low=low):
                found = between({"cron": cron, "timezone": zone}, moment(low), moment(high))

                self.assertEqual(expected, [text[5:16] for text in found])

    def test_literal_means_nothing_in_a_gap_and_twice_in_an_overlap(self):
        spec = {"cron": "30 2 * * *", "timezone": "America/New_York", "dst": "literal"}
        twice = {"cron": "30 1 * * *", "timezone": "America/New_York", "dst": "literal"}

        self.assertEqual([], between(spec, moment("2026-03-08"), moment("2026-03-09")))
        self.assertEqual(2, len(between(twice, moment("2026-11-01"), moment("2026-11-02"))))

    def test_a_wildcard_is_what_a_scan_of_the_wall_clock_finds(self):
        for zone in ("America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Pyongyang"):
            with self.subTest(zone=zone):
                low = parse_instant({"Pacific/Apia": "2011-12-29T00:00:00Z"}.get(zone, "2018-05-03T00:00:00Z"))
                oracle = Occurrences({"cron": "*/20 9-11 * * *", "timezone": zone}, 0)

                found = oracle.within(low, low + 4 * DAY)

                self.assertEqual(scan(zone, low, low + 4 * DAY), found)


def scan(zone: str, low: int, high: int) -> list[int]:
    """Minute by minute: every twentieth minute of the hours 9 to 11."""
    minutes = range(low, high + 1, 60_000_000)
    local = ((instant, datetime.fromtimestamp(instant / 1e6, ZoneInfo(zone))) for instant in minutes)
    return [instant for instant, wall in local if 9 <= wall.hour <= 11 and wall.minute % 20 == 0]


def moment(text: str) -> str:
    """A date, or a date with hours and minutes, as a full time."""
    return text + "T00:00:00Z" if "T" not in text else text + ":00Z"


class FieldTest(unittest.TestCase):
    MONTH = [
        # cron of a day rule, days of the month in March 2026, which begins on a Sunday
        ("0 0 13 * *", [13]),
        ("0 0 13 * 5", [6, 13, 20, 27]),
        ("0 0 1-7 * 1", [1, 2, 3, 4, 5, 6, 7, 9, 16, 23, 30]),
        ("0 0 */10 * *", [1, 11, 21, 31]),
        ("0 0 */1 * 5", [6, 13, 20, 27]),
        ("0 0 L * *", [31]),
        ("0 0 L-2 * *", [29]),
        ("0 0 LW * *", [31]),
        ("0 0 1W * *", [2]),
        ("0 0 15W * *", [16]),
        ("0 0 14W * *", [13]),
        ("0 0 * * 5#2", [13]),
        ("0 0 * * FRI#L", [27]),
        ("0 0 * * 1L", [30]),
        ("0 0 * * FRI-SUN", [1, 6, 7, 8, 13, 14, 15, 20, 21, 22, 27, 28, 29]),
        ("0 0 * * 6-0", [1, 7, 8, 14, 15, 21, 22, 28, 29]),
        ("0 0 * * 7", [1, 8, 15, 22, 29]),
        ("0 0 * * 5/1", [6, 7, 13, 14, 20, 21, 27, 28]),
        ("0 0 28/2 MAR *", [28, 30]),
        ("0 0 ? jan-mar mon,15", None),
        ("@monthly", [1]),
        ("@weekly", [1, 8, 15, 22, 29]),
    ]

    def test_days_of_a_month(self):
        for cron, expected in self.MONTH:
            with self.subTest(cron=cron):
                if expected is None:
                    self.assertRaises(ValueError, Occurrences, {"cron": cron}, 0)
                    continue
                found = between({"cron": cron}, "2026-03-01T00:00:00Z", "2026-03-31T23:59:59Z")

                self.assertEqual(expected, [int(text[8:10]) for text in found])

    def test_times_of_day(self):
        cases = [
            ("*/45 9 * * *", ["09:00:00", "09:45:00"]),
            ("5/25 9 * * *", ["09:05:00", "09:30:00", "09:55:00"]),
            ("15,45 30 9 * * *", ["09:30:15", "09:30:45"]),
            ("0 9-17/4 * * *", ["09:00:00", "13:00:00", "17:00:00"]),
            ("*/60 9 * * *", ["09:00:00"]),
        ]
        for cron, expected in cases:
            with self.subTest(cron=cron):
                found = between({"cron": cron}, "2026-03-02T00:00:00Z", "2026-03-02T23:59:59Z")

                self.assertEqual(expected, [text[11:] for text in found])

    def test_29_february_comes_every_four_years(self):
        found = between({"cron": "0 0 29 2 *"}, "2023-01-01T00:00:00Z", "2033-01-01T00:00:00Z")

        self.assertEqual(["2024-02-29T00:00:00", "2028-02-29T00:00:00", "2032-02-29T00:00:00"], found)


class SourceTest(unittest.TestCase):
    def test_a_calendar_joins_its_day_fields_by_and(self):
        spec = {"calendars": [{"hour": "9", "dayOfMonth": "13", "dayOfWeek": "FRI"}]}

        found = between(spec, "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z")

        self.assertEqual(["2026-02-13T09:00:00", "2026-03-13T09:00:00", "2026-11-13T09:00:00"], found)

    def test_a_calendar_takes_ranges_and_years(self):
        hours = [{"start": 8, "end": 12, "step": 4}]
        spec = {"calendars": [{"hour": hours, "month": 3, "dayOfMonth": 1, "year": "2027"}]}

        found = between(spec, "2026-01-01T00:00:00Z", "2029-01-01T00:00:00Z")

        self.assertEqual(["2027-03-01T08:00:00", "2027-03-01T12:00:00"], found)

    def test_a_range_is_fixed_where_a_star_would_be_a_wildcard(self):
        fixed = {"calendars": [{"minute": [{"start": 0, "end": 59, "step": 30}], "hour": "2"}]}
        wildcard = {"calendars": [{"minute": "*/30", "hour": "2"}]}
        zone = {"timezone": "America/New_York"}

        self.assertEqual(["2026-03-08T07:00:00"], between(fixed | zone, moment("2026-03-08"), moment("2026-03-09")))
        self.assertEqual([], between(wildcard | zone, moment("2026-03-08"), moment("2026-03-09")))

    def test_intervals_are_anchored_at_creation_start_or_epoch(self):
        cases = [
            ({"every": "40m"}, ["10:05:07", "10:45:07"]),
            ({"every": "40m", "offset": "5m"}, ["10:10:07", "10:50:07"]),
            ({"every": "40m", "anchor": "epoch"}, ["10:00:00", "10:40:00"]),
            ({"every": "40m", "anchor": "start"}, ["10:00:02", "10:40:02"]),
        ]
        for interval, expected in cases:
            with self.subTest(interval=interval):
                start_at = "2026-03-02T10:00:01.5Z" if interval.get("anchor") == "start" else None
                spec = {"intervals": [interval], "startAt": start_at}

                found = between(spec, moment("2026-03-02T10:00"), moment("2026-03-02T11:00"), "2026-03-02T10:05:07.9Z")

                self.assertEqual(expected, [text[11:] for text in found])

    def test_two_sources_of_one_instant_are_one_occurrence(self):
        spec = {"cron": ["0 9 * * *", "0 9,10 * * *"], "times": ["2026-03-02T09:00:00Z", "2026-03-02T09:30:00.5Z"]}

        found = between(spec, moment("2026-03-02"), moment("2026-03-03"))

        self.assertEqual(["09:00:00", "09:30:00.500000", "10:00:00"], [text[11:] for text in found])

    def test_start_and_end_are_inclusive(self):
        spec = {"cron": "0 * * * *", "startAt": "2026-03-02T09:00:00Z", "endAt": "2026-03-02T11:00:00Z"}

        found = between(spec, moment("2026-03-01"), moment("2026-03-04"))

        self.assertEqual(["09:00:00", "10:00:00", "11:00:00"], [text[11:] for text in found])

    def test_an_exclusion_of_a_date_leaves_out_the_whole_local_day(self):
        spec = {"cron": "0 */8 * * *", "exclude": [{"month": "12", "dayOfMonth": "25"}], "timezone": "Europe/Berlin"}

        found = between(spec, "2026-12-24T16:00:00Z", "2026-12-26T00:00:00Z")

        self.assertEqual(["2026-12-25T23:00:00"], found)

    def test_an_exclusion_is_taken_out_of_wall_times_before_a_gap_moves_them(self):
        zone = {"cron": "30 2 * * *", "timezone": "America/New_York"}

        written = between(zone | {"exclude": [{"hour": "2"}]}, moment("2026-03-08"), moment("2026-03-09"))
        moved = between(zone | {"exclude": [{"hour": "3"}]}, moment("2026-03-08"), moment("2026-03-09"))

        self.assertEqual(([], ["2026-03-08T07:00:00"]), (written, moved))

    def test_intervals_and_times_are_excluded_by_the_wall_time_at_which_they_happen(self):
        spec = {
            "intervals": [{"every": "1h", "anchor": "epoch"}],
            "times": ["2026-03-02T10:30:00Z", "2026-03-02T12:30:00Z"],
            "exclude": [{"hour": "11-12"}],
            "timezone": "Europe/Berlin",
        }

        found = between(spec, moment("2026-03-02T09:00"), moment("2026-03-02T13:00"))

        self.assertEqual(["09:00:00", "12:00:00", "12:30:00", "13:00:00"], [text[11:] for text in found])

    def test_an_empty_spec_means_nothing(self):
        self.assertEqual([], between({}, moment("2026-01-01"), moment("2027-01-01")))


if __name__ == "__main__":
    unittest.main()
