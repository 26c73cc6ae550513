#!/usr/bin/env python3
"""Schedules, their runs and their backfills, as users work with them. Usage: schedules_test.py BINARIES PRINT_API"""

import unittest
from typing import Any

from served import LiveServer, unittest_arguments

from client import Answer
from waiting import await_value

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
ECHO = {"command": ["/bin/echo", "hello"]}


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """With a name of its own."""

    def setUp(self) -> None:
        self.id = self._testMethodName.replace("_", "-")[5:100]
        self.path = f"{SCHEDULES}/{self.id}"

    def sent(self, expected: int, method: str, path: str, body: Any = None, **query: Any) -> Answer:
        """The answer, which has the expected status."""
        answer = SERVER.admin.ask(method, path, body, query=query)
        self.assertEqual(expected, answer.status, answer.text)
        return answer

    def create(self, **members: Any) -> dict[str, Any]:
        """A schedule."""
        return self.sent(201, "POST", SCHEDULES, {"id": self.id, **members}).json()

    def await_state(self, run_id: str, state: str) -> dict[str, Any]:
        """A run when it is there."""
        path = f"/api/v1/runs/{run_id}"
        await_value(lambda: SERVER.admin.get(path).json()["state"] == state, f"{run_id} {state}")
        return SERVER.admin.get(path).json()


class Repeating(Case):
    """What a run is told about those before it."""

    def test_each_run_is_told_how_many_have_succeeded_before_it(self) -> None:
        self.create(
            spec={"intervals": [{"every": "1s"}]},
            command="echo $CARILLON_REPEAT_NUMBER",
            policies={"totalRepeats": 3},
        )
        await_value(lambda: SERVER.admin.get(self.path).json()["status"] == "done", f"{self.id} is done")

        runs = SERVER.admin.get(f"{self.path}/runs").json()["items"]
        told = [SERVER.admin.get(f"/api/v1/runs/{run['id']}/logs").text.strip() for run in runs]
        self.assertEqual(["0", "1", "2"], sorted(told))


class Changing(Case):
    """PUT and PATCH."""

    def test_a_patch_changes_what_it_names_and_null_removes(self) -> None:
        self.create(cron="@daily", labels={"a": "1", "b": "2"}, **ECHO)
        patched = self.sent(200, "PATCH", self.path, {"labels": {"a": None, "c": "3"}, "spec": {"jitter": "5m"}}).json()

        self.assertEqual({"b": "2", "c": "3"}, patched["labels"])
        self.assertEqual((["@daily"], "5m"), (patched["spec"]["cron"], patched["spec"]["jitter"]))
        self.assertEqual(["/bin/echo", "hello"], patched["action"]["command"]["argv"])

    def test_a_short_rule_replaces_all_rules(self) -> None:
        self.create(cron=["@daily", "@weekly"], **ECHO)
        spec = self.sent(200, "PATCH", self.path, {"every": "1h"}).json()["spec"]

        self.assertEqual(([], ["1h"]), (spec["cron"], [interval["every"] for interval in spec["intervals"]]))

    def test_a_put_replaces_the_whole(self) -> None:
        self.create(cron="@daily", description="old", labels={"a": "1"}, **ECHO)
        put = self.sent(200, "PUT", self.path, {"jobType": "t"}).json()

        self.assertEqual(("", {}, []), (put["description"], put["labels"], put["spec"]["cron"]))
        self.assertEqual(["job"], list(put["action"]))
        self.sent(422, "PUT", self.path, {"id": "another", "jobType": "t"})

    def test_every_fault_is_named_with_its_place(self) -> None:
        wrong = {"id": "x y", "cron": "61 * * * *", "timezone": "Mars/Olympus", "colour": "red"}
        problem = self.sent(422, "POST", SCHEDULES, wrong).json()

        self.assertLessEqual({"/id", "/colour"}, {error["pointer"] for error in problem["errors"]})
        self.assertGreaterEqual(len(problem["errors"]), 3)
        self.assertTrue(all(error["message"] and error["code"] for error in problem["errors"]))


class Finding(Case):
    """Filters, and what lies ahead."""

    def ids(self, **query: Any) -> list[str]:
        """What a filter finds of ours."""
        items = self.sent(200, "GET", SCHEDULES, label=f"test={self.id[-8:]}", **query).json()["items"]
        return [item["id"] for item in items]

    def test_filters_find_what_they_say(self) -> None:
        label = {"test": self.id[-8:]}
        common = {"labels": label, "cron": "@daily"}
        self.sent(201, "POST", SCHEDULES, {"id": "find-a", "name": "Alpha one", **common, **ECHO})
        self.sent(201, "POST", SCHEDULES, {"id": "find-b", "labels": label, "enabled": False, "jobType": "t"})
        self.sent(201, "POST", SCHEDULES, {"id": "find-c", "name": "Two, alpha", **common, "url": "http://h/"})
        self.sent(200, "POST", f"{SCHEDULES}/find-c/pause")

        self.assertEqual(["find-a", "find-b", "find-c"], self.ids())
        self.assertEqual(["find-b"], self.ids(status="disabled"))
        self.assertEqual(["find-a", "find-c"], self.ids(status="active,paused"))
        self.assertEqual(["find-c"], self.ids(action="http"))
        self.assertEqual(["find-a", "find-c"], self.ids(q="ALPHA"))
        self.assertEqual(["find-a"], self.ids(nextBefore="2099-01-01T00:00:00Z"))
        self.assertEqual([], self.ids(nextBefore="2000-01-01T00:00:00Z"))
        self.assertEqual([], self.ids(namespace="elsewhere"))

    def test_upcoming_and_load_look_ahead_over_all_schedules(self) -> None:
        namespace = "ahead"
        for name, every in (("hourly", "1h"), ("halves", "30m")):
            spec = {"intervals": [{"every": every, "anchor": "epoch"}]}
            document = {"id": name, "namespace": namespace, "spec": spec, "action": {"job": {"type": "t"}}}
            self.sent(201, "POST", SCHEDULES, document)
        items = self.sent(200, "GET", "/api/v1/upcoming", namespace=namespace, limit=6).json()["items"]
        self.assertEqual(sorted(item["due"] for item in items), [item["due"] for item in items])
        self.assertEqual(["halves"] * 4 + ["hourly"] * 2, sorted(item["schedule"] for item in items))

        day = {"from": "2099-01-01T00:00:00Z", "to": "2099-01-02T00:00:00Z", "bucket": "6h"}
        load = self.sent(200, "GET", "/api/v1/load", namespace=namespace, **day).json()
        self.assertEqual([18, 18, 18, 18], [item["count"] for item in load["items"]])
        self.assertEqual((2, False, "6h"), (load["schedules"], load["partial"], load["bucket"]))

    def test_a_preview_says_what_a_spec_means_and_saves_nothing(self) -> None:
        total = self.sent(200, "GET", SCHEDULES).json()["total"]
        spec = {"cron": "30 2 * * *", "timezone": "America/New_York"}
        preview = self.sent(200, "POST", f"{SCHEDULES}/preview", spec, count=3, after="2027-03-13T00:00:00Z").json()

        self.assertTrue(preview["description"].startswith("At 02:30 every day (America/New_York)"), preview)
        nominals = ["2027-03-13T07:30:00Z", "2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"]
        self.assertEqual(nominals, [item["nominal"] for item in preview["occurrences"]])
        self.assertIn("dst-gap", [warning["code"] for warning in preview["warnings"]])
        self.assertEqual(total, self.sent(200, "GET", SCHEDULES).json()["total"])


class Batches(Case):
    """Many at once."""

    def setUp(self) -> None:
        super().setUp()
        self.label = {"batch": self.id[-10:]}
        self.ids = [f"{self.id[:40]}-{number}" for number in range(3)]
        for name in self.ids:
            self.sent(201, "POST", SCHEDULES, {"id": name, "labels": self.label, "cron": "@daily", **ECHO})

    def batch(self, **members: Any) -> dict[str, Any]:
        """What became of each."""
        return self.sent(200, "POST", f"{SCHEDULES}/batch", members).json()

    def statuses(self) -> list[str]:
        """As they stand."""
        return [SERVER.admin.get(f"{SCHEDULES}/{name}").json()["status"] for name in self.ids]

    def test_a_filter_is_counted_before_it_is_used(self) -> None:
        preview = self.batch(operation="pause", filter={"labels": self.label}, preview=True)
        self.assertEqual((3, ["active"] * 3), (preview["count"], self.statuses()))
        self.assertNotIn("results", preview)

        done = self.batch(operation="pause", filter={"labels": self.label})
        self.assertEqual((3, ["paused"] * 3), (done["count"], self.statuses()))
        self.assertTrue(all(result["ok"] for result in done["results"]))

    def test_one_that_cannot_be_done_does_not_keep_others_from_it(self) -> None:
        self.sent(200, "POST", f"{SCHEDULES}/{self.ids[0]}/pause")
        done = self.batch(operation="pause", ids=[*self.ids, "no-such"])

        self.assertEqual([False, True, True, False], [result["ok"] for result in done["results"]])
        self.assertEqual(["wrong_status", "not_found"], [one["code"] for one in done["results"] if not one["ok"]])
        self.assertEqual(["paused"] * 3, self.statuses())

    def test_what_is_not_clear_is_refused(self) -> None:
        unclear: list[dict[str, Any]] = [
            {},
            {"operation": "pause"},
            {"operation": "explode", "ids": []},
            {"operation": "pause", "ids": [], "filter": {}},
            {"operation": "pause", "filter": {"lables": {}}},
            {"operation": "pause", "ids": [1]},
        ]
        for body in unclear:
            self.sent(422, "POST", f"{SCHEDULES}/batch", body)
        self.assertEqual(["active"] * 3, self.statuses())


class Runs(Case):
    """What was started."""

    def test_a_failed_run_can_be_retried_for_the_same_time(self) -> None:
        self.create(enabled=False, command=["/bin/false"], maxRetries=0)
        nominal = {"nominal": "2026-01-01T00:00:00Z"}
        first = self.sent(202, "POST", f"{self.path}/trigger", nominal).json()["run"]
        failed = self.await_state(first["id"], "failed")
        self.assertEqual((1, 1), (failed["attempt"], failed["attempts"][0]["exitCode"]))
        used = failed["attempts"][0]["rusage"]
        self.assertEqual({"userMs", "systemMs", "maxRssBytes"}, set(used))
        self.assertGreater(used["maxRssBytes"], 0)

        again = self.sent(202, "POST", f"/api/v1/runs/{first['id']}/retry").json()["run"]
        self.assertEqual(failed["nominal"], again["nominal"])
        self.assertNotEqual(failed["id"], again["id"])
        self.await_state(again["id"], "failed")
        found = self.sent(200, "GET", f"{self.path}/runs", state="failed").json()["items"]
        self.assertEqual([again["id"], first["id"]], [run["id"] for run in found])
        self.assertEqual([], self.sent(200, "GET", f"{self.path}/runs", state="succeeded,lost").json()["items"])

    def test_a_job_without_a_schedule_is_queued_again_as_it_was(self) -> None:
        job = {"jobType": "mail.send", "queue": "nobody", "payload": {"to": "ada"}, "maxRetries": 2}
        first = self.sent(201, "POST", "/api/v1/jobs", job).json()
        self.assertEqual("wrong_status", self.sent(400, "POST", f"/api/v1/runs/{first['id']}/retry").json()["code"])
        self.sent(202, "POST", f"/api/v1/runs/{first['id']}/cancel")

        self.assertEqual("no_items", self.sent(404, "POST", f"/api/v1/runs/{first['id']}/retry?failedItems=true").json()["code"])
        answer = self.sent(202, "POST", f"/api/v1/runs/{first['id']}/retry").json()
        again = answer["run"]
        self.assertEqual({"outcome": "started", "reason": None}, answer["decision"])
        self.assertNotEqual(first["id"], again["id"])
        self.assertEqual((None, "adhoc", "queued"), (again["schedule"], again["source"], again["state"]))
        worker = SERVER.client("worker")
        session = worker.post("/api/v1/workers", {"name": "w", "queues": ["nobody"], "types": ["mail.send"]}).json()["worker"]
        claimed = worker.post(f"/api/v1/workers/{session}/claim", {"count": 9}).json()["jobs"]
        mine = [one for one in claimed if one["runId"] == again["id"]]
        self.assertEqual([("mail.send", {"to": "ada"})], [(one["type"], one["envelope"]["payload"]) for one in mine])

    def test_a_running_command_can_be_cancelled(self) -> None:
        self.create(enabled=False, command=["/bin/sleep", "1000"])
        run = self.sent(202, "POST", f"{self.path}/trigger").json()["run"]
        self.await_state(run["id"], "running")
        problem = self.sent(400, "POST", f"/api/v1/runs/{run['id']}/retry").json()
        self.assertEqual("Cannot retry run with state 'running'", problem["title"])

        self.assertEqual({"cancelled": 1}, self.sent(202, "POST", f"{self.path}/cancel").json())
        self.await_state(run["id"], "cancelled")
        self.sent(409, "POST", f"/api/v1/runs/{run['id']}/cancel")

    def test_a_trigger_that_overlaps_is_skipped_and_says_so(self) -> None:
        self.create(enabled=False, jobType="t", queue="nobody")
        self.sent(202, "POST", f"{self.path}/trigger", {"overlap": "skip"})
        skipped = self.sent(202, "POST", f"{self.path}/trigger", {"overlap": "skip"}).json()

        self.assertEqual({"outcome": "skipped", "reason": "overlap"}, skipped["decision"])
        listed = self.sent(200, "GET", f"{self.path}/runs", decisions="true").json()["items"]
        self.assertEqual(["skipped", "queued"], [run["state"] for run in listed])
        self.assertEqual(1, len(self.sent(200, "GET", f"{self.path}/runs").json()["items"]))


class Backfills(Case):
    """Ranges of the past."""

    RANGE = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T05:00:00Z"}

    def begin(self, **members: Any) -> str:
        """The address of a new backfill of five hours."""
        answer = self.sent(201, "POST", f"{self.path}/backfills", {**self.RANGE, **members})
        self.assertEqual(5, answer.json()["total"])
        return answer.headers["location"]

    def test_a_backfill_runs_every_occurrence_once(self) -> None:
        self.create(cron="0 * * * *", enabled=False, **ECHO)
        preview = self.sent(200, "POST", f"{self.path}/backfills/preview", self.RANGE).json()
        self.assertEqual((5, 5, 0), (preview["total"], preview["count"], preview["conflicts"]))
        path = self.begin(concurrency=2)
        await_value(lambda: SERVER.admin.get(path).json()["state"] == "completed", "the end of the backfill")

        self.assertEqual((5, 5), tuple(SERVER.admin.get(path).json()[key] for key in ("done", "started")))
        runs = self.sent(200, "GET", f"{self.path}/runs", source="backfill").json()["items"]
        nominals = [f"2026-01-01T0{hour}:00:00Z" for hour in range(5)]
        self.assertEqual(nominals, sorted(run["nominal"] for run in runs))
        again = self.sent(200, "POST", f"{self.path}/backfills/preview", self.RANGE).json()
        self.assertEqual((5, 0, 5), (again["total"], again["count"], again["conflicts"]))
        every = self.RANGE | {"reprocess": "all"}
        self.assertEqual(5, self.sent(200, "POST", f"{self.path}/backfills/preview", every).json()["count"])

    def test_a_backfill_can_be_paused_resumed_and_cancelled(self) -> None:
        self.create(cron="0 * * * *", enabled=False, jobType="t", queue="nobody")
        path = self.begin()
        for verb, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
            self.assertEqual(state, self.sent(200, "POST", f"{path}/{verb}").json()["state"])
        for verb in ("pause", "resume", "cancel"):
            self.assertEqual("ended", self.sent(409, "POST", f"{path}/{verb}").json()["code"])
        items = self.sent(200, "GET", f"{self.path}/backfills").json()["items"]
        self.assertEqual(["cancelled"], [item["state"] for item in items])

    def test_backfills_of_all_schedules_are_listed_newest_first(self) -> None:
        self.create(cron="0 * * * *", enabled=False, jobType="t", queue="nobody")
        made = [self.begin().rsplit("/", 1)[1] for _ in range(3)]
        self.sent(200, "POST", f"{self.path}/backfills/{made[1]}/cancel")

        def ids(**query: Any) -> list[str]:
            items = self.sent(200, "GET", "/api/v1/backfills", **query).json()["items"]
            return [item["id"] for item in items if item["id"] in made]

        self.assertEqual(made[::-1], ids(limit=500))
        self.assertEqual([made[2], made[0]], ids(limit=500, open="true"))
        first = self.sent(200, "GET", "/api/v1/backfills", limit=1).json()
        self.assertEqual([made[2]], [item["id"] for item in first["items"]])
        second = self.sent(200, "GET", "/api/v1/backfills", limit=1, pageToken=first["nextPageToken"]).json()
        self.assertEqual([made[1]], [item["id"] for item in second["items"]])
        self.sent(422, "GET", "/api/v1/backfills", pageToken="r-1")
        self.sent(204, "DELETE", self.path)
        self.assertEqual([], ids(limit=500))

    def test_a_backfill_that_makes_no_sense_is_refused(self) -> None:
        self.create(cron="* * * * * *", enabled=False, **ECHO)
        backwards = {"from": self.RANGE["to"], "to": self.RANGE["from"]}
        endless = {"from": "2000-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
        for request in (backwards, endless, {}, {**self.RANGE, "concurrency": 0}, {**self.RANGE, "order": "random"}):
            for path in ("backfills", "backfills/preview"):
                self.sent(422, "POST", f"{self.path}/{path}", request)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
