#!/usr/bin/env python3
"""What clients may send and ask for, and what happens beyond. Usage: limits_test.py BINARIES PRINT_API"""

import json
import socket
import unittest
from typing import Any

from served import LiveServer, unittest_arguments

from client import PATIENCE_SECONDS

SERVER: LiveServer
ORIGIN = "https://ops.example"


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer("--allow-origin", ORIGIN)


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def answer_to(head: str) -> tuple[int, bytes]:
    """The status that a head alone gets, and everything until the server closes."""
    with socket.create_connection(("127.0.0.1", SERVER.port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(head.encode())
        received = b""
        while piece := client.recv(65536):
            received += piece
    return int(received.split(b" ")[1]), received


def post_head(size: int, token: str | None = None) -> str:
    """Of a request whose body is still to come."""
    bearer = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"POST /api/v1/schedules HTTP/1.1\r\nHost: 127.0.0.1\r\n{bearer}"
        f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    )


def heavy_spec() -> dict[str, Any]:
    """Small to send, and expensive to answer for."""
    halves = [{"hour": str(hour), "minute": minutes} for hour in range(23) for minutes in ("0-29", "30-59")]
    rest = [{"hour": "23", "minute": "0-58"}, {"hour": "23", "minute": "59", "second": "1-59"}]
    return {"intervals": [{"every": f"{86000 + 7 * i}s"} for i in range(64)], "exclude": halves + rest}


class Bodies(unittest.TestCase):
    """Before it is known who sends them."""

    def test_large_ones_without_a_token_are_refused_before_they_come(self) -> None:
        for token in (None, "carillon_00000000_" + "0" * 40):
            status, received = answer_to(post_head(1024 * 1024 - 1, token))
            self.assertEqual(401, status, received)
            self.assertIn(b"connection: close", received.lower())

    def test_large_ones_with_a_token_are_taken(self) -> None:
        document = {"id": "large", "jobType": "t", "payload": {"text": "x" * 500_000}, "enabled": False}

        answer = SERVER.client("editor").post("/api/v1/schedules", document)

        self.assertEqual(201, answer.status, answer.text[:500])


class Questions(unittest.TestCase):
    """About time."""

    def test_that_take_too_long_are_refused_and_what_is_to_be_simplified_is_told(self) -> None:
        preview = SERVER.client("viewer").post("/api/v1/schedules/preview", heavy_spec(), count=1000)
        saved = SERVER.admin.post("/api/v1/schedules", {"id": "heavy", "spec": heavy_spec(), "action": {"job": {"type": "t"}}})

        for answer in (preview, saved):
            self.assertEqual(422, answer.status, answer.text[:500])
            self.assertEqual("too-complex", answer.json()["code"])
            self.assertIn("fewer intervals", json.dumps(answer.json()))


class Errors(unittest.TestCase):
    """Of workers."""

    def test_are_cut_and_events_go_on(self) -> None:
        worker = SERVER.client("worker")
        session = worker.post("/api/v1/workers", {"name": "w", "queues": ["bounds"], "lease": "1m"}).json()["worker"]
        run_id = SERVER.admin.post("/api/v1/jobs", {"jobType": "t", "queue": "bounds", "maxRetries": 0}).json()["id"]
        with SERVER.admin.events("/api/v1/events") as stream:
            claimed = worker.post(f"/api/v1/workers/{session}/claim", {"count": 1}).json()["jobs"]
            self.assertEqual([run_id], [job["runId"] for job in claimed])
            failed = worker.post(
                f"/api/v1/workers/{session}/fail", {"runId": run_id, "attempt": 1, "error": "E" * 1_000_000}
            )
            self.assertEqual(204, failed.status, failed.text[:500])
            stream.until("run.finished", id=run_id)

        run = SERVER.admin.get(f"/api/v1/runs/{run_id}")
        self.assertLess(len(run.body), 20_000)
        self.assertTrue(run.json()["error"].endswith("bytes left out)"), run.json()["error"][-100:])
        self.assertLess(len(run.json()["why"]), 500)

    def test_of_a_pause_have_a_bound(self) -> None:
        SERVER.admin.post("/api/v1/schedules", {"id": "paused", "jobType": "t"})
        answer = SERVER.admin.post("/api/v1/schedules/paused/pause", {"reason": "r" * 1001})
        self.assertEqual(422, answer.status, answer.text)


class Origins(unittest.TestCase):
    """Pages of other servers."""

    def test_that_are_allowed_are_told_so(self) -> None:
        asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        preflight = SERVER.stranger.ask("OPTIONS", "/api/v1/schedules", headers=asked)
        answer = SERVER.admin.ask("GET", "/api/v1/schedules", headers={"Origin": ORIGIN})
        problem = SERVER.stranger.ask("GET", "/api/v1/schedules", headers={"Origin": ORIGIN})

        self.assertEqual(204, preflight.status, preflight.text)
        self.assertIn("POST", preflight.headers["access-control-allow-methods"])
        self.assertIn("Authorization", preflight.headers["access-control-allow-headers"])
        for each in (preflight, answer, problem):
            self.assertEqual(ORIGIN, each.headers["access-control-allow-origin"])
            self.assertEqual("Origin", each.headers["vary"])
        self.assertEqual((200, 401), (answer.status, problem.status))

    def test_that_are_not_are_not(self) -> None:
        asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        for method in ("OPTIONS", "GET"):
            answer = SERVER.admin.ask(method, "/api/v1/schedules", headers=asked)
            self.assertNotIn("access-control-allow-origin", answer.headers)
            self.assertIn(answer.status, (403, 405))


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
