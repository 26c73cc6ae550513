#!/usr/bin/env python3
"""Who comes in, and how far. Usage: security_access_test.py BINARIES PRINT_API"""

import json
import unittest
from collections.abc import Iterator
from typing import Any

from served import LiveServer, print_api, unittest_arguments

from client import Client
from description import Description
from hostile import SCHEDULES, Case, job_schedule, raw_request, status_of
from waiting import await_value

DESCRIPTION: Description
SERVER: LiveServer
UNKNOWN_RUN = "r-0000000000000"


def setUpModule() -> None:
    """One server for all; its log is read by programs."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer("--log", "json")


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Tokens(Case):
    """S3, S4, S42."""

    def test_s3_what_is_no_token_is_refused_always_with_the_same_words(self) -> None:
        valid = SERVER.token("viewer")["token"]
        wrong = (
            *("", '""', "null", "undefined", "%00", "' or 1=1 --", "x" * 8000),
            *(valid.replace("carillon", "cronicle"), valid[:-1], valid + "x", valid[:18] + "0" * 40, valid.upper()),
        )
        bodies = set()
        for number, token in enumerate(wrong):
            with self.subTest(token=token[:60]):
                answer = Client(SERVER.port, source=f"127.3.0.{number + 1}").ask(
                    "GET", SCHEDULES, headers={"Authorization": f"Bearer {token}"}
                )
                self.assert_refused(answer, 401)
                self.assertEqual("Bearer", answer.headers["www-authenticate"])
                bodies.add(str(answer.problem))
        for header in ("Basic YWRtaW46YWRtaW4=", "Bearer", valid, f"Token {valid}", "Bearer\t" + valid):
            answer = Client(SERVER.port, source="127.3.1.1").ask("GET", SCHEDULES, headers={"Authorization": header})
            self.assert_refused(answer, 401)
            bodies.add(str(answer.problem))
        self.assertEqual(1, len(bodies), bodies)

    def test_s3_a_token_of_a_megabyte_or_with_control_characters_never_arrives(self) -> None:
        start = f"GET {SCHEDULES} HTTP/1.1", f"Host: 127.0.0.1:{SERVER.port}"
        for token, status in (("x" * 1_000_000, 431), ("a\0b", 400), ("a\x07b", 400)):
            response = SERVER.stranger.raw(raw_request(*start, f"Authorization: Bearer {token}"))
            self.assertEqual(status, status_of(response), response[:300])

    def test_s4_no_token_can_be_read_from_the_data_directory(self) -> None:
        request = {"name": "kept", "role": "viewer"}
        answer = SERVER.admin.ask("POST", "/api/v1/tokens", request, headers={"Idempotency-Key": "a token once"})
        self.assertEqual(201, answer.status)
        secret = answer.json()["token"].rsplit("_", 1)[1].encode()
        files = [path for path in SERVER.data.rglob("*") if path.is_file()]

        self.assertGreater(len(files), 1)
        for path in files:
            self.assertNotIn(secret, path.read_bytes(), path)
        self.assertEqual(0o600, (SERVER.data / "admin.token").stat().st_mode & 0o777)

    def test_s42_who_guesses_is_slowed_down_and_nobody_else_is(self) -> None:
        guesser = Client(SERVER.port, "carillon_00000000_" + "0" * 40, source="127.4.0.1")
        answers = [guesser.get(SCHEDULES) for _ in range(200)]

        self.assertEqual({401, 429}, {answer.status for answer in answers})
        slowed = [answer for answer in answers if answer.status == 429]
        self.assertGreater(len(slowed), 100)
        self.assertTrue(all(int(answer.headers["retry-after"]) >= 1 for answer in slowed))
        neighbour = Client(SERVER.port, SERVER.admin.token, source="127.4.0.1")
        self.assertEqual(200, neighbour.get(SCHEDULES).status)
        self.assertEqual(401, Client(SERVER.port, guesser.token, source="127.4.0.2").get(SCHEDULES).status)
        await_value(lambda: self.audited("127.4.0.1", "unauthenticated"), "an audit entry of the guesses")

    def audited(self, address: str, outcome: str) -> bool:
        """Whether the audit log knows of it."""
        items = SERVER.admin.get("/api/v1/audit", limit=500).json()["items"]
        return any((item["address"], item["outcome"]) == (address, outcome) for item in items)


class Namespaces(Case):
    """S8: two tenants of one server know nothing of each other."""

    def setUp(self) -> None:
        self.name = f"own-{self._testMethodName[-8:].strip('_')}"
        self.owner = SERVER.client("admin", "alpha")
        self.other = SERVER.client("admin", "beta")
        self.create(self.owner, job_schedule(self.name))
        self.run_id = self.trigger(self.owner, self.name)["id"]
        self.addCleanup(self.owner.ask, "DELETE", f"{SCHEDULES}/{self.name}")

    def requests(self) -> Iterator[tuple[str, str, Any]]:
        """Everything that names a schedule or a run."""
        for operation in DESCRIPTION.operations.values():
            if not operation.path.startswith(("/api/v1/schedules/{id}", "/api/v1/runs/{run}", "/api/v1/jobs/{run}")):
                continue
            path = operation.path.replace("{id}", self.name).replace("{run}", self.run_id)
            yield operation.method, path.replace("{backfill}", "bf-1"), operation.id

    def body_for(self, operation: str) -> Any:
        """One that is in order."""
        node = DESCRIPTION.operations[operation].body
        if node is None or operation == "putSchedule":
            return None
        return DESCRIPTION.resolved(next(iter(node[1]["examples"].values())))["value"]

    def test_s8_what_belongs_to_another_namespace_is_not_there(self) -> None:
        count = 0
        for method, path, operation in self.requests():
            if operation == "putSchedule":
                continue  # makes one of its own
            for query in ({}, {"namespace": "alpha"}):
                wanted = dict(query) | ({"at": "2026-01-01T00:00:00Z"} if operation == "explainOccurrence" else {})
                with self.subTest(operation=operation, query=query):
                    answer = self.other.ask(method, path, self.body_for(operation), query=wanted)
                    self.assert_refused(answer, 404)
                    count += 1
        self.assertGreater(count, 40)
        self.assertEqual(200, self.owner.get(f"{SCHEDULES}/{self.name}").status)

    def test_s8_a_run_of_another_namespace_is_refused_as_one_that_never_was(self) -> None:
        foreign = str(self.other.get(f"/api/v1/runs/{self.run_id}").problem).replace(self.run_id, "")
        unknown = str(self.other.get(f"/api/v1/runs/{UNKNOWN_RUN}").problem).replace(UNKNOWN_RUN, "")

        self.assertEqual(unknown, foreign)

    def test_s8_lists_show_nothing_of_other_namespaces_not_even_counts(self) -> None:
        lists = ("schedules", "runs", "upcoming", "queues", "audit", "load", "tokens", "system")
        for path in (*lists, f"schedules?q={self.name}", "runs?decisions=true"):
            with self.subTest(path=path):
                answer = self.other.get(f"/api/v1/{path}")
                self.assertEqual(200, answer.status, answer.text)
                self.assertNotIn(self.name, answer.text)
                self.assertNotIn("alpha", answer.text)
        self.assertEqual(0, self.other.get(SCHEDULES).json()["total"])
        self.assertEqual(0, self.other.get("/api/v1/load").json()["schedules"])
        self.assertEqual(set(), {"schedules", "running"} & self.other.get("/api/v1/system").json().keys())
        self.assert_refused(self.other.get("/metrics"), 403)
        for path in (SCHEDULES, "/api/v1/runs", "/api/v1/upcoming", "/api/v1/queues", "/api/v1/load"):
            self.assert_refused(self.other.get(path, namespace="alpha"), 404)

    def test_s8_batches_and_filters_reach_no_further_than_the_token(self) -> None:
        body: dict[str, Any] = {"operation": "delete", "filter": {"q": self.name}}
        self.assertEqual(0, self.other.post(f"{SCHEDULES}/batch", body | {"preview": True}).json()["count"])
        self.assertEqual(0, self.other.post(f"{SCHEDULES}/batch", {"operation": "delete", "all": True}).json()["count"])
        body["filter"]["namespace"] = "alpha"
        self.assert_refused(self.other.post(f"{SCHEDULES}/batch", body), 404)
        self.assertEqual(204, self.other.post(f"{SCHEDULES}/batch-delete", {"ids": [self.name]}).status)
        self.assertEqual(200, self.owner.get(f"{SCHEDULES}/{self.name}").status)

    def test_s8_nothing_can_be_put_into_another_namespace(self) -> None:
        document = job_schedule("smuggled", namespace="alpha")
        self.assert_refused(self.other.post(SCHEDULES, document), 404)
        self.assert_refused(self.other.ask("PUT", f"{SCHEDULES}/smuggled", document), 404)
        self.assert_refused(self.other.post("/api/v1/jobs", {"jobType": "t", "namespace": "alpha"}), 404)
        request = {"name": "x", "role": "viewer"}
        self.assert_refused(self.other.post("/api/v1/tokens", request | {"namespace": "alpha"}), 403)
        self.assertEqual("beta", self.other.post("/api/v1/tokens", request).json()["namespace"])
        self.assert_refused(self.owner.get(f"{SCHEDULES}/smuggled"), 404)

    def test_s8_events_tell_nothing_of_other_namespaces(self) -> None:
        with self.other.events("/api/v1/events", {"Last-Event-ID": "0"}) as stream:
            self.assertEqual(200, stream.status)
            self.trigger(self.owner, self.name)
            self.create(self.other, job_schedule("mine"))
            seen = stream.until("schedule.changed", id="mine")
        self.addCleanup(self.other.ask, "DELETE", f"{SCHEDULES}/mine")
        self.assertNotIn(self.name, json.dumps([event.data for event in seen]))
        self.assert_refused(self.other.get("/api/v1/events", namespace="alpha"), 404)

    def test_s8_workers_get_only_jobs_of_their_namespace(self) -> None:
        def claimed(namespace: str) -> list[Any]:
            worker = SERVER.client("worker", namespace)
            session = worker.post("/api/v1/workers", {"name": "w", "queues": [f"q-{self.name}"]}).json()["worker"]
            return worker.post(f"/api/v1/workers/{session}/claim", {"count": 10}).json()["jobs"]

        self.assertEqual([], claimed("beta"))
        self.assertEqual([self.run_id], [job["runId"] for job in claimed("alpha")])


class Workers(Case):
    """S10: what one worker holds is no other's."""

    def test_s10_a_worker_can_end_only_its_own_attempt_and_only_while_it_has_it(self) -> None:
        run_id = SERVER.admin.post("/api/v1/jobs", {"jobType": "t", "queue": "contested"}).json()["id"]
        first, second = SERVER.client("worker"), SERVER.client("worker")
        request = {"name": "w", "queues": ["contested"]}
        mine, yours = (one.post("/api/v1/workers", request).json()["worker"] for one in (first, second))
        jobs = first.post(f"/api/v1/workers/{mine}/claim", {"count": 1}).json()["jobs"]
        self.assertEqual([run_id], [job["runId"] for job in jobs])
        end = {"runId": run_id, "attempt": 1}

        self.assert_refused(second.post(f"/api/v1/workers/{yours}/complete", end), 409)
        self.assert_refused(second.post(f"/api/v1/workers/{yours}/fail", end), 409)
        self.assert_refused(second.ask("POST", f"/api/v1/workers/{yours}/logs?runId={run_id}&attempt=1", b"lies"), 409)
        self.assert_refused(second.post(f"/api/v1/workers/{mine}/complete", end), 404)
        self.assert_refused(first.post(f"/api/v1/workers/{mine}/complete", end | {"attempt": 2}), 409)
        self.assertEqual(204, first.post(f"/api/v1/workers/{mine}/complete", end).status)
        self.assert_refused(first.post(f"/api/v1/workers/{mine}/fail", end), 409)
        self.assertEqual("succeeded", SERVER.admin.get(f"/api/v1/runs/{run_id}").json()["state"])

    def test_s10_a_worker_cannot_do_anything_but_work(self) -> None:
        worker = SERVER.client("worker")
        for path in ("/api/v1/tokens", SCHEDULES, "/api/v1/runs", "/api/v1/events", "/metrics"):
            self.assert_refused(worker.get(path), 403)
        for path in ("/api/v1/tokens", SCHEDULES, "/api/v1/jobs", f"{SCHEDULES}/x/trigger"):
            self.assert_refused(worker.post(path, {}), 403)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
