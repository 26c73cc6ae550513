"""A real server in a folder of its own, with tokens for all roles."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Behind our own folder, which has a client of its own.
sys.path += [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parents[2] / "crash")]

from client import Client  # noqa: E402
from launchers import end_launcher  # noqa: E402
from servers import Served  # noqa: E402

ROLES = ("viewer", "operator", "editor", "admin", "worker")


def binaries() -> Path:
    """The folder of the binaries: the first argument of every test."""
    return Path(sys.argv[1]).resolve()


def print_api() -> str:
    """The program that tells what the server was built with: the second argument."""
    return str(Path(sys.argv[2]).resolve())


def unittest_arguments() -> list[str]:
    """What is left for unittest."""
    return [sys.argv[0], *sys.argv[3:]]


class LiveServer:
    """Ready when it exists; nothing is left of it when it is closed."""

    def __init__(
        self,
        *arguments: str,
        prepare: Callable[[], None] | None = None,
        variables: dict[str, str] | None = None,
        owner: int | None = None,
    ) -> None:
        # pylint: disable-next=consider-using-with
        self._temporary = tempfile.TemporaryDirectory(prefix="carillon-api-")
        self.folder = Path(self._temporary.name)
        self.data = self.folder / "data"
        self.arguments = arguments
        self._prepare = prepare
        self._variables = variables
        if owner is not None:
            os.chown(self.folder, owner, owner)
        self._start()

    def _start(self) -> None:
        log = self.folder / "server.log"
        self.process = Served(
            binaries(), self.data, log, *self.arguments, prepare=self._prepare, variables=self._variables
        )
        if not self.process.wait_until_ready():
            raise AssertionError(f"the server did not start: {self.process.logged()}")
        self.port = int(self.process.greeting[0].rsplit(":", 1)[1])
        self.admin = Client(self.port, (self.data / "admin.token").read_text(encoding="utf-8").strip())

    def token(self, role: str, namespace: str | None = None, name: str = "test", **more: Any) -> dict[str, Any]:
        """A new token."""
        request = {"name": name, "role": role, **more} | ({"namespace": namespace} if namespace else {})
        answer = self.admin.post("/api/v1/tokens", request)
        assert answer.status == 201, answer
        return answer.json()

    def client(self, role: str, namespace: str | None = None) -> Client:
        """One who has a token of this role."""
        return Client(self.port, self.token(role, namespace)["token"])

    @property
    def stranger(self) -> Client:
        """One without a token."""
        return Client(self.port)

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.child.poll() is None

    def restart(self) -> None:
        """The same again, on another port."""
        code = self.process.stop()
        self.process.close()
        assert code == 0, f"the server ended with {code}"
        self._start()

    def kill_and_restart(self) -> None:
        """As a crash does it."""
        self.process.kill()
        self.process.close()
        self._start()

    def close(self) -> None:
        """Ends it; a server that does not end well is a fault."""
        code = self.process.stop() if self.is_alive() else self.process.child.returncode
        log = self.process.logged()
        self.process.close()
        end_launcher(self.data)
        self._temporary.cleanup()
        assert code == 0, f"the server ended with {code}: {log[-4000:]}"
