"""A restless user of any server: creates, edits, pauses, triggers, backfills and deletes, over REST."""

import random
import threading
from typing import Any

import instants
import workload
from documents import Document
from history import History
from rest import NoAnswer, Reply, Rest

REST_SECONDS_MAX = 0.25
HOLD_SECONDS_MAX = 0.8
REPEAT_SECONDS = 0.1


class Abandoned(Exception):
    """Told to end at once."""


class User:
    """A thread of its own. What is not answered is asked again under the same key, from another server perhaps."""

    def __init__(self, name: str, documents: list[Document], rest: Rest, history: History, seed: int) -> None:
        self.documents = {document["id"]: document for document in documents}
        self.refused: list[str] = []
        self._name = name
        self._rest = rest
        self._history = history
        self._dice = random.Random(seed)
        self._number = 0
        self._is_over = threading.Event()
        self._is_abandoned = threading.Event()
        self._thread = threading.Thread(target=self._act_on)

    def create_all(self) -> None:
        """In the beginning, from the thread that calls."""
        for name in self.documents:
            self._create(name)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends what it has begun; there has to be a server that answers."""
        self._is_over.set()
        self._thread.join()

    def abandon(self) -> None:
        """Ends it where it is."""
        self._is_over.set()
        self._is_abandoned.set()
        if self._thread.is_alive():
            self._thread.join()

    def _act_on(self) -> None:
        try:
            while not self._is_over.wait(self._dice.uniform(0, REST_SECONDS_MAX)):
                name = self._dice.choice(list(self.documents))
                episodes = (self._edit, self._pause, self._disable, self._replace, self._trigger, self._backfill)
                self._dice.choice(episodes)(name)
        except Abandoned:
            pass

    def _ask(self, operation: str, name: str, method: str, path: str, body: Any = None, **members: Any) -> Reply:
        """Until somebody answers. All tries are one call: the key is the same."""
        self._number += 1
        key = f"{self._name}-{self._number}"
        asked_at = instants.now()
        while True:
            try:
                reply = self._rest.ask(method, path, body, key=key)
                break
            except NoAnswer:
                if self._is_abandoned.wait(REPEAT_SECONDS):
                    self._history.append(asked_at, operation, "unknown", schedule=name, **members)
                    raise Abandoned from None
        is_granted = reply.status < 300
        if not is_granted:
            self.refused.append(f"{operation} {name}: {reply}")
        if is_granted and operation not in ("trigger", "backfill", "delete"):
            members["revision"] = reply.document["revision"]
        # What is skipped has no run, nor has what waits and is skipped later.
        if is_granted and operation == "trigger" and reply.document["decision"]["outcome"] == "started":
            members["run"] = reply.document["run"]["name"]
        if is_granted and operation == "backfill":
            members["backfill"] = reply.document["id"]
        self._history.append(asked_at, operation, "ok" if is_granted else "fail", schedule=name, **members)
        return reply

    def _change(self, operation: str, name: str) -> None:
        self._ask(operation, name, "POST", f"/api/v1/schedules/{name}/{operation}")

    def _create(self, name: str) -> None:
        document = self.documents[name]
        self._ask("create", name, "POST", "/api/v1/schedules", document, arguments=document)

    def _edit(self, name: str) -> None:
        document = workload.edited(self.documents[name], self._dice)
        if self._ask("update", name, "PUT", f"/api/v1/schedules/{name}", document, arguments=document).status < 300:
            self.documents[name] = document

    def _pause(self, name: str) -> None:
        self._change("pause", name)
        self._wait()
        self._change("resume", name)

    def _disable(self, name: str) -> None:
        self._change("disable", name)
        self._wait()
        self._change("enable", name)

    def _replace(self, name: str) -> None:
        self._ask("delete", name, "DELETE", f"/api/v1/schedules/{name}")
        self._wait()
        self._create(name)

    def _trigger(self, name: str) -> None:
        overlap = self._dice.choice(("allow_all", "skip", "buffer_all"))
        body = {"overlap": overlap}
        self._ask("trigger", name, "POST", f"/api/v1/schedules/{name}/trigger", body, arguments=body)

    def _backfill(self, name: str) -> None:
        begin = self._dice.uniform(5, 25)
        times = {
            "from": instants.text_of(instants.seconds_ago(begin)),
            "to": instants.text_of(instants.seconds_ago(begin - 4)),
        }
        self._ask("backfill", name, "POST", f"/api/v1/schedules/{name}/backfills", times, arguments=times)

    def _wait(self) -> None:
        self._is_over.wait(self._dice.uniform(0, HOLD_SECONDS_MAX))
