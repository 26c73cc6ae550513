"""Where the store's clock was set: there, times cannot tell what came first, nor how long a lease lasted."""

from bisect import bisect_right

from inputs import Line
from moments import FOREVER, SECOND
from records import ClockStep, Ledger

STEP_MIN = 2 * SECOND
UNSEEN_MAX = SECOND // 2  # a store takes less for the pace of two clocks
LEASE_MAX = 60 * SECOND
WRITTEN_ONCE = ("overlap", "buffer_full", "missed", "superseded", "quota", "exhausted", "clock", "outage")


Place = tuple[int, int]


class StoreClock:
    """Times that the store's clock passed more than once: as its steps tell, else as the ledger's own times do."""

    def __init__(self, ledger: Ledger, steps: list[ClockStep] | None = None):
        self.steps = steps or []
        self.repeated: list[tuple[int, int]] = []
        self.lines = sorted(written_once(ledger))
        if steps is None:
            self.find_steps()
        else:
            self.repeated += [(step.after, step.before) for step in steps if step.after < step.before]
        self.paces = paces_between(self.steps)
        self.places = places_of(self.steps, self.lines)
        self.followers = [self.first_line_after(last) for last, _ in self.places]

    def find_steps(self) -> None:
        """Where the ledger's own times went backwards."""
        latest = None
        for _, at in self.lines:
            if latest is not None and at < latest - STEP_MIN:
                self.add(at, latest)
            latest = at if latest is None else max(latest, at)

    def add(self, low: int, high: int) -> None:
        """Joins what was repeated by the same step."""
        if self.repeated and self.repeated[-1][1] == high:
            low = min(low, self.repeated.pop()[0])
        self.repeated.append((low, high))

    def is_clear(self, *instants: int | None) -> bool:
        """None of the instants was passed twice."""
        return not any(self.set_back_over(instant) for instant in instants if instant is not None)

    def set_back_over(self, instant: int) -> list[tuple[int, int]]:
        """The times, from and to, that were passed again together with this one."""
        return [(low, high) for low, high in self.repeated if low <= instant <= high]

    def lease_cut_by(self, claimed_at: int, lost_at: int) -> int:
        """By how much the lease that was over at the loss was shorter than its holder knows. It is his session's: it
        may have begun before the claim, but was not over then."""
        return sum(
            step.after - step.before
            for step in self.steps
            if step.before < step.after
            and lost_at - LEASE_MAX <= step.after <= lost_at
            and (claimed_at - LEASE_MAX < step.before or not self.is_clear(claimed_at))
        )

    def set_forward_between(self, begin: int, end: int) -> int:
        """By how much it was set forward meanwhile: lengths of time that were under way then end that much later."""
        steps = [step for step in self.steps if step.before < step.after and begin <= step.after and step.before <= end]
        return sum(step.after - step.before for step in steps) + self.made_good_with(steps, begin)

    def set_back_between(self, begin: int, end: int) -> int:
        """By how much it was set back meanwhile: such lengths then end that much earlier by its times."""
        steps = [step for step in self.steps if step.after < step.before and begin <= step.before and step.after <= end]
        return sum(step.before - step.after for step in steps) + self.made_good_with(steps, begin)

    def made_good_with(self, steps: list[ClockStep], begin: int) -> int:
        """What a store did not call a step before `begin` comes on top of the next ones that it does."""
        unseen = [step for step in self.steps if abs(step.after - step.before) < UNSEEN_MAX and step.after < begin]
        return UNSEEN_MAX if steps and unseen else 0

    def earliest(self, after: int, through: int) -> int | None:
        """The earliest time it showed after the line with one seq, up to another: in a line, or when it was set."""
        begin, end = (bisect_right(self.lines, seq, key=lambda line: line[0]) for seq in (after, through))
        shown = [at for _, at in self.lines[begin:end]]
        shown += [
            step.after
            for step, (low, high) in zip(self.steps, self.places, strict=True)
            if after <= low and high <= through
        ]
        return min(shown, default=None)

    def first_line_after(self, seq: int) -> int:
        """The first line behind another one whose time tells when it was written; attempts stand between such lines."""
        index = bisect_right(self.lines, seq, key=lambda line: line[0])
        return self.lines[index][0] if index < len(self.lines) else FOREVER

    def place_of(self, seq: int, at: int) -> Place:
        """Orders what happened: how often the clock had been set by then, and its time. What a line tells of may have
        come later than the line, so it came at the first such time that the clock showed from there on."""
        earliest = sum(follower <= seq for follower in self.followers)
        fitting = (number for number in range(earliest, len(self.paces)) if is_within(at, self.paces[number]))
        return next(fitting, earliest), at

    def is_before(self, seq: int, at: int, bound: int) -> bool:
        """A line with a time that was passed twice was written by `bound` if the clock showed a time up to that after
        it."""
        if self.is_clear(at):
            return False
        shown = self.earliest(seq, FOREVER)
        return shown is not None and shown <= bound


def paces_between(steps: list[ClockStep]) -> list[tuple[int, int]]:
    """From when to when the clock went on by itself: before its first step, between any two, and after the last."""
    return list(zip([-FOREVER] + [step.after for step in steps], [step.before for step in steps] + [FOREVER]))


def places_of(steps: list[ClockStep], lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each step the last line that it may have followed, and the first one that may have followed it."""
    paces = paces_between(steps)
    mirrored = [(-seq, -at) for seq, at in reversed(lines)]
    earliest = paces_of(lines, paces)
    latest = [len(steps) - pace for pace in paces_of(mirrored, [(-high, -low) for low, high in reversed(paces)])]
    latest.reverse()
    places = []
    for number in range(len(steps)):
        before = [seq for (seq, _), pace in zip(lines, earliest) if pace <= number]
        after = [seq for (seq, _), pace in zip(lines, latest) if pace > number]
        places.append((max(before, default=-FOREVER), min(after, default=FOREVER)))
    return places


def paces_of(lines: list[tuple[int, int]], paces: list[tuple[int, int]]) -> list[int]:
    """Between which steps each line was written, as early as its time and the lines before it allow."""
    found: list[int] = []
    pace, latest = 0, -FOREVER
    for _, at in lines:
        if at < latest - STEP_MIN or not is_within(at, paces[pace]):
            following = (number for number in range(pace + 1, len(paces)) if is_within(at, paces[number]))
            pace, latest = next(following, pace), at
        latest = max(latest, at)
        found.append(pace)
    return found


def is_within(at: int, pace: tuple[int, int]) -> bool:
    """Whether the clock showed a time between two steps."""
    return pace[0] <= at <= pace[1]


def read_step(line: Line) -> ClockStep:
    """A line of the clock log."""
    return ClockStep(before=line.instant("from"), after=line.instant("to"))


def written_once(ledger: Ledger) -> list[tuple[int, int]]:
    """(seq, at) of the lines whose time is that of their only write."""
    rows = [(row.seq, row.at) for kind in (ledger.changes, ledger.ranges, ledger.voids, ledger.outages) for row in kind]
    rows += [
        (decision.seq, decision.at)
        for decision in ledger.decisions
        if not decision.has_waited and (decision.outcome == "started" or decision.reason in WRITTEN_ONCE)
    ]
    return rows
