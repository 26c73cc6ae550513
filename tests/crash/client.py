"""A restless user of one driver: creates, edits, pauses, triggers, backfills and deletes until nobody answers."""

import random
import threading
from typing import Any

import instants
import workload
from documents import Document
from history import History
from servers import Answer, Driver

NAME = "restless"
# Between two episodes, and within one: long enough for an occurrence to fall into it.
REST_SECONDS_MAX = 0.03
HOLD_SECONDS_MAX = 0.4

Command = dict[str, Any]


class ServerGone(Exception):
    """No answer came: the server was killed."""


class Client:
    """Lives longer than the servers it talks to, and remembers what it was not answered."""

    def __init__(self, documents: list[Document], history: History, dice: random.Random) -> None:
        self.documents = {document["id"]: document for document in documents}
        self.history = history
        self.dice = dice
        self.is_over = threading.Event()
        self._driver: Driver | None = None
        self._unanswered: Command | None = None
        self._last_number = 0
        # Whose creation was not answered since it was to be deleted; in the beginning, all.
        self._doubtful = set(self.documents)

    def use(self, driver: Driver) -> None:
        """Works until the server is gone or the client is told to stop. For a thread of its own."""
        self._driver = driver
        try:
            self._repeat_unanswered()
            self.mend()
            while not self.is_over.is_set():
                self._one_episode()
        except ServerGone:
            pass

    def ask(self, **command: Any) -> Answer:
        """Asks, and writes both sides down."""
        command |= {"by": NAME, "request": self._next_number()}
        return self._ask_again(command)

    def mend(self) -> None:
        """Brings every schedule back to life that an unfinished episode has left paused, disabled or deleted."""
        for name in self.documents:
            if name in self._doubtful:
                self._create(name)
            status = self._status(name)
            if status == "paused":
                self.ask(op="resume", schedule=name)
            elif status == "disabled":
                self.ask(op="enable", schedule=name)
            elif status in ("done", "dead") and self.dice.random() < 0.5:
                self.ask(op="reset", schedule=name)

    def _next_number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _ask_again(self, command: Command) -> Answer:
        assert self._driver is not None
        asked_at = instants.now()
        answer = self._driver.ask(**command)
        self.history.write(asked_at, command, answer)
        if answer is None:
            self._unanswered = command
            raise ServerGone
        return answer

    def _repeat_unanswered(self) -> None:
        """Half of what was not answered is asked again under the same number: it must not happen twice."""
        command, self._unanswered = self._unanswered, None
        if command is not None and self.dice.random() < 0.5:
            self._ask_again(command)

    def _status(self, name: str) -> str | None:
        assert self._driver is not None
        answer = self._driver.ask(op="state", schedule=name)
        if answer is None:
            raise ServerGone
        return answer.get("status")

    def _wait(self, seconds_max: float) -> None:
        self.is_over.wait(self.dice.uniform(0, seconds_max))

    def _one_episode(self) -> None:
        name = self.dice.choice(list(self.documents))
        changes = (self._edit, self._edit, self._pause, self._disable, self._replace)
        episodes = changes + (self._trigger, self._trigger, self._backfill, self._backfill)
        self.dice.choice(episodes)(name)
        self._wait(REST_SECONDS_MAX)

    def _edit(self, name: str) -> None:
        document = workload.edited(self.documents[name], self.dice)
        if self.ask(op="edit", document=document)["result"] == "ok":
            self.documents[name] = document

    def _pause(self, name: str) -> None:
        until = {"until": instants.text_of(instants.seconds_ago(-1))} if self.dice.random() < 0.3 else {}
        self.ask(op="pause", schedule=name, **until)
        self._wait(HOLD_SECONDS_MAX)
        self.ask(op="resume", schedule=name)

    def _disable(self, name: str) -> None:
        self.ask(op="disable", schedule=name)
        self._wait(HOLD_SECONDS_MAX)
        self.ask(op="enable", schedule=name)

    def _create(self, name: str) -> None:
        """Refused if it is there, which is an answer too."""
        self.ask(op="create", document=self.documents[name])
        self._doubtful.discard(name)

    def _replace(self, name: str) -> None:
        self._doubtful.add(name)
        self.ask(op="delete", schedule=name)
        self._wait(HOLD_SECONDS_MAX)
        self._create(name)

    def _trigger(self, name: str) -> None:
        overlap = self.dice.choice(("allow_all", "skip", "buffer_all"))
        self.ask(op="trigger", schedule=name, id=f"t{self._last_number}", overlap=overlap)

    def _backfill(self, name: str) -> None:
        begin = self.dice.uniform(5, 15)
        times = {
            "from": instants.text_of(instants.seconds_ago(begin)),
            "to": instants.text_of(instants.seconds_ago(begin - 3)),
        }
        self.ask(op="backfill", schedule=name, id=f"b{self._last_number}", **times)
