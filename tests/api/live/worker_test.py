#!/usr/bin/env python3
"""Workers in other processes. Usage: worker_test.py BINARIES PRINT_API"""

import json
import signal
import subprocess
import sys
import threading
import unittest
from typing import Any

from served import LiveServer, binaries, unittest_arguments

from client import Client, Connection
from description import ROOT
from servers import environment
from waiting import await_value

SERVER: LiveServer
WORKERS = "/api/v1/workers"


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def run_of(run_id: str) -> dict[str, Any]:
    """As it stands."""
    return SERVER.admin.get(f"/api/v1/runs/{run_id}").json()


def job(queue: str, **members: Any) -> str:
    """The id of a new job."""
    answer = SERVER.admin.post("/api/v1/jobs", {"jobType": "greet", "queue": queue, **members})
    assert answer.status == 201, answer
    return answer.json()["id"]


class TheExample(unittest.TestCase):
    """examples/worker_python/worker.py."""

    def setUp(self) -> None:
        command = [sys.executable, str(ROOT / "examples" / "worker_python" / "worker.py")]
        # pylint: disable-next=consider-using-with
        self.worker = subprocess.Popen(
            [*command, f"http://127.0.0.1:{SERVER.port}", "greetings"],
            env=environment() | {"CARILLON_TOKEN": SERVER.token("worker")["token"]},
            stderr=subprocess.PIPE,
        )
        self.addCleanup(self.end)

    def end(self) -> None:
        """As Ctrl-C does."""
        self.worker.send_signal(signal.SIGINT)
        errors = self.worker.communicate(timeout=60)[1].decode()
        self.assertEqual((0, ""), (self.worker.returncode, errors))

    def await_state(self, run_id: str, state: str) -> dict[str, Any]:
        """The run when it is there."""
        await_value(lambda: run_of(run_id)["state"] == state, f"{run_id} {state}")
        return run_of(run_id)

    def test_performs_jobs_and_tells_how_they_went(self) -> None:
        good = job("greetings", payload={"name": "Ann"})
        bad = job("greetings", payload={}, maxRetries=0)

        run = self.await_state(good, "succeeded")
        self.assertEqual({"greeting": "greet: hello, Ann"}, run["result"])
        self.assertEqual(f"python-{self.worker.pid}", run["attempts"][0]["worker"])
        self.assertIn("hello, Ann", SERVER.admin.get(f"/api/v1/runs/{good}/logs").text)
        self.assertEqual("KeyError('name')", self.await_state(bad, "failed")["error"])

    def test_serves_schedules_too(self) -> None:
        document = {"id": "greeting", "jobType": "greet", "queue": "greetings", "payload": {"name": "Bob"}}
        SERVER.admin.post("/api/v1/schedules", document)
        run_id = SERVER.admin.post("/api/v1/schedules/greeting/trigger").json()["id"]

        self.assertEqual({"greeting": "greet: hello, Bob"}, self.await_state(run_id, "succeeded")["result"])
        schedule = SERVER.admin.get("/api/v1/schedules/greeting").json()
        self.assertEqual((1, 1), (schedule["runCount"], schedule["successCount"]))


class Sessions(unittest.TestCase):
    """The protocol itself."""

    def setUp(self) -> None:
        self.queue = f"q-{self._testMethodName}"[:100]
        self.client: Client = SERVER.client("worker")
        self.session = self.open()

    def open(self, **members: Any) -> str:
        """The address of a new session."""
        answer = self.client.post(WORKERS, {"name": "w", "queues": [self.queue], **members})
        self.assertEqual(201, answer.status, answer.text)
        return f"{WORKERS}/{answer.json()['worker']}"

    def claim(self, **members: Any) -> list[dict[str, Any]]:
        """What there is to do."""
        answer = self.client.post(f"{self.session}/claim", members)
        self.assertEqual(200, answer.status, answer.text)
        return answer.json()["jobs"]

    def test_a_claim_that_waits_is_answered_when_a_job_comes(self) -> None:
        found: list[dict[str, Any]] = []
        thread = threading.Thread(target=lambda: found.extend(self.claim(wait="20s")))
        thread.start()
        run_id = job(self.queue)
        thread.join(timeout=60)

        self.assertEqual([run_id], [one["runId"] for one in found])

    def test_a_claim_that_waits_in_vain_comes_back_empty(self) -> None:
        self.assertEqual([], self.claim(wait="10ms"))

    def test_a_claim_whose_client_has_gone_takes_nothing(self) -> None:
        gone = Connection(SERVER.port, "127.0.0.1", 60)
        body = json.dumps({"wait": "30s"})
        headers = self.client.headers_for({"Content-Type": "application/json"})
        gone.request("POST", f"{self.session}/claim", body, headers)
        self.assertEqual(200, self.client.post(f"{self.session}/heartbeat").status)
        gone.close()
        self.session = self.open()

        run_id = job(self.queue)

        self.assertEqual([run_id], [one["runId"] for one in self.claim(wait="20s")])

    def test_jobs_whose_claims_were_given_up_come_back(self) -> None:
        wanted = {job(self.queue, policies={"retry": {"maxAttempts": 1, "onLost": False}}) for _ in range(30)}
        body = json.dumps({"holds": []})
        headers = self.client.headers_for({"Content-Type": "application/json"})
        for _ in wanted:
            gone = Connection(SERVER.port, "127.0.0.1", 60)
            gone.request("POST", f"{self.session}/claim", body, headers)
            gone.close()

        done: set[str] = set()

        def work() -> bool:
            pulse = self.client.post(f"{self.session}/heartbeat", {"holds": []})
            self.assertEqual(200, pulse.status, pulse.text)
            for one in self.claim(count=30, holds=[]):
                end = {"runId": one["runId"], "attempt": one["attempt"]}
                self.assertEqual(204, self.client.post(f"{self.session}/complete", end).status)
                done.add(one["runId"])
            return done == wanted

        await_value(work, "all jobs performed")
        attempts = [attempt for run_id in wanted for attempt in run_of(run_id)["attempts"]]
        self.assertEqual({"succeeded", "released"}, {attempt["state"] for attempt in attempts} | {"released"})
        self.assertEqual([], [one for one in attempts if one["state"] == "released" and one["launchedAt"]])

    def test_what_a_worker_lists_is_its_own_and_what_it_does_not_have_is_to_stop(self) -> None:
        run_id = job(self.queue)
        (one,) = self.claim(holds=[])
        held = {"runId": run_id, "attempt": 1}

        first = self.client.post(f"{self.session}/heartbeat", {"holds": [held]}).json()
        self.assertEqual([], first["stop"])
        self.assertEqual("launched", run_of(run_id)["attempts"][0]["state"])
        self.assertEqual(204, self.client.post(f"{self.session}/complete", held).status)
        second = self.client.post(f"{self.session}/heartbeat", {"holds": [held]}).json()

        self.assertEqual([held | {"how": "terminate"}], second["stop"])
        for wrong in ({"holds": "all"}, {"holds": [{}]}, {"holds": [held | {"more": 1}]}, {"hold": []}):
            self.assertEqual(422, self.client.post(f"{self.session}/heartbeat", wrong).status, wrong)
        self.assertEqual(1, one["attempt"])

    def test_jobs_without_a_schedule_are_in_the_exported_ledger(self) -> None:
        run_id = job(self.queue)
        self.assertEqual([run_id], [one["runId"] for one in self.claim()])

        command = [str(binaries() / "carillon"), "ledger", "export", "--data", str(SERVER.data)]
        exported = subprocess.run(command, capture_output=True, env=environment(), check=True, timeout=60)

        kinds = [line["type"] for line in map(json.loads, exported.stdout.splitlines()) if "adhoc" in json.dumps(line)]
        self.assertIn("decision", kinds)

    def test_jobs_are_claimed_by_priority(self) -> None:
        ids = {priority: job(self.queue, jobPriority=priority) for priority in ("low", "normal", "high")}

        claimed = [one["runId"] for one in self.claim(count=10)]

        self.assertEqual([ids["high"], ids["normal"], ids["low"]], claimed)

    def test_an_envelope_says_what_the_work_is(self) -> None:
        run_id = job(self.queue, payload={"n": 1, "big": 2**60})
        (one,) = self.claim()

        self.assertEqual((run_id, 1), (one["runId"], one["attempt"]))
        self.assertEqual(("greet", self.queue), (one["type"], one["queue"]))
        envelope = one["envelope"]
        self.assertEqual({"n": 1, "big": 2**60}, envelope["payload"])
        self.assertEqual((run_id, 1, "adhoc"), (envelope["runId"], envelope["attempt"], envelope["source"]))

    def test_a_failed_attempt_is_tried_again(self) -> None:
        run_id = job(self.queue, policies={"retry": {"maxAttempts": 2, "initial": "1ms"}})
        self.claim()
        failure = {"runId": run_id, "attempt": 1, "error": "not yet"}
        self.assertEqual(204, self.client.post(f"{self.session}/fail", failure).status)

        (again,) = self.claim(wait="20s")

        self.assertEqual((run_id, 2), (again["runId"], again["attempt"]))

    def test_a_failed_attempt_is_not_tried_again_before_the_worker_says(self) -> None:
        run_id = job(self.queue, policies={"retry": {"maxAttempts": 2, "initial": "1ms"}})
        self.claim()
        failure = {"runId": run_id, "attempt": 1, "error": "come back later", "retryAfter": "1h"}
        self.assertEqual(204, self.client.post(f"{self.session}/fail", failure).status)

        self.assertEqual([], self.claim(wait="10ms"))
        self.assertEqual(("retrying", "come back later"), (run_of(run_id)["state"], run_of(run_id)["error"]))

    def test_a_heartbeat_tells_what_to_stop(self) -> None:
        run_id = job(self.queue)
        self.claim()
        self.assertEqual([], self.client.post(f"{self.session}/heartbeat").json()["stop"])
        self.assertEqual(202, SERVER.admin.post(f"/api/v1/runs/{run_id}/cancel").status)

        stop = self.client.post(f"{self.session}/heartbeat").json()["stop"]
        self.assertEqual([{"runId": run_id, "attempt": 1, "how": "cancel"}], stop)
        self.client.post(f"{self.session}/fail", {"runId": run_id, "attempt": 1, "cancelled": True})
        self.assertEqual("cancelled", run_of(run_id)["state"])

    def test_what_a_closed_session_held_goes_to_another(self) -> None:
        run_id = job(self.queue, policies={"retry": {"maxAttempts": 3, "initial": "1ms"}})
        self.claim()
        self.assertEqual(204, self.client.ask("DELETE", self.session).status)
        self.assertEqual("session_over", self.client.post(f"{self.session}/claim", {}).json()["code"])
        self.session = self.open()

        (again,) = self.claim(wait="20s")

        self.assertEqual((run_id, 2), (again["runId"], again["attempt"]))

    def test_a_paused_queue_gives_nothing_until_it_is_resumed(self) -> None:
        run_id = job(self.queue)
        self.assertTrue(SERVER.admin.post(f"/api/v1/queues/{self.queue}/pause").json()["paused"])
        self.assertEqual([], self.claim(count=10))
        self.assertFalse(SERVER.admin.post(f"/api/v1/queues/{self.queue}/resume").json()["paused"])
        self.assertEqual([run_id], [one["runId"] for one in self.claim(wait="20s")])

    def test_a_session_is_a_secret_that_is_not_kept(self) -> None:
        request = {"name": "w", "queues": [self.queue]}
        answers = [self.client.ask("POST", WORKERS, request, headers={"Idempotency-Key": self.queue}) for _ in range(2)]

        self.assertEqual([201, 201], [answer.status for answer in answers])
        first, second = (answer.json()["worker"] for answer in answers)
        self.assertNotEqual(first, second)
        for path in SERVER.data.rglob("*"):
            if path.is_file():
                self.assertNotIn(first.encode(), path.read_bytes(), path)

    def test_what_cannot_be_a_session_is_refused(self) -> None:
        queues: list[dict[str, Any]] = [{"queues": names} for names in ([], ["@commands"], ["a/b"], "q")]
        for wrong in [*queues, {"name": ""}, {"lease": "1s"}, {"lease": "2h"}, {"surprise": 1}]:
            answer = self.client.post(WORKERS, {"name": "w", "queues": ["q"], **wrong})
            self.assertEqual(422, answer.status, wrong)


class ARestart(unittest.TestCase):
    """Of the server, while a job is at work."""

    def test_leaves_a_worker_its_session_and_what_it_holds(self) -> None:
        server = LiveServer()
        self.addCleanup(server.close)
        token = server.token("worker")["token"]
        run_id = server.admin.post("/api/v1/jobs", {"jobType": "greet"}).json()["id"]
        opened = Client(server.port, token).post(WORKERS, {"name": "w", "queues": ["default"], "lease": "10m"})
        session = f"{WORKERS}/{opened.json()['worker']}"
        self.assertEqual(1, len(Client(server.port, token).post(f"{session}/claim", {}).json()["jobs"]))

        server.restart()
        worker = Client(server.port, token)
        end = {"runId": run_id, "attempt": 1, "result": {"done": True}}
        pulse = worker.post(f"{session}/heartbeat")
        self.assertEqual(200, pulse.status, pulse.text)
        other = Client(server.port, server.token("worker")["token"])
        self.assertEqual("session_over", other.post(f"{session}/complete", end).json()["code"])
        self.assertEqual(204, worker.post(f"{session}/complete", end).status)

        run = server.admin.get(f"/api/v1/runs/{run_id}").json()
        self.assertEqual(("succeeded", {"done": True}), (run["state"], run["result"]))
        self.assertEqual([], worker.post(f"{session}/claim", {}).json()["jobs"])

    def test_gives_back_what_a_killed_server_had_promised(self) -> None:
        server = LiveServer()
        self.addCleanup(server.close)
        token = server.token("worker")["token"]
        job_document = {"jobType": "greet", "policies": {"retry": {"maxAttempts": 1, "onLost": False}}}
        run_id = server.admin.post("/api/v1/jobs", job_document).json()["id"]
        opened = Client(server.port, token).post(WORKERS, {"name": "w", "queues": ["default"], "lease": "10m"})
        session = f"{WORKERS}/{opened.json()['worker']}"
        # Its answer is lost with the server.
        Client(server.port, token).post(f"{session}/claim", {"holds": []})

        server.kill_and_restart()
        worker = Client(server.port, token)

        def comes_back() -> bool:
            self.assertEqual(200, worker.post(f"{session}/heartbeat", {"holds": []}).status)
            return server.admin.get(f"/api/v1/runs/{run_id}").json()["state"] == "queued"

        await_value(comes_back, "the job in its queue again")
        (again,) = worker.post(f"{session}/claim", {"holds": []}).json()["jobs"]
        self.assertEqual((run_id, 2), (again["runId"], again["attempt"]))
        end = {"runId": run_id, "attempt": 2}
        self.assertEqual(204, worker.post(f"{session}/complete", end).status)
        states = [one["state"] for one in server.admin.get(f"/api/v1/runs/{run_id}").json()["attempts"]]
        self.assertEqual(["released", "succeeded"], states)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
