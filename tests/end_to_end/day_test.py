#!/usr/bin/env python3
"""A day with the API, from the first schedule to the last. Usage: day_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from scene import Scene  # noqa: E402
from servers import Served, environment  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

CANONICAL = {
    "id": "tower",
    "spec": {"intervals": [{"every": "1s"}]},
    "action": {"command": {"argv": ["/bin/sleep", "0.01"]}},
    "policies": {"overlap": "skip"},
}
SHORT_WITH_CRON = {
    "name": "Daily Report",
    "description": "Generate daily sales report",
    "cronExpr": "0 9 * * *",
    "timezone": "America/New_York",
    "jobType": "report.generate",
    "jobPayload": {"reportType": "sales", "format": "pdf"},
    "jobPriority": "NORMAL",
}
SHORT_WITH_SECONDS = {
    "name": "Daily report",
    "workflow_id": 1,
    "trigger_node_id": "trigger_schedule_abc123",
    "interval_seconds": 86400,
    "total_repeats": 0,
    "max_retries": 3,
    "timeout_seconds": 600,
    "trigger_payload": {"report_type": "daily"},
}


class Answer(NamedTuple):
    """What curl was told."""

    status: int
    headers: dict[str, str]
    body: Any


class Api:
    """A server's API, by curl."""

    def __init__(self, server: Served, data: Path) -> None:
        found = re.search(r" at (http://\S+)", "\n".join(server.greeting))
        assert found is not None, server.greeting
        self.url = found.group(1)
        self.token = (data / "admin.token").read_text(encoding="ascii").strip()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One request; headers are named with underscores."""
        command = ["curl", "-sS", "-i", "-X", method, "-H", f"Authorization: Bearer {self.token}"]
        for name, value in headers.items():
            command += ["-H", f"{name.replace('_', '-')}: {value}"]
        if body is not None:
            command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        done = subprocess.run([*command, self.url + path], capture_output=True, timeout=60, check=True)
        head, _, text = done.stdout.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:])
        is_json = "json" in fields.get("Content-Type", "")
        return Answer(int(lines[0].split()[1]), fields, json.loads(text) if is_json else text.decode())

    def watch(self, last_seen: str | None) -> "subprocess.Popen[bytes]":
        """A stream of events."""
        command = ["curl", "-sSN", "-H", f"Authorization: Bearer {self.token}"]
        if last_seen is not None:
            command += ["-H", f"Last-Event-ID: {last_seen}"]
        return subprocess.Popen([*command, f"{self.url}/api/v1/events"], stdout=subprocess.PIPE)


class Event(NamedTuple):
    """What a stream has told."""

    position: str
    name: str
    data: Any


def next_event(stream: "subprocess.Popen[bytes]") -> Event:
    """The next one; waits for it."""
    assert stream.stdout is not None
    fields: dict[str, str] = {}
    for line in stream.stdout:
        text = line.decode().rstrip("\n")
        if not text and "event" in fields:
            return Event(fields["id"], fields["event"], json.loads(fields["data"]))
        name, _, value = text.partition(": ")
        if name:
            fields[name] = value
    raise AssertionError("the stream has ended")


def await_event(stream: "subprocess.Popen[bytes]", name: str) -> Event:
    """The next of that name."""
    while (event := next_event(stream)).name != name:
        pass
    return event


class DayCase(unittest.TestCase):
    """A server of one's own."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)

    def serve(self) -> tuple[Served, Api]:
        """A server that is ready, and its API."""
        server = self.scene.served()
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server, Api(server, self.scene.data)

    def demand(self, answer: Answer, status: int) -> Any:
        """The body of an answer that must have this status."""
        self.assertEqual(answer.status, status, answer.body)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            self.assertEqual(answer.body["status"], status)
        return answer.body


class Day(DayCase):
    """What people do with schedules."""

    def test_schedules_are_made_listed_and_changed_only_from_what_they_are(self) -> None:
        _, api = self.serve()

        made = api.call("POST", "/api/v1/schedules", CANONICAL)
        tower = self.demand(made, 201)
        self.assertEqual(made.headers["Location"], "/api/v1/schedules/tower")
        report = self.demand(api.call("POST", "/api/v1/schedules", SHORT_WITH_CRON), 201)
        second = self.demand(api.call("POST", "/api/v1/schedules/", SHORT_WITH_SECONDS), 201)
        self.assertEqual((report["id"], second["id"]), ("daily-report", "daily-report-2"))
        self.assertEqual(report["action"]["job"]["type"], "report.generate")
        self.assertEqual(second["spec"]["intervals"][0]["every"], "1d")
        self.assertIsNotNone(report["nextRunAt"])
        listed = self.demand(api.call("GET", "/api/v1/schedules?limit=2"), 200)
        self.assertEqual((listed["total"], [item["id"] for item in listed["items"]]), (3, ["daily-report", "daily-report-2"]))
        rest = self.demand(api.call("GET", f"/api/v1/schedules?limit=2&pageToken={listed['nextPageToken']}"), 200)
        self.assertEqual([item["id"] for item in rest["items"]], ["tower"])

        # It fires every second; that changes its state, never the revision that users compare.
        self.demand(api.call("PATCH", "/api/v1/schedules/tower", {"description": "first"}, If_Match=made.headers["ETag"]), 200)
        await_value(lambda: api.call("GET", "/api/v1/schedules/tower").body["runCount"] >= 2, "two runs")
        stale = api.call("PATCH", "/api/v1/schedules/tower", {"description": "x"}, If_Match=made.headers["ETag"])
        self.demand(stale, 412)
        fresh = api.call("GET", "/api/v1/schedules/tower").headers["ETag"]
        changed = api.call("PATCH", "/api/v1/schedules/tower", {"description": "second"}, If_Match=fresh)
        self.assertEqual(self.demand(changed, 200)["description"], "second")
        self.assertEqual(changed.body["revision"], tower["revision"] + 2)

    def test_it_is_paused_once_and_started_by_hand(self) -> None:
        _, api = self.serve()
        self.demand(api.call("POST", "/api/v1/schedules", {**CANONICAL, "spec": {}}), 201)

        paused = self.demand(api.call("POST", "/api/v1/schedules/tower/pause", {"reason": "lunch"}), 200)
        self.assertEqual((paused["status"], paused["pause"]["reason"]), ("paused", "lunch"))
        again = api.call("POST", "/api/v1/schedules/tower/pause")
        self.assertEqual(self.demand(again, 400)["title"], "Cannot pause schedule with status 'paused'")
        self.assertEqual(self.demand(api.call("POST", "/api/v1/schedules/tower/resume"), 200)["status"], "active")
        self.demand(api.call("POST", "/api/v1/schedules/tower/resume"), 400)

        first = api.call("POST", "/api/v1/schedules/tower/trigger", {}, Idempotency_Key="one")
        second = api.call("POST", "/api/v1/schedules/tower/trigger", {}, Idempotency_Key="one")
        other = api.call("POST", "/api/v1/schedules/tower/trigger", {"payload": 1}, Idempotency_Key="one")
        run = self.demand(first, 202)["run"]
        self.assertEqual(self.demand(second, 202), first.body)
        self.demand(other, 422)
        ended = await_value(
            lambda: found if (found := api.call("GET", f"/api/v1/runs/{run['id']}").body)["endedAt"] else None, "its end"
        )
        self.assertEqual((ended["state"], ended["source"]), ("succeeded", "trigger"))
        self.assertEqual(self.demand(api.call("GET", "/api/v1/schedules/tower"), 200)["runCount"], 1)

    def test_a_backfill_is_previewed_and_makes_progress(self) -> None:
        _, api = self.serve()
        self.demand(api.call("POST", "/api/v1/schedules", {**CANONICAL, "spec": {"cron": "0 * * * *"}}), 201)
        span = {"from": "2026-01-05T00:00:00Z", "to": "2026-01-05T04:00:00Z"}

        preview = self.demand(api.call("POST", "/api/v1/schedules/tower/backfills/preview", span), 200)
        self.assertEqual((preview["count"], preview["conflicts"]), (4, 0))
        self.assertEqual((preview["first"], preview["last"]), ("2026-01-05T00:00:00Z", "2026-01-05T03:00:00Z"))
        made = self.demand(api.call("POST", "/api/v1/schedules/tower/backfills", span), 201)
        place = f"/api/v1/schedules/tower/backfills/{made['id']}"
        done = await_value(
            lambda: found if (found := api.call("GET", place).body)["state"] == "completed" else None, "its end"
        )
        self.assertEqual((done["done"], done["total"], done["started"]), (4, 4, 4))
        again = self.demand(api.call("POST", "/api/v1/schedules/tower/backfills/preview", span), 200)
        self.assertEqual((again["count"], again["conflicts"]), (0, 4))

    def test_who_watches_misses_nothing_across_a_restart(self) -> None:
        server, api = self.serve()
        self.demand(api.call("POST", "/api/v1/schedules", {**CANONICAL, "spec": {}}), 201)
        stream = api.watch(None)
        self.assertEqual(next_event(stream).name, "server.status")
        self.demand(api.call("POST", "/api/v1/schedules/tower/trigger"), 202)
        seen = [await_event(stream, name) for name in ("run.queued", "run.started", "run.finished")]
        self.assertEqual({event.data["schedule"] for event in seen}, {"tower"})
        self.assertEqual([event.data["state"] for event in seen], ["queued", "running", "succeeded"])
        self.assertEqual(server.stop(), 0)
        stream.wait(60)
        assert stream.stdout is not None
        stream.stdout.close()

        _, api = self.serve()
        missed = self.demand(api.call("POST", "/api/v1/schedules/tower/trigger"), 202)["run"]["id"]
        stream = api.watch(seen[-1].position)
        self.addCleanup(stream.wait)
        self.addCleanup(stream.kill)
        self.assertEqual(await_event(stream, "run.queued").data["id"], missed)
        assert stream.stdout is not None
        self.addCleanup(stream.stdout.close)

    def test_why_explains_what_was_skipped(self) -> None:
        _, api = self.serve()
        slow = {"command": {"argv": ["/bin/sleep", "30"]}}
        self.demand(api.call("POST", "/api/v1/schedules", {**CANONICAL, "action": slow}), 201)
        skipped = await_value(
            lambda: next(
                (
                    item
                    for item in api.call("GET", "/api/v1/schedules/tower/occurrences").body["items"]
                    if item["outcome"] == "skipped"
                ),
                None,
            ),
            "a skip",
        )

        why = self.demand(api.call("GET", f"/api/v1/schedules/tower/why?at={skipped['nominal']}"), 200)

        self.assertEqual(why["occurrence"]["reason"], "overlap")
        self.assertIn("another run of the schedule was active", why["why"])
        ahead = self.demand(api.call("GET", "/api/v1/schedules/tower/next-runs?count=3"), 200)["items"]
        self.assertEqual(len(ahead), 3)
        self.assertIn("is in the future", api.call("GET", f"/api/v1/schedules/tower/why?at={ahead[2]['nominal']}").body["why"])

    def test_many_are_deleted_at_once(self) -> None:
        _, api = self.serve()
        for number in range(3):
            self.demand(api.call("POST", "/api/v1/schedules", {**CANONICAL, "id": f"bell-{number}", "spec": {}}), 201)

        counted = api.call("POST", "/api/v1/schedules/batch", {"operation": "delete", "filter": {"q": "bell"}, "preview": True})
        self.assertEqual(self.demand(counted, 200)["count"], 3)
        gone = api.call("POST", "/api/v1/schedules/batch-delete/", {"schedule_ids": ["bell-0", "bell-1"]})
        self.demand(gone, 204)
        self.demand(api.call("GET", "/api/v1/schedules/bell-0"), 404)
        left = self.demand(api.call("GET", "/api/v1/schedules"), 200)
        self.assertEqual([item["id"] for item in left["items"]], ["bell-2"])

    def test_the_commands_of_the_greeting_work_as_they_stand(self) -> None:
        server, _ = self.serve()
        # Found by the folder one stands in.
        (self.scene.folder / "carillon-data").symlink_to(self.scene.data)
        commands = [line for line in server.greeting if line.startswith("    ")]
        self.assertEqual(len(commands), 3)

        for command in commands:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                capture_output=True,
                cwd=self.scene.folder,
                env=environment(),
                timeout=60,
                check=True,
            )
            self.assertIn(b"tick", done.stdout)


if __name__ == "__main__":
    unittest.main()
