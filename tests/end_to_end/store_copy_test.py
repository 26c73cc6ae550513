#!/usr/bin/env python3
"""A used store moves to PostgreSQL and back. Usage: store_copy_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import os
import re
import subprocess
import sys
import unittest
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from judging import CHECK, problems_of_database  # noqa: E402
from postgres import Postgres, programs  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
SCHEDULE_COUNT = 5
Line = dict[str, Any]


class Moving(unittest.TestCase):
    """One store, three homes one after the other."""

    def setUp(self) -> None:
        assert programs(), "PostgreSQL is not installed; ./test installs it"
        self.postgres = Postgres()
        self.addCleanup(self.postgres.close)
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.url = f"{self.postgres.url()}?schema=moved"
        self.witness = self.scene.folder / "ran"
        self.witness.touch()

    def carillon(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """One command."""
        return subprocess.run(
            [BINARIES / "carillon", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={**os.environ, **variables},
        )

    def serve(self, data: Path, *arguments: str) -> Served:
        """A server, ready."""
        server = Served(BINARIES, data, self.scene.folder / f"{data.name}.log", *arguments)
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def asked(self, server: Served, data: Path, *words: str) -> str:
        """What a command says to a server, with the token of the first folder."""
        token = (data / "admin.token").read_text(encoding="utf-8").strip()
        done = self.carillon(*words, CARILLON_SERVER=server.url, CARILLON_TOKEN=token)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def ledger(self, *where: str) -> list[Line]:
        """All lines."""
        exported = self.carillon("ledger", "export", *where)
        self.assertEqual(0, exported.returncode, exported.stderr)
        return [json.loads(line) for line in exported.stdout.splitlines()]

    def await_decisions(self, count: int, *where: str) -> None:
        """Until there are more."""
        await_value(
            lambda: sum(line["type"] == "decision" for line in self.ledger(*where)) >= count, f"{count} decisions"
        )

    def check(self, lines: list[Line]) -> None:
        """By the checker, which believes nothing."""
        file = self.scene.folder / "ledger.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        done = subprocess.run(
            [str(CHECK), "--ledger", str(file), "--settle", "10s"], capture_output=True, text=True, check=False
        )
        violations = [line for line in done.stdout.splitlines() if re.match(r"I\d+ [^:]+: ", line)]
        self.assertEqual([], violations, done.stdout)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def check_occurrences(self, lines: list[Line]) -> None:
        """No gap and no repeat, across both moves."""
        nominal: dict[str, list[datetime]] = {}
        for line in lines:
            if line["type"] == "decision" and line.get("schedule", "").startswith("tick-"):
                at = datetime.fromisoformat(line["nominal"].replace("Z", "+00:00"))
                nominal.setdefault(line["schedule"], []).append(at)
        self.assertEqual(SCHEDULE_COUNT, len(nominal))
        for schedule, times in nominal.items():
            gaps = {later - earlier for earlier, later in zip(sorted(times), sorted(times)[1:])}
            self.assertEqual({timedelta(seconds=1)}, gaps, schedule)

    def test_a_used_store_goes_on_in_postgres_and_back_without_gap_or_repeat(self) -> None:
        files = self.scene.folder / "schedules"
        files.mkdir()
        for i in range(SCHEDULE_COUNT):
            document = {
                "id": f"tick-{i}",
                "spec": {"intervals": [{"every": "1s"}]},
                "action": {
                    "command": {
                        "argv": ["/bin/sh", "-c", f'echo "$CARILLON_RUN_NAME $CARILLON_ATTEMPT" >> {self.witness}']
                    }
                },
                "policies": {"overlap": "allow_all", "catchup": {"policy": "all"}},
            }
            (files / f"tick-{i}.json").write_text(json.dumps(document), encoding="utf-8")
        first = self.scene.folder / "first"
        server = self.serve(first, "--apply", str(files))
        self.asked(server, first, "pause", "tick-4", "--reason", "for a while")
        self.asked(server, first, "resume", "tick-4")
        self.asked(server, first, "add", "gone", "--every", "1h", "--", "true")
        self.asked(server, first, "delete", "gone", "--yes")
        self.asked(server, first, "token", "create", "reader", "--role", "viewer")
        backfilled = ("backfill", "create", "tick-0", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T00:00:05Z", "--yes")
        self.asked(server, first, *backfilled)
        self.await_decisions(4 * SCHEDULE_COUNT, "--data", str(first))
        run = json.loads(self.asked(server, first, "run", "list", "-o", "json", "--limit", "1"))[0]["id"]

        in_use = self.carillon("store", "copy", "--from", f"sqlite:{first}", "--to", self.url)
        self.assertEqual(5, in_use.returncode, in_use.stderr)
        server.stop()
        before = self.ledger("--data", str(first))
        self.assertEqual(0, self.carillon("store", "migrate", "--store", self.url).returncode)
        copied = self.carillon("store", "copy", "--from", f"sqlite:{first}", "--to", self.url)
        self.assertEqual(0, copied.returncode, copied.stderr)

        with self.subTest("what was copied is the same"):
            self.assertEqual(before, self.ledger("--store", self.url))
            self.assertRegex(copied.stdout, rf"ledger +{sum(line['type'] == 'decision' for line in before)}\n")
        with self.subTest("neither end is used by mistake"):
            twice = self.carillon("store", "copy", "--from", f"sqlite:{first}", "--to", self.url)
            self.assertEqual(5, twice.returncode)
            self.assertIn("moved to", twice.stderr)
            self.assertEqual(5, self.carillon("serve", "--data", str(first), "--listen", "127.0.0.1:0").returncode)

        server = self.serve(first, "--store", self.url)
        self.await_decisions(len(before) + 4 * SCHEDULE_COUNT, "--store", self.url)
        with self.subTest("runs have their ids, tokens are good, the audit log is whole"):
            self.assertIn(run, self.asked(server, first, "run", "show", run))
            self.assertIn("reader", self.asked(server, first, "token", "list"))
            self.assertIn("intact", self.asked(server, first, "audit", "verify").lower())
        busy = self.carillon("store", "copy", "--from", self.url, "--to", f"sqlite:{self.scene.folder / 'no'}")
        self.assertEqual(5, busy.returncode, busy.stderr)
        self.assertIn("servers are using the store", busy.stderr)
        server.stop()
        there = self.ledger("--store", self.url)
        # A server that was there within the last seconds may still be: its mark is old enough soon.
        third = self.scene.folder / "third"
        returned = await_value(
            lambda: (done := self.carillon("store", "copy", "--from", self.url, "--to", f"sqlite:{third}")).returncode
            == 0
            and done,
            "nobody uses it any more",
        )

        self.assertEqual(there, self.ledger("--data", str(third)), returned.stdout)
        server = self.serve(third)
        self.await_decisions(len(there) + 2 * SCHEDULE_COUNT, "--data", str(third))
        self.assertIn(run, self.asked(server, first, "run", "show", run))
        self.assertIn("intact", self.asked(server, first, "audit", "verify").lower())
        server.stop()

        lines = self.ledger("--data", str(third))
        self.check(lines)
        automatic = [line for line in lines if line.get("source") != "backfill"]
        self.check_occurrences(automatic)
        self.assertEqual([], problems_of_database(third / "carillon.db"))
        attempts = Counter(self.witness.read_text(encoding="utf-8").splitlines())
        self.assertEqual([], [name for name, count in attempts.items() if count > 1])


if __name__ == "__main__":
    unittest.main()
