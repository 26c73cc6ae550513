"""What `carillon ledger export` says, also while a server is at work."""

import json
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import instants
from servers import environment

Line = dict[str, Any]

TERMINAL_STATES = ("succeeded", "failed", "timed_out", "cancelled", "lost", "released")


def export_text(binaries: Path, data: Path) -> str:
    """All lines, as they are."""
    command = [str(binaries / "carillon"), "ledger", "export", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, env=environment(), timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


class Ledger:
    """One export, with the questions tests ask."""

    def __init__(self, text: str) -> None:
        self.lines: list[Line] = [json.loads(line) for line in text.splitlines()]

    @classmethod
    def of(cls, binaries: Path, data: Path) -> "Ledger":
        """Of the store in a folder."""
        return cls(export_text(binaries, data))

    def select(self, kind: str, schedule: str | None = None, **members: Any) -> list[Line]:
        """Lines of one type, in order, whose members have the given values."""
        return [
            line
            for line in self.lines
            if line["type"] == kind
            and schedule in (None, line.get("schedule"))
            and all(line.get(name) == value for name, value in members.items())
        ]

    def decisions(self, schedule: str, **members: Any) -> list[Line]:
        """Of one schedule."""
        return self.select("decision", schedule, **members)

    def attempts(self, schedule: str, **members: Any) -> list[Line]:
        """Of all runs of one schedule."""
        return self.select("attempt", schedule, **members)

    def skip_count(self, schedule: str, reason: str) -> int:
        """Single skips and those in ranges."""
        ranges = self.select("range", schedule, reason=reason)
        return len(self.decisions(schedule, reason=reason)) + sum(line["count"] for line in ranges)

    def open_attempts(self) -> list[Line]:
        """Those that have not ended."""
        return [line for line in self.select("attempt") if line["state"] not in TERMINAL_STATES]


def span(attempt: Line) -> tuple[datetime, datetime]:
    """From when to when an attempt that has ended was at work."""
    return instants.parse(attempt["launchedAt"] or attempt["claimedAt"]), instants.parse(attempt["endedAt"])
