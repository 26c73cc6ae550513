"""A proxy between one server and PostgreSQL: cuts, holds back, slows down, and loses the answers to commits."""

import asyncio
import random
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path

# Messages at the beginning of a connection that ask for encryption, and are answered by one byte.
ENCRYPTION_REQUESTS = (80877103, 80877104)
HEADER_SIZE = 5
# What `commits_to_cut` loses: only the answer, or the question too, so that nothing is committed.
ANSWER, QUESTION = "answer", "question"


class Loop:
    """One thread in which all proxies of a test are served."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def call(self, coroutine):  # type: ignore[no-untyped-def]
        """Runs it there, and returns what it returns."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def close(self) -> None:
        """Ends the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@dataclass
class Counts:
    """What was done to connections."""

    connections: int = 0
    answers_cut: int = 0
    questions_cut: int = 0
    resets: int = 0


@dataclass(eq=False)
class Connection:
    """One connection of the server, with its own to the database."""

    client: asyncio.StreamWriter
    database: asyncio.StreamWriter
    has_commit: bool = False  # since the last message that asks for all answers
    is_swallowing: bool = False  # answers go nowhere from now on
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def reset(self) -> None:
        """Both ends hear of it at once."""
        for task in self.tasks:
            task.cancel()
        self.client.transport.abort()
        self.database.transport.abort()


class Proxy:
    """Listens on a port of its own, and passes everything on to a socket file until it is told otherwise."""

    def __init__(self, loop: Loop, upstream: Path, seed: int = 0) -> None:
        self.counts = Counts()
        self.port = 0
        self._loop = loop
        self._upstream = upstream
        self._dice = random.Random(seed)
        self._connections: set[Connection] = set()
        self._commits_to_cut: list[str] = []
        self._delay_seconds = 0.0
        self._is_refusing = False
        self._to_database = asyncio.Event()
        self._to_client = asyncio.Event()
        self._server: asyncio.Server | None = None
        loop.call(self._listen())

    # What may be done to it, from any thread.

    def partition(self, *, to_database: bool = True, to_client: bool = True) -> None:
        """Nothing arrives any more in these directions, and nobody is told. Connections stay open."""
        self._loop.call(self._hold(to_database, to_client))

    def refuse(self) -> None:
        """Resets all connections, and every new one."""
        self._loop.call(self._refuse())

    def slow_down(self, seconds: float) -> None:
        """Every round trip takes up to so much longer."""
        self._delay_seconds = seconds

    def cut_commits(self, what: list[str]) -> None:
        """The next commits lose their answers, or are lost before they arrive; then the connection is reset."""
        self._commits_to_cut.extend(what)

    @property
    def uncut_count(self) -> int:
        """Of those, how many have not come yet."""
        return len(self._commits_to_cut)

    def heal(self, *, reset: bool = False) -> None:
        """All passes again. What was held back arrives late, unless connections are reset."""
        self._commits_to_cut.clear()
        self._delay_seconds = 0.0
        self._loop.call(self._heal(reset))

    def move_to(self, upstream: Path) -> None:
        """Another database has taken over."""
        self._upstream = upstream
        self.heal(reset=True)

    def close(self) -> None:
        """Ends it."""
        self._loop.call(self._close())

    # In the thread of the loop.

    async def _listen(self) -> None:
        self._to_database.set()
        self._to_client.set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _hold(self, to_database: bool, to_client: bool) -> None:
        if to_database:
            self._to_database.clear()
        if to_client:
            self._to_client.clear()

    async def _refuse(self) -> None:
        self._is_refusing = True
        self._reset_all()

    async def _heal(self, reset: bool) -> None:
        self._is_refusing = False
        if reset:
            self._reset_all()
        self._to_database.set()
        self._to_client.set()

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        self._reset_all()

    def _reset_all(self) -> None:
        self.counts.resets += len(self._connections)
        for connection in list(self._connections):
            connection.reset()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_refusing:
            writer.transport.abort()
            return
        try:
            answers, database = await asyncio.open_unix_connection(str(self._upstream))
        except OSError:
            writer.transport.abort()
            return
        self.counts.connections += 1
        connection = Connection(writer, database)
        self._connections.add(connection)
        connection.tasks = [
            asyncio.ensure_future(self._pass_questions(connection, reader)),
            asyncio.ensure_future(self._pass_answers(connection, answers)),
        ]
        try:
            await asyncio.wait(connection.tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._connections.discard(connection)
            connection.reset()
            await asyncio.gather(*connection.tasks, return_exceptions=True)

    async def _pass_questions(self, connection: Connection, reader: asyncio.StreamReader) -> None:
        try:
            await self._pass_greeting(connection, reader)
            while True:
                header = await reader.readexactly(HEADER_SIZE)
                body = await reader.readexactly(struct.unpack("!xI", header)[0] - 4)
                if not await self._pass_question(connection, header, body):
                    return
        except (OSError, asyncio.IncompleteReadError):
            return

    async def _pass_greeting(self, connection: Connection, reader: asyncio.StreamReader) -> None:
        """Messages at the beginning have no letter."""
        while True:
            size = await reader.readexactly(4)
            body = await reader.readexactly(struct.unpack("!I", size)[0] - 4)
            await self._to_database.wait()
            connection.database.write(size + body)
            await connection.database.drain()
            if struct.unpack("!I", body[:4])[0] not in ENCRYPTION_REQUESTS:
                return

    async def _pass_question(self, connection: Connection, header: bytes, body: bytes) -> bool:
        """False if the connection is at its end."""
        kind = header[:1]
        connection.has_commit |= kind == b"P" and body.split(b"\0")[1] == b"COMMIT"
        if kind == b"S":
            if connection.has_commit and self._commits_to_cut:
                what = self._commits_to_cut.pop(0)
                connection.is_swallowing = True
                if what == QUESTION:
                    self.counts.questions_cut += 1
                    return False
            connection.has_commit = False
            if self._delay_seconds:
                await asyncio.sleep(self._dice.uniform(0, self._delay_seconds))
        await self._to_database.wait()
        connection.database.write(header + body)
        await connection.database.drain()
        return True

    async def _pass_answers(self, connection: Connection, answers: asyncio.StreamReader) -> None:
        try:
            while True:
                header = await answers.readexactly(HEADER_SIZE)
                body = await answers.readexactly(struct.unpack("!xI", header)[0] - 4)
                if connection.is_swallowing:
                    # The database is ready for more: it has committed.
                    if header[:1] == b"Z":
                        self.counts.answers_cut += 1
                        return
                    continue
                await self._to_client.wait()
                connection.client.write(header + body)
                await connection.client.drain()
        except (OSError, asyncio.IncompleteReadError):
            return
