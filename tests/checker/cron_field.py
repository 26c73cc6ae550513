"""One field of a cron expression or of a calendar: which values it names."""

import re
from dataclasses import dataclass, field
from typing import Any

MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True)
class FieldKind:
    """The bounds of a field, and the names its values have."""

    name: str
    least: int
    greatest: int
    names: tuple[str, ...] = ()


SECONDS = FieldKind("second", 0, 59)
MINUTES = FieldKind("minute", 0, 59)
HOURS = FieldKind("hour", 0, 23)
DAYS_OF_MONTH = FieldKind("dayOfMonth", 1, 31)
MONTHS = FieldKind("month", 1, 12, MONTH_NAMES)
DAYS_OF_WEEK = FieldKind("dayOfWeek", 0, 6, WEEKDAY_NAMES)
YEARS = FieldKind("year", 1970, 2199)


@dataclass
class FieldMatch:
    """What a field matches; the last five members are the extensions of the two day fields."""

    values: set[int] = field(default_factory=set)
    begins_with_star: bool = False
    is_unrestricted: bool = False
    days_before_last: set[int] = field(default_factory=set)
    nearest_weekdays: set[int] = field(default_factory=set)
    is_last_weekday: bool = False
    nth_weekdays: set[tuple[int, int]] = field(default_factory=set)
    last_weekdays: set[int] = field(default_factory=set)


def read_field(kind: FieldKind, written: Any) -> FieldMatch:
    """Reads a field as it stands in a document: text, a number, or a list of {start, end, step}."""
    if isinstance(written, list):
        return read_ranges(kind, written)
    return read_text(kind, str(written).strip())


def read_ranges(kind: FieldKind, ranges: list[dict[str, int]]) -> FieldMatch:
    """Ranges count as fixed for the rules of clock changes, whatever they cover."""
    match = FieldMatch()
    for part in ranges:
        start = int(part["start"])
        end = max(start, int(part.get("end") or start))
        add_values(kind, match, start, end, int(part.get("step") or 1))
    return match


def read_text(kind: FieldKind, text: str) -> FieldMatch:
    """Reads the grammar of a cron field."""
    match = FieldMatch(begins_with_star=text.startswith("*"), is_unrestricted=text in ("*", "?", "*/1"))
    for item in text.upper().split(","):
        if not read_extension(kind, item, match):
            read_item(kind, item, match)
    return match


def read_extension(kind: FieldKind, item: str, match: FieldMatch) -> bool:
    """Reads L, W and # items; false when the item is none of them."""
    if kind is DAYS_OF_MONTH:
        return read_month_extension(item, match)
    if kind is DAYS_OF_WEEK:
        return read_week_extension(kind, item, match)
    return False


def read_month_extension(item: str, match: FieldMatch) -> bool:
    """`L`, `L-3`, `LW`, `15W`."""
    if item == "LW":
        match.is_last_weekday = True
    elif found := re.fullmatch(r"L(?:-(\d+))?", item):
        match.days_before_last.add(int(found[1] or 0))
    elif found := re.fullmatch(r"(\d+)W", item):
        match.nearest_weekdays.add(int(found[1]))
    else:
        return False
    return True


def read_week_extension(kind: FieldKind, item: str, match: FieldMatch) -> bool:
    """`5L`, `FRI#L`, `MON#2`."""
    found = re.fullmatch(r"(\d+|[A-Z]{3})(?:#(\d)|#?(L))", item)
    if found is None:
        return False
    weekday = read_value(kind, found[1]) % 7
    if found[2]:
        match.nth_weekdays.add((weekday, int(found[2])))
    else:
        match.last_weekdays.add(weekday)
    return True


def read_item(kind: FieldKind, item: str, match: FieldMatch) -> None:
    """`*`, `n` or `a-b`, each with an optional step."""
    found = re.fullmatch(r"(\*|\?|\w+)(?:-(\w+))?(?:/(\d+))?", item)
    if found is None or (found[1] in "*?" and found[2]):
        raise ValueError(f"'{item}' is no item of the field {kind.name}")
    step = int(found[3] or 1)
    if found[1] in "*?":
        add_values(kind, match, kind.least, kind.greatest, step)
        return
    start = read_value(kind, found[1])
    if found[2]:
        end = read_range_end(kind, start, found[2])
    else:
        end = kind.greatest if found[3] else start
    add_values(kind, match, start, end, step)


def read_range_end(kind: FieldKind, start: int, text: str) -> int:
    """The end of a range; Sunday ends a range as 7, unless the range is Sunday alone."""
    end = read_value(kind, text)
    return 7 if kind is DAYS_OF_WEEK and end == 0 and start > 0 else end


def read_value(kind: FieldKind, text: str) -> int:
    """A number or a name."""
    if text in kind.names:
        return kind.names.index(text) + kind.least
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"'{text}' is no value of the field {kind.name}")
    return int(text)


def add_values(kind: FieldKind, match: FieldMatch, start: int, end: int, step: int) -> None:
    """Adds start … end by step; in the days of the week 7 is Sunday."""
    greatest = 7 if kind is DAYS_OF_WEEK else kind.greatest
    if not kind.least <= start <= end <= greatest or step < 1:
        raise ValueError(f"{start}-{end}/{step} is outside of the field {kind.name}")
    values = range(start, end + 1, step)
    match.values.update(value % 7 for value in values) if kind is DAYS_OF_WEEK else match.values.update(values)
