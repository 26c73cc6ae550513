"""Tells small stories about schedules as ledger, history and witness log; for tests only."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from evidence import Inputs, Settings
from inputs import (
    Line,
    ledger_of,
    read_counters,
    read_disturbance,
    read_ledger_line,
    read_operation,
    read_sample,
    read_witness,
)
from judge import judge
from moments import SECOND, instant_text, parse_duration, parse_instant
from records import Ledger
from report import Report
from store_clock import read_step

MIDNIGHT = parse_instant("2026-03-02T00:00:00Z")
SERVER = "server-a"
WORKER = "worker-a"
ALICE = "alice"

MINUTELY: dict[str, Any] = {
    "id": "beat",
    "spec": {"cron": ["* * * * *"]},
    "action": {"command": {"argv": ["/bin/true"]}},
    "policies": {"retry": {"maxAttempts": 3, "backoff": "exponential", "initial": "10s"}},
}


def clock(text: str) -> int:
    """`01:02:03` or `01:02` on the day of the stories."""
    hours, minutes, seconds = (*text.split(":"), "0")[:3]
    return MIDNIGHT + int((int(hours) * 3_600 + int(minutes) * 60 + float(seconds)) * SECOND)


def with_policies(**policies: Any) -> dict[str, Any]:
    """The minutely schedule with other policies."""
    document = deepcopy(MINUTELY)
    document["policies"].update(policies)
    return document


class Story:
    """Collects lines. Times are given as `clock` reads them; each line has the next seq unless told."""

    def __init__(self, document: dict[str, Any] | None = None, created: str = "00:00:30", schedule: str = "beat"):
        self.schedule = schedule
        self.ledger: list[dict[str, Any]] = []
        self.history: list[dict[str, Any]] = []
        self.witness: list[dict[str, Any]] = []
        self.samples: list[dict[str, Any]] = []
        self.counters: list[dict[str, Any]] = []
        self.clock: list[dict[str, Any]] = []
        self.disturbances: list[dict[str, Any]] = []
        self.before: list[dict[str, Any]] | None = None
        self.incarnation = 1
        self.revision = 0
        self.run_count = 0
        self.change("create", created, **(document or MINUTELY))

    def row(self, type_: str, at: str, **members: Any) -> dict[str, Any]:
        """Appends a line to the ledger."""
        seq = self.ledger[-1]["seq"] + 1 if self.ledger else 1
        line = {"type": type_, "seq": seq, "at": instant_text(clock(at)), "schedule": self.schedule}
        self.ledger.append(line | members)
        return self.ledger[-1]

    def call(self, op: str, at: str, result: str = "ok", **members: Any) -> dict[str, Any]:
        """Appends a call to the history, answered a tenth of a second later."""
        begin, end = clock(at) - SECOND // 10, clock(at) + SECOND // 10
        line = {"time": instant_text(begin), "end": instant_text(end), "client": ALICE, "op": op}
        line |= {"schedule": self.schedule, "arguments": {}, "result": result, "revision": None}
        self.history.append(line | members)
        return self.history[-1]

    def change(self, op: str, at: str, **arguments: Any) -> dict[str, Any]:
        """A call of a client and the change it made."""
        kind = {"create": "created", "delete": "deleted", "reset": "reset"}.get(op, op.rstrip("e") + "ed")
        self.revision += 1
        self.call(op, at, arguments=arguments, revision=self.revision)
        return self.row("change", at, incarnation=self.incarnation, revision=self.revision, kind=kind, by=ALICE)

    def decision(self, nominal: str, outcome: str, at: str | None = None, **members: Any) -> dict[str, Any]:
        """One decision, made two milliseconds after its nominal time unless told."""
        time = clock(at) if at else clock(nominal) + 2_000
        line = self.row("decision", "00:00", server=SERVER, namespace="default", incarnation=self.incarnation)
        due = instant_text(clock(nominal))
        line |= {"at": instant_text(time), "revision": self.revision, "nominal": due, "due": due}
        line |= {"source": "schedule", "outcome": outcome, "reason": None, "run": None} | members
        if "waitedFrom" in line:
            line["waitedFrom"] = instant_text(clock(line["waitedFrom"]))
        self.ledger[-1] = line
        return line

    def started(self, nominal: str, at: str | None = None, **members: Any) -> dict[str, Any]:
        """A started decision with a run of its own, not yet attempted."""
        self.run_count += 1
        return self.decision(nominal, "started", at, **({"run": f"r-{self.run_count:08}"} | members))

    def skipped(self, nominal: str, reason: str, at: str | None = None, **members: Any) -> dict[str, Any]:
        """A skipped decision."""
        return self.decision(nominal, "skipped", at, reason=reason, **members)

    def ran(self, nominal: str, lasts: str = "5s", state: str = "succeeded", **members: Any) -> dict[str, Any]:
        """A started decision and its only attempt, claimed a millisecond later."""
        decision = self.started(nominal, **members)
        begin = parse_instant(decision["at"]) + 1_000
        self.attempt(decision["run"], begin, begin + parse_duration(lasts), state=state)
        return decision

    def attempt(self, run: str, begin: int, end: int | None, number: int = 1, state: str = "succeeded", **members: Any):
        """An attempt that was claimed and launched at once, and what its action wrote."""
        times = {"claimedAt": instant_text(begin), "launchedAt": instant_text(begin)}
        times["endedAt"] = None if end is None else instant_text(end)
        line = self.row("attempt", "00:00", run=run, attempt=number, worker=WORKER, state=state, reason=None)
        line |= times | {"at": instant_text(begin if end is None else end), "exitCode": None} | members
        self.ledger[-1] = line
        self.wrote(run, number, "start", begin)
        if end is not None and state != "lost":
            self.wrote(run, number, "end", end)
        return line

    def released(self, run: str, begin: int, end: int, number: int = 1, **members: Any) -> dict[str, Any]:
        """An attempt that was given back before it was launched."""
        line = self.attempt(run, begin, end, number, "released", **({"launchedAt": None} | members))
        self.witness = [entry for entry in self.witness if (entry["run"], entry["attempt"]) != (run, number)]
        return line

    def job(self, at: str, result: str = "ok", **policies: Any) -> str:
        """A job without a schedule that a client queued; its run."""
        self.run_count += 1
        run = f"~{self.run_count:08}"
        document = {"action": {"job": {"type": "mail"}}, "policies": policies}
        answer = {"run": run} if result == "ok" else {"end": None}
        self.call("submit", at, result, schedule=None, arguments=document, **answer)
        members = {"source": "adhoc", "run": run, "schedule": None, "incarnation": 0, "revision": 0}
        self.decision(at, "started", at, **members)
        return run

    def job_attempt(self, run: str, begin: str, end: str | None, **members: Any) -> dict[str, Any]:
        """An attempt of such a job."""
        return self.attempt(run, clock(begin), None if end is None else clock(end), **({"schedule": None} | members))

    def said(self, op: str, run: str, at: str, result: str = "ok", number: int = 1) -> dict[str, Any]:
        """What a worker said of an attempt: `complete` or `fail`."""
        return self.call(op, at, result, client=WORKER, run=run, attempt=number)

    def wrote(self, run: str, number: int, event: str, at: int) -> None:
        """A line of the witness log."""
        line = {"run": run, "attempt": number, "worker": WORKER, "event": event, "at": instant_text(at), "pid": 7}
        self.witness.append(line)

    def range(self, first: str, last: str, count: int, reason: str, at: str, **members: Any) -> dict[str, Any]:
        """Many skips in one line."""
        line = {"from": instant_text(clock(first)), "to": instant_text(clock(last)), "count": count, "reason": reason}
        line |= {"incarnation": self.incarnation, "revision": self.revision}
        return self.row("range", at, **(line | members))

    def void(self, nominal: str, at: str) -> dict[str, Any]:
        """A skip that does not count."""
        return self.row("void", at, nominal=instant_text(clock(nominal)), reason="clock")

    def outage(self, begin: str, end: str, cause: str = "down") -> dict[str, Any]:
        """Nobody decides; the next server says so when it comes."""
        line = self.row("outage", end, **{"from": instant_text(clock(begin)), "to": instant_text(clock(end))}, cause=cause)
        del line["schedule"]
        return line

    def backfill(self, first: str, end: str, at: str, **members: Any) -> dict[str, Any]:
        """A backfill that a client asked for, and how far it came."""
        id_ = members.get("id", "b1")
        span = {"from": instant_text(clock(first)), "to": instant_text(clock(end))}
        self.call("backfill", at, arguments=span | {"reprocess": "all"}, backfill=id_)
        return self.row("backfill", at, **(span | {"id": id_, "state": "completed", "done": 0, "total": 0} | members))

    def sample(self, time: str, next_run_at: str | None, **members: Any) -> None:
        """A reported next run."""
        next_text = None if next_run_at is None else instant_text(clock(next_run_at))
        line = {"time": instant_text(clock(time)), "schedule": self.schedule, "nextRunAt": next_text}
        self.samples.append(line | {"status": "active"} | members)

    def clock_set(self, before: str, after: str) -> None:
        """The store's clock jumps."""
        self.clock.append({"from": instant_text(clock(before)), "to": instant_text(clock(after))})

    def disturbed(self, begin: str, end: str) -> None:
        """Writes of this time may have been seen at its end only."""
        self.disturbances.append({"from": instant_text(clock(begin)), "to": instant_text(clock(end))})

    def judged(self, until: str, **settings: Any) -> Report:
        """What the checker finds, as of `until`."""
        inputs = Inputs(
            ledger=read_rows(self.ledger),
            history=[read_operation(Line(number, line)) for number, line in enumerate(self.history, 1)],
            witness=[read_witness(Line(number, line)) for number, line in enumerate(self.witness, 1)],
            before=None if self.before is None else read_rows(self.before),
            samples=[read_sample(Line(number, line)) for number, line in enumerate(self.samples, 1)],
            counters=[read_counters(Line(number, line)) for number, line in enumerate(self.counters, 1)],
            clock=[read_step(Line(number, line)) for number, line in enumerate(self.clock, 1)] or None,
            disturbances=[read_disturbance(Line(number, line)) for number, line in enumerate(self.disturbances, 1)],
        )
        return judge(inputs, Settings(until=clock(until), **({"settle": 0} | settings)))


def read_rows(lines: list[dict[str, Any]]) -> Ledger:
    """Lines as the reader reads them."""
    return ledger_of(read_ledger_line(Line(number, line)) for number, line in enumerate(lines, 1))


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Writes lines as a file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
