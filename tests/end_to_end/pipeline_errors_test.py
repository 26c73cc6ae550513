#!/usr/bin/env python3
"""What goes wrong with pipelines, and what becomes of it: one test for each kind of error. Usage:
pipeline_errors_test.py FOLDER_OF_BINARIES"""

import shutil
import socket
import unittest

from pipeline_project import DAILY, ProjectCase, Started
from waiting import await_value

RETRIED = "schedule:\n  retryPolicy: {maxRetries: 2, retryDelayMs: 0}"


class Errors(ProjectCase):
    """Every one harms only what it is about."""

    def setUp(self) -> None:
        super().setUp()
        self.write_providers("demo: {type: mock}")

    def write_providers(self, text: str) -> None:
        """One that answers, unless it is told otherwise."""
        (self.project / "providers.yaml").write_text(f"providers: {{{text}}}\n", encoding="utf-8")

    def write_report(self, package: str, text: str = DAILY) -> None:
        """A report about two rows."""
        self.write(package, text)
        (self.pipelines / package / "bugs.csv").write_text("title\nTypo\nCrash\n", encoding="utf-8")

    def start_here(self) -> Started:
        """A server with those providers."""
        return self.start("scheduler", "start", "--providers", "providers.yaml")

    def id_of(self, package: str) -> str:
        """Of its schedule."""
        return self.listed()[f"{package}/pipeline.yaml"]["id"]

    def test_config_error_skips_that_schedule_and_warns(self) -> None:
        self.write_report("report")
        self.write("broken", DAILY.replace("0 9 * * *", "0 99 * * *"))

        server = self.start_here()

        self.assertEqual({"report/pipeline.yaml"}, set(self.listed()))
        await_value(lambda: "broken/pipeline.yaml:3:" in server.logged(), "the warning")
        self.assertIn("WARN", next(line for line in server.logged().splitlines() if "fault=" in line).upper())
        self.command("scheduler", "trigger", self.id_of("report"), "--wait")

    def test_lock_error_fails_the_start_and_tells_who_has_the_folder(self) -> None:
        self.write_report("report")
        server = self.start_here()

        refused = self.run_command("scheduler", "start", str(self.pipelines), "--data", "elsewhere")

        self.assertNotEqual(0, refused.returncode)
        self.assertIn(f"pid {server.pid}", refused.stderr)
        self.command("scheduler", "trigger", self.id_of("report"), "--wait")

    def test_execution_error_is_retried_as_the_policy_says_after_a_timeout(self) -> None:
        (self.project / "slow.yaml").write_text("{default: {delayMs: 60000, answer: never}}", encoding="utf-8")
        self.write_providers("demo: {type: mock, answers: slow.yaml}")
        text = DAILY.replace("schedule:", RETRIED).replace("map:", "map:\n  timeoutMs: 20")
        self.write_report("report", text)
        self.start_here()

        self.run_command("scheduler", "trigger", self.id_of("report"), "--wait")

        await_value(lambda: self.state("report")["status"] == "error", "the end of the last retry")
        last = self.state("report")["lastRun"]
        self.assertEqual((False, 2), (last["success"], last["retryAttempt"]))
        self.assertIn("no answer within", last["error"])

    def test_execution_error_is_retried_as_the_policy_says_when_nobody_can_be_reached(self) -> None:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1/chat/completions"
            self.write_providers(f"demo: {{type: http, url: \"{url}\", style: openai, model: m}}")
            text = DAILY.replace("schedule:", RETRIED).replace("maxRetries: 2", "maxRetries: 1")
            self.write_report("report", text)
            self.start("scheduler", "start", "--providers", "providers.yaml", "--allow-egress", "127.0.0.0/8")

            self.run_command("scheduler", "trigger", self.id_of("report"), "--wait")

            await_value(lambda: self.state("report")["status"] == "error", "the end of the last retry")
        last = self.state("report")["lastRun"]
        self.assertEqual((False, 1), (last["success"], last["retryAttempt"]))

    def test_state_error_is_set_aside_and_the_package_waits_for_a_person(self) -> None:
        self.write_report("report")
        self.assertEqual(0, self.start_here().stop())
        shutil.rmtree(self.pipelines / ".carillon")
        file = self.pipelines / "report" / ".schedule-state.json"
        file.write_text("{\"version\": 1, ", encoding="utf-8")

        server = self.start_here()

        listed = self.listed()["report/pipeline.yaml"]
        self.assertEqual("paused", listed["status"])
        self.assertIn("cannot be understood", listed["pause"]["reason"])
        self.assertIn("cannot read the state file of a package", server.logged())
        self.assertEqual("{\"version\": 1, ", file.with_name(".schedule-state.json.unreadable").read_text("utf-8"))
        await_value(lambda: file.exists() and self.state("report")["status"] == "paused", "a new state file")
        self.command("scheduler", "resume", listed["id"])

    def test_state_error_of_a_package_that_is_known_is_mended_from_the_store(self) -> None:
        self.write_report("report")
        server = self.start_here()
        self.command("scheduler", "trigger", self.id_of("report"), "--wait")
        self.assertEqual(0, server.stop())
        (self.pipelines / "report" / ".schedule-state.json").write_text("garbage", encoding="utf-8")

        self.start_here()

        def mended() -> bool:
            return (self.pipelines / "report" / ".schedule-state.json").read_text("utf-8") != "garbage"

        await_value(mended, "the state file")
        self.assertEqual((1, "idle"), (self.state("report")["stats"]["totalRuns"], self.state("report")["status"]))

    def test_system_error_of_one_package_is_logged_and_others_go_on(self) -> None:
        for package in ("full", "report"):
            self.write_report(package, DAILY.replace("schedule:", "schedule:\n  retryPolicy: {maxRetries: 0}"))
        server = self.start_here()
        identities = {package: self.id_of(package) for package in ("full", "report")}
        state = self.pipelines / "full" / ".schedule-state.json"
        await_value(state.exists, "the first state file")
        # What is in the way cannot be replaced by a file, nor have files in it.
        (self.pipelines / "full" / ".results").write_text("", encoding="utf-8")
        state.unlink()
        state.mkdir()
        (state / "in-the-way").write_text("", encoding="utf-8")

        failed = self.run_command("scheduler", "trigger", identities["full"], "--wait")
        self.command("scheduler", "trigger", identities["report"], "--wait")

        self.assertNotEqual(0, failed.returncode)
        history = self.command("scheduler", "history", identities["full"], "--limit", "1")
        self.assertIn("cannot write the result", history)
        await_value(lambda: "state file of a package was not written" in server.logged(), "the warning")
        await_value(lambda: self.state("report")["stats"]["successfulRuns"] == 1, "the state of the other package")
        shutil.rmtree(state)
        self.command("scheduler", "pause", identities["full"])
        await_value(lambda: state.exists() and self.state("full")["status"] == "paused", "the state, when it can be")


if __name__ == "__main__":
    unittest.main()
