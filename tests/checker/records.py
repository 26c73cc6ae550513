"""What the inputs say, one dataclass per kind of line. Instants are microseconds."""

from dataclasses import dataclass, field
from typing import Any

AUTOMATIC_SOURCES = ("schedule", "catchup")
SOURCES = ("schedule", "catchup", "trigger", "backfill", "chain", "adhoc")
OUTCOMES = ("waiting", "started", "skipped")
SKIP_REASONS = (
    "overlap",
    "buffer_full",
    "superseded",
    "missed",
    "quota",
    "paused",
    "deleted",
    "condition",
    "upstream",
    "exhausted",
    "clock",
    "outage",
)
TERMINAL_STATES = ("succeeded", "failed", "timed_out", "cancelled", "lost", "released")
ATTEMPT_STATES = ("claimed", "launched", *TERMINAL_STATES)
OUTAGE_CAUSES = ("down", "halted", "clock", "store")
CHANGE_KINDS = ("created", "updated", "paused", "resumed", "enabled", "disabled", "deleted", "reset")
# What a worker says of an attempt, and the states that its attempt then has.
STATES_AFTER = {"complete": ("succeeded",), "fail": ("failed", "timed_out", "cancelled")}
CHANGING = ("create", "update", "pause", "resume", "enable", "disable", "delete", "reset")
OPERATIONS = (*CHANGING, "trigger", "backfill", "submit", *STATES_AFTER)
RESULTS = ("ok", "fail", "unknown")
COMPLETED_BACKFILL_STATES = ("completed", "done", "succeeded", "finished")


@dataclass
class Row:
    """What every line of the ledger has. `incarnation` is 0 where the line does not say it."""

    seq: int
    at: int
    schedule: str
    incarnation: int


@dataclass
class Decision(Row):
    """What became of one occurrence, trigger or backfilled occurrence."""

    server: str
    revision: int
    nominal: int
    due: int
    source: str
    outcome: str
    reason: str | None
    run: str | None
    waited_from: int | None
    backfill: str | None
    version: int | None
    run_ended_at: int | None

    @property
    def is_automatic(self) -> bool:
        """Made by the schedule itself, not by a person."""
        return self.source in AUTOMATIC_SOURCES

    @property
    def first_at(self) -> int:
        """When the occurrence was first decided: it may have waited since."""
        return self.at if self.waited_from is None else self.waited_from

    @property
    def has_waited(self) -> bool:
        """Waits, or once did."""
        return self.outcome == "waiting" or self.waited_from is not None

    @property
    def was_queued_after_waiting(self) -> bool:
        """Perhaps: one that was released and taken back unclaimed does not tell when, and has lost its version."""
        return self.has_waited and self.reason in ("paused", "deleted") and self.version is None


@dataclass
class Range(Row):
    """Many skipped occurrences in one line; `first` and `last` are nominal times."""

    revision: int
    first: int
    last: int
    count: int
    reason: str


@dataclass
class Attempt(Row):
    """One try of a run, in its last state."""

    run: str
    attempt: int
    worker: str | None
    state: str
    claimed_at: int | None
    launched_at: int | None
    ended_at: int | None
    exit_code: int | None
    reason: str | None
    claimable_from: int | None

    @property
    def is_terminal(self) -> bool:
        """Has ended for good."""
        return self.state in TERMINAL_STATES


@dataclass
class Change(Row):
    """A change of a schedule's definition or operator state."""

    revision: int
    kind: str
    by: str | None
    document: dict[str, Any] | None


@dataclass
class Backfill(Row):
    """A backfill of [first, end) and how far it has come."""

    id: str
    first: int
    end: int
    state: str
    done: int | None
    total: int | None


@dataclass
class Void(Row):
    """Skips that do not count, because a wrong clock made them: those with a nominal time in [first, last]."""

    first: int
    last: int
    reason: str | None


@dataclass
class Outage(Row):
    """Nobody decided between `begin` and `end`. About no schedule."""

    begin: int
    end: int
    cause: str


@dataclass
class Ledger:
    """All lines of one export, by kind, each in the order of the file. Jobs without a schedule have lines of two kinds:
    what started them is in `jobs`, apart from the decisions of schedules; their attempts are among the others."""

    decisions: list[Decision] = field(default_factory=list)
    jobs: list[Decision] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    backfills: list[Backfill] = field(default_factory=list)
    voids: list[Void] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)

    @property
    def last_at(self) -> int:
        """The latest time any line names as its own."""
        rows = (self.decisions, self.jobs, self.ranges, self.attempts, self.changes, self.backfills, self.voids)
        return max((row.at for kind in (*rows, self.outages) for row in kind), default=0)


@dataclass
class Operation:
    """One call of a client: asked at `time`, answered or given up at `end`."""

    line: int
    time: int
    end: int | None
    client: str
    op: str
    schedule: str
    arguments: dict[str, Any]
    result: str
    revision: int | None
    run: str | None
    attempt: int | None
    backfill: str | None


@dataclass
class Witness:
    """What a started action wrote itself."""

    line: int
    run: str
    attempt: int
    worker: str | None
    event: str
    at: int


@dataclass
class ClockStep:
    """The store's clock was set from one time to another."""

    before: int
    after: int


@dataclass
class Disturbance:
    """Something kept writes from being seen."""

    begin: int
    end: int


@dataclass
class Sample:
    """A reported next run."""

    line: int
    time: int
    schedule: str
    status: str | None
    next_run_at: int | None


@dataclass
class Counters:
    """How many skips a schedule reports, by reason."""

    line: int
    schedule: str
    skipped: dict[str, int]
