"""Starts a server on the same folder again and again, and kills it each time at a moment it does not know."""

import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import marked
import workload
from client import NAME, Client
from documents import Writer
from history import History
from ledger import Ledger
from servers import Driver, Served
from waiting import await_value

LIFE_SECONDS = (0.3, 3.0)
DOWN_SECONDS_MAX = 1.8
LOOK_SECONDS = 0.1

Server = Driver | Served


@dataclass
class Counts:
    """What the loop did."""

    rounds: int = 0
    kills: int = 0
    kills_at_start: int = 0
    orphans: list[str] = field(default_factory=list)


class KillLoop:
    """All rounds, on one folder."""

    def __init__(self, binaries: Path, folder: Path, seed: int) -> None:
        self.binaries = binaries
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "server.log"
        self.dice = random.Random(seed)
        self.mark = f"{folder.name}-{seed}"
        self.writer = Writer(folder / "witness.jsonl", self.mark)
        self.writer.witness.touch()
        self.files = folder / "schedules"
        self.files.mkdir()
        self.history = History(folder / "history.jsonl", NAME)
        self.client = Client(workload.commanded(self.writer), self.history, random.Random(seed + 1))
        self.counts = Counts()
        self._killed_at_ticks: int | None = None

    def run(self, round_count: int) -> None:
        """Kills `round_count` servers, then lets one come to rest."""
        for number in range(round_count):
            self._one_round(number)
            self.counts.rounds += 1
        self._come_to_rest()
        self.history.close()

    def _one_round(self, number: int) -> None:
        dies_at_start = number > 0 and self.dice.random() < 0.2
        with self._start(number) as server:
            if dies_at_start:
                self._watch(self.dice.uniform(0, 0.15))
                self.counts.kills_at_start += 1
            else:
                self._live(server)
            self._kill(server)
        if self.dice.random() < 0.2:
            self._watch(self.dice.uniform(0, DOWN_SECONDS_MAX))

    def _start(self, number: int) -> Server:
        if number % 2 == 0:
            return Driver(self.binaries, self.data, self.log)
        documents = {"schedules": workload.filed(self.writer, number)}
        (self.files / "filed.json").write_text(json.dumps(documents), encoding="utf-8")
        arguments = ("--apply", str(self.files), "--workers", "32", "--log", "json")
        return Served(self.binaries, self.data, self.log, *arguments)

    def _live(self, server: Server) -> None:
        assert server.wait_until_ready(), f"a server did not start: {server.logged()[-2000:]}"
        self._expect_no_orphans()
        talk = threading.Thread(target=self.client.use, args=(server,)) if isinstance(server, Driver) else None
        if talk:
            talk.start()
        shortest, longest = LIFE_SECONDS
        # Most lives are short: more is under way when a server has just begun.
        self._watch(shortest + (longest - shortest) * self.dice.random() ** 4)
        self._kill(server)
        if talk:
            talk.join()

    def _kill(self, server: Server) -> None:
        if server.child.returncode is None:
            assert server.child.poll() is None, f"a server ended by itself: {server.logged()[-2000:]}"
            server.kill()
            self._killed_at_ticks = marked.boot_ticks()
            self.counts.kills += 1

    def _watch(self, seconds: float) -> None:
        """Lets time pass, and looks all the while whether two attempts of one run are alive."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._note_orphans(marked.living_beside_a_newer_attempt(self.mark), "beside a newer attempt")
            time.sleep(min(left, LOOK_SECONDS))

    def _expect_no_orphans(self) -> None:
        """A server that is ready has waited for all that the one before it had started."""
        before = self._killed_at_ticks
        if before is not None:
            older = [process for process in marked.living(self.mark) if process.start_ticks < before]
            self._note_orphans(older, "of a server that was killed")

    def _note_orphans(self, processes: list[marked.MarkedProcess], what: str) -> None:
        self.counts.orphans += [f"{what}: {process}" for process in processes]

    def _come_to_rest(self) -> None:
        """After the last kill everything goes on: each active schedule decides again, and what runs can end."""
        with Driver(self.binaries, self.data, self.log) as driver:
            assert driver.wait_until_ready(), f"the last server did not start: {driver.logged()[-2000:]}"
            self._expect_no_orphans()
            self.client.is_over.set()
            self.client.use(driver)
            seq = max((line["seq"] for line in Ledger.of(self.binaries, self.data).lines), default=0)
            await_value(lambda: not self._silent_ones(driver, seq), "a decision for every active schedule")
            assert driver.stop() == 0, f"the last server did not stop: {driver.logged()[-2000:]}"
        self._note_orphans(list(marked.living(self.mark)), "after the end")

    def _silent_ones(self, driver: Driver, seq: int) -> set[str]:
        lines = Ledger.of(self.binaries, self.data).lines
        changes = {line["schedule"]: line["kind"] for line in lines if line["type"] == "change"}
        names = {name for name, last in changes.items() if last != "deleted"}
        active = {name for name in names if driver.demand(op="state", schedule=name)["status"] == "active"}
        return active - {line["schedule"] for line in lines if line["seq"] > seq and line["type"] == "decision"}


def count_kinds(ledger: Ledger) -> Counter[str]:
    """How much there was to judge."""
    counts: Counter[str] = Counter()
    for line in ledger.lines:
        if line["type"] in ("decision", "attempt"):
            counts[line["type"] + "s"] += 1
        if line["type"] == "range":
            counts["occurrences in ranges"] += line["count"]
        if line["type"] == "attempt":
            counts[line["state"]] += 1
    return counts
