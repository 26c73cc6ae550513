#!/usr/bin/env python3
"""Schedules as files: the real command against a real server. Usage: definitions_test.py BINARIES [unittest options]"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "api" / "live"))

from served import LiveServer, binaries  # noqa: E402

SERVER: LiveServer
NIGHTLY = """\
id: nightly
labels: {team: data}
spec: {cron: ["0 2 * * *"], timezone: Europe/Berlin}
action: {command: {argv: [/bin/echo, hello]}}
"""
TWO = """\
schedules:
  - {id: one, cron: "0 1 * * *", command: [/bin/true], labels: {team: pair}}
  - {id: two, cron: "0 2 * * *", command: [/bin/true], labels: {team: pair}}
"""


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """In a folder of its own, on a server without schedules."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        self._temporary = tempfile.TemporaryDirectory(prefix="carillon-cli-")
        self.addCleanup(self._temporary.cleanup)
        self.folder = Path(self._temporary.name)
        for schedule in SERVER.admin.get("/api/v1/schedules").json()["items"]:
            SERVER.admin.ask("DELETE", f"/api/v1/schedules/{schedule['id']}")

    def file(self, name: str, text: str) -> str:
        """A file in that folder."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def environment(self) -> dict[str, str]:
        """Nothing of whoever runs the tests."""
        own = {"LANG": "C.UTF-8", "PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "TZ": "Europe/Berlin",
               "TMPDIR": str(self.folder), "CARILLON_SERVER": f"http://127.0.0.1:{SERVER.port}",
               "CARILLON_TOKEN_FILE": str(SERVER.data / "admin.token")}
        # Sanitizers look for these.
        sanitizers = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
        return own | {name: os.environ[name] for name in sanitizers if name in os.environ}

    def run_command(self, expected: int, *words: str, text: str = "",
                    **environment: str) -> subprocess.CompletedProcess[str]:
        """`carillon …`, which ends as expected."""
        done = subprocess.run([str(binaries() / "carillon"), *words], input=text, capture_output=True, text=True,
                              timeout=60, check=False, env=self.environment() | environment)
        self.assertEqual(expected, done.returncode, done.stdout + done.stderr)
        return done

    def ids(self) -> list[str]:
        """What the server has."""
        return sorted(item["id"] for item in SERVER.admin.get("/api/v1/schedules").json()["items"])

    def definition(self, name: str) -> dict:
        """As the server answers it."""
        return SERVER.admin.get(f"/api/v1/schedules/{name}").json()


class Apply(Case):
    """`carillon apply`."""

    def test_it_creates_updates_and_leaves_alone(self) -> None:
        path = self.file("nightly.yaml", NIGHTLY)
        created = self.run_command(0, "apply", path)
        unchanged = self.run_command(0, "apply", path)
        self.file("nightly.yaml", NIGHTLY.replace("0 2", "0 3"))
        updated = self.run_command(0, "apply", path)

        self.assertIn("created  nightly  At 02:00 every day (Europe/Berlin)", created.stdout)
        self.assertTrue(unchanged.stdout.endswith("1 schedule · 1 unchanged\n"), unchanged.stdout)
        self.assertTrue(updated.stdout.endswith("1 schedule · 1 updated\n"), updated.stdout)
        now = self.definition("nightly")
        self.assertEqual((["0 3 * * *"], 2), (now["spec"]["cron"], now["revision"]))

    def test_many_are_sent_together_and_told_in_the_order_of_the_file(self) -> None:
        names = [f"s{number}" for number in range(300)]
        def text(cron: str) -> str:
            return "".join(f"---\nid: {name}\ncron: '{cron}'\ncommand: [/bin/true]\n" for name in names)
        created = self.run_command(0, "apply", "-", text=text("0 2 * * *"))
        self.run_command(0, "pause", "s7")
        updated = self.run_command(0, "apply", "-", text=text("0 3 * * *"))

        self.assertEqual(names, [line.split()[1] for line in created.stdout.splitlines()[:-1]])
        self.assertTrue(created.stdout.endswith("300 schedules · 300 created\n"), created.stdout)
        self.assertTrue(updated.stdout.endswith("300 schedules · 300 updated\n"), updated.stdout)
        self.assertEqual(["0 3 * * *"], self.definition("s299")["spec"]["cron"])
        for name in names:
            SERVER.admin.ask("DELETE", f"/api/v1/schedules/{name}")

    def test_a_dry_run_writes_nothing(self) -> None:
        said = self.run_command(0, "apply", "-", "--dry-run", text=NIGHTLY)

        self.assertTrue(said.stdout.startswith("would be created  nightly"), said.stdout)
        self.assertEqual([], self.ids())

    def test_a_fault_in_one_file_keeps_all_from_being_sent(self) -> None:
        self.file("a.yaml", NIGHTLY)
        self.file("b.yaml", "id: other\nspec:\n  cron: ['61 * * * *']\naction: {command: {argv: [/bin/true]}}\n")
        said = self.run_command(2, "apply", str(self.folder))

        self.assertIn("b.yaml:3:", said.stderr)
        self.assertIn("nothing was sent", said.stderr)
        self.assertEqual([], self.ids())

    def test_a_schedule_in_two_files_is_a_fault(self) -> None:
        self.file("a.yaml", NIGHTLY)
        self.file("b.yaml", NIGHTLY.replace("nightly", "Nightly"))
        said = self.run_command(2, "apply", str(self.folder))

        self.assertIn("duplicate-id", said.stderr)
        self.assertEqual([], self.ids())

    def test_prune_deletes_what_has_the_label_and_is_in_no_file(self) -> None:
        self.run_command(0, "apply", "-", text=TWO)
        self.run_command(0, "add", "bystander", "--every", "1h", "--", "/bin/true")
        left = self.file("one.yaml", "{id: one, cron: '0 1 * * *', command: [/bin/true], labels: {team: pair}}\n")
        refused = self.run_command(2, "apply", left, "--prune", "--label", "team=pair")
        planned = self.run_command(0, "apply", left, "--prune", "--label", "team=pair", "--dry-run")
        before = self.ids()
        said = self.run_command(0, "apply", left, "--prune", "--label", "team=pair", "--yes")

        self.assertIn("--yes", refused.stderr)
        self.assertIn("would be deleted  two", planned.stdout)
        self.assertEqual(["bystander", "one", "two"], before)
        self.assertIn("deleted    two", said.stdout)
        self.assertEqual(["bystander", "one"], self.ids())

    def test_what_was_disabled_is_enabled_again_if_the_file_says_so(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        SERVER.admin.post("/api/v1/schedules/nightly/disable")
        differs = self.run_command(1, "diff", "-", text=NIGHTLY)
        self.run_command(0, "apply", "-", text=NIGHTLY)

        self.assertIn("enabled false → true", differs.stdout)
        self.assertEqual("active", self.definition("nightly")["status"])


class Diff(Case):
    """`carillon diff`."""

    def test_it_tells_members_and_starts(self) -> None:
        # Far from now: in the hour between the two, only the later one would still come today.
        hour = 6 if datetime.now(timezone.utc).hour >= 12 else 18
        before, after = f"0 {hour} * * *", f"0 {hour + 1} * * *"
        daily = NIGHTLY.replace("Europe/Berlin", "UTC").replace("0 2 * * *", before)
        changed = daily.replace(before, after)
        new = self.run_command(1, "diff", "-", text=daily)
        self.run_command(0, "apply", "-", text=daily)
        equal = self.run_command(0, "diff", "-", text=daily)
        moved = self.run_command(1, "diff", "-", text=changed)
        records = json.loads(self.run_command(1, "diff", "-", "-o", "json", text=changed).stdout)

        self.assertIn("0 changed · 1 new · 0 equal", new.stdout)
        self.assertEqual("0 changed · 0 new · 1 equal\n", equal.stdout)
        self.assertIn(f'spec.cron[0] "{before}" → "{after}"', moved.stdout)
        self.assertIn("7 moved", moved.stdout)
        self.assertEqual(("changed", 7), (records[0]["change"], len(records[0]["starts"])))

    def test_trouble_is_no_difference(self) -> None:
        self.run_command(2, "diff", "-", text="id: [")
        self.run_command(6, "diff", "-", text=NIGHTLY, CARILLON_SERVER="http://127.0.0.1:1")


class Export(Case):
    """`carillon export`."""

    def test_what_is_exported_applies_back_unchanged(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        self.run_command(0, "apply", "-", text=TWO)
        self.run_command(0, "add", "Post it", "--every", "90m", "--url", "http://127.0.0.1:9/x", "--attempts", "2",
                         "--payload", '{"a": {"b": null}}', "--timeout", "30s")
        everything = self.run_command(0, "export")
        back = self.run_command(0, "apply", "-", text=everything.stdout)
        self.run_command(0, "export", "--dir", str(self.folder / "out"))
        from_files = self.run_command(0, "diff", str(self.folder / "out"))

        self.assertIn("4 schedules · 4 unchanged", back.stdout)
        self.assertEqual("0 changed · 0 new · 4 equal\n", from_files.stdout)

    def test_one_is_a_document_of_its_own_without_defaults(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        said = self.run_command(0, "export", "nightly", "-o", "json")

        self.assertEqual({"id": "nightly", "labels": {"team": "data"},
                          "spec": {"cron": ["0 2 * * *"], "timezone": "Europe/Berlin"},
                          "action": {"command": {"argv": ["/bin/echo", "hello"]}}}, json.loads(said.stdout))

    def test_one_that_is_not_there(self) -> None:
        self.run_command(3, "export", "nobody")


class AddAndEdit(Case):
    """`carillon add` and `carillon edit`."""

    def test_add_makes_an_id_of_the_name_and_tells_the_next_starts(self) -> None:
        said = self.run_command(0, "add", "Nightly ETL", "--cron", "0 2 * * *", "--tz", "Europe/Berlin", "--label",
                                "team=data", "--attempts", "3", "--", "/bin/echo", "--full")
        made = self.definition("nightly-etl")

        self.assertTrue(said.stdout.startswith("nightly-etl  At 02:00 every day (Europe/Berlin)"), said.stdout)
        self.assertEqual(4, len(said.stdout.splitlines()))
        self.assertIn("carillon status nightly-etl", said.stderr)
        self.assertEqual(["/bin/echo", "--full"], made["action"]["command"]["argv"])
        self.assertEqual((3, {"team": "data"}), (made["policies"]["retry"]["maxAttempts"], made["labels"]))

    def test_add_refuses_what_cannot_be(self) -> None:
        self.run_command(2, "add", "x", "--cron", "0 2 * * *")
        self.run_command(2, "add", "x", "--cron", "61 * * * *", "--", "/bin/true")
        self.run_command(0, "add", "x", "--every", "1h", "--id", "x", "--", "/bin/true")
        self.run_command(5, "add", "x", "--every", "1h", "--id", "x", "--", "/bin/true")
        self.run_command(0, "add", "y", "--every", "1h", "--dry-run", "--", "/bin/true")

        self.assertEqual(["x"], self.ids())

    def test_flags_change_a_schedule(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        planned = self.run_command(0, "edit", "nightly", "--every", "1h", "--dry-run")
        before = self.definition("nightly")
        said = self.run_command(0, "edit", "nightly", "--every", "1h", "--label", "team-", "--label", "a=b",
                                "--timeout", "10m")
        again = self.run_command(0, "edit", "nightly", "--timeout", "10m")
        after = self.definition("nightly")

        self.assertIn("dry run", planned.stderr)
        self.assertEqual(1, before["revision"])
        self.assertRegex(said.stdout, 'policies.timeout +none +→ "10m"')
        self.assertIn("already is as requested", again.stderr)
        self.assertEqual(([], "1h", {"a": "b"}, 2), (after["spec"]["cron"], after["spec"]["intervals"][0]["every"],
                                                    after["labels"], after["revision"]))

    def test_an_editor_changes_a_schedule(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        untouched = self.run_command(0, "edit", "nightly", EDITOR="true")
        said = self.run_command(0, "edit", "nightly", EDITOR="sed -i s/echo/printf/")
        faulty = self.run_command(2, "edit", "nightly", EDITOR="sed -i s/2/77/")
        kept = faulty.stderr.split("saved in ")[1].split()[0].rstrip(".")
        renamed = self.run_command(2, "edit", "nightly", EDITOR="sed -i s/nightly/daily/")

        self.assertIn("nothing was changed", untouched.stderr)
        self.assertIn('"/bin/echo" → "/bin/printf"', said.stdout)
        self.assertIn("77", Path(kept).read_text(encoding="utf-8"))
        self.assertIn("cannot be changed", renamed.stderr)
        self.assertEqual((["/bin/printf", "hello"], 2), (self.definition("nightly")["action"]["command"]["argv"],
                                                         self.definition("nightly")["revision"]))

    def test_who_was_too_slow_is_told(self) -> None:
        self.run_command(0, "apply", "-", text=NIGHTLY)
        faster = f"{binaries() / 'carillon'} edit nightly --timeout 5m"
        other = self.file("other.sh", f"{faster}\nsed -i s/hello/bye/ \"$1\"\n")
        said = self.run_command(5, "edit", "nightly", EDITOR=f"sh {other}")

        self.assertIn("your edits are saved in ", said.stderr)
        self.assertEqual(["/bin/echo", "hello"], self.definition("nightly")["action"]["command"]["argv"])


class Backfill(Case):
    """`carillon backfill`."""

    RANGE = ("--from", "2026-10-01", "--to", "2026-10-04")

    def setUp(self) -> None:
        super().setUp()
        self.run_command(0, "apply", "-", text=NIGHTLY)

    def test_it_is_previewed_asked_for_and_waited_for(self) -> None:
        planned = self.run_command(0, "backfill", "create", "nightly", *self.RANGE, "--dry-run")
        refused = self.run_command(2, "backfill", "create", "nightly", *self.RANGE)
        said = self.run_command(0, "backfill", "create", "nightly", *self.RANGE, "--yes", "--wait",
                                "--concurrency", "3")
        again = self.run_command(0, "backfill", "create", "nightly", *self.RANGE, "--yes")

        self.assertEqual("3 starts · 3 missing → run\n"
                         "3 runs (Thu  1 Oct – Sat  3 Oct, Europe/Berlin), 1 at a time\n", planned.stdout)
        self.assertIn("--yes", refused.stderr)
        self.assertTrue(said.stdout.startswith("bf-"), said.stdout)
        self.assertIn("is completed: 3 of 3 started", said.stderr)
        self.assertIn("nothing to run", again.stderr)

    def test_it_is_listed_paused_resumed_and_cancelled(self) -> None:
        self.run_command(0, "edit", "nightly", "--", "/bin/sleep", "60")
        name = self.run_command(0, "backfill", "create", "nightly", *self.RANGE, "--yes", "-q").stdout.strip()
        listed = self.run_command(0, "backfill", "list")
        paused = self.run_command(0, "backfill", "pause", "nightly", name)
        resumed = self.run_command(0, "backfill", "resume", name[:-2])
        cancelled = self.run_command(0, "backfill", "cancel", name)
        shown = json.loads(self.run_command(0, "backfill", "show", name, "-o", "json").stdout)

        self.assertIn(f"{name}  nightly", listed.stdout)
        self.assertIn("paused", paused.stdout)
        self.assertIn("running", resumed.stdout)
        self.assertIn("cancelled", cancelled.stdout)
        self.assertEqual("cancelled", shown["state"])
        self.run_command(3, "backfill", "show", "bf-nothing")


    def test_an_interrupt_leaves_it_running(self) -> None:
        self.run_command(0, "edit", "nightly", "--", "/bin/sleep", "60")
        words = ["backfill", "create", "nightly", *self.RANGE, "--yes", "--wait"]
        with subprocess.Popen([str(binaries() / "carillon"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=self.environment()) as waiting:
            name = waiting.stdout.readline().split()[0]
            while "done" not in waiting.stderr.readline():
                pass
            waiting.send_signal(signal.SIGINT)
            said = waiting.communicate(timeout=60)[1]

        self.assertEqual(130, waiting.returncode, said)
        self.assertIn(f"carillon backfill cancel nightly {name}", said)
        self.assertIn("running", self.run_command(0, "backfill", "show", name).stdout)
        self.run_command(0, "backfill", "cancel", name)


class ImportCrontab(Case):
    """`carillon import crontab`."""

    CRONTAB = "PATH=/usr/bin:/bin\n0 9 * * 1-5 /usr/bin/report\n61 * * * * /usr/bin/never\n"

    def test_what_it_prints_can_be_applied(self) -> None:
        printed = self.run_command(7, "import", "crontab", "-", "--form", "user", "--prove", text=self.CRONTAB)
        applied = self.run_command(0, "apply", "-", text=printed.stdout)
        again = self.run_command(7, "import-crontab", "-", "--form", "user", "--apply", text=self.CRONTAB)

        self.assertIn("refused", printed.stderr)
        self.assertIn("the same as cron's", printed.stderr)
        self.assertIn("1 schedule · 1 created", applied.stdout)
        self.assertIn("1 schedule · 1 unchanged", again.stdout)

    def test_it_can_hold_them_back(self) -> None:
        self.run_command(7, "import", "crontab", "-", "--form", "user", "--hold", "--apply", text=self.CRONTAB)

        self.assertEqual("disabled", self.definition("report")["status"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
