"""Calls of the REST interface by clients that outlive their servers, and may leave before they are answered."""

import http.client
import json
import random
import select
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from waiting import PATIENCE_SECONDS

# A client that leaves does so within this time, which is about as long as a claim takes.
LEAVE_SECONDS_MAX = 0.05
# Closes a connection by a reset: whoever writes to it hears of it at once.
RESET = struct.pack("ii", 1, 0)


class NoAnswer(Exception):
    """The server was not there, or ended before it had answered whole: the call may have had its effect or not."""


@dataclass(frozen=True)
class Reply:
    """An answer. The document is none if there is no body."""

    status: int
    document: Any


def nothing() -> None:
    """Nobody wants to know."""


class Rest:
    """Where the present server answers. May be used from several threads."""

    def __init__(self, token_file: Path) -> None:
        self._token_file = token_file
        self._address: tuple[str, int] | None = None

    def point_to(self, url: str) -> None:
        """Another server has taken over."""
        parts = urlsplit(url)
        assert parts.hostname is not None and parts.port is not None, url
        self._address = (parts.hostname, parts.port)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        on_sent: Callable[[], None] = nothing,
    ) -> Reply:
        """The answer; with `key` the call is done once however often it is asked. A server that says it cannot do it
        now has not answered. `on_sent` is called between the question and the answer."""
        host, port = self._present_address()
        connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)
        try:
            content = json.dumps({} if body is None else body).encode()
            connection.request(method, path, content if method != "GET" else None, self._headers(key))
            on_sent()
            answer = connection.getresponse()
            text = answer.read()
            # What waits at a server that stops is dropped with a word that is none.
            is_dropped = answer.status == 500 and b"the request could not be answered" in text
            if is_dropped or answer.status in (429, 502, 503, 504):
                raise NoAnswer(f"{answer.status}: {text!r}")
            return Reply(answer.status, json.loads(text) if text else None)
        except (OSError, http.client.HTTPException) as problem:
            raise NoAnswer(str(problem)) from problem
        finally:
            connection.close()

    def ask_and_leave(self, path: str, body: Any, dice: random.Random) -> None:
        """Posts, and is gone before the answer, while it comes, or when it has come unread."""
        content = json.dumps(body).encode()
        lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in self._headers(None).items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + content
        try:
            with socket.create_connection(self._present_address(), PATIENCE_SECONDS) as connection:
                connection.sendall(request)
                if dice.random() < 0.7:
                    select.select([connection], [], [], dice.uniform(0, LEAVE_SECONDS_MAX))
                if dice.random() < 0.3:
                    connection.settimeout(LEAVE_SECONDS_MAX)
                    connection.recv(dice.randrange(1, 300))
                if dice.random() < 0.5:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        except OSError:
            # It wanted to be gone anyway.
            pass

    def _present_address(self) -> tuple[str, int]:
        if self._address is None:
            raise NoAnswer("there is no server yet")
        return self._address

    def _headers(self, key: str | None) -> dict[str, str]:
        token = self._token_file.read_text(encoding="ascii").strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return headers if key is None else headers | {"Idempotency-Key": key}
