#!/usr/bin/env python3
"""Streams: events and logs that are followed. Usage: events_test.py BINARIES PRINT_API"""

import http.client
import unittest
from typing import Any

from served import LiveServer, unittest_arguments

from client import Client
from waiting import await_value

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
EVENTS = "/api/v1/events"


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """With a schedule that echoes."""

    def setUp(self) -> None:
        self.id = self._testMethodName.replace("_", "-")[:60]
        self.path = f"{SCHEDULES}/{self.id}"
        answer = SERVER.admin.post(SCHEDULES, {"id": self.id, "command": ["/bin/echo", "hello"], "enabled": False})
        self.assertEqual(201, answer.status, answer.text)

    def trigger(self) -> str:
        """The id of a new run."""
        answer = SERVER.admin.post(f"{self.path}/trigger")
        self.assertEqual(202, answer.status, answer.text)
        return answer.json()["id"]


class Events(Case):
    """What happens, as it happens."""

    def test_tell_the_life_of_a_run(self) -> None:
        with SERVER.admin.events(f"{EVENTS}?schedule={self.id}") as stream:
            run_id = self.trigger()
            seen = stream.until("run.finished", id=run_id)

        names = [event.name for event in seen if event.data.get("id") == run_id]
        self.assertEqual(["run.queued", "run.started", "run.finished"], names)
        self.assertEqual("succeeded", seen[-1].data["state"])
        positions = [int(event.position) for event in seen]
        self.assertEqual(sorted(positions), positions)

    def test_tell_every_change_of_a_schedule_also_its_end(self) -> None:
        with SERVER.admin.events(f"{EVENTS}?schedule={self.id}&topics=schedule") as stream:
            SERVER.admin.ask("PATCH", self.path, {"description": "new"})
            SERVER.admin.post(f"{self.path}/enable")
            SERVER.admin.post(f"{self.path}/pause")
            SERVER.admin.ask("DELETE", self.path)
            seen = stream.until("schedule.changed", change="deleted")

        changes = [event.data["change"] for event in seen if event.name == "schedule.changed"]
        self.assertEqual(["updated", "enabled", "paused", "deleted"], changes)

    def test_go_on_behind_the_last_position_that_was_seen(self) -> None:
        with SERVER.admin.events(f"{EVENTS}?schedule={self.id}") as stream:
            first = self.trigger()
            seen = stream.until("run.finished", id=first)
        second = self.trigger()
        await_value(lambda: SERVER.admin.get(f"/api/v1/runs/{second}").json()["state"] == "succeeded", "its end")

        for how in ({"Last-Event-ID": seen[-1].position}, None):
            query = "" if how else f"&lastEventId={seen[-1].position}"
            with SERVER.admin.events(f"{EVENTS}?schedule={self.id}{query}", how) as stream:
                missed = stream.until("run.finished", id=second)
            told = [(event.name, event.data.get("id")) for event in missed if event.name.startswith("run.")]
            self.assertEqual([(name, second) for name in ("run.queued", "run.started", "run.finished")], told)

    def test_of_another_store_are_not_gone_on_with(self) -> None:
        with SERVER.admin.events(EVENTS, {"Last-Event-ID": "999999999999"}) as stream:
            seen = stream.until("resync")

        self.assertLess(int(seen[-1].position), 999999999999)

    def test_are_those_of_the_topics_that_were_asked_for(self) -> None:
        with SERVER.admin.events(f"{EVENTS}?schedule={self.id}&topics=schedule,backfill") as stream:
            run_id = self.trigger()
            await_value(lambda: SERVER.admin.get(f"/api/v1/runs/{run_id}").json()["state"] == "succeeded", "its end")
            SERVER.admin.post(f"{self.path}/enable")
            seen = stream.until("schedule.changed")

        self.assertEqual([], [event for event in seen if event.name.startswith("run.")])
        self.assertEqual(422, SERVER.admin.get(EVENTS, topics="weather").status)

    def test_end_when_the_token_is_revoked(self) -> None:
        token = SERVER.token("viewer")
        with Client(SERVER.port, token["token"]).events(EVENTS) as stream:
            self.assertEqual(204, SERVER.admin.ask("DELETE", f"/api/v1/tokens/{token['id']}").status)
            self.assertEqual({"server.status"}, {event.name for event in stream} | {"server.status"})
        self.assertEqual(401, Client(SERVER.port, token["token"]).get(EVENTS).status)

    def test_have_a_head_like_everything_that_can_be_read(self) -> None:
        answer = SERVER.admin.ask("HEAD", EVENTS)

        self.assertEqual((200, b""), (answer.status, answer.body))


class Logs(Case):
    """What runs print."""

    def read(self, run_id: str, headers: dict[str, str] | None = None, **query: Any) -> tuple[bytes, dict[str, str]]:
        """A part of a log."""
        answer = SERVER.admin.ask("GET", f"/api/v1/runs/{run_id}/logs", query=query, headers=headers or {})
        self.assertEqual(206 if headers else 200, answer.status, answer.text)
        return answer.body, answer.headers

    def finished_run(self) -> str:
        """A run that has ended."""
        run_id = self.trigger()
        path = f"/api/v1/runs/{run_id}"
        await_value(lambda: SERVER.admin.get(path).json()["state"] == "succeeded", "its end")
        return run_id

    def test_can_be_read_whole_or_in_parts(self) -> None:
        run_id = self.finished_run()
        whole, headers = self.read(run_id)

        self.assertIn(b"hello", whole)
        told = [headers[f"carillon-log-{name}"] for name in ("attempt", "offset", "next-offset", "end")]
        self.assertEqual(["1", "0", str(len(whole)), "true"], told)
        self.assertEqual(whole[-3:], self.read(run_id, tail=3)[0])
        self.assertEqual(whole[2:], self.read(run_id, offset=2)[0])
        self.assertEqual(whole[:4], self.read(run_id, limit=4)[0])
        size = len(whole)
        for asked, first, last in (("1-3", 1, 3), ("-2", size - 2, size - 1), ("2-", 2, size - 1)):
            part, told_part = self.read(run_id, {"Range": f"bytes={asked}"})
            self.assertEqual(whole[first : last + 1], part)
            self.assertEqual(f"bytes {first}-{last}/{size}", told_part["content-range"])
        nonsense = SERVER.admin.ask("GET", f"/api/v1/runs/{run_id}/logs", headers={"Range": "bytes=3-1"})
        self.assertEqual((200, whole), (nonsense.status, nonsense.body))
        self.assertEqual(whole, self.read(run_id, follow="true")[0])

    def test_can_be_followed_while_a_job_is_at_work(self) -> None:
        run_id = SERVER.admin.post("/api/v1/jobs", {"jobType": "t", "queue": self.id}).json()["id"]
        worker = SERVER.client("worker")
        session = worker.post("/api/v1/workers", {"name": "w", "queues": [self.id]}).json()["worker"]
        base = f"/api/v1/workers/{session}"
        self.assertEqual(1, len(worker.post(f"{base}/claim", {}).json()["jobs"]))
        connection = http.client.HTTPConnection("127.0.0.1", SERVER.port, timeout=60)
        self.addCleanup(connection.close)
        headers = {"Authorization": f"Bearer {SERVER.admin.token}"}
        connection.request("GET", f"/api/v1/runs/{run_id}/logs?follow=true", headers=headers)
        response = connection.getresponse()

        for line in (b"one\n", b"two\n"):
            answer = worker.ask("POST", f"{base}/logs?runId={run_id}&attempt=1", line)
            self.assertEqual(204, answer.status, answer.text)
            self.assertEqual(line, response.readline())
        worker.post(f"{base}/complete", {"runId": run_id, "attempt": 1})
        self.assertEqual(b"", response.read())


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
