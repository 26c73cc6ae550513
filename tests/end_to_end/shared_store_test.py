#!/usr/bin/env python3
"""Two servers on one PostgreSQL. Usage: shared_store_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import os
import subprocess
import sys
import unittest
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

import instants  # noqa: E402
from marked import MARK  # noqa: E402
from postgres import Postgres, programs  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
SCHEDULE_COUNT = 10


def time_of(text: str) -> datetime:
    """Of a line of the ledger."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class SharedStore(unittest.TestCase):
    """One database for all tests."""

    postgres: Postgres

    @classmethod
    def setUpClass(cls) -> None:
        assert programs(), "PostgreSQL is not installed; ./test installs it"
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.close)

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)

    def url(self, schema: str) -> str:
        """Of a schema of this test."""
        return f"{self.postgres.url()}?schema={schema}"

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

    def serve(self, name: str, url: str, *arguments: str) -> Served:
        """A server with a data folder of its own, ready."""
        server = Served(
            BINARIES, self.scene.folder / name, self.scene.folder / f"{name}.log", "--store", url, *arguments
        )
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def decisions(self, url: str) -> list[dict[str, str]]:
        """Lines of the ledger about occurrences."""
        exported = self.carillon("ledger", "export", "--store", url)
        self.assertEqual(0, exported.returncode, exported.stderr)
        lines = [json.loads(line) for line in exported.stdout.splitlines()]
        return [line for line in lines if line["type"] == "decision"]

    def test_a_killed_server_loses_nothing_and_nothing_starts_twice(self) -> None:
        url = self.url("killed")
        self.assertEqual(0, self.carillon("store", "migrate", "--store", url).returncode)
        witness = self.scene.folder / "witness"
        files = self.scene.folder / "schedules"
        files.mkdir()
        for i in range(SCHEDULE_COUNT):
            command = f'echo "$CARILLON_RUN_NAME $CARILLON_ATTEMPT" >> {witness}'
            document = {
                "id": f"tick-{i}",
                "spec": {"intervals": [{"every": "1s"}]},
                "action": {"command": {"argv": ["/bin/sh", "-c", command]}},
                "policies": {"overlap": "allow_all", "catchup": {"policy": "all"}},
            }
            (files / f"tick-{i}.json").write_text(json.dumps(document), encoding="utf-8")
        first = self.serve("first", url, "--apply", str(files))
        self.assertIn(f"{SCHEDULE_COUNT} created", "".join(first.greeting))
        second = self.serve("second", url)
        await_value(lambda: len(self.decisions(url)) >= 5 * SCHEDULE_COUNT, "both servers decide")

        first.kill()
        before = len(self.decisions(url))
        await_value(lambda: len(self.decisions(url)) >= before + 5 * SCHEDULE_COUNT, "the other server goes on")
        second.stop()

        occurrences: dict[str, list[datetime]] = {}
        for line in self.decisions(url):
            self.assertEqual("started", line["outcome"], line)
            occurrences.setdefault(line["schedule"], []).append(time_of(line["nominal"]))
        self.assertEqual(SCHEDULE_COUNT, len(occurrences))
        for schedule, times in occurrences.items():
            times.sort()
            gaps = {later - earlier for earlier, later in zip(times, times[1:])}
            self.assertEqual({timedelta(seconds=1)}, gaps, schedule)
        attempts = Counter(witness.read_text(encoding="utf-8").splitlines())
        self.assertEqual([], [name for name, count in attempts.items() if count > 1])

    def test_no_command_goes_on_without_its_server_where_another_one_may_try_it_again(self) -> None:
        url = self.url("alone")
        self.assertEqual(0, self.carillon("store", "migrate", "--store", url).returncode)
        file = self.scene.folder / "long.json"
        command = {
            "argv": ["/bin/sleep", "1000"],
            "env": {MARK: self.scene.writer.mark},
            "onOwnerLoss": "adopt",
        }
        spec = {"times": [instants.text_of(instants.seconds_ago(-1))]}
        file.write_text(json.dumps({"id": "long", "spec": spec, "action": {"command": command}}), encoding="utf-8")
        server = self.serve("mortal", url, "--apply", str(file))
        await_value(self.scene.living, "the command runs")

        server.kill()

        await_value(lambda: not self.scene.living(), "the command ends with its server")

    def test_a_server_says_what_is_wrong_with_its_store(self) -> None:
        socket = self.postgres.url().split("@", 1)[1].split("/", 1)[0]
        data = str(self.scene.data)
        cases = {
            "mysql://db/carillon": "does not begin with postgres://",
            f"postgres://postgres:hunter2@{socket}/nowhere": 'database "nowhere" does not exist',
            f"{self.postgres.url()}?schema=unmade": "carillon store migrate",
        }
        for url, words in cases.items():
            with self.subTest(url=url):
                answer = self.carillon("serve", "--data", data, "--listen", "127.0.0.1:0", "--store", url)
                self.assertNotEqual(0, answer.returncode)
                self.assertIn(words, answer.stderr)
                self.assertNotIn("hunter2", answer.stdout + answer.stderr)

    def test_a_schema_of_a_newer_release_is_refused(self) -> None:
        url = self.url("newer")
        self.assertIn("created", self.carillon("store", "migrate", CARILLON_STORE=url).stdout)
        self.assertIn("up to date", self.carillon("store", "migrate", CARILLON_STORE=url).stdout)
        self.postgres.query("INSERT INTO newer.carillon_schema(version) VALUES (4711)")
        self.postgres.query("UPDATE newer.schema_compatibility SET oldest = 4711")

        answer = self.carillon("serve", "--data", str(self.scene.data), "--store", url)

        self.assertNotEqual(0, answer.returncode)
        self.assertIn("version 4711", answer.stderr)


if __name__ == "__main__":
    unittest.main()
