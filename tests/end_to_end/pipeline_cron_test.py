#!/usr/bin/env python3
"""Pipelines on their cron, by a clock that is moved. Usage: pipeline_cron_test.py FOLDER_OF_BINARIES SHIFTED_CLOCK"""

import json
import struct
import sys
import time
import unittest
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pipeline_project import DAILY, MONITOR, TRIAGE, WEEKLY, ProjectCase, Started
from waiting import await_value

PRELOADED = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/lib/libshifted_clock.so").resolve()

FILES = {
    "bug-triage": {"pipeline.yaml": TRIAGE, "bugs.csv": "title\nCrash at start\nTypo in the manual\n"},
    "daily-report": {"pipeline.yaml": DAILY, "bugs.csv": "title\nCrash at start\nTypo in the manual\nSlow list\n"},
    "weekly-sync": {"pipeline.yaml": WEEKLY, "sync-targets.csv": "endpoint\nbilling\nstock\n"},
    "queue-monitor": {"pipeline.yaml": MONITOR},
}
ANSWERS = {
    "rules": [
        {"contains": "bug:", "answer": '{"severity": "high", "category": "crash"}'},
        {"contains": "Categorize:", "answer": '{"severity": "low", "category": "text"}'},
        {"contains": "Sync", "answer": '{"status": "ok", "records_synced": 7}'},
        {"contains": "Check queue", "answer": '{"depth": 3, "oldest_message_age": 12}'},
    ]
}

# What the format of the files has, in its examples and its types; a question mark is an optional one.
STATE = {"version", "scheduleId", "pipelineId", "status", "enabled", "lastRun", "nextRun", "stats", "history"}
STATS = {"totalRuns", "successfulRuns", "failedRuns", "lastFailure", "averageDuration?"}
RUN = {"startedAt", "completedAt", "success", "duration?", "itemsProcessed?", "resultFile?", "error?", "retryAttempt?"}
LOCK = {"pid", "hostname", "startedAt", "heartbeat"}


def instant(text: str) -> datetime:
    """Of a text with milliseconds."""
    return datetime.fromisoformat(text)


class MovedClock:
    """The time of day that a server sees."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._offset = 0.0
        self._file.write_bytes(struct.pack("=q", 0))

    def set(self, text: str) -> None:
        """To this time, from now on."""
        self._offset = round(instant(text).timestamp() - time.time())
        with self._file.open("r+b") as file:
            file.write(struct.pack("=q", self._offset))

    def variables(self) -> dict[str, str]:
        """For whoever is to go by it."""
        return {"LD_PRELOAD": str(PRELOADED), "CARILLON_TEST_CLOCK": str(self._file)}


class PipelinesOnTheirCron(ProjectCase):
    """The four examples that pipelines were described with."""

    def setUp(self) -> None:
        super().setUp()
        for package, files in FILES.items():
            for name, text in files.items():
                file = self.pipelines / package / name
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8")
        (self.project / "answers.json").write_text(json.dumps(ANSWERS), encoding="utf-8")
        (self.project / "providers.yaml").write_text("providers: {demo: {type: mock, answers: answers.json}}\n",
                                                     encoding="utf-8")
        self.clock = MovedClock(self.project / "clock")

    def start_at(self, text: str) -> Started:
        """A server that begins at this time."""
        self.clock.set(text)
        return self.start("scheduler", "start", "--providers", "providers.yaml", variables=self.clock.variables())

    def total(self, package: str) -> int:
        """How many runs its state file knows of."""
        is_written = (self.pipelines / package / ".schedule-state.json").exists()
        return self.state(package)["stats"]["totalRuns"] if is_written else 0

    def await_total(self, package: str, count: int) -> dict[str, Any]:
        """The state when so many runs have ended."""
        await_value(lambda: self.total(package) >= count, f"run {count} of {package}")
        return self.state(package)

    def assert_members(self, known: set[str], document: dict[str, Any]) -> None:
        """Nothing else, and nothing is missing."""
        optional = {name[:-1] for name in known if name.endswith("?")}
        needed = {name for name in known if not name.endswith("?")}
        self.assertLessEqual(needed, set(document))
        self.assertLessEqual(set(document), needed | optional)

    def assert_files_have_their_form(self) -> None:
        """State files and the lock."""
        for package in FILES:
            state = self.state(package)
            self.assert_members(STATE, state)
            self.assert_members(STATS, state["stats"])
            for run in state["history"] + ([state["lastRun"]] if state["lastRun"] else []):
                self.assert_members(RUN, run)
        lock = json.loads((self.pipelines / ".scheduler.lock").read_text(encoding="utf-8"))
        self.assertEqual(LOCK, set(lock))

    def test_they_run_in_time_and_make_up_for_what_was_missed_as_they_say(self) -> None:
        # Midnight before Sunday in the zone of the machine: the weekly one.
        server = self.start_at("2027-03-06T22:40:00+00:00")
        self.clock.set("2027-03-06T22:59:58+00:00")
        weekly = self.await_total("weekly-sync", 1)
        self.assert_started(weekly, "2027-03-06T23:00:00+00:00")
        self.assertEqual(2, weekly["lastRun"]["itemsProcessed"])
        self.assertEqual("2027-03-13T23:00:00.000Z", weekly["nextRun"])
        self.assert_files_have_their_form()
        server.kill()

        # Sunday's daily report was missed and is made up for. Then it is nine on Monday in New York.
        server = self.start_at("2027-03-08T13:40:00+00:00")
        daily = self.await_total("daily-report", 1)
        self.assert_started(daily, "2027-03-08T13:40:00+00:00")
        self.clock.set("2027-03-08T13:59:58+00:00")
        daily = self.await_total("daily-report", 2)
        self.assert_started(daily, "2027-03-08T14:00:00+00:00")
        triage = self.await_total("bug-triage", 1)
        self.assert_started(triage, "2027-03-08T14:00:00+00:00")
        self.assertEqual((2, 3), (triage["lastRun"]["itemsProcessed"], daily["lastRun"]["itemsProcessed"]))
        self.assert_files_have_their_form()
        server.kill()

        # The monitor makes up for nothing. The next quarter of an hour is its own.
        server = self.start_at("2027-03-08T18:31:00+00:00")
        self.clock.set("2027-03-08T18:59:58+00:00")
        monitor = self.await_total("queue-monitor", 1)
        self.assert_started(monitor, "2027-03-08T19:00:00+00:00")
        server.kill()

        # Within its window of half an hour the triage is made up for, later it is not.
        server = self.start_at("2027-03-09T14:29:00+00:00")
        self.await_total("bug-triage", 2)
        self.await_total("daily-report", 3)
        server.kill()
        server = self.start_at("2027-03-10T14:31:00+00:00")
        daily = self.await_total("daily-report", 4)
        self.assertEqual(0, server.stop())

        totals = {package: self.total(package) for package in FILES}
        self.assertEqual({"bug-triage": 2, "daily-report": 4, "weekly-sync": 1, "queue-monitor": 1}, totals)
        starts = [run["startedAt"] for run in daily["history"]]
        self.assertEqual(4, len(starts))
        self.assertEqual(sorted(starts, reverse=True), starts)
        self.assertTrue(all(run["success"] for run in daily["history"]))
        result = json.loads((self.pipelines / "bug-triage" / triage["lastRun"]["resultFile"]).read_text("utf-8"))
        self.assertEqual([{"severity": "high", "category": "crash"}] * 2, [item["output"] for item in result["items"]])

    def assert_started(self, state: dict[str, Any], expected: str) -> None:
        """The last run, not before this time and not long after."""
        self.assertTrue(state["lastRun"]["success"], state)
        started = instant(state["lastRun"]["startedAt"])
        self.assertGreaterEqual(started, instant(expected))
        self.assertLess(started, instant(expected) + timedelta(minutes=10))


if __name__ == "__main__":
    unittest.main()
