#!/usr/bin/env python3
"""Payloads come back as they were given, whatever they look like. Usage: payloads_test.py BINARIES PRINT_API [--seed N]"""

import json
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from served import LiveServer, binaries, unittest_arguments

from client import segment
from waiting import await_value

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
COUNT = 60
# Words that our own documents are made of.
WORDS = ("enabled", "spec", "policies", "action", "id", "namespace", "jobs", "job", "payload", "status", "revision",
         "labels", "envelope", "items", "total", "nextPageToken", "warnings", "workflowId", "lastResult", "result")
TEXTS = ('"', "\\", ',"enabled":false,"spec":', '","policies":{', '{"jobs":[]}', "}", "{", "", "\u00fc\u20ac\U0001f600",
         "\n\t\u0001", "null", "true", ',"enabled":true,"spec":', '\\","enabled":false,"spec":"')


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Inventor:
    """Makes JSON; the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        """Anything."""
        kind = self._random.randrange(4 if depth > 3 else 8)
        if kind == 0:
            return self._random.choice((None, True, False))
        if kind == 1:
            return self._random.choice((0, -1, 2**63 - 1, -(2**63), 2**64 - 1, 1.5, -0.25, 1e300))
        if kind in (2, 3):
            return self._random.choice(TEXTS + WORDS)
        if kind == 4:
            return [self.value(depth + 1) for _ in range(self._random.randrange(4))]
        return self.members(depth)

    def members(self, depth: int = 0) -> dict[str, Any]:
        """An object of words that our own documents have, in any order."""
        keys = self._random.sample(WORDS, self._random.randrange(6))
        return {key: self.value(depth + 1) for key in keys}


def exact(value: Any) -> str:
    """So that true is not 1, and 1 is not 1.0."""
    return json.dumps(value, sort_keys=True)


class Payloads(unittest.TestCase):
    """Of jobs."""

    def check(self, payload: Any) -> None:
        """Through everything that shows it."""
        name = self.id().rsplit(".", 1)[1].replace("_", "-")
        path = f"{SCHEDULES}/{name}"
        document = {"enabled": True, "action": {"job": {"type": "t", "payload": payload, "queue": "nobody"}}}
        said = exact(payload)

        def shown(answer: Any) -> str:
            self.assertIn(answer.status, (200, 201), answer.text)
            return exact(answer.json()["action"]["job"]["payload"])

        self.assertEqual(said, shown(SERVER.admin.ask("PUT", path, document)))
        for verb in ("disable", "enable", "pause", "resume"):
            self.assertEqual(said, shown(SERVER.admin.post(f"{path}/{verb}")), verb)
            read = SERVER.admin.get(path)
            self.assertEqual(said, shown(read), verb)
            self.assertEqual(verb != "disable", read.json()["enabled"])
            flat = SERVER.admin.get(path, view="flat").json()
            self.assertEqual(said, exact(flat["jobPayload"]))
            listed = SERVER.admin.get(SCHEDULES, q=name).json()["items"]
            self.assertEqual([said], [exact(item["action"]["job"]["payload"]) for item in listed])
        sent_back = SERVER.admin.ask("PUT", path, SERVER.admin.get(path).json() | {"description": "changed"})
        self.assertEqual(said, shown(sent_back))
        self.assertEqual(said, shown(SERVER.admin.ask("PATCH", path, {"description": "again"})))
        self.assertEqual(said, shown(SERVER.admin.get(path)))

    def test_with_the_words_of_our_own_documents_survive(self) -> None:
        for payload in (
            {"a": 1, "enabled": False, "spec": 2},
            {"a": 1, "enabled": True, "spec": 2},
            {"a": 1, "policies": {"overlap": "allow_all"}},
            {"a": {"enabled": False, "spec": {}}, "enabled": True, "spec": [{"enabled": False, "spec": 1}]},
            ',"enabled":false,"spec":',
            {"jobs": []},
        ):
            with self.subTest(payload=payload):
                self.check(payload)

    def test_made_up_survive(self) -> None:
        inventor = Inventor(SEED)
        for number in range(COUNT):
            # Null means that there is none.
            payload = inventor.members() if number % 2 == 0 else (inventor.value() or {})
            with self.subTest(seed=SEED, number=number, payload=payload):
                self.check(payload)

    def test_reach_a_worker_and_its_result_the_run(self) -> None:
        inventor = Inventor(SEED + 1)
        worker = SERVER.client("worker")
        session = worker.post("/api/v1/workers", {"name": "w", "queues": ["echo"]}).json()["worker"]
        for number in range(COUNT // 2):
            payload = inventor.members() if number % 4 else {"jobs": []}
            with self.subTest(seed=SEED, number=number, payload=payload):
                run = SERVER.admin.post("/api/v1/jobs", {"jobType": "t", "payload": payload, "queue": "echo"}).json()
                claim = worker.post(f"/api/v1/workers/{session}/claim", {"count": 1, "wait": "10s"}).json()
                self.assertEqual([run["id"]], [job["runId"] for job in claim["jobs"]])
                self.assertEqual(exact(payload), exact(claim["jobs"][0]["envelope"]["payload"]))
                end = {"runId": run["id"], "attempt": 1, "result": payload}
                self.assertEqual(204, worker.post(f"/api/v1/workers/{session}/complete", end).status)
                for path in (f"/api/v1/runs/{run['id']}", f"/api/v1/jobs/{segment(run['name'])}"):
                    self.assertEqual(exact(payload), exact(SERVER.admin.get(path).json()["result"]))

    def test_are_exported_and_explained_as_they_are(self) -> None:
        inventor = Inventor(SEED + 2)
        folder = Path(SERVER.folder)
        expected = {}
        for number in range(COUNT // 4):
            payload = {"a": 1, **inventor.members()}
            document = {"cron": "@yearly", "labels": {"exported": "yes"}, "jobType": "t", "payload": payload}
            self.assertEqual(201, SERVER.admin.ask("PUT", f"{SCHEDULES}/exported-{number}", document).status)
            expected[f"exported-{number}"] = exact(payload)
        environment = os.environ | {
            "CARILLON_SERVER": f"http://127.0.0.1:{SERVER.port}", "CARILLON_TOKEN": str(SERVER.admin.token),
            "HOME": str(folder), "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder),
        }
        told = subprocess.run([binaries() / "carillon", "export", "--label", "exported=yes", "-o", "json"], check=True,
                              env=environment, cwd=folder, capture_output=True, timeout=60).stdout
        parsed = json.loads(told)
        documents = parsed["schedules"] if isinstance(parsed, dict) else parsed
        self.assertEqual(expected, {one["id"]: exact(one["action"]["job"]["payload"]) for one in documents})
        why = SERVER.admin.get(f"{SCHEDULES}/exported-0/why", at="2099-01-01T00:00:00Z")
        self.assertEqual(200, why.status, why.text)
        triggered = SERVER.admin.post(f"{SCHEDULES}/exported-0/trigger").json()["run"]
        await_value(lambda: SERVER.admin.get(f"/api/v1/runs/{triggered['id']}").status == 200, "the run")


if __name__ == "__main__":
    SEED = 1
    if "--seed" in sys.argv:
        place = sys.argv.index("--seed")
        SEED = int(sys.argv[place + 1])
        del sys.argv[place : place + 2]
    unittest.main(argv=unittest_arguments())
