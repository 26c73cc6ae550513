"""Wall times of one cron expression or one calendar: days that match, and times of day."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import cron_field as fields
from cron_field import FieldMatch, read_field

SECONDS_OF_DAY = 86_400
ORDINAL_OF_EPOCH = date(1970, 1, 1).toordinal()
ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
CALENDAR_FIELDS = (
    (fields.SECONDS, "0"),
    (fields.MINUTES, "0"),
    (fields.HOURS, "0"),
    (fields.DAYS_OF_MONTH, "*"),
    (fields.MONTHS, "*"),
    (fields.DAYS_OF_WEEK, "*"),
    (fields.YEARS, "*"),
)


@dataclass
class WallRule:
    """Which wall times match. A cron joins its two day fields by OR, a calendar by AND."""

    second: FieldMatch
    minute: FieldMatch
    hour: FieldMatch
    day_of_month: FieldMatch
    month: FieldMatch
    day_of_week: FieldMatch
    year: FieldMatch | None
    joins_days_by_or: bool
    is_wildcard: bool

    @cached_property
    def times_of_day(self) -> tuple[int, ...]:
        """The matching seconds of a matching day, ascending."""
        return tuple(
            hour * 3_600 + minute * 60 + second
            for hour in sorted(self.hour.values)
            for minute in sorted(self.minute.values)
            for second in sorted(self.second.values)
        )

    @cached_property
    def is_whole_day(self) -> bool:
        """Every second of a day matches."""
        return len(self.times_of_day) == SECONDS_OF_DAY

    def matches_day(self, day: int) -> bool:
        """Whether the local date `day` days after 1970-01-01 matches."""
        local = date.fromordinal(day + ORDINAL_OF_EPOCH)
        if local.month not in self.month.values:
            return False
        if self.year and not self.year.is_unrestricted and local.year not in self.year.values:
            return False
        if self.joins_days_by_or and not self.day_of_month.is_unrestricted and not self.day_of_week.is_unrestricted:
            return matches_day_of_month(self.day_of_month, local) or matches_day_of_week(self.day_of_week, local)
        return matches_day_of_month(self.day_of_month, local) and matches_day_of_week(self.day_of_week, local)


def read_cron(text: str) -> WallRule:
    """Reads five fields, six with seconds first, or an alias."""
    parts = ALIASES.get(text.strip().lower(), text).split()
    if len(parts) not in (5, 6):
        raise ValueError(f"'{text}' has {len(parts)} fields")
    has_seconds = len(parts) == 6
    second, minute, hour, day_of_month, month, day_of_week = parts if has_seconds else ["0", *parts]
    return WallRule(
        second=read_field(fields.SECONDS, second),
        minute=read_field(fields.MINUTES, minute),
        hour=read_field(fields.HOURS, hour),
        day_of_month=read_field(fields.DAYS_OF_MONTH, day_of_month),
        month=read_field(fields.MONTHS, month),
        day_of_week=read_field(fields.DAYS_OF_WEEK, day_of_week),
        year=None,
        joins_days_by_or=True,
        is_wildcard=any(part.startswith("*") for part in (second, minute, hour)),
    )


def read_calendar(calendar: dict[str, Any]) -> WallRule:
    """A calendar to include: left-out times are 0, other left-out fields are any."""
    return build_calendar({kind.name: calendar.get(kind.name, default) for kind, default in CALENDAR_FIELDS})


def read_exclusion(calendar: dict[str, Any]) -> WallRule:
    """A calendar to exclude: every left-out field is any."""
    return build_calendar({kind.name: calendar.get(kind.name, "*") for kind, _ in CALENDAR_FIELDS})


def build_calendar(written: dict[str, Any]) -> WallRule:
    """Reads all seven fields."""
    second, minute, hour, day_of_month, month, day_of_week, year = (
        read_field(kind, written[kind.name]) for kind, _ in CALENDAR_FIELDS
    )
    is_wildcard = second.begins_with_star or minute.begins_with_star or hour.begins_with_star
    return WallRule(second, minute, hour, day_of_month, month, day_of_week, year, False, is_wildcard)


def matches_day_of_month(match: FieldMatch, local: date) -> bool:
    """By number, from the end of the month, or as the weekday nearest to a date."""
    if local.day in match.values:
        return True
    last = monthrange(local.year, local.month)[1]
    if last - local.day in match.days_before_last:
        return True
    if match.is_last_weekday and local.day == nearest_weekday(local.year, local.month, last):
        return True
    return any(
        local.day == nearest_weekday(local.year, local.month, day) for day in match.nearest_weekdays if day <= last
    )


def nearest_weekday(year: int, month: int, day: int) -> int:
    """The day itself from Monday to Friday, else the nearest one that is, without leaving the month."""
    last = monthrange(year, month)[1]
    weekday = date(year, month, day).weekday()
    if weekday == 5:
        return day - 1 if day > 1 else day + 2
    if weekday == 6:
        return day + 1 if day < last else day - 2
    return day


def matches_day_of_week(match: FieldMatch, local: date) -> bool:
    """By weekday (0 is Sunday), as its nth in the month, or as its last."""
    weekday = local.isoweekday() % 7
    if weekday in match.values:
        return True
    if (weekday, (local.day + 6) // 7) in match.nth_weekdays:
        return True
    return weekday in match.last_weekdays and local.day + 7 > monthrange(local.year, local.month)[1]
