#!/usr/bin/env python3
"""What becomes of servers when their PostgreSQL is away, and what they see of each other. Usage:
shared_store_faults_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import os
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from postgres import Postgres, programs  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value, pass_time  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()


class SharedStoreCase(unittest.TestCase):
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
        if not self.postgres.is_ready():
            self.postgres.start()

    def url(self, schema: str) -> str:
        """Of a schema of this test, which is there."""
        url = f"{self.postgres.url()}?schema={schema}"
        self.assertEqual(0, self.carillon("store", "migrate", "--store", url).returncode)
        return url

    def carillon(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One command."""
        return subprocess.run(
            [BINARIES / "carillon", *words], capture_output=True, text=True, check=False, timeout=120
        )

    def serve(self, name: str, url: str, *arguments: str) -> Served:
        """A server with a data folder of its own, not ready yet."""
        data = self.scene.folder / name
        server = Served(BINARIES, data, self.scene.folder / f"{name}.log", "--store", url, *arguments)
        self.addCleanup(server.close)
        return server

    def ready(self, name: str, url: str, *arguments: str) -> Served:
        """The same, ready."""
        server = self.serve(name, url, *arguments)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def ask(
        self, server: str, path: str, token: str = "", method: str = "GET", body: Any = None
    ) -> tuple[int, Any]:
        """Status and document."""
        request = urllib.request.Request(server + path, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read().decode()
                status = answer.status
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode()
            status = refusal.code
        try:
            return status, json.loads(text) if text else None
        except json.JSONDecodeError:
            return status, text

    def token(self, name: str) -> str:
        """The first token, of a server's folder."""
        return (self.scene.folder / name / "admin.token").read_text(encoding="utf-8").strip()


class Away(SharedStoreCase):
    """The database is not there, or does not let us in."""

    def test_exit_codes_tell_what_is_wrong(self) -> None:
        socket = self.postgres.url().split("@", 1)[1].split("/", 1)[0]
        self.url("guarded")
        self.postgres.query("CREATE ROLE stranger LOGIN")
        cases = {
            "mysql://db/carillon": (2, "does not begin with postgres://"),
            f"postgres://postgres@{socket}/nowhere": (4, "createdb"),
            f"postgres://nobody_knows@{socket}/postgres": (4, "role"),
            f"postgres://stranger@{socket}/postgres?schema=guarded": (4, "permission denied"),
            "postgres://someone:hunter2@127.0.0.1:1/carillon": (6, "Connection refused"),
            f"{self.postgres.url()}?schema=unmade": (5, "carillon store migrate"),
        }
        for url, (code, words) in cases.items():
            with self.subTest(url=url):
                answer = self.carillon(
                    "serve", "--data", str(self.scene.data), "--listen", "127.0.0.1:0", "--store", url,
                    "--store-timeout", "0s",
                )  # fmt: skip
                self.assertEqual(code, answer.returncode, answer.stderr)
                self.assertIn(words, answer.stderr)
                self.assertNotIn("hunter2", answer.stdout + answer.stderr)

    def test_a_server_that_starts_first_waits_for_its_database(self) -> None:
        url = self.url("late")
        self.postgres.stop()

        server = self.serve("first", url)
        waiting = await_value(lambda: "waits for its store" in server.logged() and server.logged(), "it says so")
        address = "http://" + waiting.split("listen=", 1)[1].split()[0].strip('"')
        self.assertEqual((200, {"status": "ok"}), self.ask(address, "/livez"))
        status, document = self.ask(address, "/readyz")
        self.assertEqual(503, status)
        self.assertIn("cannot be reached", document["reason"])
        self.assertEqual(503, self.ask(address, "/api/v1/schedules")[0])

        self.postgres.start()

        self.assertTrue(server.wait_until_ready(), server.logged())
        self.assertEqual(address, server.url)
        await_value(lambda: self.ask(server.url, "/readyz")[0] == 200, "it is ready")
        self.assertEqual(0, server.stop())

    def test_a_server_that_waits_ends_when_it_is_asked(self) -> None:
        url = self.url("ended")
        self.postgres.stop()
        server = self.serve("first", url)
        await_value(lambda: "waits for its store" in server.logged(), "it waits")

        self.assertEqual(0, server.stop())

    def test_an_outage_of_the_database_is_named(self) -> None:
        url = self.url("outage")
        document = {
            "id": "tick",
            "spec": {"intervals": [{"every": "1s"}]},
            "action": {"command": {"argv": ["/bin/true"]}},
            "policies": {"catchup": {"policy": "latest", "grace": "2s"}},
        }
        file = self.scene.folder / "tick.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        server = self.ready("first", url, "--apply", str(file))
        token = self.token("first")
        runs = "/api/v1/schedules/tick/runs"
        await_value(lambda: len(self.ask(server.url, runs, token)[1]["items"]) >= 2, "it runs")

        self.postgres.stop()
        await_value(lambda: self.ask(server.url, "/readyz")[0] == 503, "it is not ready")
        pass_time(12)
        self.assertEqual(200, self.ask(server.url, "/livez")[0])
        self.assertEqual(503, self.ask(server.url, runs, token)[0])
        self.postgres.start()

        await_value(lambda: self.ask(server.url, "/readyz")[0] == 200, "it is ready again")

        def outages() -> list[dict[str, Any]]:
            exported = self.carillon("ledger", "export", "--store", url).stdout
            lines = [json.loads(line) for line in exported.splitlines()]
            return [line for line in lines if line["type"] == "outage"]

        found = await_value(outages, "the outage is in the ledger")
        self.assertEqual(["store"], [line["cause"] for line in found])
        context = {"CARILLON_SERVER": server.url, "CARILLON_TOKEN": token}
        begun = datetime.fromisoformat(found[0]["from"].replace("Z", "+00:00")).replace(microsecond=0)
        at = (begun + timedelta(seconds=4)).isoformat()
        why = subprocess.run(
            [BINARIES / "carillon", "why", "tick", at],
            capture_output=True, text=True, check=False, env={**os.environ, **context}, timeout=120,
        )  # fmt: skip
        self.assertIn("could not use their store", why.stdout + why.stderr)


class Together(SharedStoreCase):
    """What one server does, the other one knows."""

    def test_two_servers_see_the_same(self) -> None:
        url = self.url("together")
        first = self.ready("first", url)
        second = self.ready("second", url)
        token = self.token("first")

        with self.subTest("schedules, at once in spite of kept answers"):
            listed = lambda: [s["id"] for s in self.ask(second.url, "/api/v1/schedules", token)[1]["items"]]  # noqa: E731
            self.assertEqual([], listed())
            document = {
                "id": "talk",
                "spec": {"intervals": [{"every": "24h"}]},
                "action": {"command": {"argv": ["/bin/sh", "-c", "echo said by $CARILLON_SCHEDULE_ID; sleep 2; echo and done"]}},
            }
            self.assertEqual(201, self.ask(first.url, "/api/v1/schedules", token, "POST", document)[0])
            await_value(lambda: listed() == ["talk"], "the other server lists it", patience=5)

        with self.subTest("logs"):
            status, started = self.ask(first.url, "/api/v1/schedules/talk/trigger", token, "POST", {})
            self.assertIn(status, (200, 201, 202), started)
            run = self.ask(first.url, "/api/v1/schedules/talk/runs", token)[1]["items"][0]["id"]
            for server in (first, second):
                await_value(
                    lambda server=server: "and done" in str(self.ask(server.url, f"/api/v1/runs/{run}/logs", token)[1]),
                    "both show the log",
                )
            text = str(self.ask(second.url, f"/api/v1/runs/{run}/logs", token)[1])
            self.assertIn("said by talk", text)

        with self.subTest("each other"):

            def servers() -> list[dict[str, Any]]:
                return list(self.ask(second.url, "/api/v1/system", token)[1].get("servers", []))

            await_value(lambda: len(servers()) == 2, "both are listed")
            self.assertEqual({first.url, second.url}, {server["url"] for server in servers()})
            self.assertTrue(all(server["alive"] and server["decidesZoned"] for server in servers()))
            page = self.carillon("system", "--server", first.url, "--token-file", str(self.scene.folder / "first/admin.token"))
            self.assertIn("Servers of this store: 2", page.stdout, page.stderr)

        with self.subTest("locks"):
            worker = self.ask(first.url, "/api/v1/tokens", token, "POST", {"name": "w", "role": "worker"})[1]["token"]
            path = "/api/v1/locks/nightly"
            status, lock = self.ask(first.url, path + "/acquire", worker, "POST", {"ttl": "60s", "owner": "a"})
            self.assertEqual(200, status, lock)
            self.assertEqual(409, self.ask(second.url, path + "/acquire", worker, "POST", {"ttl": "60s"})[0])
            self.assertEqual(409, self.ask(second.url, path + "/release", worker, "POST", {"token": "x"})[0])
            self.assertEqual(204, self.ask(second.url, path + "/release", worker, "POST", {"token": lock["token"]})[0])
            status, again = self.ask(second.url, path + "/acquire", worker, "POST", {"ttl": "60s"})
            self.assertEqual(200, status)
            self.assertGreater(again["fence"], lock["fence"])
            metrics = str(self.ask(second.url, "/metrics", token)[1])
            self.assertRegex(metrics, r"scheduler_lock_failures_total [1-9]")

        with self.subTest("a token that is revoked"):
            made = self.ask(first.url, "/api/v1/tokens", token, "POST", {"name": "brief", "role": "viewer"})[1]
            self.assertEqual(200, self.ask(second.url, "/api/v1/schedules", made["token"])[0])
            self.assertEqual(204, self.ask(first.url, f"/api/v1/tokens/{made['id']}", token, "DELETE")[0])
            await_value(
                lambda: self.ask(second.url, "/api/v1/schedules", made["token"])[0] == 401,
                "the other server refuses it",
                patience=5,
            )

        with self.subTest("an end in order"):
            self.assertEqual(0, first.stop())
            await_value(lambda: len(servers()) == 1, "one is left")


if __name__ == "__main__":
    unittest.main()
