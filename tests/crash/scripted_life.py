"""What a user does in one short life of a server, always the same: a bit of everything that is written down."""

from typing import Any

import instants
from documents import Document, Writer
from history import History
from servers import Answer, Driver
from waiting import pass_time

NAME = "scripted"
# Until the second attempt of what failed at first has ended.
LIFE_SECONDS = 1.6

Command = dict[str, Any]


class ServerGone(Exception):
    """No answer came."""


def speaking(document: Document) -> Document:
    """The same schedule with a command that also prints something, so that there is a log to keep."""
    command = document["action"]["command"]
    argv = ["/bin/sh", "-c", 'echo it begins; exec "$@"', "sh", *command["argv"]]
    return document | {"action": {"command": command | {"argv": argv}}}


def documents(writer: Writer) -> list[Document]:
    """Commands that end, fail once, last long, and wait for each other."""
    soon = {"initial": "1s", "backoff": "fixed", "maxAttempts": 3, "onLost": True}
    silent = [
        writer.document("steady"),
        writer.document("fails-first", "fail_first", retry=soon),
        writer.document("lasts", "beat", 1, retry=soon, overlap="buffer_one"),
        writer.document("waits", "sleep", 0.2, overlap="buffer_all", retry=soon),
        writer.document("pauses", pause={"missed": "buffer"}, overlap="buffer_all"),
    ]
    return [speaking(document) for document in silent]


class ScriptedUser:
    """Asks one thing after the other, and remembers what was not answered."""

    def __init__(self, writer: Writer, history: History) -> None:
        self.documents = documents(writer)
        self.history = history
        self._last_number = 0
        self._unanswered: Command | None = None

    def live(self, driver: Driver) -> None:
        """A whole life, but for its end."""
        for document in self.documents:
            self._ask(driver, op="create", document=document)
        self._ask(driver, op="trigger", schedule="fails-first", id="first", overlap="allow_all")
        self._ask(driver, op="pause", schedule="pauses")
        waits = self._document("waits")
        self._ask(driver, op="edit", document=waits | {"spec": {"intervals": [{"every": "2s"}]}})
        past = {"from": instants.text_of(instants.seconds_ago(9)), "to": instants.text_of(instants.seconds_ago(5))}
        self._ask(driver, op="backfill", schedule="waits", id="past", **past)
        pass_time(LIFE_SECONDS / 2)
        self._ask(driver, op="resume", schedule="pauses")
        self._ask(driver, op="edit", document=waits)
        pass_time(LIFE_SECONDS / 2)
        self._ask(driver, op="trigger", schedule="lasts", id="last", overlap="skip")

    def begin(self, driver: Driver) -> None:
        """Leaves runs that are at work, and one that is to be tried again."""
        for document in self.documents:
            self._ask(driver, op="create", document=document)
        for name in ("lasts", "fails-first"):
            self._ask(driver, op="trigger", schedule=name, id="begun", overlap="allow_all")

    def go_on(self, driver: Driver) -> None:
        """After a kill: repeats what was not answered, under its number, and brings all schedules to life."""
        command, self._unanswered = self._unanswered, None
        if command is not None:
            self._send(driver, command)
        for document in self.documents:
            state = driver.ask(op="state", schedule=document["id"])
            if state is None:
                raise ServerGone
            if state["result"] != "ok":
                self._ask(driver, op="create", document=document)
            elif state["status"] == "paused":
                self._ask(driver, op="resume", schedule=document["id"])

    def _document(self, name: str) -> Document:
        return next(document for document in self.documents if document["id"] == name)

    def _ask(self, driver: Driver, **command: Any) -> Answer:
        self._last_number += 1
        return self._send(driver, command | {"by": NAME, "request": self._last_number})

    def _send(self, driver: Driver, command: Command) -> Answer:
        asked_at = instants.now()
        answer = driver.ask(**command)
        self.history.write(asked_at, command, answer)
        if answer is None:
            self._unanswered = command
            raise ServerGone
        return answer
