"""A zone's wall clock: the periods in which its UTC offset is constant."""

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

HOUR = 3_600


@dataclass(frozen=True)
class Period:
    """Instants [begin, end) at which the wall clock is `offset` ahead of UTC; all in seconds."""

    begin: int
    end: int
    offset: int

    @property
    def wall_begin(self) -> int:
        """The first wall time shown."""
        return self.begin + self.offset

    @property
    def wall_end(self) -> int:
        """The wall time behind the last one shown."""
        return self.end + self.offset


class ZoneClock:
    """Looks offsets up hour by hour, which finds any two changes that are at least an hour apart."""

    def __init__(self, name: str):
        self.zone = ZoneInfo(name)
        self.is_utc = name in ("UTC", "GMT", "Etc/UTC", "Etc/GMT")
        self.changes_of_year: dict[int, list[int]] = {}

    def offset(self, instant: int) -> int:
        """Seconds ahead of UTC."""
        shown = datetime.fromtimestamp(instant, timezone.utc).astimezone(self.zone).utcoffset()
        return int(shown.total_seconds()) if shown else 0

    def periods(self, low: int, high: int) -> list[Period]:
        """The periods of [low, high), the first and last cut off there."""
        if self.is_utc:
            return [Period(low, high, 0)]
        edges = [low, *self.changes(low, high), high]
        return [Period(begin, end, self.offset(begin)) for begin, end in zip(edges, edges[1:])]

    def changes(self, low: int, high: int) -> list[int]:
        """Instants strictly between at which the offset changes."""
        years = range(year_of(low), year_of(high) + 1)
        return [change for year in years for change in self.changes_in(year) if low < change < high]

    def changes_in(self, year: int) -> list[int]:
        """All changes of one year, found once."""
        if year not in self.changes_of_year:
            first, last = first_instant(year), first_instant(year + 1)
            self.changes_of_year[year] = self.find_changes(first, last)
        return self.changes_of_year[year]

    def find_changes(self, first: int, last: int) -> list[int]:
        """Changes in [first, last)."""
        changes = []
        before = self.offset(first - HOUR)
        for hour in range(first, last, HOUR):
            after = self.offset(hour)
            if after != before:
                changes.append(self.narrow_down(hour - HOUR, hour, before))
            before = after
        return [change for change in changes if first <= change < last]

    def narrow_down(self, low: int, high: int, before: int) -> int:
        """The first instant of (low, high] with another offset than `before`."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.offset(middle) == before else (low, middle)
        return high


def year_of(instant: int) -> int:
    """The year in UTC."""
    return datetime.fromtimestamp(instant, timezone.utc).year


def first_instant(year: int) -> int:
    """When a year begins in UTC."""
    return int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp())


@lru_cache(maxsize=None)
def zone_clock(name: str) -> ZoneClock:
    """One clock per zone, so that its changes are found once."""
    return ZoneClock(name)
