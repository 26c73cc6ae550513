#!/usr/bin/env python3
"""What `carillon serve` tells a service manager. Usage: notify_test.py CARILLON [unittest options]"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from halted_threads import HaltedThreads, threads_of  # noqa: E402
from servers import environment  # noqa: E402
from waiting import PATIENCE_SECONDS, NeverHappened, await_value, pass_time  # noqa: E402

CARILLON = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin/carillon").resolve()

WATCHDOG_MICROSECONDS = 200_000
FED = "WATCHDOG=1"


def tell_tale(folder: Path) -> dict[str, object]:
    """A schedule whose command leaves its variables in a folder."""
    script = 'env >"$FOLDER/new" && mv "$FOLDER/new" "$FOLDER/variables"'
    return {
        "id": "tell-tale",
        "spec": {"intervals": [{"every": "1s", "anchor": "epoch"}]},
        "action": {"command": {"argv": ["/bin/sh", "-c", script], "env": {"FOLDER": str(folder)}}},
    }


class Managed:
    """A server, and the socket where its manager listens."""

    def __init__(self, folder: Path, *arguments: str, name: str | None = None, variables: dict[str, str] | None = None):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = name or str(folder / "notify")
        self._socket.bind(address.replace("@", "\0", 1))
        self._socket.settimeout(PATIENCE_SECONDS)
        command = [CARILLON, "serve", "--data", folder / "data", "--listen", "127.0.0.1:0", *arguments]
        # pylint: disable-next=consider-using-with
        self.child = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment() | {"NOTIFY_SOCKET": address} | (variables or {}),
        )

    def next(self) -> str:
        """What it says next, the watchdog included."""
        try:
            return self._socket.recv(4096).decode()
        except TimeoutError:
            raise NeverHappened("the server says nothing") from None

    def next_but_watchdog(self) -> str:
        """The same, the watchdog left out."""
        while (message := self.next()) == FED:
            pass
        return message

    def waiting(self) -> list[str]:
        """What it has said and nobody has heard yet."""
        messages = []
        self._socket.setblocking(False)
        try:
            while True:
                messages.append(self._socket.recv(4096).decode())
        except BlockingIOError:
            return messages
        finally:
            self._socket.settimeout(PATIENCE_SECONDS)

    def greeting(self) -> str:
        """What it has written so far."""
        assert self.child.stdout is not None
        os.set_blocking(self.child.stdout.fileno(), False)
        return (self.child.stdout.read() or b"").decode()

    def close(self) -> None:
        """Leaves nothing behind."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(timeout=PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        assert self.child.stdout is not None
        self.child.stdout.close()
        self._socket.close()


class Notifying(unittest.TestCase):
    """A server as a child of something that speaks systemd's protocol."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-notify-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def start(self, *arguments: str, watchdog: bool = False, name: str | None = None) -> Managed:
        """A server that has said that it is ready."""
        variables = {"WATCHDOG_USEC": str(WATCHDOG_MICROSECONDS)} if watchdog else {}
        server = Managed(self.folder, *arguments, name=name, variables=variables)
        self.addCleanup(server.close)
        self.ready = server.next()
        self.assertRegex(self.ready, r"\AREADY=1\nSTATUS=[^\n]+\Z")
        return server

    def test_a_server_that_is_ready_has_greeted_and_answers(self) -> None:
        server = self.start()

        greeting = server.greeting()
        self.assertIn("Ctrl-C stops it", greeting)
        url = re.search(r"http://127\.0\.0\.1:\d+", greeting)
        assert url is not None
        self.assertIn(url[0], self.ready)
        with urllib.request.urlopen(f"{url[0]}/livez", timeout=PATIENCE_SECONDS) as answer:
            self.assertEqual(answer.status, 200)

    def test_a_manager_may_listen_at_a_name_without_a_file(self) -> None:
        server = self.start(name=f"@carillon-notify-{os.getpid()}")

        server.child.send_signal(signal.SIGTERM)

        self.assertTrue(server.next().startswith("STOPPING=1\n"))

    def test_it_says_when_it_reads_its_certificate_again(self) -> None:
        server = self.start()
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000

        server.child.send_signal(signal.SIGHUP)

        said = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", server.next())
        assert said is not None
        self.assertGreaterEqual(int(said[1]), before)
        self.assertEqual(server.next(), self.ready)

    def test_it_says_that_it_stops_and_feeds_the_watchdog_until_the_end(self) -> None:
        server = self.start(watchdog=True)
        for _ in range(3):
            self.assertEqual(server.next(), FED)

        server.child.send_signal(signal.SIGTERM)

        self.assertTrue(server.next_but_watchdog().startswith("STOPPING=1\n"))
        self.assertEqual(server.child.wait(timeout=PATIENCE_SECONDS), 0)
        self.assertLessEqual(set(server.waiting()), {FED})

    def test_without_a_watchdog_nothing_is_fed(self) -> None:
        server = self.start()

        server.child.send_signal(signal.SIGTERM)
        self.assertEqual(server.child.wait(timeout=PATIENCE_SECONDS), 0)

        self.assertNotIn(FED, server.waiting())

    def test_commands_do_not_know_of_the_manager(self) -> None:
        document = tell_tale(self.folder)
        schedules = self.folder / "schedules"
        schedules.mkdir()
        (schedules / "tell-tale.json").write_text(json.dumps(document), encoding="utf-8")
        self.start("--apply", str(schedules), watchdog=True)

        file = self.folder / "variables"
        await_value(file.exists, "the command has run")

        names = {line.partition("=")[0] for line in file.read_text(encoding="utf-8").splitlines()}
        self.assertIn("CARILLON_RUN_ID", names)
        self.assertEqual({name for name in names if name.startswith(("NOTIFY_", "WATCHDOG_"))}, set())

    def test_a_server_of_which_one_thread_stands_still_lets_the_watchdog_starve(self) -> None:
        server = self.start("--stall-after", "3s", watchdog=True)

        def worker() -> list[int]:
            return [number for number, name in threads_of(server.child.pid).items() if name == "worker"]

        threads = await_value(worker, "the worker has a thread")
        with contextlib.ExitStack() as halting:
            try:
                halting.enter_context(HaltedThreads(threads))
            except PermissionError:
                self.skipTest("threads of a child may not be halted here")

            self.assertRegex(server.next_but_watchdog(), r"\ASTATUS=Stalled: (.*, )?worker for \d+s")
            pass_time(10 * WATCHDOG_MICROSECONDS / 1_000_000)
            self.assertEqual(server.waiting(), [])

        self.assertEqual(f"READY=1\n{server.next()}", self.ready)
        self.assertEqual(server.next(), FED)


if __name__ == "__main__":
    unittest.main()
