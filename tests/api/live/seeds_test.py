#!/usr/bin/env python3
"""Clients of two other schedulers find here what they know. Usage: seeds_test.py BINARIES PRINT_API"""

import unittest
from typing import Any

from served import LiveServer, unittest_arguments

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"

# The request bodies as those clients write them.
INTERVAL = {
    "name": "Daily report",
    "workflow_id": 1,
    "trigger_node_id": "trigger_schedule_abc123",
    "interval_seconds": 86400,
    "total_repeats": 0,
    "max_retries": 3,
    "timeout_seconds": 600,
    "trigger_payload": {"report_type": "daily"},
}
CRON = {
    "name": "Daily Report",
    "description": "Generate daily sales report",
    "cronExpr": "0 9 * * *",
    "timezone": "America/New_York",
    "jobType": "report.generate",
    "jobPayload": {"reportType": "sales", "format": "pdf"},
    "jobPriority": "NORMAL",
}


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """A schedule that is gone afterwards."""

    document: dict[str, Any] = {}
    slash = ""

    def setUp(self) -> None:
        answer = SERVER.admin.post(f"{SCHEDULES}{self.slash}", self.document, view="flat")
        self.assertEqual(201, answer.status, answer.text)
        self.created = answer.json()
        self.id = self.created["id"]
        self.path = f"{SCHEDULES}/{self.id}"
        self.addCleanup(SERVER.admin.ask, "DELETE", self.path)

    def act(self, verb: str, status: int = 200) -> Any:
        """POST to one of its verbs."""
        answer = SERVER.admin.post(f"{self.path}/{verb}{self.slash}")
        self.assertEqual(status, answer.status, answer.text)
        return answer.json()

    def read(self, **query: Any) -> dict[str, Any]:
        """GET."""
        answer = SERVER.admin.get(self.path + self.slash, **query)
        self.assertEqual(200, answer.status, answer.text)
        return answer.json()


class IntervalClients(Case):
    """Self-rescheduling jobs: addresses end with a slash."""

    document = INTERVAL
    slash = "/"

    def test_get_the_members_they_wrote_and_those_they_expect(self) -> None:
        flat = self.read(view="flat")

        self.assertEqual("Daily report", flat["name"])
        self.assertEqual(86400, flat["intervalSeconds"])
        self.assertEqual((0, 3, 600), (flat["totalRepeats"], flat["maxRetries"], flat["timeoutSeconds"]))
        self.assertEqual(1, flat["workflowId"])
        self.assertEqual("trigger_schedule_abc123", flat["triggerNodeId"])
        self.assertEqual({"report_type": "daily"}, flat["triggerPayload"])
        self.assertEqual(("active", 0, 0), (flat["status"], flat["currentRepeat"], flat["currentRetry"]))
        self.assertEqual((0, 0, None), (flat["runCount"], flat["errorCount"], flat["lastError"]))
        self.assertIsNone(flat["lastRunAt"])
        self.assertIsNotNone(flat["nextRunAt"])

    def test_get_the_defaults_they_know(self) -> None:
        document = {key: INTERVAL[key] for key in ("workflow_id", "interval_seconds")} | {"name": "With defaults"}
        answer = SERVER.admin.post(f"{SCHEDULES}/", document, view="flat")
        self.addCleanup(SERVER.admin.ask, "DELETE", f"{SCHEDULES}/with-defaults")

        flat = answer.json()
        self.assertEqual((3, 600, 0), (flat["maxRetries"], flat["timeoutSeconds"], flat["totalRepeats"]))
        retry = flat["policies"]["retry"]
        self.assertEqual(("exponential", 2), (retry["backoff"], retry["factor"]))
        self.assertEqual(1, flat["policies"]["maxConsecutiveFailures"])

    def test_find_their_jobs_by_status_and_workflow(self) -> None:
        both = {"status": "active", "workflow_id": 1}
        for query in ({"status": "active"}, {"workflow_id": 1}, {"workflowId": 1}, both):
            items = SERVER.admin.get(f"{SCHEDULES}/", **query).json()["items"]
            self.assertEqual([self.id], [item["id"] for item in items], query)
        for query in ({"status": "paused"}, {"workflow_id": 2}):
            self.assertEqual([], SERVER.admin.get(f"{SCHEDULES}/", **query).json()["items"], query)

    def test_change_a_job(self) -> None:
        patch = {"interval_seconds": 3600, "max_retries": 5}
        answer = SERVER.admin.ask("PATCH", f"{self.path}/", patch, query={"view": "flat"})

        self.assertEqual(200, answer.status, answer.text)
        self.assertEqual((3600, 5), (answer.json()["intervalSeconds"], answer.json()["maxRetries"]))
        self.assertEqual(1, answer.json()["workflowId"])

    def test_pause_and_resume_only_what_is_in_the_right_state(self) -> None:
        paused = self.act("pause")
        self.assertEqual(("paused", None), (paused["status"], paused["nextRunAt"]))
        self.assertEqual("Cannot pause schedule with status 'paused'", self.act("pause", 400)["title"])
        resumed = self.act("resume")
        self.assertEqual("active", resumed["status"])
        self.assertIsNotNone(resumed["nextRunAt"])
        self.assertEqual("Cannot resume schedule with status 'active'", self.act("resume", 400)["title"])

    def test_delete_one_or_many(self) -> None:
        for name in ("ids", "scheduleIds", "schedule_ids"):
            SERVER.admin.ask("PUT", f"{SCHEDULES}/extra", {**INTERVAL})
            answer = SERVER.admin.post(f"{SCHEDULES}/batch-delete/", {name: ["extra", "never-was"]})
            self.assertEqual((204, b""), (answer.status, answer.body))
            self.assertEqual(404, SERVER.admin.get(f"{SCHEDULES}/extra/").status)
        self.assertEqual(204, SERVER.admin.ask("DELETE", f"{self.path}/").status)
        self.assertEqual(404, SERVER.admin.ask("DELETE", f"{self.path}/").status)


class CronClients(Case):
    """Schedules that make jobs: addresses without a slash."""

    document = CRON

    def test_get_the_answer_they_know(self) -> None:
        flat = self.read(view="flat")

        for key in ("name", "description", "cronExpr", "timezone", "jobType", "jobPayload"):
            self.assertEqual(CRON[key], flat[key])
        self.assertEqual("normal", flat["jobPriority"].lower())
        self.assertEqual((True, None, 0), (flat["enabled"], flat["lastRunAt"], flat["runCount"]))
        self.assertRegex(flat["nextRunAt"], r"T1[34]:00:00Z$")
        self.assertLessEqual({"id", "createdAt", "updatedAt", "recentRuns"}, flat.keys())

    def test_see_nothing_flat_unless_they_ask(self) -> None:
        self.assertNotIn("cronExpr", self.read())

    def test_list_pages(self) -> None:
        page = SERVER.admin.get(SCHEDULES, view="flat", limit=1).json()

        self.assertEqual(1, page["total"])
        self.assertEqual("0 9 * * *", page["items"][0]["cronExpr"])

    def test_change_the_time_and_see_the_next_run_move(self) -> None:
        before = self.created["nextRunAt"]
        answer = SERVER.admin.ask("PATCH", self.path, {"cronExpr": "30 10 * * *", "timezone": "Europe/Madrid"})

        self.assertEqual(200, answer.status, answer.text)
        self.assertRegex(answer.json()["nextRunAt"], r"T0[89]:30:00Z$")
        self.assertNotEqual(before, answer.json()["nextRunAt"])

    def test_disable_and_enable(self) -> None:
        disabled = self.act("disable")
        self.assertEqual((False, None), (disabled["enabled"], disabled["nextRunAt"]))
        self.assertEqual([], SERVER.admin.get(f"{self.path}/next-runs").json()["items"])
        enabled = self.act("enable")
        self.assertEqual((True, self.created["nextRunAt"]), (enabled["enabled"], enabled["nextRunAt"]))

    def test_trigger_by_hand_and_get_the_run(self) -> None:
        answer = self.act("trigger", 202)

        self.assertEqual("queued", answer["state"])
        self.assertEqual(answer["run"]["id"], answer["id"])
        self.assertEqual("started", answer["decision"]["outcome"])
        self.assertEqual([answer["id"]], [run["id"] for run in self.read()["recentRuns"]])

    def test_see_the_next_ten_runs(self) -> None:
        items = SERVER.admin.get(f"{self.path}/next-runs").json()["items"]

        self.assertEqual(10, len(items))
        self.assertEqual(sorted(item["nominal"] for item in items), [item["nominal"] for item in items])
        self.assertTrue(all("T09:00:00-0" in item["local"] for item in items), items)

    def test_are_told_what_is_wrong_with_an_expression_or_a_zone(self) -> None:
        expressions = [{"cronExpr": text} for text in ("61 * * * *", "nonsense")]
        zones = [{"timezone": name} for name in ("EST", "GMT+5", "Mars/Olympus")]
        for wrong in expressions + zones:
            answer = SERVER.admin.post(SCHEDULES, CRON | {"name": "Wrong"} | wrong)
            self.assertEqual(422, answer.status, answer.text)
            self.assertTrue(answer.json()["errors"], wrong)
        self.assertEqual(404, SERVER.admin.get(f"{SCHEDULES}/wrong").status)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
