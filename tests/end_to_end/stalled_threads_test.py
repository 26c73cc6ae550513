#!/usr/bin/env python3
"""A server tells which of its threads stands still. Usage: stalled_threads_test.py FOLDER_OF_BINARIES"""

import json
import re
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "crash"), str(TESTS / "packages")]

from halted_threads import HaltedThreads, threads_of  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

# What is watched though no thread is its own, and where it is shown that its standing still is told.
WITHOUT_A_THREAD = {"store-writer": "stores/sqlite/write_queue_test.cpp"}


class StalledThreads(unittest.TestCase):
    """Every loop that the server knows of is halted in turn; a new one is tested without a line here."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="carillon-stalled-")
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        self.server = Served(BINARIES, folder / "data", folder / "server.log", "--stall-after", "3s")
        self.addCleanup(self.server.close)
        self.addCleanup(self.server.stop)
        self.assertTrue(self.server.wait_until_ready(), self.server.logged())
        self.url = re.search(r"http://127\.0\.0\.1:\d+", self.server.greeting[0])[0]
        self.token = (folder / "data" / "admin.token").read_text(encoding="utf-8").strip()

    def livez(self) -> tuple[int, str]:
        """Status and word, whichever of the threads answers."""
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/livez", timeout=2) as answer:
                    return answer.status, json.load(answer)["status"]
            except urllib.error.HTTPError as refused:
                with refused:
                    return refused.code, json.load(refused)["status"]
            except (TimeoutError, urllib.error.URLError) as late:
                # Else this connection belongs to a thread that stands still.
                if not isinstance(getattr(late, "reason", late), TimeoutError):
                    raise

    def loops(self) -> set[str]:
        """All that are watched."""
        request = urllib.request.Request(f"{self.url}/metrics", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return set(re.findall(r'^carillon_loop_stalled\{loop="([^"]+)"\}', answer.read().decode(), re.MULTILINE))

    def test_each_loop_in_turn(self) -> None:
        loops = self.loops()
        self.assertLessEqual(
            {"decider", "worker", "rescuer", "sweeper", "commands", "requests", "secrets", "store-copy"}
            | {"api", "api-gate", "api-readers", "api-writers", "api-questions"}
            | {"events", "log-followers", "claim-waiters"},
            loops,
        )
        self.assertLessEqual(set(WITHOUT_A_THREAD), loops)
        self.assertEqual((200, "ok"), self.livez())
        for loop in sorted(loops - set(WITHOUT_A_THREAD)):
            with self.subTest(loop):
                names = threads_of(self.server.child.pid)
                threads = sorted(number for number, name in names.items() if name == loop[:15])
                self.assertNotEqual([], threads, "a loop is called as its thread")
                # The first thread of the API has to be left, to take connections and to answer.
                halted = threads[1:] if loop == "api" else threads
                try:
                    with HaltedThreads(halted):
                        told = await_value(lambda: (answer := self.livez())[0] == 503 and answer[1], f"{loop} is told")
                        self.assertRegex(told, rf"\Astalled: (.*, )?{loop} for \d+s")
                except PermissionError:
                    self.skipTest("threads of others cannot be halted here")
                await_value(lambda: self.livez() == (200, "ok"), f"the server after {loop}")


if __name__ == "__main__":
    unittest.main()
