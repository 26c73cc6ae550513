"""Times as the ledger writes them."""

from datetime import datetime, timedelta, timezone


def now() -> datetime:
    """By the clock that the server has too."""
    return datetime.now(timezone.utc)


def text_of(moment: datetime) -> str:
    """RFC 3339 in UTC, to the microsecond."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_ago(seconds: float) -> datetime:
    """Before now, or after it if negative."""
    return now() - timedelta(seconds=seconds)


def parse(text: str) -> datetime:
    """The opposite of `text_of`, with or without a fraction."""
    return datetime.fromisoformat(text)
