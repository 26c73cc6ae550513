#!/usr/bin/env python3
"""Roles on one PostgreSQL, and workers in processes of their own.

Usage: workers_test.py FOLDER_OF_BINARIES [unittest options]
"""

import json
import signal
import sys
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from postgres import Postgres, programs  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Process, Served  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
ENDED = ("succeeded", "failed", "timed_out", "cancelled", "lost", "expired")


class Workers(unittest.TestCase):
    """One database for all tests, a schema for each."""

    postgres: Postgres

    @classmethod
    def setUpClass(cls) -> None:
        assert programs(), "PostgreSQL is not installed; ./test installs it"
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.close)

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)

    def store(self, schema: str) -> str:
        """The address of a new schema."""
        url = f"{self.postgres.url()}?schema={schema}"
        made = self.start("migrate", "store", "migrate", "--store", url)
        self.assertEqual(0, made.wait(), made.logged())
        return url

    def start(self, name: str, *words: str, **variables: str) -> Process:
        """A command that goes on by itself."""
        process = Process(
            [str(BINARIES / "carillon"), *words], self.scene.folder / f"{name}.log", variables=variables or None
        )
        self.addCleanup(process.close)
        return process

    def serve(self, name: str, *arguments: str) -> Served:
        """A server with an API."""
        server = Served(BINARIES, self.scene.folder / name, self.scene.folder / f"{name}.log", *arguments)
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def token(self, server: str) -> str:
        """Of the administrator."""
        return (self.scene.folder / server / "admin.token").read_text(encoding="utf-8").strip()

    def call(self, server: Served, method: str, path: str, body: Any = None) -> Any:
        """One request; the document of its answer."""
        request = urllib.request.Request(
            f"{server.url}/api/v1{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.token('api')}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def ended_run(self, server: Served, run: str) -> Any:
        """The run when it has ended."""

        def look() -> Any:
            document = self.call(server, "GET", f"/runs/{run}")
            return document if document["state"] in ENDED else None

        return await_value(look, f"run {run} ends")

    def handler(self, name: str, script: str) -> str:
        """A program that performs jobs."""
        file = self.scene.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return str(file)

    def test_the_three_processes_of_an_earlier_scheduler(self) -> None:
        url = self.store("roles")
        out = self.scene.folder / "out"
        report = self.handler("report", f"cat >> {out}")
        api = self.serve("api", "--store", url, "--role", "api")
        # Its variables, and its three processes: what is created in the first is started by the second and performed
        # by the third.
        self.start("scheduler", "serve", "--store", url, "--role", "scheduler", "--data",
                   str(self.scene.folder / "scheduler"), SCHEDULER_CHECK_INTERVAL_MS="200",
                   SCHEDULER_DEFAULT_TIMEZONE="UTC")
        schedule = self.call(api, "POST", "/schedules", {
            "name": "Daily Report", "cronExpr": "* * * * * *", "jobType": "report.generate",
            "jobPayload": {"reportType": "sales"}, "jobPriority": "NORMAL",
        })
        waiting = await_value(lambda: self.call(api, "GET", f"/schedules/{schedule['id']}/runs?state=queued")["items"],
                              "the scheduler has started a run, and nobody performs it")
        worker = self.start("worker", "worker", "--store", url, "--data", str(self.scene.folder / "worker"),
                            "--handler", f"report.generate={report}")
        run = self.ended_run(api, waiting[0]["id"])
        self.assertEqual("succeeded", run["state"], worker.logged())
        self.call(api, "POST", f"/schedules/{schedule['id']}/pause", {})
        job = self.call(api, "POST", "/jobs", {"jobType": "report.generate", "payload": {"by": "hand"}})
        self.assertEqual("succeeded", self.ended_run(api, job["id"])["state"])
        self.assertIn('"payload":{"reportType":"sales"}', out.read_text(encoding="utf-8"))
        self.assertIn('"payload":{"by":"hand"}', out.read_text(encoding="utf-8"))

        worker.child.send_signal(signal.SIGTERM)
        self.assertEqual(0, worker.wait(), worker.logged())
        self.assertIn("stopped", worker.logged())

    def test_a_role_needs_a_store_to_share(self) -> None:
        refused = self.start("refused", "serve", "--role", "api", "--data", str(self.scene.folder / "x"))
        self.assertEqual(2, refused.wait())
        self.assertIn("--store", refused.logged())

    def test_runs_go_to_the_machine_that_has_their_tags(self) -> None:
        url = self.store("tags")
        out = self.scene.folder / "out"
        api = self.serve("api", "--store", url)
        self.call(api, "POST", "/schedules", {
            "id": "train", "spec": {}, "action": {"command": {"argv": ["/bin/sh", "-c", f"echo $PPID >> {out}"]}},
            "policies": {"tags": ["gpu"]},
        })
        run = self.call(api, "POST", "/schedules/train/trigger", {})["run"]
        plain = self.call(api, "POST", "/schedules", {"id": "plain", "spec": {}, "command": ["/bin/true"]})
        other = self.call(api, "POST", f"/schedules/{plain['id']}/trigger", {})["run"]
        self.assertEqual("succeeded", self.ended_run(api, other["id"])["state"])
        self.assertEqual("queued", self.call(api, "GET", f"/runs/{run['id']}")["state"])

        self.start("worker", "worker", "--store", url, "--data", str(self.scene.folder / "worker"), "--tags", "gpu,ssd")

        self.assertEqual("succeeded", self.ended_run(api, run["id"])["state"])
        self.assertTrue(out.exists())

    def remote_worker(self, api: Served, name: str, *arguments: str) -> Process:
        """A worker of a server over HTTP, ready."""
        token = self.call(api, "POST", "/tokens", {"name": name, "role": "worker"})["token"]
        worker = self.start(name, "worker", "--server", api.url, "--data", str(self.scene.folder / name), "--lease", "5s",
                            *arguments, CARILLON_TOKEN=token)
        self.assertIn("takes jobs", worker.read_line() or worker.logged())
        return worker

    def test_a_worker_over_http_performs_jobs_with_its_own_commands(self) -> None:
        api = self.serve("api")
        out = self.scene.folder / "out"
        good = self.handler("good", f"cat >> {out}; echo printed by $CARILLON_RUN_ID")
        bad = self.handler("bad", "echo it is broken; exit 3")
        worker = self.remote_worker(api, "worker", "--queues", "reports", "--handler", f"good={good}",
                                    "--handler", f"bad={bad}")
        policies = {"retry": {"maxAttempts": 1}}

        job = self.call(api, "POST", "/jobs", {"jobType": "good", "queue": "reports", "payload": {"a": 1}})
        failing = self.call(api, "POST", "/jobs", {
            "action": {"job": {"type": "bad", "queue": "reports"}}, "policies": policies})
        unknown = self.call(api, "POST", "/jobs", {"jobType": "unknown", "queue": "reports"})

        run = self.ended_run(api, job["id"])
        self.assertEqual("succeeded", run["state"], worker.logged())
        self.assertIn('"payload":{"a":1}', out.read_text(encoding="utf-8"))
        failed = self.ended_run(api, failing["id"])
        self.assertEqual(("failed", "exited with 3"), (failed["state"], failed["error"]))
        self.assertEqual("queued", self.call(api, "GET", f"/runs/{unknown['id']}")["state"])

        worker.child.send_signal(signal.SIGTERM)
        self.assertEqual(0, worker.wait(), worker.logged())

    def test_a_worker_that_stops_finishes_what_it_has_and_claims_nothing_new(self) -> None:
        api = self.serve("api")
        go_on = self.scene.folder / "go-on"
        slow = self.handler("slow", f"while [ ! -e {go_on} ]; do sleep 0.05; done")
        worker = self.remote_worker(api, "worker", "--handler", f"slow={slow}", "--concurrency", "1")
        first = self.call(api, "POST", "/jobs", {"jobType": "slow"})
        await_value(lambda: self.call(api, "GET", f"/runs/{first['id']}")["state"] == "running", "the job runs")

        worker.child.send_signal(signal.SIGTERM)
        second = self.call(api, "POST", "/jobs", {"jobType": "slow"})
        await_value(lambda: "stopping" in worker.logged(), "the worker drains")
        go_on.touch()

        self.assertEqual(0, worker.wait(), worker.logged())
        self.assertEqual("succeeded", self.ended_run(api, first["id"])["state"])
        self.assertEqual("queued", self.call(api, "GET", f"/runs/{second['id']}")["state"])

    def test_a_job_that_kills_its_workers_becomes_a_dead_letter(self) -> None:
        api = self.serve("api")
        # The handler kills the worker that has started its launcher, as a job that eats all memory does.
        deadly = self.handler("deadly", "while [ ! -s \"$PID_FILE\" ]; do sleep 0.05; done; kill -9 $(cat \"$PID_FILE\"); sleep 60")
        job = self.call(api, "POST", "/jobs", {
            "action": {"job": {"type": "deadly"}},
            "policies": {"retry": {"maxAttempts": 9, "initial": "1s", "backoff": "fixed", "maxLost": 2}},
        })
        for i in range(2):
            pid_file = self.scene.folder / f"pid-{i}"
            handlers = self.scene.folder / f"handlers-{i}.json"
            handlers.write_text(json.dumps({"handlers": {"deadly": {"argv": [deadly], "env": {
                "PID_FILE": str(pid_file)}}}}), encoding="utf-8")
            token = self.call(api, "POST", "/tokens", {"name": f"w{i}", "role": "worker"})["token"]
            worker = self.start(f"worker-{i}", "worker", "--server", api.url, "--lease", "5s", "--data",
                                str(self.scene.folder / f"worker-{i}"), "--handlers", str(handlers),
                                CARILLON_TOKEN=token)
            pid_file.write_text(str(worker.pid), encoding="utf-8")
            worker.wait()
        run = self.ended_run(api, job["id"])
        self.assertEqual(("lost", 2), (run["state"], run["attempt"]))

        letters = self.call(api, "GET", "/dead-letters?queue=default")["items"]
        self.assertEqual([job["id"]], [letter["id"] for letter in letters])
        self.assertEqual(1, self.call(api, "GET", "/queues")["items"][0]["dead"])
        again = self.call(api, "POST", f"/dead-letters/{job['id']}/retry")
        self.assertEqual("queued", again["state"])
        self.assertEqual([], self.call(api, "GET", "/dead-letters")["items"])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.call(api, "DELETE", f"/dead-letters/{job['id']}")
        self.assertEqual(404, refused.exception.code)

    def test_a_dead_letter_is_retried_once_however_many_ask(self) -> None:
        api = self.serve("api")
        self.call(api, "PATCH", "/queues/default", {"keepFailed": True})
        self.remote_worker(api, "worker", "--handler", f"bad={self.handler('bad', 'exit 3')}")
        job = self.call(api, "POST", "/jobs", {"action": {"job": {"type": "bad"}}, "policies": {"retry": {"maxAttempts": 1}}})
        self.assertEqual("failed", self.ended_run(api, job["id"])["state"])
        self.call(api, "POST", "/queues/default/pause")

        def retry(_: int) -> int:
            try:
                self.call(api, "POST", f"/dead-letters/{job['id']}/retry")
                return 202
            except urllib.error.HTTPError as refused:
                return refused.code

        with ThreadPoolExecutor(8) as callers:
            codes = list(callers.map(retry, range(8)))

        self.assertEqual([202] + [404] * 7, sorted(codes))
        queue = next(item for item in self.call(api, "GET", "/queues")["items"] if item["name"] == "default")
        self.assertEqual((1, 0), (queue["depth"], queue["dead"]))
        entries = [entry["operation"] for entry in self.call(api, "GET", "/audit")["items"]]
        self.assertEqual(1, entries.count("deadLetter.retry"), entries)

    def test_a_limited_queue_runs_so_many_at_a_time_on_all_workers_together(self) -> None:
        url = self.store("limits")
        go_on = self.scene.folder / "go-on"
        slow = self.handler("slow", f"while [ ! -e {go_on} ]; do sleep 0.05; done")
        api = self.serve("api", "--store", url)
        self.assertEqual(2, self.call(api, "PATCH", "/queues/default", {"limit": 2})["limit"])
        for i in range(2):
            self.start(f"worker-{i}", "worker", "--store", url, "--data", str(self.scene.folder / f"worker-{i}"),
                       "--handler", f"slow={slow}")
        jobs = [self.call(api, "POST", "/jobs", {"jobType": "slow"})["id"] for _ in range(6)]

        def queue() -> Any:
            return next(item for item in self.call(api, "GET", "/queues")["items"] if item["name"] == "default")

        await_value(lambda: queue()["running"] == 2, "two of them run")
        self.assertEqual((2, 4), (queue()["running"], queue()["depth"]))
        go_on.touch()
        for job in jobs:
            self.assertEqual("succeeded", self.ended_run(api, job)["state"])


if __name__ == "__main__":
    unittest.main()
