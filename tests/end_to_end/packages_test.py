#!/usr/bin/env python3
"""Folders of pipelines and of schedule files, as their users meet them. Usage: packages_test.py FOLDER_OF_BINARIES"""

import json
import platform
import shutil
import unittest
import urllib.request
from typing import Any

from pipeline_project import DAILY, MONITOR, ProjectCase, Started
from launchers import end_launcher
from waiting import await_value

NO_PROVIDER = "there is no provider to answer the questions; name a file of providers with --providers"


class Folders(ProjectCase):
    """`carillon scheduler start`."""

    def test_packages_are_scheduled_from_the_default_folder_and_commands_find_its_server(self) -> None:
        self.write_examples()

        server = self.start()

        self.assertIn("3 packages; schedules: 3 created, 0 updated, 0 unchanged, 0 refused", "\n".join(server.greeting))
        listed = self.listed()
        self.assertEqual(
            {"daily-report/pipeline.yaml", "weekly-sync/pipeline.yaml", "team/queue-monitor/pipeline.yaml"}, set(listed)
        )
        daily = listed["daily-report/pipeline.yaml"]
        self.assertRegex(daily["id"], r"^daily-report-[0-9a-f]{6}$")
        self.assertEqual("America/New_York", daily["spec"]["timezone"])
        self.assertEqual("Europe/Berlin", listed["weekly-sync/pipeline.yaml"]["spec"]["timezone"])
        self.assertEqual(6, listed["weekly-sync/pipeline.yaml"]["policies"]["retry"]["maxAttempts"])
        self.assertEqual("none", listed["team/queue-monitor/pipeline.yaml"]["policies"]["catchup"]["policy"])
        self.assertEqual({"pipeline": {"path": "team/queue-monitor"}}, listed["team/queue-monitor/pipeline.yaml"]["action"])
        await_value(lambda: (self.pipelines / "team/queue-monitor/.schedule-state.json").exists(), "a state file")
        state = await_value(lambda: self.state("daily-report"), "a state")
        self.assertEqual((1, daily["id"], "daily-report", "idle"),
                         (state["version"], state["scheduleId"], state["pipelineId"], state["status"]))
        self.assertEqual("*\n", (self.pipelines / ".carillon/.gitignore").read_text(encoding="utf-8"))
        self.assertEqual(0, server.stop())
        self.assertFalse((self.pipelines / ".scheduler.lock").exists())

    def test_a_project_without_a_folder_of_pipelines_is_told_what_was_looked_for(self) -> None:
        shutil.rmtree(self.pipelines)

        refused = self.run_command("scheduler", "start")

        self.assertNotEqual(0, refused.returncode)
        self.assertIn("neither .vscode/pipelines nor pipelines is here", refused.stderr)

    def test_a_second_scheduler_is_told_who_has_the_folder_where_and_since_when(self) -> None:
        self.write_examples()
        server = self.start()
        lock = json.loads((self.pipelines / ".scheduler.lock").read_text(encoding="utf-8"))
        self.assertEqual((server.pid, platform.node()), (lock["pid"], lock["hostname"]))

        second = self.run_command("scheduler", "start", str(self.pipelines), "--data", "elsewhere", "--listen", "127.0.0.1:0")

        self.assertNotEqual(0, second.returncode)
        since = lock["startedAt"].partition(".")[0]
        self.assertRegex(second.stderr, rf"pid {server.pid} on host {platform.node()} since {since}")
        self.assertIn(str(self.pipelines / ".scheduler.lock"), second.stderr)
        self.assertFalse((self.project / "elsewhere").exists())

    def test_a_killed_scheduler_leaves_nothing_that_keeps_the_next_one_out(self) -> None:
        self.write_examples()
        self.start().kill()

        second = self.start()

        self.assertIn("0 created, 0 updated, 3 unchanged", "\n".join(second.greeting))


class Changes(ProjectCase):
    """What happens to files while a server watches them."""

    def setUp(self) -> None:
        super().setUp()
        self.file = self.write("daily-report", DAILY)

    def cron(self) -> str | None:
        """Of the schedule in force."""
        daily = self.listed().get("daily-report/pipeline.yaml")
        cron = daily["spec"]["cron"] if daily else [None]
        return cron if isinstance(cron, str) else cron[0]

    def test_an_edited_file_is_in_force_and_a_broken_one_is_reported_and_changes_nothing(self) -> None:
        server = self.start()
        name = self.listed()["daily-report/pipeline.yaml"]["id"]
        self.write("daily-report", DAILY.replace("0 9 * * *", "0 10 * * *"))
        await_value(lambda: self.cron() == "0 10 * * *", "the edit")

        self.write("daily-report", DAILY.replace("0 9 * * *", "0 99 * * *"))
        await_value(lambda: "daily-report/pipeline.yaml:3:" in server.logged(), "the report")

        self.assertEqual("0 10 * * *", self.cron())
        await_value(lambda: "daily-report/pipeline.yaml:3:" in self.command("status", name), "the fault in status")
        self.file.write_text(DAILY, encoding="utf-8")
        await_value(lambda: self.cron() == "0 9 * * *", "the mended file")
        self.assertNotIn("daily-report/pipeline.yaml:3:", self.command("status", name))

    def test_a_broken_file_that_was_never_scheduled_is_shown_by_list_until_it_is_mended(self) -> None:
        self.write("new", DAILY.replace("0 9 * * *", "0 99 * * *"))
        server = self.start()

        shown = self.run_command("scheduler", "list")

        self.assertIn("daily-report", shown.stdout)
        self.assertIn("not scheduled: new/pipeline.yaml:3:", shown.stderr)
        self.assertIn("new/pipeline.yaml:3:", server.logged())
        self.write("new", DAILY)
        await_value(lambda: len(self.listed()) == 2, "the mended file")
        self.assertNotIn("not scheduled", self.run_command("scheduler", "list").stderr)

    def test_a_new_package_is_scheduled_and_a_deleted_one_goes_after_its_grace(self) -> None:
        self.start("scheduler", "start", "--removal-grace", "1s")
        self.write("team/queue-monitor", MONITOR)
        await_value(lambda: len(self.listed()) == 2, "the new package")

        shutil.rmtree(self.pipelines / "daily-report")

        await_value(lambda: set(self.listed()) == {"team/queue-monitor/pipeline.yaml"}, "the end of the deleted one")
        self.assertFalse((self.pipelines / "daily-report").exists())

    def test_a_file_that_is_away_for_a_moment_loses_nothing(self) -> None:
        server = self.start()
        before = self.listed()["daily-report/pipeline.yaml"]
        self.file.rename(self.project / "away")
        await_value(lambda: "schedule is no longer defined by its file" in server.logged(), "the loss is noticed")
        (self.project / "away").rename(self.file)
        self.write("other", MONITOR)
        await_value(lambda: len(self.listed()) == 2, "what comes after")

        after = self.listed()["daily-report/pipeline.yaml"]

        self.assertEqual((before["createdAt"], before["revision"]), (after["createdAt"], after["revision"]))

    def test_what_a_file_defines_is_read_only_elsewhere_and_can_be_operated(self) -> None:
        self.start()
        name = self.listed()["daily-report/pipeline.yaml"]["id"]

        refused = self.run_command("delete", name, "--yes")

        self.assertNotEqual(0, refused.returncode)
        self.assertIn("daily-report/pipeline.yaml", refused.stderr)
        self.command("scheduler", "pause", name)
        await_value(lambda: self.state("daily-report")["status"] == "paused", "the pause in the state file")
        self.assertIsNone(self.state("daily-report")["nextRun"])
        self.command("scheduler", "resume", name)
        await_value(lambda: self.state("daily-report")["status"] == "idle", "the end of the pause")

    def test_a_run_with_a_provider_writes_its_result_and_says_so_in_the_state_file(self) -> None:
        self.write("daily-report", DAILY)
        (self.pipelines / "daily-report" / "bugs.csv").write_text("title\nTypo\nCrash\n")
        providers = self.project / "providers.yaml"
        providers.write_text("providers: {demo: {type: mock, answers: answers.yaml}}\n")
        answers = """{default: '{"severity": "low", "category": "text"}'}"""
        (self.project / "answers.yaml").write_text(answers)
        self.start("scheduler", "start", "--providers", str(providers))
        name = self.listed()["daily-report/pipeline.yaml"]["id"]

        self.assertIn('"severity": "low"', self.command("scheduler", "trigger", name, "--wait"))

        await_value(lambda: self.state("daily-report")["stats"]["successfulRuns"] == 1, "the end in the state file")
        last = self.state("daily-report")["lastRun"]
        self.assertEqual((True, 2), (last["success"], last["itemsProcessed"]))
        self.assertRegex(last["resultFile"], r"^\.results/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}\.json$")
        result = json.loads((self.pipelines / "daily-report" / last["resultFile"]).read_text())
        self.assertEqual([{"severity": "low", "category": "text"}] * 2, [item["output"] for item in result["items"]])

    def test_a_run_that_nobody_answers_says_so_in_the_history_and_in_the_state_file(self) -> None:
        self.write("daily-report", DAILY.replace("schedule:", "schedule:\n  retryPolicy: {maxRetries: 0}"))
        (self.pipelines / "daily-report" / "bugs.csv").write_text("title\nTypo\n")
        self.start()
        name = self.listed()["daily-report/pipeline.yaml"]["id"]

        self.run_command("scheduler", "trigger", name, "--wait")

        self.assertIn(NO_PROVIDER, self.command("scheduler", "history", name, "--limit", "10"))
        await_value(lambda: self.state("daily-report")["status"] == "error", "the end of the run in the state file")
        state = self.state("daily-report")
        self.assertEqual((False, NO_PROVIDER), (state["lastRun"]["success"], state["lastRun"]["error"]))
        self.assertEqual((1, 0, 1), tuple(state["stats"][key] for key in ("totalRuns", "successfulRuns", "failedRuns")))
        self.assertEqual(1, len(state["history"]))

    def test_a_package_takes_its_pause_along_when_the_store_does_not_know_it(self) -> None:
        server = self.start()
        name = self.listed()["daily-report/pipeline.yaml"]["id"]
        self.command("scheduler", "pause", name)
        self.assertEqual(0, server.stop())
        self.assertEqual("paused", self.state("daily-report")["status"])
        shutil.rmtree(self.pipelines / ".carillon")

        self.start()

        self.assertEqual("paused", self.listed()["daily-report/pipeline.yaml"]["status"])


ROWS = """\
name: "Rows"
schedule:
  cron: "0 9 * * *"
  retryPolicy: { maxRetries: 0 }
input:
  items: [{ t: good }, { t: bad }, { t: fine }]
map:
  prompt: "Say {{t}}"
  output: [word]
reduce:
  type: json
"""


class Runs(ProjectCase):
    """What is seen of the run of a pipeline."""

    def setUp(self) -> None:
        super().setUp()
        self.write("rows", ROWS)
        self.answers = self.project / "answers.yaml"
        (self.project / "providers.yaml").write_text("providers: {demo: {type: mock, answers: answers.yaml}}\n")
        self.answer("no JSON")

    def answer(self, to_bad: str) -> None:
        """What the provider says; it is read when a server starts."""
        answers = {"rules": [{"contains": "bad", "answer": to_bad}], "default": '{"word": "yes"}'}
        self.answers.write_text(json.dumps(answers))

    def start_here(self) -> Started:
        """With the provider."""
        return self.start("scheduler", "start", "--providers", "providers.yaml")

    def newest_run(self, name: str) -> dict[str, Any]:
        """As the server tells it."""
        return json.loads(self.command("scheduler", "history", name, "--limit", "1", "-o", "json"))[0]

    def test_items_usage_and_result_file_are_told_of_a_run_that_failed(self) -> None:
        self.start_here()
        name = self.listed()["rows/pipeline.yaml"]["id"]

        failed = self.run_command("scheduler", "trigger", name, "--wait")

        self.assertEqual(10, failed.returncode, failed.stderr)
        run = self.newest_run(name)
        self.assertEqual((3, 1, 3), (run["itemsProcessed"], run["itemsFailed"], run["itemsTotal"]))
        self.assertEqual(3, run["usage"]["calls"])
        self.assertTrue((self.pipelines / "rows" / run["resultFile"]).is_file())
        self.assertIn("ITEMS", self.command("scheduler", "history", name, "--limit", "10"))
        self.assertIn("2/3", self.command("scheduler", "history", name))
        items = json.loads(self.command("pipeline", "items", run["id"], "-o", "json"))
        self.assertEqual(["succeeded", "failed", "succeeded"], [item["state"] for item in items])
        self.assertEqual(({"t": "good"}, {"word": "yes"}), (items[0]["input"], items[0]["output"]))
        self.assertEqual([1], [item["index"] for item in json.loads(
            self.command("pipeline", "items", run["id"], "--failed", "-o", "json"))])
        (self.pipelines / "rows" / run["resultFile"]).unlink()
        gone = self.run_command("pipeline", "items", run["id"])
        self.assertNotEqual(0, gone.returncode)
        self.assertIn("is gone", gone.stderr)

    def test_a_retry_of_failed_items_asks_only_for_those_also_after_a_restart(self) -> None:
        server = self.start_here()
        name = self.listed()["rows/pipeline.yaml"]["id"]
        self.run_command("scheduler", "trigger", name, "--wait")
        first = self.newest_run(name)
        self.assertEqual(0, server.stop())
        self.answer('{"word": "now"}')
        self.start_here()

        retried = self.run_command("run", "retry", "--failed-items", first["id"], "-q")

        self.assertEqual(0, retried.returncode, retried.stderr)
        self.assertIn(f"begins with the answers of {first['id']}", retried.stderr)
        again = json.loads(self.command("run", "wait", retried.stdout.strip(), "-o", "json"))
        self.assertEqual(("succeeded", 3, 0), (again["state"], again["itemsProcessed"], again["itemsFailed"]))
        self.assertEqual(1, again["usage"]["calls"])
        self.assertIn(f"retry of failed items of {first['id']}", again["why"])
        items = json.loads(self.command("pipeline", "items", again["id"], "-o", "json"))
        self.assertEqual(["yes", "now", "yes"], [item["output"]["word"] for item in items])
        journals = self.pipelines / ".carillon" / "pipelines"
        await_value(lambda: len(list(journals.glob("*.journal"))) == 1, "the answers of the success are forgotten")
        refused = self.run_command("run", "retry", "--failed-items", again["id"])
        self.assertIn("no item of run", refused.stderr)

    def test_every_verb_of_a_scheduler_finds_the_server_of_its_folder(self) -> None:
        self.start_here()
        other = self.project / "other"
        (other / "pipelines" / "elsewhere").mkdir(parents=True)
        (other / "pipelines" / "elsewhere" / "pipeline.yaml").write_text(ROWS)
        # Another server of the same user: the one of the folder is meant all the same.
        second = Started(self.project, "scheduler", "start", str(other / "pipelines"))
        self.addCleanup(end_launcher, other / "pipelines" / ".carillon")
        self.addCleanup(second.close)
        self.assertTrue(second.wait_until_ready(), second.logged())
        name = next(item["id"] for item in json.loads(self.command("scheduler", "list", "-o", "json")))

        self.assertRegex(name, "^rows-")
        self.assertIn(name, self.command("scheduler", "list"))
        self.assertIn("0 9 * * *", self.command("scheduler", "status", name))
        self.assertIn("started", self.command("scheduler", "trigger", name))
        self.assertIn("paused", self.command("scheduler", "pause", name))
        self.assertIn(name, self.command("scheduler", "resume", name))
        self.assertIn("by hand", self.command("scheduler", "history", name, "--limit", "10"))

    def test_pipelines_are_listed_and_checked_over_rest(self) -> None:
        server = self.start_here()
        self.write("broken", ROWS.replace("prompt:", "promt:"))
        self.write("sub/unscheduled", "name: Plain\njob: {prompt: hello}\n")
        url = next(line for line in server.greeting if " at http" in line).rpartition(" at ")[2].strip()
        token = (self.pipelines / ".carillon" / "admin.token").read_text().strip()

        def ask(path: str, body: dict[str, str] | None = None) -> Any:
            data = None if body is None else json.dumps(body).encode()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            with urllib.request.urlopen(urllib.request.Request(url + path, data, headers), timeout=30) as answer:
                return json.load(answer)

        listed = ask("/api/v1/pipelines")
        self.assertEqual(3, listed["total"])
        entries = {item["path"]: item for item in listed["items"]}
        self.assertEqual(("Rows", True), (entries["rows"]["name"], entries["rows"]["valid"]))
        self.assertRegex(entries["rows"]["schedule"], "^rows-[0-9a-f]{6}$")
        self.assertIsNone(entries["sub/unscheduled"]["schedule"])
        self.assertFalse(entries["broken"]["valid"])
        first = ask("/api/v1/pipelines?limit=1")
        rest = ask(f"/api/v1/pipelines?pageToken={first['nextPageToken']}")
        self.assertEqual(list(entries), [item["path"] for item in first["items"] + rest["items"]])
        faults = ask("/api/v1/pipelines/validate", {"path": "broken"})["faults"]
        self.assertEqual({"broken/pipeline.yaml"}, {fault["file"] for fault in faults})
        self.assertEqual({"valid": True, "faults": []}, ask("/api/v1/pipelines/validate", {"path": "rows"}))
        self.assertFalse(ask("/api/v1/pipelines/validate", {"document": "name: x"})["valid"])


class ScheduleFiles(ProjectCase):
    """`carillon serve --watch`."""

    def test_schedule_files_are_kept_in_force(self) -> None:
        folder = self.project / "schedules"
        folder.mkdir()
        (folder / "hello.yaml").write_text("{id: hello, every: 1h, command: [/bin/echo, hello]}", encoding="utf-8")
        self.addCleanup(end_launcher, self.project / "carillon-data")
        self.start("serve", "--watch", "schedules", "--removal-grace", "0s")
        self.assertEqual({"hello.yaml"}, set(self.listed()))

        (folder / "more.yaml").write_text("{id: more, every: 2h, command: [/bin/echo, more]}", encoding="utf-8")
        await_value(lambda: len(self.listed()) == 2, "the new file")
        (folder / "hello.yaml").unlink()

        await_value(lambda: set(self.listed()) == {"more.yaml"}, "the end of the deleted file")


if __name__ == "__main__":
    unittest.main()
