"""A worker over HTTP that leaves during claims, is killed and returns, and writes down what it performs."""

import contextlib
import json
import random
import threading
import time
from typing import Any

import instants
from rest import NoAnswer, Reply
from waiting import PATIENCE_SECONDS, NeverHappened
from worker_parts import KINDS, QUEUE, Counts, Habits, Job, Memory, Workplace, job_of

BEAT_SECONDS = 0.2
REST_SECONDS = 0.05
WORK_SECONDS_MAX = 0.5
CLAIM_WAIT = "300ms"


class SessionOver(Exception):
    """The server knows the session no more."""


class Died(Exception):
    """The worker was killed: it has forgotten what it had."""


class Taken(Exception):
    """The attempt is no longer this worker's."""


class HttpWorker:
    """Two threads, as in a real one: one claims and performs, one says that it is there and what it holds.

    What it holds it lists from the claim to the end. A worker that may forget begins only what the server knows it to
    have: else the server would believe that nothing was begun, and hand it out again."""

    def __init__(self, name: str, habits: Habits, place: Workplace, seed: int) -> None:
        self.name = name
        self.counts = Counts()
        self._habits = habits
        self._place = place
        self._rest = place.rest
        self._dice = random.Random(seed)
        self._is_over = threading.Event()
        self._is_calm = threading.Event()
        self._is_to_rest = threading.Event()
        self._is_to_die = threading.Event()
        self._rests = threading.Event()
        self._change = threading.Condition()
        self._memory = Memory()
        self._threads = [threading.Thread(target=self._work_on), threading.Thread(target=self._beat_on)]

    def start(self) -> None:
        """Begins to work."""
        for thread in self._threads:
            thread.start()

    def calm_down(self) -> None:
        """From now on it stays alive and awaits its answers."""
        self._is_calm.set()

    def kill(self) -> None:
        """It dies at the next moment at which it can, if it is one that dies."""
        self._is_to_die.set()

    def come_to_rest(self) -> None:
        """Performs what it has, claims nothing more, and goes on to say that it is there, with nothing in its list."""
        self._is_to_rest.set()
        if not self._rests.wait(PATIENCE_SECONDS):
            raise NeverHappened(f"{self.name} has not ended what it had")

    def stop(self) -> None:
        """Ends both threads, where they are."""
        self._is_over.set()
        with self._change:
            self._change.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _work_on(self) -> None:
        while not self._is_over.is_set():
            try:
                self._one_turn()
            except NoAnswer:
                self._is_over.wait(REST_SECONDS)
            except Died:
                self._forget(self._habits.returns_with_its_session)
                self.counts.deaths += 1
            except SessionOver:
                self._forget(False)

    def _one_turn(self) -> None:
        session = self._session()
        if self._is_to_rest.is_set():
            self._rests.set()
            self._is_over.wait(REST_SECONDS)
            return
        for job in self._claim(session):
            with contextlib.suppress(Taken):
                self._perform(session, job)

    def _session(self) -> str:
        """The one it has, or a new one."""
        with self._change:
            if self._memory.session is not None:
                return self._memory.session
        lease = f"{self._habits.lease_seconds}s"
        reply = self._rest.ask("POST", "/api/v1/workers", {"name": self.name, "queues": [QUEUE], "lease": lease})
        assert reply.status == 201, reply
        self.counts.sessions += 1
        with self._change:
            self._memory = Memory(session=reply.document["worker"], beaten_at=time.monotonic())
            return reply.document["worker"]

    def _claim(self, session: str) -> list[Job]:
        body = {"count": self._dice.randrange(1, 4), "wait": CLAIM_WAIT} | self._holds()
        if self._habits.leaves and self._happens(0.3):
            self.counts.claims_left += 1
            self._rest.ask_and_leave(f"/api/v1/workers/{session}/claim", body, self._dice)
            return []
        reply = self._call(session, "claim", body)
        jobs = [job_of(item) for item in reply.document["jobs"]]
        self._maybe_die()
        with self._change:
            self._memory.held |= {job.key: job for job in jobs}
        return jobs

    def _perform(self, session: str, job: Job) -> None:
        with self._change:
            if self._habits.lists_what_it_holds:
                self._change.wait_for(lambda: job.is_confirmed or not self._has(job) or self._is_over.is_set())
            if not self._has(job) or self._is_over.is_set():
                raise Taken
        self._maybe_die()
        self._write("start", job)
        self.counts.begun += 1
        for _ in range(2):
            self._spend(job, self._dice.uniform(0, WORK_SECONDS_MAX / 2))
            self._maybe_die()
        self._write("end", job)
        self._finish(session, job)

    def _spend(self, job: Job, seconds: float) -> None:
        """Works, unless it is told to stop, or its lease may be over."""
        end = time.monotonic() + seconds
        with self._change:
            while (left := end - time.monotonic()) > 0 and not job.is_cancelled:
                if not self._has(job) or self._is_late():
                    self._memory.held.pop(job.key, None)
                    raise Taken
                self._change.wait(min(left, REST_SECONDS))

    def _is_late(self) -> bool:
        return time.monotonic() - self._memory.beaten_at > self._habits.lease_seconds / 2

    def _finish(self, session: str, job: Job) -> None:
        """Says how it went, until somebody has heard it."""
        how, body = "complete", job.named | {"result": {"by": self.name}}
        if job.is_cancelled or self._dice.random() < 0.2:
            how, body = "fail", job.named | {"error": "as the dice fell", "cancelled": job.is_cancelled}
        while not self._is_over.is_set():
            with self._change:
                if not self._has(job):
                    raise Taken
            asked_at = instants.now()
            if self._habits.leaves and self._happens(0.1):
                self._rest.ask_and_leave(f"/api/v1/workers/{session}/{how}", body, self._dice)
                self._note(asked_at, how, job, "unknown")
                continue
            try:
                reply = self._call(session, how, body)
            except (NoAnswer, SessionOver) as problem:
                self._note(asked_at, how, job, "unknown" if isinstance(problem, NoAnswer) else "fail")
                if isinstance(problem, SessionOver):
                    raise
                self._is_over.wait(REST_SECONDS)
                continue
            self._note(asked_at, how, job, "ok" if reply.status == 204 else "fail")
            with self._change:
                self._memory.held.pop(job.key, None)
            return

    def _beat_on(self) -> None:
        while not self._is_over.wait(BEAT_SECONDS):
            with contextlib.suppress(NoAnswer):
                self._beat()

    def _beat(self) -> None:
        with self._change:
            memory = self._memory
            listed = list(memory.held.values())
        if memory.session is None:
            return
        asked_at = time.monotonic()
        try:
            reply = self._call(memory.session, "heartbeat", self._holds(listed))
        except SessionOver:
            with self._change:
                if self._memory is memory:
                    self._memory = Memory()
                self._change.notify_all()
            return
        stops = {(item["runId"], item["attempt"]): item["how"] for item in reply.document["stop"]}
        with self._change:
            memory.beaten_at = asked_at
            for job in listed:
                how = stops.get(job.key)
                job.is_confirmed = job.is_confirmed or how != "terminate"
                job.is_cancelled = job.is_cancelled or how == "cancel"
                if how == "terminate":
                    memory.held.pop(job.key, None)
            self._change.notify_all()

    def _call(self, session: str, what: str, body: dict[str, Any]) -> Reply:
        on_sent = {"on_sent": self._place.claim_sent.set} if what == "claim" else {}
        reply = self._rest.ask("POST", f"/api/v1/workers/{session}/{what}", body, **on_sent)
        if reply.status == 404 and reply.document["code"] == "session_over":
            raise SessionOver
        assert reply.status in (200, 204, 409), (what, body, reply)
        return reply

    def _holds(self, jobs: list[Job] | None = None) -> dict[str, Any]:
        if not self._habits.lists_what_it_holds:
            return {}
        with self._change:
            return {"holds": [job.named for job in (self._memory.held.values() if jobs is None else jobs)]}

    def _has(self, job: Job) -> bool:
        return self._memory.held.get(job.key) is job

    def _forget(self, keeps_session: bool) -> None:
        with self._change:
            session = self._memory.session if keeps_session else None
            self._memory = Memory(session=session, beaten_at=self._memory.beaten_at)
            self._change.notify_all()

    def _happens(self, chance: float) -> bool:
        return not self._is_calm.is_set() and self._dice.random() < chance

    def _maybe_die(self) -> None:
        if self._habits.dies and self._happens(1 if self._is_to_die.is_set() else 0.1):
            self._is_to_die.clear()
            raise Died

    def _write(self, event: str, job: Job) -> None:
        line = {"run": job.run, "attempt": job.attempt, "worker": self.name, "event": event}
        line["at"] = instants.text_of(instants.now())
        with self._place.witness.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _note(self, asked_at: Any, how: str, job: Job, result: str) -> None:
        members = {"schedule": job.schedule, "run": job.run, "attempt": job.attempt}
        self._place.history.append(asked_at, how, result, client=self.name, **members)


def crew(count: int, place: Workplace, seed: int) -> list[HttpWorker]:
    """So many workers, of each kind in turn."""
    return [HttpWorker(f"worker-{number}", KINDS[number % len(KINDS)], place, seed + number) for number in range(count)]
