#!/usr/bin/env python3
"""Commands about schedules against a real server. Usage: schedules_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api" / "live"))

from served import LiveServer, binaries  # noqa: E402

PATIENCE_SECONDS = 60
SCHEDULES = {
    "schedules": [
        {"id": "greeting", "name": "A greeting", "labels": {"team": "a"}, "cron": "0 9 * * 1-5",
         "timezone": "America/New_York", "command": ["/bin/sh", "-c", "echo hello; echo world"]},
        {"id": "failing", "labels": {"team": "b"}, "cron": "@yearly",
         "action": {"command": {"argv": ["/bin/sh", "-c", "echo oops; exit 3"]}},
         "policies": {"retry": {"maxAttempts": 2, "initial": "1s"}}},
        {"id": "long", "labels": {"team": "b"}, "cron": "@yearly", "command": ["/bin/sleep", "600"]},
        {"id": "ticker", "every": "1s", "command": ["/bin/true"]},
    ]
}


class Schedules(unittest.TestCase):
    """One server, told by commands alone."""

    server: LiveServer
    folder: Path

    @classmethod
    def setUpClass(cls):
        # pylint: disable-next=consider-using-with
        cls.temporary = tempfile.TemporaryDirectory(prefix="carillon-cli-")
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "schedules.yaml").write_text(json.dumps(SCHEDULES), encoding="utf-8")
        cls.server = LiveServer("--apply", str(cls.folder / "schedules.yaml"))
        cls.environment = {
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "HOME": str(cls.folder),
            "PATH": os.environ.get("PATH", ""),
            "CARILLON_SERVER": f"http://127.0.0.1:{cls.server.port}",
            "CARILLON_TOKEN_FILE": str(cls.server.data / "admin.token"),
        }
        cls.environment |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.temporary.cleanup()

    def run_carillon(self, *words, text=b"", **environment):
        """One command line."""
        return subprocess.run([str(binaries() / "carillon"), *words], input=text, capture_output=True, check=False,
                              timeout=PATIENCE_SECONDS, cwd=self.folder, env=self.environment | environment)

    def told(self, *words, code=0, **environment):
        """What a command says on standard output, given that it ends with this code."""
        run = self.run_carillon(*words, **environment)
        self.assertEqual(run.returncode, code, run.stderr.decode() + run.stdout.decode())
        return run.stdout.decode()

    def test_list_shows_every_schedule(self):
        table = self.told("list")

        for name in ("greeting", "failing", "long", "ticker"):
            self.assertIn(name, table)
        self.assertIn("At 09:00, Monday to Friday (America/New_York)", table)
        self.assertEqual(self.told("list", "-q", "greet"), "greeting\n")

    def test_status_names_what_matters(self):
        text = self.told("scheduler", "status", "greeting")

        self.assertTrue(text.startswith("greeting  A greeting   ● idle\n"), text)
        for label in ("When", "Next", "Then", "Last", "Policies", "Health"):
            self.assertIn(f"\n  {label} ", text)
        self.assertEqual(json.loads(self.told("status", "greeting", "-o", "json"))["id"], "greeting")

    def test_a_name_or_the_beginning_of_an_id_is_enough(self):
        for word in ("A greeting", "greet"):
            self.assertEqual(json.loads(self.told("status", word, "-o", "json"))["id"], "greeting")
        self.assertIn("greeting  ", self.told("cancel", "A greeting"))

    def test_trigger_waits_and_prints_the_log(self):
        run = self.run_carillon("trigger", "greeting", "--wait")

        self.assertEqual((run.returncode, run.stdout), (0, b"hello\nworld\n"), run.stderr)
        self.assertIn("✔ ok", run.stderr.decode())

    def test_a_run_that_fails_on_every_try_is_exit_10(self):
        run = self.run_carillon("trigger", "failing", "--wait")

        self.assertEqual((run.returncode, run.stdout), (10, b"oops\noops\n"), run.stderr)
        self.assertIn("attempt 1 failed: exited with 3; attempt 2 at ", run.stderr.decode())

    def test_one_that_takes_too_long_is_exit_8_and_can_be_cancelled(self):
        run = self.run_carillon("trigger", "long", "--overlap", "skip", "--wait", "--timeout", "1s")

        self.assertEqual(run.returncode, 8, run.stderr)
        self.assertEqual(self.told("trigger", "long", "--overlap", "skip", code=5)[:1], "⊘")
        self.assertIn("1 run cancelled", self.told("cancel", "long", "--wait"))

    def test_the_same_key_starts_one_run(self):
        first = self.told("trigger", "greeting", "-q", "--idempotency-key", "k")

        self.assertEqual(self.told("trigger", "greeting", "-q", "--idempotency-key", "k"), first)

    def test_history_has_what_was_triggered(self):
        run = self.told("trigger", "greeting", "-q").strip()

        self.assertIn(run, self.told("history", "greeting", "--since", "1h", "-q").split())
        self.assertIn("by hand", self.told("history", "greeting"))
        self.assertEqual(self.told("history", "greeting", "--state", "skipped"), "")

    def test_pause_holds_a_schedule_and_resume_lets_it_go(self):
        self.assertIn("paused (dry run; nothing was changed)", self.told("pause", "ticker", "--dry-run"))
        self.assertIn("‖ ticker  paused until", self.told("pause", "ticker", "--until", "2h", "--reason", "tests"))
        self.assertIn("paused by", self.told("list", "--status", "paused"))
        self.assertIn("it is in the future", self.told("why", "greeting", "2099-01-05T14:00:00Z"))
        run = self.run_carillon("pause", "ticker")
        self.assertEqual(run.returncode, 2)
        self.assertIn("Cannot pause schedule with status 'paused'", run.stderr.decode())
        self.assertIn("● ticker  active, next", self.told("resume", "ticker"))

    def test_disable_enable_and_reset(self):
        self.assertIn("○ long  disabled", self.told("disable", "long"))
        self.assertIn("● long  active", self.told("enable", "long"))
        self.assertIn("● long  active", self.told("reset", "long"))

    def test_why_explains_the_newest_decision_and_times_that_are_none(self):
        self.told("trigger", "greeting", "--wait")

        text = self.told("why", "greeting")

        self.assertIn("✔ ok", text)
        self.assertIn("Its log", text)
        none = self.told("explain", "greeting", "--at", "2099-01-05T14:00:01Z")
        self.assertIn("is not a scheduled time of greeting.", none)
        self.assertIn("carillon why greeting 2099-01-05T14:00:00+00:00", none)

    def test_upcoming_and_load(self):
        self.assertEqual(len(self.told("upcoming", "--limit", "3", "-q").splitlines()), 3)
        self.assertIn("Peak ", self.told("load", "--window", "2h"))
        self.assertEqual(json.loads(self.told("load", "-o", "json"))["bucket"], "1m")

    def test_delete_asks_first_and_knows_labels(self):
        for name in ("one", "two"):
            self.server.admin.post("/api/v1/schedules", {"id": name, "cron": "@daily", "command": ["/bin/true"],
                                                         "labels": {"for": "deletion"}})

        self.assertEqual(self.run_carillon("delete", "one").returncode, 2)
        self.assertEqual(self.told("delete", "--label", "for=deletion", "--dry-run"),
                         "one  would be deleted\ntwo  would be deleted\n")
        self.assertEqual(self.told("delete", "one", "--yes"), "one  deleted\n")
        self.assertEqual(self.told("delete", "--label", "for=deletion", "-y"), "two  deleted\n")
        self.told("delete", "--label", "for=deletion", "-y", code=3)

    def test_an_unknown_name_is_exit_3_and_names_the_closest(self):
        for verb in ("status", "history", "trigger", "pause", "cancel", "why", "delete"):
            run = self.run_carillon(verb, "greetin_g")
            self.assertEqual(run.returncode, 3, (verb, run.stderr))
            self.assertIn("did you mean greeting?", run.stderr.decode())

    def test_a_token_that_may_not_is_exit_4(self):
        token = self.folder / "viewer.token"
        token.write_text(self.server.token("viewer")["token"], encoding="utf-8")

        for words in (("trigger", "greeting"), ("pause", "greeting"), ("delete", "greeting", "--yes")):
            self.assertEqual(self.run_carillon(*words, "--token-file", str(token)).returncode, 4, words)

    def test_start_serves_and_stop_ends_it(self):
        state = {"XDG_STATE_HOME": str(self.folder / "state")}
        self.assertEqual(self.run_carillon("stop", **state).returncode, 3)
        # pylint: disable-next=consider-using-with
        server = subprocess.Popen(
            [str(binaries() / "carillon"), "scheduler", "start", "schedules.yaml", "--data", "other", "--listen",
             "127.0.0.1:0"], cwd=self.folder, env=self.environment | state, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        try:
            self.assertIn(b"carillon serves", server.stdout.readline())
            self.assertEqual(self.told("scheduler", "stop", **state), f"stopped pid {server.pid}\n")
            self.assertEqual(server.wait(timeout=PATIENCE_SECONDS), 0)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
