"""Reads the inputs line by line; anything that cannot be read names its file and line."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import records
from moments import parse_instant
from records import (
    Attempt,
    Backfill,
    Change,
    Counters,
    Decision,
    Disturbance,
    Ledger,
    Operation,
    Outage,
    Range,
    Sample,
    Void,
    Witness,
)

Record = TypeVar("Record")


class UnreadableInput(Exception):
    """An input that is not what its format says."""


@dataclass
class Line:
    """One JSON object of a file, with readers for its members."""

    number: int
    members: dict[str, Any]

    def text(self, key: str) -> str:
        """A member that must be text."""
        value = self.members.get(key)
        if not isinstance(value, str):
            raise ValueError(f"'{key}' is not a text")
        return value

    def text_or_none(self, key: str) -> str | None:
        """Text, or none when left out or null."""
        return None if self.members.get(key) is None else self.text(key)

    def word(self, key: str, words: tuple[str, ...]) -> str:
        """A member that must be one of the words."""
        value = self.text(key)
        if value not in words:
            raise ValueError(f"'{key}' is '{value}', which is none of {', '.join(words)}")
        return value

    def number_of(self, key: str) -> int:
        """A member that must be a whole number."""
        value = self.members.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"'{key}' is not a whole number")
        return value

    def number_or_none(self, key: str) -> int | None:
        """A whole number, or none when left out or null."""
        return None if self.members.get(key) is None else self.number_of(key)

    def instant(self, key: str) -> int:
        """A member that must be a time."""
        return parse_instant(self.text(key))

    def instant_or_none(self, key: str) -> int | None:
        """A time, or none when left out or null."""
        return None if self.members.get(key) is None else self.instant(key)

    def mapping(self, key: str) -> dict[str, Any]:
        """An object; empty when left out or null."""
        value = self.members.get(key) or {}
        if not isinstance(value, dict):
            raise ValueError(f"'{key}' is not an object")
        return value


def read_lines(path: Path, read: Callable[[Line], Record]) -> Iterator[Record]:
    """Every line of a file as a record; empty lines are passed over."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                if text.strip():
                    yield read_line(path, number, text, read)
    except (OSError, UnicodeDecodeError) as problem:
        raise UnreadableInput(f"{path}: {problem}") from problem


def read_line(path: Path, number: int, text: str, read: Callable[[Line], Record]) -> Record:
    """One record."""
    try:
        members = json.loads(text)
        if not isinstance(members, dict):
            raise ValueError("the line is not a JSON object")
        return read(Line(number, members))
    except (ValueError, KeyError, TypeError) as problem:
        raise UnreadableInput(f"{path}:{number}: {problem}") from problem


def schedule_name(line: Line) -> str:
    """The schedule, with its namespace in front unless that is the default one."""
    namespace = line.text_or_none("namespace") or "default"
    schedule = line.text_or_none("schedule") or ""
    return schedule if namespace == "default" else f"{namespace}/{schedule}"


def common(line: Line) -> dict[str, Any]:
    """The members every ledger line has."""
    return {
        "seq": line.number_of("seq"),
        "at": line.instant("at"),
        "schedule": schedule_name(line),
        "incarnation": line.number_or_none("incarnation") or 0,
    }


def read_decision(line: Line) -> Decision:
    run = line.text_or_none("run")
    return Decision(
        **common(line),
        server=line.text("server"),
        revision=line.number_or_none("revision") or 0,
        nominal=line.instant("nominal"),
        due=line.instant_or_none("due") or line.instant("nominal"),
        source=line.word("source", records.SOURCES),
        outcome=line.word("outcome", records.OUTCOMES),
        reason=line.text_or_none("reason"),
        run=run,
        waited_from=line.instant_or_none("waitedFrom"),
        backfill=line.text_or_none("backfill") or backfill_in_name(run),
        version=line.number_or_none("version"),
        run_ended_at=line.instant_or_none("endedAt"),
    )


def backfill_in_name(run: str | None) -> str | None:
    """The backfill a run's name ends with, if the run is given by name."""
    _, separator, backfill = (run or "").partition("+backfill-")
    return backfill if separator else None


def read_range(line: Line) -> Range:
    return Range(
        **common(line),
        revision=line.number_or_none("revision") or 0,
        first=line.instant("from"),
        last=line.instant("to"),
        count=line.number_of("count"),
        reason=line.text("reason"),
    )


def read_attempt(line: Line) -> Attempt:
    return Attempt(
        **common(line),
        run=line.text("run"),
        attempt=line.number_of("attempt"),
        worker=line.text_or_none("worker"),
        state=line.word("state", records.ATTEMPT_STATES),
        claimed_at=line.instant_or_none("claimedAt"),
        launched_at=line.instant_or_none("launchedAt"),
        ended_at=line.instant_or_none("endedAt"),
        exit_code=line.number_or_none("exitCode"),
        reason=line.text_or_none("reason"),
        claimable_from=line.instant_or_none("claimableFrom"),
    )


def read_change(line: Line) -> Change:
    return Change(
        **common(line),
        revision=line.number_of("revision"),
        kind=line.word("kind", records.CHANGE_KINDS),
        by=line.text_or_none("by"),
        document=line.mapping("document") or None,
    )


def read_backfill(line: Line) -> Backfill:
    return Backfill(
        **common(line),
        id=line.text("id"),
        first=line.instant("from"),
        end=line.instant("to"),
        state=line.text("state"),
        done=line.number_or_none("done"),
        total=line.number_or_none("total"),
    )


def read_void(line: Line) -> Void:
    first = line.instant("from" if "from" in line.members else "nominal")
    last = line.instant("to") if "to" in line.members else first
    return Void(**common(line), first=first, last=last, reason=line.text_or_none("reason"))


def read_outage(line: Line) -> Outage:
    begin, end = line.instant("from"), line.instant("to")
    if end <= begin:
        raise ValueError("an outage ends after it begins")
    return Outage(**common(line), begin=begin, end=end, cause=line.word("cause", records.OUTAGE_CAUSES))


LEDGER_READERS: dict[str, tuple[str, Callable[[Line], Any]]] = {
    "decision": ("decisions", read_decision),
    "range": ("ranges", read_range),
    "attempt": ("attempts", read_attempt),
    "change": ("changes", read_change),
    "backfill": ("backfills", read_backfill),
    "void": ("voids", read_void),
    "outage": ("outages", read_outage),
}


def read_ledger_line(line: Line) -> tuple[str, Any]:
    """The list a ledger line belongs to, and the line."""
    kind = line.word("type", tuple(LEDGER_READERS))
    collection, read = LEDGER_READERS[kind]
    return collection, read(line)


def read_ledger(path: Path) -> Ledger:
    """A whole export."""
    return ledger_of(read_lines(path, read_ledger_line))


def ledger_of(rows: Iterable[tuple[str, Any]]) -> Ledger:
    """Lines in the lists they belong to."""
    ledger = Ledger()
    for collection, row in rows:
        ledger.seqs.append(row.seq)
        # A job without a schedule has no place in the story of one.
        is_job = isinstance(row, Decision) and row.source == "adhoc"
        getattr(ledger, "jobs" if is_job else collection).append(row)
    add_namespaces(ledger)
    return ledger


def add_namespaces(ledger: Ledger) -> None:
    """Only decisions name their namespace; the other lines belong to the one schedule that fits."""
    names = {decision.schedule for decision in ledger.decisions}
    elsewhere = {name.partition("/")[2]: name for name in names if "/" in name}
    for rows in (ledger.ranges, ledger.attempts, ledger.changes, ledger.backfills, ledger.voids):
        for row in rows:
            if row.schedule not in names:
                row.schedule = elsewhere.get(row.schedule, row.schedule)


def read_operation(line: Line) -> Operation:
    return Operation(
        line=line.number,
        time=line.instant("time"),
        end=line.instant_or_none("end"),
        client=line.text("client"),
        op=line.word("op", records.OPERATIONS),
        schedule=schedule_name(line),
        arguments=line.mapping("arguments"),
        result=line.word("result", records.RESULTS),
        revision=line.number_or_none("revision"),
        run=line.text_or_none("run"),
        attempt=line.number_or_none("attempt"),
        backfill=line.text_or_none("backfill"),
    )


def read_witness(line: Line) -> Witness:
    return Witness(
        line=line.number,
        run=line.text("run"),
        attempt=line.number_of("attempt"),
        worker=line.text_or_none("worker") or line.text_or_none("server"),
        event=line.word("event", ("start", "end", "beat")),
        at=line.instant("at"),
    )


def read_sample(line: Line) -> Sample:
    return Sample(
        line=line.number,
        time=line.instant("time"),
        schedule=schedule_name(line),
        status=line.text_or_none("status"),
        next_run_at=line.instant_or_none("nextRunAt"),
    )


def read_disturbance(line: Line) -> Disturbance:
    return Disturbance(begin=line.instant("from"), end=line.instant("to"))


def read_counters(line: Line) -> Counters:
    return Counters(line=line.number, schedule=schedule_name(line), skipped=line.mapping("skipped"))
