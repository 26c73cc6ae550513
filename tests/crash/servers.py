"""Real servers as child processes: the driver, which takes commands on its standard input, and `carillon serve`."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from waiting import PATIENCE_SECONDS, NeverHappened

Answer = dict[str, Any]

# What sanitizers and the search for programs need; the rest of our environment is not the server's business.
PASSED_ON = ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


def environment() -> dict[str, str]:
    """For everything that is started here."""
    passed = {name: value for name, value in os.environ.items() if name in PASSED_ON or name.startswith("CARILLON_TEST_")}
    return {"LANG": "C.UTF-8"} | passed


class Process:
    """A server whose log goes to a file and whose answers are read line by line."""

    def __init__(
        self,
        arguments: list[str],
        log: Path,
        prepare: Callable[[], None] | None = None,
        variables: dict[str, str] | None = None,
    ) -> None:
        self.log = log
        self._unread = b""
        with log.open("ab") as errors:
            # pylint: disable-next=consider-using-with
            self.child = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment() | (variables or {}),
                preexec_fn=prepare,
            )

    @property
    def pid(self) -> int:
        """Of the server itself, not of its launcher."""
        return self.child.pid

    @property
    def output(self) -> IO[bytes]:
        """What it says."""
        assert self.child.stdout is not None
        return self.child.stdout

    def read_line(self, patience: float = PATIENCE_SECONDS) -> str | None:
        """The next line, or none if the server has ended without one."""
        while b"\n" not in self._unread:
            if not select.select([self.output], [], [], patience)[0]:
                raise NeverHappened(f"the server {self.pid} said nothing for {patience:.0f} s; see {self.log}")
            chunk = os.read(self.output.fileno(), 65_536)
            if not chunk:
                return None
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def kill(self) -> None:
        """SIGKILL, to the server alone: its launcher has to notice by itself."""
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def wait(self, patience: float = PATIENCE_SECONDS) -> int:
        """Its exit code."""
        return self.child.wait(timeout=patience)

    def close(self) -> None:
        """Leaves nothing of it behind, however the test went."""
        if self.child.poll() is None:
            self.kill()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def logged(self) -> str:
        """Its whole log so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")


class Driver(Process):
    """`carillon_driver`."""

    def __init__(
        self,
        binaries: Path,
        data: Path,
        log: Path,
        *,
        worker_count: int = 32,
        lease_seconds: int = 30,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        numbers = [str(worker_count), str(lease_seconds)]
        super().__init__([str(binaries / "carillon_driver"), str(data), *numbers], log, prepare)

    def wait_until_ready(self) -> bool:
        """False if it has ended before."""
        line = self.read_line()
        assert line is None or json.loads(line) == {"result": "ready"}, line
        return line is not None

    def ask(self, **command: Any) -> Answer | None:
        """The answer, or none if the server ended before it gave one."""
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(command).encode() + b"\n")
            self.child.stdin.flush()
        except (BrokenPipeError, ConnectionResetError):
            return None
        line = self.read_line()
        return None if line is None else json.loads(line)

    def demand(self, **command: Any) -> Answer:
        """For commands that must succeed."""
        answer = self.ask(**command)
        assert answer is not None and answer["result"] == "ok", (command, answer)
        return answer

    def stop(self) -> int:
        """Ends its input, and gives the exit code."""
        assert self.child.stdin is not None
        self.child.stdin.close()
        return self.wait()


class Served(Process):
    """`carillon serve`."""

    def __init__(
        self,
        binaries: Path,
        data: Path,
        log: Path,
        *arguments: str,
        prepare: Callable[[], None] | None = None,
        variables: dict[str, str] | None = None,
    ) -> None:
        command = [str(binaries / "carillon"), "serve", "--data", str(data), "--listen", "127.0.0.1:0", *arguments]
        super().__init__(command, log, prepare, variables)
        self.greeting: list[str] = []

    def wait_until_ready(self) -> bool:
        """False if it has ended before. The last line of the greeting comes when all schedules are applied."""
        while not self.greeting or "Ctrl-C" not in self.greeting[-1]:
            line = self.read_line()
            if line is None:
                return False
            self.greeting.append(line)
        return True

    @property
    def url(self) -> str:
        """Where it listens, as its greeting says."""
        return self.greeting[0].rpartition(" at ")[2]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end, and gives the exit code."""
        self.child.send_signal(how)
        return self.wait()
