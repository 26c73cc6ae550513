#!/usr/bin/env python3
"""What a server does when its folder or its commands are bad. Usage: faults.py FOLDER_OF_BINARIES [unittest options]"""

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

import instants  # noqa: E402
from disks import SmallDisk  # noqa: E402
from launchers import end_launcher  # noqa: E402
from ledger import Line  # noqa: E402
from scene import Scene  # noqa: E402
from waiting import await_value  # noqa: E402
from witnessing import starts_of  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
PAGE_SIZE = 4096
NOBODY = 65534
ONCE = {"maxAttempts": 1}


@dataclass
class Refusal:
    """How a server ended that should not have begun."""

    exit_code: int
    greeting: list[str]
    errors: str


class FaultCase(unittest.TestCase):
    """A scene of its own for each test."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.database = self.scene.data / "carillon.db"

    def have_history(self) -> None:
        """A store with schedules and runs, whose server has stopped in good order."""
        with self.scene.driver() as driver:
            for number in range(20):
                document = self.scene.writer.document(f"schedule-{number}", overlap="allow_all")
                driver.demand(op="create", document=document)
            self.scene.await_ledger(lambda ledger: len(ledger.select("attempt", state="succeeded")) > 20, "runs")
            self.assertEqual(driver.stop(), 0)

    def serve(self, prepare: Callable[[], None] | None = None) -> Refusal:
        """A server that is expected to refuse."""
        self.scene.log.unlink(missing_ok=True)
        with self.scene.served(prepare=prepare) as server:
            if server.wait_until_ready():
                server.kill()
            return Refusal(server.wait(), server.greeting, server.logged())

    def once(self) -> dict[str, Any]:
        """A spec with one occurrence, in a moment."""
        return {"times": [instants.text_of(instants.seconds_ago(-1))]}

    def assert_refused(self, refusal: Refusal, *words: str) -> None:
        """A refusal says what, where, and what to do; nothing is served, and nothing crashes."""
        self.assertEqual(refusal.greeting, [])
        self.assertGreater(refusal.exit_code, 0, refusal.errors)
        for word in words:
            self.assertIn(word, refusal.errors)


class DamagedDatabase(FaultCase):
    """C5: what is broken is never read as empty."""

    def setUp(self) -> None:
        super().setUp()
        self.have_history()
        self.good = self.scene.folder / "good"
        shutil.copytree(self.scene.data, self.good)

    def restore(self) -> None:
        """As it was before anything was broken."""
        shutil.rmtree(self.scene.data)
        shutil.copytree(self.good, self.scene.data)

    def break_bytes(self, offset: int, content: bytes) -> None:
        """Overwrites a part of the database."""
        with self.database.open("r+b") as file:
            file.seek(offset)
            file.write(content)

    def pages_in_use(self) -> list[int]:
        """Those whose bytes mean something: a free page may hold anything, and a page in the log of writes heals."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            connection.execute("pragma wal_checkpoint(truncate)")
            pages = connection.execute("select pageno from dbstat where pageno > 1 order by pageno")
            return [page for (page,) in pages]

    def test_a_file_that_is_no_database_is_refused(self) -> None:
        for what, content in (("text", b"not a database\n" * 1000), ("zeros", bytes(PAGE_SIZE * 4)), ("short", b"SQL")):
            with self.subTest(what=what):
                self.database.write_bytes(content)

                self.assert_refused(self.serve(), str(self.database), "Hint")

                self.assertEqual(self.database.read_bytes(), content)

    def test_an_empty_file_is_not_taken_for_a_new_store(self) -> None:
        self.database.write_bytes(b"")

        self.assert_refused(self.serve(), str(self.scene.data), self.database.name, "backup")

    def test_a_missing_file_is_not_taken_for_a_new_store(self) -> None:
        self.database.unlink()

        self.assert_refused(self.serve(), str(self.scene.data), self.database.name, "backup")

    def test_a_file_that_was_cut_off_is_refused(self) -> None:
        size = self.database.stat().st_size
        for part in (0.9, 0.5, 0.2):
            with self.subTest(part=part):
                self.restore()
                os.truncate(self.database, int(size * part) // PAGE_SIZE * PAGE_SIZE)

                self.assert_refused(self.serve(), str(self.database), "Hint")

    def test_something_else_in_its_place_is_refused(self) -> None:
        self.database.unlink()
        self.database.mkdir()

        self.assert_refused(self.serve(), str(self.scene.data), self.database.name)

    def test_a_broken_header_is_refused(self) -> None:
        for offset in (0, 16, 18):
            with self.subTest(offset=offset):
                self.restore()
                self.break_bytes(offset, b"\xff\xff")

                self.assert_refused(self.serve(), str(self.database), "Hint")

    def test_a_broken_page_is_found_at_latest_by_the_check_after_an_unclean_stop(self) -> None:
        dice = random.Random(1)
        for part in (dice.random() for _ in range(8)):
            self.restore()
            self.scene.log.unlink(missing_ok=True)
            with self.scene.driver() as driver:
                driver.kill()
            used = self.pages_in_use()
            page = used[int(part * len(used))]
            with self.subTest(page=page):
                self.break_bytes((page - 1) * PAGE_SIZE, bytes([0xFF] * 8))

                with self.scene.served() as server:
                    if server.wait_until_ready():
                        await_value(lambda: "database is damaged" in server.logged(), "the damage is reported")
                    else:
                        self.assertGreater(server.wait(), 0)
                    self.assertIn(str(self.database), server.logged())


class Permissions(FaultCase):
    """C6: a folder in which nothing can be written."""

    def test_a_read_only_folder_is_refused_and_stays_as_it_is(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        self.have_history()
        for path in (self.scene.folder, self.scene.data):
            path.chmod(0o555)
        if not self.can_nobody_run():
            self.skipTest("another user cannot run the binaries here")
        before = sorted(path.name for path in self.scene.data.iterdir())

        refusal = self.serve(self.become_nobody)

        self.assert_refused(refusal, str(self.scene.data))
        self.assertEqual(sorted(path.name for path in self.scene.data.iterdir()), before)

    def test_a_folder_that_cannot_be_made_is_refused(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        self.scene.folder.chmod(0o555)
        if not self.can_nobody_run():
            self.skipTest("another user cannot run the binaries here")

        self.assert_refused(self.serve(self.become_nobody), str(self.scene.data))

        self.assertFalse(self.scene.data.exists())

    def test_a_folder_that_others_may_write_to_is_refused(self) -> None:
        self.scene.data.mkdir()
        self.scene.data.chmod(0o777)

        self.assert_refused(self.serve(), str(self.scene.data), "chmod")

    def can_nobody_run(self) -> bool:
        """The way to the binaries may be closed to others."""
        command = [str(BINARIES / "carillon"), "version"]
        try:
            done = subprocess.run(command, capture_output=True, preexec_fn=self.become_nobody, check=False)
            return done.returncode == 0
        except (PermissionError, subprocess.SubprocessError):
            return False

    @staticmethod
    def become_nobody() -> None:
        """In a child only."""
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


class TwoServers(FaultCase):
    """C7: one folder, one server."""

    def test_the_second_is_told_who_has_the_folder_and_takes_over_when_it_is_free(self) -> None:
        with self.scene.driver() as first:
            first.demand(op="create", document=self.scene.writer.document("one"))
            refusal = self.serve()

            self.assertEqual(refusal.exit_code, 5, refusal.errors)
            self.assertIn(f"pid {first.pid}", refusal.errors)
            self.scene.await_ledger(lambda ledger: ledger.attempts("one", state="succeeded"), "the first goes on")
            first.kill()

        with self.scene.served() as second:
            self.assertTrue(second.wait_until_ready(), second.logged())
            count = len(self.scene.ledger().lines)
            self.scene.await_ledger(lambda ledger: len(ledger.lines) > count, "the second goes on")
            self.assertEqual(second.stop(), 0)


class FullDisk(FaultCase):
    """C4: no space for the store, though there is some for the witness."""

    def setUp(self) -> None:
        super().setUp()
        self.disk = SmallDisk(self.scene.folder / "disk")
        self.addCleanup(self.disk.close)
        if not self.disk.is_mounted:
            self.skipTest(f"no small disk can be mounted here: {self.disk.why_not}")
        self.scene.data = self.disk.folder / "data"

    def unrecorded(self) -> list[Line]:
        """Starts that the ledger does not know: must be none."""
        known = {(line["run"], line["attempt"]) for line in self.scene.ledger().select("attempt")}
        starts = starts_of(self.scene.writer.witness)
        return [start for start in starts if (start["run"], start["attempt"]) not in known]

    def await_more_successes(self) -> None:
        """Until it works again."""
        count = len(self.scene.ledger().attempts("one", state="succeeded"))
        self.scene.await_ledger(lambda ledger: len(ledger.attempts("one", state="succeeded")) > count, "another run")

    def test_nothing_starts_unrecorded_and_all_goes_on_when_there_is_space_again(self) -> None:
        with self.scene.driver() as driver:
            driver.demand(op="create", document=self.scene.writer.document("one", overlap="allow_all"))
            self.await_more_successes()
            for _ in range(3):
                size = len(driver.logged())
                self.disk.fill()
                await_value(lambda before=size: "full" in driver.logged()[before:], "the server says that it is full")
                answer = driver.ask(op="create", document=self.scene.writer.document("two"))
                self.assertNotEqual(answer and answer["result"], "ok")

                self.disk.free()

                self.await_more_successes()
                self.assertEqual(self.unrecorded(), [])
            self.assertEqual(driver.stop(), 0)
        self.assertEqual(self.unrecorded(), [])
        self.assertEqual(self.scene.ledger().open_attempts(), [])


class BadCommands(FaultCase):
    """Commands that cannot start, cannot stop talking, and leave others behind."""

    def run_once(self, **command: Any) -> Line:
        """The only attempt of a schedule, once it has ended."""
        document = {"id": "one", "spec": self.once(), "action": {"command": command}, "policies": {"retry": ONCE}}
        with self.scene.driver() as driver:
            driver.demand(op="create", document=document)
            attempts = self.scene.await_ledger(lambda ledger: self.ended(ledger.attempts("one")), "the end of the run")
            self.assertEqual(driver.stop(), 0)
        return attempts[0]

    @staticmethod
    def ended(attempts: list[Line]) -> list[Line]:
        """Those that have."""
        return [line for line in attempts if line["endedAt"]]

    def test_a_command_that_does_not_exist_fails_and_is_named(self) -> None:
        attempt = self.run_once(argv=["/nowhere/at-all"])

        self.assertEqual((attempt["state"], attempt["exitCode"]), ("failed", None))
        self.assertIn("/nowhere/at-all", attempt["reason"])

    def test_a_file_that_is_no_program_fails(self) -> None:
        attempt = self.run_once(argv=[str(self.scene.writer.witness)])

        self.assertEqual(attempt["state"], "failed")

    def test_hundreds_of_megabytes_of_output_are_drained_and_bounded_on_disk(self) -> None:
        attempt = self.run_once(argv=["/bin/sh", "-c", "yes 'much ado about nothing' | head -c 250000000"])

        self.assertEqual(attempt["state"], "succeeded")
        sizes = [path.stat().st_size for path in (self.scene.data / "logs").rglob("*") if path.is_file()]
        self.assertGreater(sum(sizes), 100_000)
        self.assertLess(sum(sizes), 4_000_000)

    def test_a_run_that_has_ended_leaves_neither_children_nor_daemons(self) -> None:
        with self.scene.driver() as driver:
            document = self.scene.writer.document("one", "brood", 0.5, spec=self.once(), retry=ONCE)
            driver.demand(op="create", document=document)
            self.scene.await_ledger(lambda ledger: ledger.attempts("one", state="succeeded"), "the end of the run")

            self.assertEqual(self.scene.living(), [])
            self.assertEqual(driver.stop(), 0)

    def test_a_server_without_its_launcher_says_so_and_ends_and_the_next_one_goes_on(self) -> None:
        retry = {"maxAttempts": 2, "initial": "1s", "onLost": True}
        document = self.scene.writer.document("one", "beat", 2, spec=self.once(), retry=retry)
        files = self.scene.folder / "schedules.json"
        files.write_text(json.dumps({"schedules": [document]}), encoding="utf-8")
        with self.scene.served("--apply", str(files)) as server:
            self.assertTrue(server.wait_until_ready())
            await_value(lambda: self.scene.living(), "the command is alive")

            end_launcher(self.scene.data)

            self.assertNotEqual(server.wait(), 0)
            self.assertIn("launcher has ended", server.logged())
        await_value(lambda: not self.scene.living(), "nothing is left of the command")
        with self.scene.driver() as driver:
            self.scene.await_ledger(lambda ledger: ledger.attempts("one", state="succeeded"), "the second attempt")
            self.assertEqual(driver.stop(), 0)
        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("one")], ["lost", "succeeded"])

    def test_a_killed_server_leaves_neither_children_nor_daemons(self) -> None:
        with self.scene.driver() as driver:
            driver.demand(op="create", document=self.scene.writer.document("one", "brood", 600, spec=self.once()))
            # The shell, what it runs, and its two children.
            await_value(lambda: len(self.scene.living()) >= 4, "the command and its children are alive")

            driver.kill()

            await_value(lambda: not self.scene.living(), "all of them are gone")


if __name__ == "__main__":
    unittest.main()
