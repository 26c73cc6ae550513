"""Kills `carillon serve` again and again while workers over HTTP claim, leave, die, return and finish."""

import json
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from history import History
from http_worker import crew
from job_client import NAME, JobClient
from ledger import Ledger, Line
from rest import Rest
from servers import Served
from waiting import NeverHappened, await_value, pass_time
from worker_parts import QUEUE, Workplace

LIFE_SECONDS = (0.2, 1.5)
# Longer than it takes until what a worker does not list is given up.
LONG_LIFE_SECONDS = 14.0
LONG_LIFE_EVERY = 8
DOWN_SECONDS_MAX = 0.5
# A kill falls into a claim: so soon after one was sent.
CLAIM_SECONDS_MAX = 0.01
# What a worker has lost is given up after ten seconds and tried again a second later; nothing else takes as long.
REST_PATIENCE = 60.0
SOON = {"maxAttempts": 5, "backoff": "fixed", "initial": "1s"}


def job_schedule(name: str, every: str = "1s", **policies: Any) -> dict[str, Any]:
    """A schedule whose runs wait for a worker. All its runs are kept, so that the checker sees them."""
    return {
        "id": name,
        "spec": {"intervals": [{"every": every}]},
        "action": {"job": {"type": "crash", "queue": QUEUE}},
        "policies": {"retry": SOON, "keep": {"runs": 10_000, "days": 30}} | policies,
    }


SCHEDULES = [
    job_schedule("job-skip"),
    job_schedule("job-buffer", every="2s", overlap="buffer_one"),
    job_schedule("job-cancel", every="2s", overlap="cancel_other"),
    job_schedule("job-once", retry=SOON | {"maxAttempts": 1}),
    job_schedule("job-lost-for-good", retry=SOON | {"onLost": False}),
]


@dataclass
class Counts:
    """What the loop did."""

    kills: int = 0
    kills_in_a_claim: int = 0
    problems: list[str] = field(default_factory=list)


class WorkerLoop:
    """All rounds, on one folder, with the same workers throughout."""

    def __init__(self, binaries: Path, folder: Path, seed: int, worker_count: int) -> None:
        self.binaries = binaries
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "server.log"
        self.witness = folder / "witness.jsonl"
        self.witness.touch()
        self.files = folder / "schedules.json"
        self.files.write_text(json.dumps({"schedules": SCHEDULES}), encoding="utf-8")
        self.dice = random.Random(seed)
        self.history = History(folder / "history.jsonl", NAME)
        self.rest = Rest(self.data / "admin.token")
        self.place = Workplace(self.rest, self.history, self.witness)
        self.workers = crew(worker_count, self.place, seed * 1000)
        self.client = JobClient(self.rest, self.history, seed + 1)
        self.counts = Counts()

    def run(self, round_count: int) -> None:
        """Kills `round_count` servers, then lets one come to rest."""
        try:
            for number in range(round_count):
                self._one_round(number)
            self._come_to_rest()
        finally:
            self._stop_clients()
            self.history.close()

    def _one_round(self, number: int) -> None:
        with self._start() as server:
            if number == 0:
                for client in (*self.workers, self.client):
                    client.start()
            is_long = number % LONG_LIFE_EVERY == LONG_LIFE_EVERY - 1
            pass_time(LONG_LIFE_SECONDS if is_long else self.dice.uniform(*LIFE_SECONDS))
            if self.dice.random() < 0.7:
                self._await_a_claim()
            assert server.child.poll() is None, f"a server ended by itself: {server.logged()[-2000:]}"
            server.kill()
            self.counts.kills += 1
        pass_time(self.dice.uniform(0, DOWN_SECONDS_MAX))

    def _start(self) -> Served:
        server = Served(self.binaries, self.data, self.log, "--apply", str(self.files), "--log", "json")
        assert server.wait_until_ready(), f"a server did not start: {server.logged()[-2000:]}"
        found = re.search(r"at (http://\S+)", server.greeting[0])
        assert found is not None, server.greeting
        self.rest.point_to(found.group(1))
        return server

    def _await_a_claim(self) -> None:
        self.place.claim_sent.clear()
        if self.place.claim_sent.wait(1):
            self.counts.kills_in_a_claim += 1
            time.sleep(self.dice.uniform(0, CLAIM_SECONDS_MAX))

    def _come_to_rest(self) -> None:
        """After the last kill nobody leaves or dies any more: all that was begun has to come to its end."""
        with self._start() as server:
            for worker in self.workers:
                worker.calm_down()
            self.client.stop()
            seq = max((line["seq"] for line in self._ledger().lines), default=0)
            self._expect(lambda ledger: silent_ones(ledger, seq), "no run of it has succeeded since the last kill")
            self._expect(self._unended_jobs, "acknowledged, but has not ended")
            for worker in self.workers:
                worker.come_to_rest()
            self._expect(lambda ledger: ledger.open_attempts(), "still open, though no worker has it")
            self._stop_clients()
            assert server.stop() == 0, f"the last server did not stop: {server.logged()[-2000:]}"

    def _expect(self, look: Any, what: str) -> None:
        """That nothing is left of what is looked for."""
        found: list[Any] = []

        def is_over() -> bool:
            found[:] = look(self._ledger())
            return not found

        try:
            await_value(is_over, what, REST_PATIENCE)
        except NeverHappened:
            self.counts.problems += [f"{what}: {item}" for item in found]

    def _unended_jobs(self, ledger: Ledger) -> list[str]:
        ended = {line["run"] for line in ledger.select("decision", source="adhoc") if line.get("endedAt")}
        return sorted(self.client.acknowledged - ended)

    def _ledger(self) -> Ledger:
        return Ledger.of(self.binaries, self.data)

    def _stop_clients(self) -> None:
        self.client.abandon()
        for worker in self.workers:
            worker.stop()


def silent_ones(ledger: Ledger, seq: int) -> list[str]:
    """Schedules none of whose attempts claimed after a line of the ledger has succeeded."""
    later: list[Line] = [line for line in ledger.select("attempt", state="succeeded") if line["seq"] > seq]
    return sorted({schedule["id"] for schedule in SCHEDULES} - {line["schedule"] for line in later})
