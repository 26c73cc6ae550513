"""Servers, workers and users on one PostgreSQL, and faults; then all has to come to rest."""

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import fleet
import instants
import marked
from cluster import Cluster
from documents import Writer
from fault_kinds import Faults
from history import History
from http_worker import HttpWorker
from job_client import NAME, JobClient
from receiver import Receiver
from user import User
from waiting import NeverHappened, await_value
from worker_parts import FORGETFUL, REPLACED, Workplace

SERVERS = 3
WORKERS = 2
# What each worker does at a time: so many sessions.
SLOTS = 3
LOOK_SECONDS = 0.5
REST_PATIENCE = 90.0


@dataclass(frozen=True)
class Sizes:
    """How many schedules of each kind."""

    commands: int
    requests: int
    jobs: int
    changed: int  # those that a user changes all the time


SMALL = Sizes(commands=50, requests=140, jobs=20, changed=10)
LARGE = Sizes(commands=100, requests=280, jobs=40, changed=30)


@dataclass
class Found:
    """What was seen while it went on."""

    problems: list[str] = field(default_factory=list)
    healed_at: str = ""


class FailoverLoop:
    """All rounds, on one database."""

    def __init__(self, binaries: Path, folder: Path, seed: int, sizes: Sizes, clock_library: Path | None) -> None:
        self.folder = folder
        self.found = Found()
        self.dice = random.Random(seed)
        self.cluster = Cluster(binaries, folder, SERVERS, seed)
        self.witness = folder / "witness.jsonl"
        self.witness.touch()
        self.mark = f"{folder.name}-{seed}"
        self.receiver = Receiver(self.witness)
        self.receiver.release()
        self.history = History(folder / "history.jsonl", NAME)
        place = Workplace(self.cluster.rest, self.history, self.witness)
        habits = (FORGETFUL, REPLACED)
        names = [f"worker-{number}-{slot}" for number in range(WORKERS) for slot in range(SLOTS)]
        self.workers = [HttpWorker(name, habits[i % 2], place, seed * 1000 + i) for i, name in enumerate(names)]
        self.jobs = JobClient(self.cluster.rest, self.history, seed + 1)
        self.faults = Faults(self.cluster, self.workers, self.dice, clock_library)
        writer = Writer(self.witness, self.mark)
        steady = fleet.commands(writer, sizes.commands, self.dice) + fleet.jobs(sizes.jobs, self.dice)
        steady += fleet.requests(self.receiver.url, sizes.requests, self.dice)
        changed = [document | {"id": f"changed-{i}"} for i, document in enumerate(steady[: sizes.changed])]
        self.files = folder / "schedules.json"
        self.files.write_text(json.dumps({"schedules": steady}), encoding="utf-8")
        self.user = User("restless", changed, self.cluster.rest, self.history, seed + 3)
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)

    def begin(self) -> None:
        """Everything is at work when this returns."""
        done = self.cluster.carillon("store", "migrate", "--store", self.cluster.direct_url)
        assert done.returncode == 0, done.stderr
        for node in self.cluster.nodes:
            self.faults.prepare(node)
            # One of them brings the schedules along.
            node.start(*(["--apply", str(self.files)] if node is self.cluster.nodes[0] else []))
        for node in self.cluster.nodes:
            node.await_ready()
        self.user.create_all()
        for part in (*self.workers, self.jobs, self.user, self._watcher):
            part.start()
        self.cluster.await_decisions("the first occurrences are decided")

    def round(self, kinds: list[str]) -> None:
        """Each of these faults once."""
        for kind in kinds:
            began = time.monotonic()
            self.faults.apply(kind)
            print(f"{instants.text_of(instants.now())[11:19]} {kind} {time.monotonic() - began:.1f} s", flush=True)

    def come_to_rest(self) -> None:
        """Nothing is wrong any more: each schedule decides, each job ends, nobody has anything open."""
        self.faults.settle()
        self.found.healed_at = instants.text_of(instants.now())
        for worker in self.workers:
            worker.calm_down()
        self.user.stop()
        self.jobs.stop()
        seq = self.cluster.last_seq()
        self._expect(lambda: self._silent_ones(seq), "has decided nothing since the last fault")
        self._expect(self._unended_jobs, "acknowledged, but has not ended")
        self._expect(lambda: self._open_attempts(seq), "still open, though its claim is from before the last fault")
        for worker in self.workers:
            worker.come_to_rest()
        for worker in self.workers:
            worker.stop()
        # One that was killed before it could come to rest keeps its runs until its lease is over.
        self._expect(self._held_by_workers, "still open, though its worker is gone")
        for node in self.cluster.nodes:
            node.stop()
        self.found.problems += [f"still open at the end: {row}" for row in self._open_attempts(None)]
        self._is_over.set()
        self._watcher.join()
        self.history.close()
        self.found.problems += [f"refused: {line}" for line in self.user.refused]
        self.found.problems += [f"left behind: {process}" for process in marked.living(self.mark)]

    def close(self) -> None:
        """Leaves nothing behind, however it went."""
        self._is_over.set()
        if self._watcher.is_alive():
            self._watcher.join()
        self.user.abandon()
        self.jobs.abandon()
        for worker in self.workers:
            worker.stop()
        self.receiver.close()
        self.cluster.close()

    def _watch(self) -> None:
        """No process of an attempt may be alive beside a newer attempt of its run."""
        while not self._is_over.wait(LOOK_SECONDS):
            found = marked.living_beside_a_newer_attempt(self.mark)
            self.found.problems += [f"beside a newer attempt: {process}" for process in found]

    def _rows(self, sql: str) -> list[str]:
        return self.cluster.rows(sql)

    def _silent_ones(self, seq: int) -> list[str]:
        decided = f"SELECT uid FROM ledger WHERE seq > {seq} UNION SELECT uid FROM skipped_range WHERE seq > {seq}"
        return self._rows(f"SELECT id FROM schedule WHERE NOT is_deleted AND uid NOT IN ({decided})")

    def _open_attempts(self, before: int | None) -> list[str]:
        condition = "true" if before is None else f"seq <= {before}"
        return self._rows(f"SELECT run_seq, attempt, session FROM attempt WHERE state < 2 AND {condition}")

    def _held_by_workers(self) -> list[str]:
        return self._rows(
            "SELECT a.run_seq, a.attempt, a.session FROM attempt a JOIN session s ON s.id = a.session "
            "WHERE a.state < 2 AND s.worker LIKE 'worker-%'"
        )

    def _unended_jobs(self) -> list[str]:
        ended = set(self._rows("SELECT trigger FROM ledger WHERE uid = 0 AND ended_at IS NOT NULL"))
        return sorted(self.jobs.acknowledged - ended)

    def _expect(self, look: Callable[[], list[str]], what: str) -> None:
        """That nothing is left of what is looked for."""
        found: list[str] = []

        def is_over() -> bool:
            found[:] = look()
            return not found

        try:
            await_value(is_over, what, REST_PATIENCE)
        except NeverHappened:
            self.found.problems += [f"{what}: {item}" for item in found]
