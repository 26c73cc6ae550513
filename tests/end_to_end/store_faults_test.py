#!/usr/bin/env python3
"""`carillon serve` on a store that somebody has damaged. Usage: store_faults_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import re
import resource
import sqlite3
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from scene import Scene  # noqa: E402
from servers import Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()


class StoreFaults(unittest.TestCase):
    """One folder, and servers on it one after the other."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.url = ""

    def start(self) -> Served:
        """A server, whether or not it gets ready."""
        server = self.scene.served()
        self.addCleanup(server.close)
        return server

    def serve(self) -> Served:
        """A server that is ready."""
        server = self.start()
        self.assertTrue(server.wait_until_ready(), server.logged())
        found = re.search(r"at (http://\S+)", server.greeting[0])
        assert found is not None
        self.url = found.group(1)
        return server

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and document of an answer."""
        token = (self.scene.data / "admin.token").read_text(encoding="ascii").strip()
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, json.load(refusal)

    def test_a_young_store_whose_log_is_gone_is_not_taken_for_a_new_one(self) -> None:
        server = self.serve()
        self.assertEqual(201, self.ask("POST", "/api/v1/schedules", {"id": "kept", "every": "1h", "jobType": "t"})[0])
        server.kill()
        for name in ("carillon.db-wal", "carillon.db-shm"):
            (self.scene.data / name).unlink()
        before = (self.scene.data / "carillon.db").read_bytes()

        again = self.start()

        self.assertFalse(again.wait_until_ready())
        self.assertNotEqual(0, again.wait())
        self.assertIn("carillon.db-wal", again.logged())
        self.assertEqual(before, (self.scene.data / "carillon.db").read_bytes(), "the file is left alone")

    def test_a_folder_that_lost_nothing_is_taken_up_after_a_crash_and_after_a_stop(self) -> None:
        server = self.serve()
        self.assertEqual(201, self.ask("POST", "/api/v1/schedules", {"id": "kept", "every": "1h", "jobType": "t"})[0])
        server.kill()
        server = self.serve()
        self.assertEqual(200, self.ask("GET", "/api/v1/schedules/kept")[0])
        self.assertEqual(0, server.stop())
        self.serve()
        self.assertEqual(200, self.ask("GET", "/api/v1/schedules/kept")[0])

    def test_damage_makes_the_server_unready_and_nothing_more_is_taken(self) -> None:
        server = self.serve()
        self.assertEqual(201, self.ask("POST", "/api/v1/schedules", {"id": "kept", "every": "1h", "jobType": "t"})[0])
        server.kill()
        with sqlite3.connect(self.scene.data / "carillon.db") as store:
            store.execute("DELETE FROM wake")
        store.close()

        server = self.serve()
        status, document = await_value(
            lambda: answer if (answer := self.ask("GET", "/readyz"))[0] != 200 else None, "the damage is noticed"
        )

        self.assertEqual((503, "the store is damaged"), (status, document["reason"]))
        status, document = self.ask("POST", "/api/v1/schedules", {"id": "more", "every": "1h", "jobType": "t"})
        self.assertEqual((503, "store-damaged"), (status, document["code"]))
        self.assertEqual("store-damaged", self.ask("GET", "/api/v1/system")[1]["store"]["status"])
        self.assertEqual(200, self.ask("GET", "/api/v1/schedules/kept")[0], "reading goes on")
        self.assertEqual(1, server.logged().count("store fails"), server.logged())

    def test_a_file_that_may_not_grow_is_told_of_and_lived_through(self) -> None:
        server = self.serve()
        size = max((self.scene.data / name).stat().st_size for name in ("carillon.db", "carillon.db-wal"))
        limit = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, limit[1]))
        big = {"every": "1h", "jobType": "t", "payload": "x" * 500_000}

        status, document = self.ask("POST", "/api/v1/schedules", {"id": "big"} | big)

        self.assertIn((status, document["code"]), [(503, "store-io"), (507, "store-full")])
        self.assertEqual(503, self.ask("GET", "/readyz")[0])
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, limit)
        self.assertEqual(201, self.ask("POST", "/api/v1/schedules", {"id": "big"} | big)[0])
        # What else has failed meanwhile recovers with its next write.
        await_value(lambda: self.ask("GET", "/readyz")[0] == 200 or None, "the server is ready again")

    def test_the_audit_log_is_sealed_with_a_key_of_the_folder(self) -> None:
        server = self.serve()
        self.assertTrue(self.ask("GET", "/api/v1/audit/verify")[1]["intact"])
        key = self.scene.data / "audit.key"
        self.assertEqual((32, 0o600), (key.stat().st_size, key.stat().st_mode & 0o777))
        self.assertEqual(0, server.stop())
        self.assertRegex(server.logged(), r"audit log.*head.*[0-9a-f]{64}")
        key.write_bytes(bytes(32))
        self.serve()

        verdict = self.ask("GET", "/api/v1/audit/verify")[1]

        self.assertFalse(verdict["intact"])
        self.assertIn("seal", verdict["reason"])


if __name__ == "__main__":
    unittest.main()
