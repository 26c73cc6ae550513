"""What a worker over HTTP is made of: its habits, what it has, what it remembers and counts, and where it works."""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from history import History
from rest import Rest

QUEUE = "crash"

JobKey = tuple[str, int]


@dataclass(frozen=True)
class Habits:
    """How a worker behaves."""

    lists_what_it_holds: bool
    leaves: bool  # closes connections before it is answered
    dies: bool
    returns_with_its_session: bool
    lease_seconds: int


# The long leases are longer than any test: only a claim that is given up frees what its worker does not know of.
FORGETFUL = Habits(True, leaves=True, dies=True, returns_with_its_session=True, lease_seconds=3600)
REPLACED = Habits(True, leaves=True, dies=True, returns_with_its_session=False, lease_seconds=8)
PLAIN = Habits(False, leaves=False, dies=False, returns_with_its_session=True, lease_seconds=3600)
KINDS = (FORGETFUL, REPLACED, FORGETFUL, PLAIN)


@dataclass
class Job:
    """An attempt that the worker has."""

    run_id: str
    attempt: int
    run: str
    schedule: str | None
    is_confirmed: bool = False
    is_cancelled: bool = False

    @property
    def key(self) -> JobKey:
        """What it is called in `holds`."""
        return self.run_id, self.attempt

    @property
    def named(self) -> dict[str, Any]:
        """The same for a body."""
        return {"runId": self.run_id, "attempt": self.attempt}


@dataclass
class Counts:
    """What a worker did."""

    claims_left: int = 0
    deaths: int = 0
    begun: int = 0
    sessions: int = 0


@dataclass
class Memory:
    """What a worker loses when it is killed. Shared by its two threads, under the worker's lock."""

    session: str | None = None
    held: dict[JobKey, Job] = field(default_factory=dict)
    beaten_at: float = 0


@dataclass(frozen=True)
class Workplace:
    """What workers have in common. `claim_sent` is set when one of them has sent a claim, and is not answered yet."""

    rest: Rest
    history: History
    witness: Path
    claim_sent: threading.Event = field(default_factory=threading.Event)


def job_of(item: dict[str, Any]) -> Job:
    """A claimed job as the server hands it out."""
    envelope = item["envelope"]
    return Job(item["runId"], item["attempt"], envelope["runName"], envelope["scheduleId"])
