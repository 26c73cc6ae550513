"""The oracle: which instants a spec means, found day by day and remembered."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moments import SECOND, parse_duration, parse_instant
from wall_rule import SECONDS_OF_DAY, WallRule, read_calendar, read_cron, read_exclusion
from zone_clock import Period, ZoneClock, zone_clock

GAP_MADE_UP_MAX = 3 * 3_600
LOOK_AROUND = 3 * SECONDS_OF_DAY


@dataclass(frozen=True)
class IntervalRule:
    """Instants anchor + n · every, in seconds."""

    anchor: int
    every: int


class Occurrences:
    """Occurrences of one spec. Instants are microseconds; ranges include both ends."""

    def __init__(self, spec: dict[str, Any], creation: int):
        crons = spec.get("cron") or []
        self.rules = [read_cron(text) for text in ([crons] if isinstance(crons, str) else crons)]
        self.rules += [read_calendar(calendar) for calendar in spec.get("calendars") or []]
        self.exclusions = [read_exclusion(calendar) for calendar in spec.get("exclude") or []]
        self.start_at = read_instant_or_none(spec.get("startAt"))
        self.end_at = read_instant_or_none(spec.get("endAt"))
        self.intervals = [read_interval(part, creation, self.start_at) for part in spec.get("intervals") or []]
        self.times = sorted({parse_instant(text) for text in spec.get("times") or []})
        self.clock: ZoneClock = zone_clock(spec.get("timezone") or "UTC")
        self.is_literal = spec.get("dst") == "literal"
        self.days: dict[int, tuple[int, ...]] = {}
        self.excluded_times: dict[int, frozenset[int] | None] = {}

    @property
    def is_empty(self) -> bool:
        """Started by hand only."""
        return not (self.rules or self.intervals or self.times)

    def within(self, low: int, high: int) -> list[int]:
        """All occurrences of [low, high], ascending."""
        if self.is_empty or low > high:
            return []
        low = low if self.start_at is None else max(low, self.start_at)
        high = high if self.end_at is None else min(high, self.end_at)
        found: list[int] = []
        for day in range(low // (SECONDS_OF_DAY * SECOND), high // (SECONDS_OF_DAY * SECOND) + 1):
            instants = self.on_day(day)
            found += instants[bisect_left(instants, low) : bisect_right(instants, high)]
        return found

    def contains(self, instant: int) -> bool:
        """Whether the spec yields exactly this instant."""
        return self.within(instant, instant) == [instant]

    def on_day(self, day: int) -> tuple[int, ...]:
        """The occurrences of one day of UTC, not yet clipped to startAt and endAt."""
        if day not in self.days:
            low = day * SECONDS_OF_DAY
            found = {second * SECOND for second in self.seconds_of(low, low + SECONDS_OF_DAY)}
            found.update(self.times_of(low, low + SECONDS_OF_DAY))
            self.days[day] = tuple(sorted(found))
        return self.days[day]

    def seconds_of(self, low: int, high: int) -> Iterator[int]:
        """What rules and intervals mean in [low, high), in seconds; may repeat itself."""
        periods = self.clock.periods(low - LOOK_AROUND, high + LOOK_AROUND) if self.rules else []
        for rule in self.rules:
            if rule.is_wildcard or self.is_literal:
                yield from self.shown(rule, periods, low, high)
            else:
                yield from self.shown_first(rule, periods, low, high)
                yield from self.made_up(rule, periods, low, high)
        for interval in self.intervals:
            yield from self.of_interval(interval, low, high)

    def shown(self, rule: WallRule, periods: list[Period], low: int, high: int) -> Iterator[int]:
        """Every instant at which the wall clock shows a match."""
        for period in periods:
            begin, end = max(period.begin, low), min(period.end, high)
            for wall in self.walls(rule, begin + period.offset, end + period.offset):
                yield wall - period.offset

    def shown_first(self, rule: WallRule, periods: list[Period], low: int, high: int) -> Iterator[int]:
        """The same without second passes."""
        for index, period in enumerate(periods):
            begin, end = max(period.begin, low), min(period.end, high)
            for wall in self.walls(rule, begin + period.offset, end + period.offset):
                if not shows(periods[:index], wall):
                    yield wall - period.offset

    def made_up(self, rule: WallRule, periods: list[Period], low: int, high: int) -> Iterator[int]:
        """The ends of short gaps that skipped a match."""
        for before, after in zip(periods, periods[1:]):
            length = after.wall_begin - before.wall_end
            if not (0 < length <= GAP_MADE_UP_MAX and low <= after.begin < high):
                continue
            skipped = self.walls(rule, before.wall_end, after.wall_begin)
            if any(not shows(periods, wall) for wall in skipped):
                yield after.begin

    def walls(self, rule: WallRule, low: int, high: int) -> Iterator[int]:
        """Matching wall times of [low, high) that are not excluded."""
        if low >= high:
            return
        for day in range(low // SECONDS_OF_DAY, (high - 1) // SECONDS_OF_DAY + 1):
            if not rule.matches_day(day):
                continue
            midnight = day * SECONDS_OF_DAY
            times = rule.times_of_day
            kept = times[bisect_left(times, low - midnight) : bisect_left(times, high - midnight)]
            excluded = self.excluded_on(day)
            if excluded is None:
                continue
            yield from (midnight + time for time in kept if time not in excluded)

    def excluded_on(self, day: int) -> frozenset[int] | None:
        """The excluded seconds of a local day; None stands for all of them."""
        if day not in self.excluded_times:
            matching = [rule for rule in self.exclusions if rule.matches_day(day)]
            is_whole = any(rule.is_whole_day for rule in matching)
            times = frozenset(time for rule in matching for time in rule.times_of_day) if not is_whole else None
            self.excluded_times[day] = times
        return self.excluded_times[day]

    def of_interval(self, interval: IntervalRule, low: int, high: int) -> Iterator[int]:
        """The points of [low, high) whose wall time is not excluded."""
        first = low + (interval.anchor - low) % interval.every
        return (point for point in range(first, high, interval.every) if not self.excludes(point))

    def times_of(self, low: int, high: int) -> Iterator[int]:
        """The one-off times of [low, high) whose wall time is not excluded."""
        first, last = bisect_left(self.times, low * SECOND), bisect_left(self.times, high * SECOND)
        return (time for time in self.times[first:last] if not self.excludes(time // SECOND))

    def excludes(self, instant: int) -> bool:
        """Whether the wall time of an instant is excluded."""
        if not self.exclusions:
            return False
        wall = instant + self.clock.offset(instant)
        excluded = self.excluded_on(wall // SECONDS_OF_DAY)
        return excluded is None or wall % SECONDS_OF_DAY in excluded


def shows(periods: list[Period], wall: int) -> bool:
    """Whether the clock shows this wall time in one of the periods."""
    return any(period.wall_begin <= wall < period.wall_end for period in periods)


def read_instant_or_none(text: str | None) -> int | None:
    """An instant, or none when nothing is written."""
    return None if text is None else parse_instant(text)


def read_interval(part: dict[str, Any], creation: int, start_at: int | None) -> IntervalRule:
    """An interval and where it is anchored."""
    anchor = part.get("anchor") or "creation"
    if anchor == "start" and start_at is None:
        raise ValueError("an interval is anchored at startAt, which is not given")
    origin = {"creation": creation, "start": start_at, "epoch": 0}[anchor]
    seconds = -(-origin // SECOND) if anchor == "start" else origin // SECOND
    offset = parse_duration(part.get("offset") or "0s") // SECOND
    return IntervalRule(anchor=seconds + offset, every=parse_duration(part["every"]) // SECOND)
