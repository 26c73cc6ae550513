"""Queues jobs without schedules until it is told to stop, and writes down which of them were acknowledged."""

import random
import threading
from typing import Any

import instants
from history import History
from rest import NoAnswer, Rest
from worker_parts import QUEUE

NAME = "submitter"
PAUSE_SECONDS_MAX = 0.2
REPEAT_SECONDS = 0.05


def job_document(number: int, dice: random.Random) -> dict[str, Any]:
    """Some may be tried once only, some not again after a loss."""
    retry = {"maxAttempts": dice.choice((1, 5)), "backoff": "fixed", "initial": "1s", "onLost": dice.random() < 0.5}
    return {
        "action": {"job": {"type": "crash", "queue": QUEUE, "payload": {"number": number}}},
        "policies": {"retry": retry},
    }


class JobClient:
    """A thread of its own. What is not answered it asks again under the same key, or gives up."""

    def __init__(self, rest: Rest, history: History, seed: int) -> None:
        self.acknowledged: set[str] = set()
        self._rest = rest
        self._history = history
        self._dice = random.Random(seed)
        self._is_over = threading.Event()
        self._is_abandoned = threading.Event()
        self._thread = threading.Thread(target=self._submit_on)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Finishes what it has begun; there has to be a server that answers."""
        self._is_over.set()
        self._thread.join()

    def abandon(self) -> None:
        """Ends it where it is."""
        self._is_over.set()
        self._is_abandoned.set()
        if self._thread.is_alive():
            self._thread.join()

    def _submit_on(self) -> None:
        number = 0
        while not self._is_over.wait(self._dice.uniform(0, PAUSE_SECONDS_MAX)):
            number += 1
            self._submit(number, job_document(number, self._dice))

    def _submit(self, number: int, document: dict[str, Any]) -> None:
        asked_at = instants.now()
        is_stubborn = self._dice.random() < 0.8
        while True:
            try:
                reply = self._rest.ask("POST", "/api/v1/jobs", document, key=f"job-{number}")
                break
            except NoAnswer:
                if not is_stubborn or self._is_abandoned.wait(REPEAT_SECONDS):
                    return self._history.append(asked_at, "submit", "unknown", arguments=document)
        assert reply.status == 201, reply
        run = reply.document["name"]
        self.acknowledged.add(run)
        return self._history.append(asked_at, "submit", "ok", run=run, arguments=document)
