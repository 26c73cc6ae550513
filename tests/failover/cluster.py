"""Servers that share one PostgreSQL, each behind a proxy of its own, and what clients know of them."""

import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from databases import Primary
from launchers import end_launcher
from proxy import Loop, Proxy
from rest import NoAnswer, Rest
from servers import Served, environment
from waiting import await_value

SCHEMA = "failover"
# Short enough for a test to see what becomes of those who fall silent, and long enough for a busy machine.
LEASE_SECONDS = 8


class Node:
    """A server, which may be gone at the moment."""

    def __init__(self, name: str, binaries: Path, folder: Path, proxy: Proxy) -> None:
        self.name = name
        self.proxy = proxy
        self.data = folder / name
        self.log = folder / f"{name}.log"
        self.variables: dict[str, str] = {}
        self.url: str | None = None
        self._binaries = binaries
        self._process: Served | None = None
        self._is_halted = False

    @property
    def store(self) -> str:
        """The address it is given."""
        options = f"schema={SCHEMA}&sslmode=disable&gssencmode=disable"
        return f"postgres://postgres@127.0.0.1:{self.proxy.port}/postgres?{options}"

    def start(self, *arguments: str) -> None:
        """A new process; it may take a while until it is ready."""
        words = ["--store", self.store, "--log", "json", "--workers", "48", "--no-grpc", "--lease", f"{LEASE_SECONDS}s"]
        words += ["--stop-timeout", "30s", "--allow-egress", "127.0.0.0/8", *arguments]
        self._process = Served(self._binaries, self.data, self.log, *words, variables=self.variables)
        self._is_halted = False

    def await_ready(self) -> None:
        """From now on it is asked too."""
        assert self._process is not None
        assert self._process.wait_until_ready(), f"{self.name} did not start: {self._process.logged()[-2000:]}"
        self.url = self._process.url

    def kill(self) -> None:
        """SIGKILL."""
        assert self._process is not None
        self.expect_alive()
        self.url = None
        self._process.kill()
        self._process.close()

    def stop(self) -> None:
        """SIGTERM; has to end in good order."""
        assert self._process is not None
        self.expect_alive()
        self.url = None
        code = self._process.stop()
        assert code == 0, f"{self.name} ended with {code}: {self._process.logged()[-2000:]}"
        self._process.close()

    def halt(self) -> None:
        """SIGSTOP to the server alone: what watches over its commands goes on."""
        assert self._process is not None
        self._is_halted = True
        self._process.child.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        assert self._process is not None
        self._process.child.send_signal(signal.SIGCONT)
        self._is_halted = False

    def expect_alive(self) -> None:
        """Nobody ends by himself, whatever becomes of the database."""
        assert self._process is not None
        assert self._process.child.poll() is None, f"{self.name} ended by itself: {self._process.logged()[-2000:]}"

    def close(self) -> None:
        """Leaves nothing behind, however the test went."""
        if self._process is not None:
            if self._is_halted and self._process.child.poll() is None:
                self.go_on()
            self._process.close()
        end_launcher(self.data)


class AnyServer(Rest):
    """A client's view: it asks one of the servers it knows, another one each time."""

    def __init__(self, nodes: list[Node], seed: int) -> None:
        super().__init__(nodes[0].data / "admin.token")
        self._nodes = nodes
        self._dice = random.Random(seed)

    def _present_address(self) -> tuple[str, int]:
        urls = [url for node in self._nodes if (url := node.url) is not None]
        if not urls:
            raise NoAnswer("there is no server")
        host, _, port = self._dice.choice(urls).rpartition("/")[2].partition(":")
        return host, int(port)


class Cluster:
    """Everything that outlives a server."""

    def __init__(self, binaries: Path, folder: Path, server_count: int, seed: int) -> None:
        self.binaries = binaries
        self.folder = folder
        self.database = Primary()
        self.loop = Loop()
        self.nodes: list[Node] = []
        self._seed = seed
        for number in range(server_count):
            self.add_node(f"server-{number}")
        self.rest = AnyServer(self.nodes, seed)

    def add_node(self, name: str) -> Node:
        """Not started yet."""
        proxy = Proxy(self.loop, self.database.socket, self._seed + len(self.nodes))
        node = Node(name, self.binaries, self.folder, proxy)
        self.nodes.append(node)
        return node

    def remove(self, node: Node) -> None:
        """One that has ended."""
        self.nodes.remove(node)
        node.close()
        node.proxy.close()

    @property
    def direct_url(self) -> str:
        """Of the store, without a proxy."""
        return f"{self.database.url()}?schema={SCHEMA}"

    def move_to(self, database: Primary) -> None:
        """All proxies lead to another database from now on."""
        self.database = database
        for node in self.nodes:
            node.proxy.move_to(database.socket)

    def carillon(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One command."""
        command = [str(self.binaries / "carillon"), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment(), check=False)

    def export(self) -> str:
        """The ledger."""
        done = self.carillon("ledger", "export", "--store", self.direct_url)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, sql: str) -> list[str]:
        """What the database answers, as text."""
        return self.database.query(f"SET search_path TO {SCHEMA}; {sql}").splitlines()[1:]

    def last_seq(self) -> int:
        """The newest line of the ledger about an occurrence."""
        return int(self.rows("SELECT coalesce(max(seq), 0) FROM ledger WHERE uid <> 0")[0])

    def await_decisions(self, what: str, after: int | None = None) -> None:
        """Somebody decides."""
        seq = self.last_seq() if after is None else after
        await_value(lambda: self.last_seq() > seq, what)

    def await_ready(self, node: Node) -> None:
        """It answers that it can be used."""
        await_value(lambda: self._is_ready(node), f"{node.name} is ready")

    @staticmethod
    def status_of(node: Node, path: str) -> int:
        """What this server answers."""
        return AnyServer([node], 0).ask("GET", path).status

    def _is_ready(self, node: Node) -> bool:
        node.expect_alive()
        try:
            return self.status_of(node, "/readyz") == 200
        except NoAnswer:
            return False

    def close(self) -> None:
        """Ends all of it."""
        closing: list[Callable[[], None]] = [node.close for node in self.nodes]
        closing += [node.proxy.close for node in self.nodes]
        for close in (*closing, self.loop.close, self.database.close):
            close()
