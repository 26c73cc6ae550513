"""What is done to servers, workers, the network between them and the database. Named as in the test plan: F1 to F12."""

import random
import signal
import struct
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import instants
from cluster import LEASE_SECONDS, Cluster, Node
from databases import Standby
from http_worker import HttpWorker
from proxy import ANSWER, QUESTION, Proxy
from waiting import await_value, pass_time

KINDS = {
    "F1": "kill -9 of a server",
    "F2": "graceful stop",
    "F3": "a server halted, most of the time beyond its lease",
    "F4": "a server cut off from the database",
    "F5": "answers to COMMIT lost",
    "F6": "database restarted, crashed, backends terminated",
    "F8": "clock of a server minutes off",
    "F9": "slow database",
    "F10": "all servers killed, twice as many start at once",
    "F11": "workers killed",
    "F12": "a streaming standby promoted",
}
CLOCK_OFF_SECONDS = 600
SLOW_SECONDS = (0.02, 0.1, 0.5)
COMMITS_CUT = 4
HERD = 3


@dataclass(frozen=True)
class Trouble:
    """A fault that lasts."""

    node: Node | None  # none: it concerns all
    began: str
    until: float
    heal: Callable[[], None]


class Faults:
    """Begins faults on servers that have none, and heals them when their time is over."""

    def __init__(
        self, cluster: Cluster, workers: list[HttpWorker], dice: random.Random, clock_library: Path | None
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.disturbances: list[dict[str, str]] = []  # from when to when each fault lasted
        self._cluster = cluster
        self._workers = workers
        self._dice = dice
        self._clock_library = clock_library
        self._clocks: dict[str, Path] = {}
        self._troubles: list[Trouble] = []
        self._herd_number = 0
        self._begin: dict[str, Callable[[], None]] = {
            "F1": self._kill,
            "F2": self._stop,
            "F3": self._halt,
            "F4": self._cut_off,
            "F5": self._lose_answers,
            "F6": self._disturb_database,
            "F8": self._set_clock,
            "F9": self._slow_down,
            "F10": self._herd,
            "F11": self._kill_workers,
            "F12": self._promote,
        }

    def kinds(self) -> list[str]:
        """Those that can be done here."""
        return [kind for kind in KINDS if kind != "F8" or self._clock_library is not None]

    def prepare(self, node: Node) -> None:
        """Before its first start: its clock can be set later."""
        if self._clock_library is None:
            return
        file = node.log.with_suffix(".clock")
        file.write_bytes(struct.pack("q", 0))
        self._clocks[node.name] = file
        node.variables = {"LD_PRELOAD": str(self._clock_library), "CARILLON_TEST_CLOCK": str(file)}

    def apply(self, kind: str) -> None:
        """One fault. It may last longer than this call."""
        self._heal_what_is_over()
        began = instants.text_of(instants.now())
        self._begin[kind]()
        self._note_end(began)
        pass_time(self._dice.uniform(0.2, 0.8))

    def settle(self) -> None:
        """Waits until nothing is wrong any more."""
        for trouble in sorted(self._troubles, key=lambda trouble: trouble.until):
            pass_time(max(0.0, trouble.until - time.monotonic()))
            self._heal(trouble)
        self._troubles.clear()
        for node in self._cluster.nodes:
            self._cluster.await_ready(node)

    def _heal_what_is_over(self) -> None:
        for trouble in [one for one in self._troubles if one.until <= time.monotonic()]:
            self._troubles.remove(trouble)
            self._heal(trouble)

    def _heal(self, trouble: Trouble) -> None:
        trouble.heal()
        self._note_end(trouble.began)

    def _note_end(self, began: str) -> None:
        self.disturbances.append({"from": began, "to": instants.text_of(instants.now())})

    def _last(self, node: Node | None, seconds: float, heal: Callable[[], None]) -> None:
        began = instants.text_of(instants.now())
        self._troubles.append(Trouble(node, began, time.monotonic() + seconds, heal))

    def _pick(self) -> Node:
        """A server that nothing is wrong with; there has to be another one that goes on."""
        troubled = [trouble.node for trouble in self._troubles]
        sound = [node for node in self._cluster.nodes if node not in troubled]
        if len(sound) < 2:
            self.settle()
            sound = self._cluster.nodes
        return self._dice.choice(sound)

    def _replace(self, node: Node) -> None:
        """The others go on meanwhile."""
        self._cluster.await_decisions(f"others decide while {node.name} is gone")
        node.start()
        node.await_ready()

    def _kill(self) -> None:
        node = self._pick()
        node.kill()
        self.counts["F1"] += 1
        self._replace(node)

    def _stop(self) -> None:
        node = self._pick()
        node.stop()
        self.counts["F2"] += 1
        self._replace(node)

    def _halt(self) -> None:
        node = self._pick()
        node.halt()
        url, node.url = node.url, None
        self.counts["F3"] += 1

        def heal() -> None:
            node.go_on()
            node.url = url

        self._last(node, LEASE_SECONDS * self._dice.choice((0.3, 1.2, 1.5)), heal)

    def _cut_off(self) -> None:
        node = self._pick()
        how = self._dice.choice(("both", "questions", "answers", "reset"))
        if how == "reset":
            node.proxy.refuse()
        else:
            node.proxy.partition(to_database=how != "answers", to_client=how != "questions")
        self.counts["F4"] += 1
        self.counts[f"F4 {how}"] += 1
        is_reset = self._dice.random() < 0.5
        self._last(node, LEASE_SECONDS * self._dice.choice((0.2, 0.6, 1.3)), lambda: node.proxy.heal(reset=is_reset))

    def _lose_answers(self) -> None:
        nodes = {self._pick(), self._pick()}
        for node in nodes:
            node.proxy.cut_commits([self._dice.choice((ANSWER, ANSWER, QUESTION)) for _ in range(COMMITS_CUT)])
        await_value(lambda: all(node.proxy.uncut_count == 0 for node in nodes), "commits to cut")
        self.counts["F5"] += len(nodes) * COMMITS_CUT

    def _disturb_database(self) -> None:
        how = self._dice.choice(("restart", "crash", "backends"))
        self.counts["F6"] += 1
        self.counts[f"F6 {how}"] += 1
        if how == "backends":
            for _ in range(3):
                self.counts["F6 backends terminated"] += self._cluster.database.end_backends()
                pass_time(self._dice.uniform(0, 0.2))
            return
        self._cluster.database.stop(signal.SIGINT if how == "restart" else signal.SIGQUIT)
        pass_time(self._dice.uniform(0, 1.5))
        self._cluster.database.start()

    def _set_clock(self) -> None:
        node = self._pick()
        file = self._clocks[node.name]
        self._write_clock(file, self._dice.choice((-CLOCK_OFF_SECONDS, CLOCK_OFF_SECONDS, -3, 3)))
        self.counts["F8"] += 1
        self._last(None, self._dice.uniform(1, 4), lambda: self._write_clock(file, 0))

    @staticmethod
    def _write_clock(file: Path, seconds: int) -> None:
        # In place: the file is mapped.
        with file.open("r+b") as clock:
            clock.write(struct.pack("q", seconds))

    def _slow_down(self) -> None:
        nodes = list(self._cluster.nodes)
        seconds = self._dice.choice(SLOW_SECONDS)
        for node in nodes:
            node.proxy.slow_down(seconds)
        self.counts["F9"] += 1

        def heal() -> None:
            for node in nodes:
                node.proxy.slow_down(0)

        self._last(None, self._dice.uniform(1, 4), heal)

    def _herd(self) -> None:
        self.settle()
        for node in self._cluster.nodes:
            node.kill()
        extra = []
        for _ in range(HERD):
            self._herd_number += 1
            extra.append(self._cluster.add_node(f"herd-{self._herd_number}"))
            self.prepare(extra[-1])
        for node in self._cluster.nodes:
            node.start()
        for node in self._cluster.nodes:
            node.await_ready()
        self.counts["F10"] += 1
        self._cluster.await_decisions("the herd decides")
        for node in extra:
            node.stop()
            self._cluster.remove(node)

    def _kill_workers(self) -> None:
        for worker in self._workers:
            worker.kill()
        self.counts["F11"] += 1

    def _promote(self) -> None:
        """The old one is shut down in good order: the standby has everything. lost_writes.py is the other case."""
        old = self._cluster.database
        link = Proxy(self._cluster.loop, old.socket)
        standby = Standby(old, link.port)
        standby.await_streaming(old)
        old.stop(signal.SIGINT)
        standby.promote()
        self._cluster.move_to(standby)
        self.counts["F12"] += 1
        link.close()
        old.close()
