"""Leases that lapse while commands and requests are under way, on a server that lives on: what may not be tried again
after a loss is lost, once and for all; what may be is tried again."""

import contextlib
import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import instants
from documents import Document
from judging import problems_by_checker
from ledger import Ledger
from receiver import Receiver
from scene import Scene
from servers import Driver, Served
from waiting import await_value, pass_time
from witnessing import starts_of

# Of each kind.
COUNT = 3
RETRY = {"maxAttempts": 3, "backoff": "fixed", "initial": "1s"}
# What `carillon serve` has, which has no option for it.
SERVED_LEASE_SECONDS = 30
# By how much later than the launcher the server may notice that its lease is over.
NOTICE_SECONDS = 1.5

# Kinds of action whose attempts a fault makes lost.
LostKinds = tuple[str, ...]


class Lapse:
    """A scene for one fault. Its schedules are called by their action, by whether they may be tried again after a loss,
    and by a number; each is due at once, only once, and hangs at its first attempt."""

    def __init__(self, scene: Scene, receiver: Receiver) -> None:
        self.scene = scene
        self.receiver = receiver
        self.lease_seconds = SERVED_LEASE_SECONDS
        self.server: Driver | Served | None = None
        self.documents = [
            self._document(action, after_loss, number)
            for action in ("command", "http")
            for after_loss in ("again", "once")
            for number in range(COUNT)
        ]
        self.names = [document["id"] for document in self.documents]

    def start_driver(self, lease_seconds: int) -> Driver:
        """A server with a lease of its own."""
        self.lease_seconds = lease_seconds
        self.server = driver = self.scene.driver(lease_seconds=lease_seconds)
        for number, document in enumerate(self.documents, start=1):
            driver.demand(op="create", document=document, by="lapses", request=number)
        return driver

    def start_served(self) -> Served:
        """The server that people have."""
        file = self.scene.folder / "schedules.json"
        file.write_text(json.dumps({"schedules": self.documents}), encoding="utf-8")
        arguments = ("--apply", str(file), "--allow-egress", "127.0.0.0/8", "--workers", "64", "--log", "json")
        self.server = served = self.scene.served(*arguments)
        assert served.wait_until_ready(), served.logged()
        return served

    def await_under_way(self) -> None:
        """Until the ledger and the outside know of every first attempt."""
        for name in self.names:
            self.scene.await_ledger(lambda ledger, name=name: ledger.attempts(name, state="launched"), name)
            await_value(lambda name=name: self._begun_count(name), f"a sign of {name}")

    def await_end_of_commands(self) -> None:
        """Whoever has the lease of commands ends them when it is over."""
        await_value(lambda: not self.scene.living(), "an end of all commands", self.lease_seconds + 60)

    def judge(self, lost_kinds: LostKinds) -> list[str]:
        """What is wrong, when every run has ended."""
        ledger = self.scene.await_ledger(self._ended, "an end of all runs")
        problems = []
        for name in self.names:
            expected = self._expected_states(name, lost_kinds)
            # What was given back before it was launched, as on a machine that is too busy to begin in time, was not begun.
            states = [line["state"] for line in ledger.attempts(name) if line["state"] != "released"]
            if states != expected:
                problems.append(f"{name}: its attempts ended as {states}, not as {expected}")
            if self._begun_count(name) != len(expected):
                problems.append(f"{name}: begun {self._begun_count(name)} times, not {len(expected)}")
        return problems

    def _document(self, action: str, after_loss: str, number: int) -> Document:
        document = self.scene.writer.document(
            f"{action}-{after_loss}-{number}",
            "hang_first",
            spec={"times": [instants.text_of(instants.seconds_ago(-1))]},
            retry=RETRY | {"onLost": after_loss == "again"},
        )
        request: dict[str, Any] = {"action": {"http": {"url": self.receiver.url}}}
        return document | (request if action == "http" else {})

    def _begun_count(self, name: str) -> int:
        """As the commands say themselves, or the receiver."""
        return sum(line["run"].startswith(f"{name}@") for line in starts_of(self.scene.writer.witness))

    def _ended(self, ledger: Ledger) -> Ledger | None:
        decisions = [decision for name in self.names for decision in ledger.decisions(name)]
        is_over = len(decisions) == len(self.names) and all(decision.get("endedAt") for decision in decisions)
        return ledger if is_over else None

    @staticmethod
    def _expected_states(name: str, lost_kinds: LostKinds) -> list[str]:
        if not name.startswith(lost_kinds):
            return ["succeeded"]
        return ["lost", "succeeded"] if "-again-" in name else ["lost"]


@contextlib.contextmanager
def halted(pid: int) -> Iterator[None]:
    """A process stands still."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def lock_database(lapse: Lapse) -> LostKinds:
    """Another process keeps the server from renewing its lease: it ends all that it has begun."""
    database = lapse.scene.data / "carillon.db"
    with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=60)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        lapse.await_end_of_commands()
        pass_time(NOTICE_SECONDS)
        connection.execute("ROLLBACK")
    return ("command", "http")


def halt_server(lapse: Lapse) -> LostKinds:
    """The launcher ends the commands by itself; the server finds its lease over when it goes on."""
    assert lapse.server is not None
    with halted(lapse.server.pid):
        lapse.await_end_of_commands()
        pass_time(NOTICE_SECONDS)
    return ("command", "http")


def halt_launcher(lapse: Lapse) -> LostKinds:
    """The launcher has not heard that the lease was renewed when it goes on; requests are none of its business."""
    launcher = int((lapse.scene.data / "launcher.lock").read_text(encoding="utf-8"))
    with halted(launcher):
        pass_time(lapse.lease_seconds + NOTICE_SECONDS)
    lapse.await_end_of_commands()
    lapse.receiver.release()
    return ("command",)


FAULTS: dict[str, Callable[[Lapse], LostKinds]] = {
    "database locked": lock_database,
    "server halted": halt_server,
    "launcher halted": halt_launcher,
}


def problems_of_fault(binaries: Path, fault: str, lease_seconds: int | None) -> list[str]:
    """On a scene of its own; empty if all is well. Without a lease it is that of `carillon serve`."""
    with Scene(binaries) as scene, contextlib.closing(Receiver(scene.writer.witness)) as receiver:
        lapse = Lapse(scene, receiver)
        with lapse.start_driver(lease_seconds) if lease_seconds else lapse.start_served() as server:
            lapse.await_under_way()
            problems = lapse.judge(FAULTS[fault](lapse))
            if server.stop() != 0:
                problems.append(f"the server did not stop in good order: {server.logged()[-2000:]}")
        ledger = scene.folder / "ledger.jsonl"
        ledger.write_text(scene.export(), encoding="utf-8")
        problems += problems_by_checker(ledger, None, scene.writer.witness, instants.now())
        return [f"{fault}: {problem}" for problem in problems]


def problems_of_lapses(binaries: Path, lease_seconds: int | None) -> list[str]:
    """Of all faults, which come at the same time on scenes of their own: most of it is waiting."""
    with ThreadPoolExecutor(len(FAULTS)) as pool:
        found = pool.map(lambda fault: problems_of_fault(binaries, fault, lease_seconds), FAULTS)
        return [problem for problems in found for problem in problems]
