"""Finds the processes that belong to a test, by a mark in their environment: what a server left behind has it too."""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

MARK = "CRASH_TEST_MARK"
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class MarkedProcess:
    """A living process of some attempt. A number may come to mean another process; with the start it does not."""

    pid: int
    start_ticks: int
    run: str
    attempt: int
    command: str

    def is_alive(self) -> bool:
        """Still there, and not only as an entry that nobody has collected."""
        return read_start(self.pid) == self.start_ticks


def read_start(pid: int) -> int | None:
    """When it began, in ticks since boot; none if it is gone or dead."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in ("Z", "X") else int(fields[19])


def read_process(pid: int, mark: str) -> MarkedProcess | None:
    """The process, if it has the mark."""
    start = read_start(pid)
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environ = file.read()
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    if start is None or f"{MARK}={mark}\0".encode() not in environ:
        return None
    values = dict(item.partition("=")[::2] for item in environ.decode(errors="replace").split("\0"))
    attempt = int(values.get("CARILLON_ATTEMPT", 0))
    return MarkedProcess(pid, start, values.get("CARILLON_RUN_NAME", ""), attempt, command)


def living(mark: str) -> Iterator[MarkedProcess]:
    """All that have the mark now."""
    for name in os.listdir("/proc"):
        process = read_process(int(name), mark) if name.isdigit() else None
        if process:
            yield process


def living_beside_a_newer_attempt(mark: str) -> list[MarkedProcess]:
    """Processes of an attempt whose run has begun another one. Must be empty at any moment."""
    by_run: dict[str, list[MarkedProcess]] = defaultdict(list)
    for process in living(mark):
        by_run[process.run].append(process)
    return [
        process
        for family in by_run.values()
        for process in family
        if process.attempt < max(other.attempt for other in family)
        # It may have been seen shortly before its end, and the newer one shortly after it began.
        and process.is_alive()
    ]


def boot_ticks() -> int:
    """Now, in the unit in which the beginnings of processes are given."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS_PER_SECOND)
