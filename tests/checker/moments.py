"""Instants and durations as whole microseconds, read from and written as text."""

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

SECOND = 1_000_000
DAY = 86_400 * SECOND
FOREVER = 1 << 62

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
UNIT_LENGTHS = {
    "w": 7 * DAY,
    "d": DAY,
    "h": 3_600 * SECOND,
    "m": 60 * SECOND,
    "s": SECOND,
    "ms": 1_000,
    "us": 1,
}
PLAIN_PART = re.compile(r"(\d+)(us|ms|w|d|h|m|s)")
ISO_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6})\d*)?S)?)?")


@lru_cache(maxsize=1 << 17)
def parse_instant(text: str) -> int:
    """Reads RFC 3339; raises ValueError for anything else, also for a time without a zone."""
    if len(text) < 20:
        raise ValueError(f"'{text}' is not a time like 2026-01-27T14:00:00Z")
    moment = datetime.fromisoformat(text.upper())
    if moment.tzinfo is None:
        raise ValueError(f"'{text}' has no zone")
    return (moment - EPOCH) // MICROSECOND


def instant_text(instant: int | None) -> str:
    """RFC 3339 in UTC, with a fraction only if it is not zero."""
    if instant is None:
        return "none"
    if instant >= FOREVER:
        return "forever"
    moment = EPOCH + timedelta(microseconds=instant)
    return moment.isoformat().replace("+00:00", "Z")


def seconds_text(duration: int) -> str:
    """A duration in seconds, for messages."""
    return f"{duration / SECOND:.6f}".rstrip("0").rstrip(".") + " s"


@lru_cache(maxsize=1 << 12)
def parse_duration(text: str) -> int:
    """Reads `90s`, `1h30m`, `2d` or ISO 8601 `PT15M`; raises ValueError for anything else."""
    if text.startswith("P") and len(text) > 1:
        return parse_iso_duration(text)
    if not re.fullmatch(r"(\d+(us|ms|w|d|h|m|s))+", text):
        raise ValueError(f"'{text}' is not a duration like 90s or 1h30m")
    return sum(int(amount) * UNIT_LENGTHS[unit] for amount, unit in PLAIN_PART.findall(text))


def parse_iso_duration(text: str) -> int:
    """Weeks, days, hours, minutes and seconds, the last with a fraction."""
    found = ISO_DURATION.fullmatch(text)
    if found is None or not any(found.groups()):
        raise ValueError(f"'{text}' is not a duration like PT15M")
    weeks, days, hours, minutes, seconds, fraction = found.groups()
    amounts = zip((weeks, days, hours, minutes, seconds), "wdhms")
    whole = sum(int(amount or 0) * UNIT_LENGTHS[unit] for amount, unit in amounts)
    return whole + int((fraction or "0").ljust(6, "0"))
