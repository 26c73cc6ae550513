#!/usr/bin/env python3
"""Servers behind a pooler. Usage: pooler_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import subprocess
import sys
import unittest
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from judging import CHECK  # noqa: E402
from pooler import Pooler, program  # noqa: E402
from postgres import Postgres, programs  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
SCHEDULE_COUNT = 8
NOT_ALLOWED = 4


class BehindAPooler(unittest.TestCase):
    """One database for all tests, and a pooler before it."""

    postgres: Postgres

    @classmethod
    def setUpClass(cls) -> None:
        assert programs() and program(), "PostgreSQL or PgBouncer is not installed; ./test installs them"
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.close)

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.witness = self.scene.folder / "witness"
        self.witness.touch()

    def pooler(self, mode: str) -> Pooler:
        """A new one."""
        pooler = Pooler(self.postgres, mode)
        self.addCleanup(pooler.stop)
        return pooler

    def carillon(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One command."""
        return subprocess.run(
            [BINARIES / "carillon", *words], capture_output=True, text=True, check=False, timeout=120
        )

    def serve(self, name: str, url: str, *arguments: str) -> Served:
        """A server with a data folder of its own, ready."""
        log = self.scene.folder / f"{name}.log"
        server = Served(BINARIES, self.scene.folder / name, log, "--store", url, *arguments)
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def ledger(self, url: str) -> str:
        """All of it."""
        exported = self.carillon("ledger", "export", "--store", url)
        self.assertEqual(0, exported.returncode, exported.stderr)
        return exported.stdout

    def decision_count(self, url: str) -> int:
        """How many occurrences are decided."""
        return sum(json.loads(line)["type"] == "decision" for line in self.ledger(url).splitlines())

    def await_more(self, url: str, what: str) -> None:
        """Until several more occurrences of each schedule are decided."""
        count = self.decision_count(url) + 4 * SCHEDULE_COUNT
        await_value(lambda: self.decision_count(url) >= count, what)

    def files(self) -> Path:
        """Schedules that come due every second and say what they do."""
        folder = self.scene.folder / "schedules"
        folder.mkdir()
        command = f'echo "$CARILLON_RUN_NAME $CARILLON_ATTEMPT" >> {self.witness}'
        for i in range(SCHEDULE_COUNT):
            document = {
                "id": f"tick-{i}",
                "spec": {"intervals": [{"every": "1s"}]},
                "action": {"command": {"argv": ["/bin/sh", "-c", command]}},
                "policies": {"overlap": "allow_all", "catchup": {"policy": "all"}},
            }
            (folder / f"tick-{i}.json").write_text(json.dumps(document), encoding="utf-8")
        return folder

    def check(self, url: str) -> None:
        """Each occurrence once, by the ledger, by what ran, and by the checker."""
        ledger = self.scene.folder / "ledger.jsonl"
        ledger.write_text(self.ledger(url), encoding="utf-8")
        nominal: dict[str, list[datetime]] = {}
        for line in map(json.loads, ledger.read_text(encoding="utf-8").splitlines()):
            if line["type"] == "decision":
                at = datetime.fromisoformat(line["nominal"].replace("Z", "+00:00"))
                nominal.setdefault(line["schedule"], []).append(at)
        self.assertEqual(SCHEDULE_COUNT, len(nominal))
        for schedule, times in nominal.items():
            times.sort()
            self.assertEqual({timedelta(seconds=1)}, {b - a for a, b in zip(times, times[1:])}, schedule)
        ran = Counter(self.witness.read_text(encoding="utf-8").splitlines())
        self.assertEqual([], [name for name, count in ran.items() if count > 1])
        judged = subprocess.run(
            [str(CHECK), "--ledger", str(ledger), "--settle", "10s"], capture_output=True, text=True, check=False
        )
        self.assertEqual(0, judged.returncode, judged.stdout + judged.stderr)

    def test_servers_share_a_store_through_transactions_of_others(self) -> None:
        pooler = self.pooler("transaction")
        url = pooler.url("pooled")
        migrated = self.carillon("store", "migrate", "--store", url)
        self.assertEqual(0, migrated.returncode, migrated.stderr)
        first = self.serve("first", url, "--apply", str(self.files()))
        second = self.serve("second", url)
        self.await_more(url, "both servers decide")

        first.kill()
        self.await_more(url, "the other one goes on")
        pooler.stop()
        pooler.start()
        self.await_more(url, "it goes on when the pooler was away")
        second.stop()

        self.check(url)

    def test_a_pooler_of_statements_is_named(self) -> None:
        url = self.pooler("statement").url("statements")
        self.assertEqual(0, self.carillon("store", "migrate", "--store", f"{self.postgres.url()}?schema=statements").returncode)

        refused = self.carillon("serve", "--data", str(self.scene.data), "--listen", "127.0.0.1:0", "--store", url)

        self.assertEqual(NOT_ALLOWED, refused.returncode, refused.stderr)
        self.assertIn("pool_mode = transaction", refused.stderr)


if __name__ == "__main__":
    unittest.main()
