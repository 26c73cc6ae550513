"""Requests to a server, as a stranger would send them: nothing but the standard library."""

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

PATIENCE_SECONDS = 60.0
PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media(self) -> str:
        """The media type as sent."""
        return self.headers.get("content-type", "")

    def json(self) -> Any:
        """The body, which has to be JSON."""
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def problem(self) -> dict[str, Any]:
        """What a problem says, without the name of its request, which no other one has."""
        return {name: value for name, value in self.json().items() if name != "instance"}

    def faults(self) -> list[str]:
        """What is wrong with it as an error of this server; nothing, if it is none."""
        if self.status < 400:
            return []
        if self.status == 503 and self.media == "application/json":
            return []  # /livez and /readyz
        if self.media != PROBLEM:
            return [f"{self.status} comes as {self.media!r}: {self.text[:200]}"]
        problem = self.json()
        if self.headers.get("x-content-type-options") != "nosniff":
            return [f"{self.status} may be taken for something else than it is"]
        missing = {"type", "title", "status", "detail", "code"} - problem.keys()
        said = problem.get("status")
        wrong = [f"{self.status} says that it is {said}"] if said != self.status else []
        return wrong + [f"a problem without {name}" for name in sorted(missing)]


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    name: str = ""
    position: str = ""
    data: Any = None


class Connection(http.client.HTTPConnection):
    """From an address of our choosing: the whole of 127.0.0.0/8 is this machine."""

    def __init__(self, port: int, source: str, timeout: float) -> None:
        super().__init__("127.0.0.1", port, timeout=timeout, source_address=(source, 0))


@dataclass(frozen=True)
class Client:
    """One who asks."""

    port: int
    token: str | None = None
    source: str = "127.0.0.1"
    base: dict[str, str] = field(default_factory=dict)

    def headers_for(self, headers: Mapping[str, str | None]) -> dict[str, str]:
        """With the token, unless told otherwise."""
        own: dict[str, str | None] = {**self.base}
        if self.token is not None:
            own["Authorization"] = f"Bearer {self.token}"
        return {name: value for name, value in (own | dict(headers)).items() if value is not None}

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        media: str = "application/json",
        is_stream: bool = False,
    ) -> Answer:
        """One request on a connection of its own. A body that is not bytes is sent as JSON. Of a stream that was begun
        nothing is read."""
        target = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        sent = self.headers_for(headers or {})
        content = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent.setdefault("Content-Type", media)
        connection = Connection(self.port, self.source, PATIENCE_SECONDS)
        try:
            connection.request(method, target, body=content, headers=sent)
            response = connection.getresponse()
            received = b"" if is_stream and response.status == 200 else response.read()
            return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, received)
        finally:
            connection.close()

    def get(self, path: str, **query: Any) -> Answer:
        """GET."""
        return self.ask("GET", path, query=query or None)

    def post(self, path: str, body: Any = None, **query: Any) -> Answer:
        """POST."""
        return self.ask("POST", path, body, query=query or None)

    def events(self, path: str, headers: Mapping[str, str] | None = None) -> "EventStream":
        """A stream of events that has begun."""
        return EventStream(self, path, headers or {})

    def raw(self, content: bytes) -> bytes:
        """Bytes as they are; all that comes back until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS) as connection:
            try:
                connection.sendall(content)
            except (BrokenPipeError, ConnectionResetError):
                pass
            received = b""
            while True:
                try:
                    chunk = connection.recv(65_536)
                except ConnectionResetError:
                    return received
                if not chunk:
                    return received
                received += chunk


class EventStream:
    """Server-sent events, one by one."""

    def __init__(self, client: Client, path: str, headers: Mapping[str, str]) -> None:
        self._connection = Connection(client.port, client.source, PATIENCE_SECONDS)
        self._connection.request("GET", path, headers=client.headers_for(headers))
        self._response = self._connection.getresponse()
        self.status = self._response.status
        self.media = self._response.getheader("Content-Type", "")

    def __iter__(self) -> Iterator[Event]:
        name, position, data = "", "", ""
        while True:
            line = self._response.readline()
            if not line:
                return
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                name = text[7:]
            elif text.startswith("id: "):
                position = text[4:]
            elif text.startswith("data: "):
                data += text[6:]
            elif not text and name:
                yield Event(name, position, json.loads(data))
                name, position, data = "", "", ""

    def until(self, name: str, **members: Any) -> list[Event]:
        """All events up to the first of this name whose data has these members."""
        seen = []
        for event in self:
            seen.append(event)
            if event.name == name and all(event.data.get(key) == value for key, value in members.items()):
                return seen
        raise AssertionError(f"the stream ended before {name} {members}: {seen}")

    def close(self) -> None:
        """Goes away."""
        self._response.close()
        self._connection.close()

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def segment(text: str) -> str:
    """A part of a path."""
    return quote(text, safe="")
