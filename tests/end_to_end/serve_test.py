#!/usr/bin/env python3
"""`carillon serve` as a new user meets it. Usage: serve_test.py FOLDER_OF_BINARIES [unittest options]"""

import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

import instants  # noqa: E402
from ledger import Line  # noqa: E402
from scene import Scene  # noqa: E402
from servers import Served, environment  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

YAML = """\
schedules:
  - id: hello
    every: 1s
    command: [/bin/echo, hello]
  - id: by-cron
    cron: "* * * * * *"
    command: echo "from a shell"
"""

BROKEN_YAML = """\
id: broken
spec:
  cron: "61 * * * *"
action:
  command: {argv: [/bin/true]}
"""


def carillon(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs a command that ends by itself."""
    command = [str(BINARIES / "carillon"), *arguments]
    return subprocess.run(command, capture_output=True, env=environment(), cwd=folder, timeout=60, check=False)


class ServeCase(unittest.TestCase):
    """A folder for schedules beside the one for data."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.files = self.scene.folder / "schedules"
        self.files.mkdir()

    def write(self, name: str, content: str | dict[str, Any]) -> Path:
        """A file to apply."""
        path = self.files / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def serve(self, *arguments: str) -> Served:
        """A server that is ready, on the folder of schedules."""
        server = self.scene.served("--apply", str(self.files), *arguments)
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def await_runs(self, name: str, count: int = 1) -> list[Line]:
        """So many runs that have succeeded."""
        return self.scene.await_ledger(
            lambda ledger: found if len(found := ledger.attempts(name, state="succeeded")) >= count else None,
            f"{count} successes of {name}",
        )


class FirstSteps(ServeCase):
    """Two files and one command."""

    def test_a_server_greets_runs_what_files_say_and_stops_when_asked(self) -> None:
        self.write("hello.yaml", YAML)

        server = self.serve()

        greeting = "\n".join(server.greeting)
        self.assertIn(f"carillon serves {self.scene.data} (pid {server.pid})", greeting)
        self.assertIn("schedules: 2 created, 0 updated, 0 unchanged, 0 refused", greeting)
        self.assertRegex(greeting, r"carillon list\n.*carillon status hello\n.*carillon watch\n")
        self.await_runs("hello", 2)
        self.await_runs("by-cron")
        self.assertEqual(server.stop(signal.SIGINT), 0)
        self.assertIn("server stopped", server.logged())
        self.assertEqual(self.scene.ledger().open_attempts(), [])

    def test_without_anything_to_apply_it_serves_what_is_there(self) -> None:
        with self.scene.served() as server:
            self.assertTrue(server.wait_until_ready(), server.logged())
            self.assertNotIn("unchanged", "\n".join(server.greeting))
            self.assertEqual(server.stop(), 0)
        self.assertEqual(self.scene.ledger().lines, [])

    def test_it_does_not_start_without_the_files_it_is_to_apply(self) -> None:
        run = carillon("serve", "--data", str(self.scene.data), "--apply", "/typo", folder=self.files)

        self.assertEqual(run.returncode, 3, run.stderr.decode())
        self.assertIn('--apply: "/typo" does not exist', run.stderr.decode())
        self.assertFalse(self.scene.data.exists())

    def test_the_log_can_be_read_by_programs(self) -> None:
        self.write("hello.yaml", YAML)

        server = self.serve("--log", "json")
        self.await_runs("hello")
        server.stop()

        events = [json.loads(line)["event"] for line in server.logged().splitlines()]
        self.assertIn("server started", events)
        self.assertIn("run succeeded", events)
        self.assertEqual(events[-1], "server stopped")


class Stopping(ServeCase):
    """What is at work when a server is asked to end."""

    def test_it_waits_for_a_command_that_is_running(self) -> None:
        self.write("slow.json", self.slow(2))
        server = self.serve()
        self.scene.await_ledger(lambda ledger: ledger.attempts("slow"), "the command runs")

        self.assertEqual(server.stop(signal.SIGINT), 0)

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("slow")], ["succeeded"])

    def test_being_asked_twice_it_cancels_what_runs(self) -> None:
        self.write("slow.json", self.slow(600))
        server = self.serve()
        self.scene.await_ledger(lambda ledger: ledger.attempts("slow"), "the command runs")

        server.child.send_signal(signal.SIGINT)
        await_value(lambda: "stopping" in server.logged(), "the server says that it stops")
        self.assertEqual(server.stop(signal.SIGINT), 0)

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("slow")], ["cancelled"])
        self.assertEqual(self.scene.living(), [])

    def test_a_second_stop_command_joins_the_wait_and_stop_now_ends_it(self) -> None:
        self.write("slow.json", self.slow(600))
        server = self.serve()
        self.scene.await_ledger(lambda ledger: ledger.attempts("slow"), "the command runs")

        self.assertEqual(self.stopped(server, "--timeout", "0s").returncode, 8)
        await_value(lambda: "stopping" in server.logged(), "the server says that it stops")
        second = self.stopped(server, "--timeout", "1s")
        states = [line["state"] for line in self.scene.ledger().attempts("slow")]
        now = self.stopped(server, "--now")

        self.assertEqual(second.returncode, 8, second.stderr.decode())
        self.assertIn(f"pid {server.pid} is already stopping; it waits for:", second.stderr.decode())
        self.assertIn("slow", second.stderr.decode())
        self.assertEqual(states, ["launched"])
        self.assertEqual(now.returncode, 0, now.stderr.decode())
        self.assertEqual(server.wait(), 0)
        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("slow")], ["cancelled"])

    def test_while_it_waits_it_answers_reads_and_says_why_it_refuses_writes(self) -> None:
        self.write("slow.json", self.slow(600))
        server = self.serve()
        self.scene.await_ledger(lambda ledger: ledger.attempts("slow"), "the command runs")
        server.child.send_signal(signal.SIGTERM)
        await_value(lambda: "stopping" in server.logged(), "the server says that it stops")

        listed = carillon("list", "--server", server.url, "--token-file", str(self.scene.data / "admin.token"))
        written = carillon("trigger", "slow", "--server", server.url, "--token-file", str(self.scene.data / "admin.token"))

        self.assertEqual(listed.returncode, 0, listed.stderr.decode())
        self.assertIn("the server is stopping (waits for 1 run)", written.stderr.decode())
        self.assertEqual(written.returncode, 6)
        self.stopped(server, "--now")

    def stopped(self, server: Served, *flags: str) -> subprocess.CompletedProcess[bytes]:
        """`carillon stop` of this server."""
        return carillon("stop", "--pid", str(server.pid), *flags)

    def test_it_waits_no_longer_than_it_may(self) -> None:
        self.write("slow.json", self.slow(600))
        server = self.serve("--stop-timeout", "1s")
        self.scene.await_ledger(lambda ledger: ledger.attempts("slow"), "the command runs")

        self.assertEqual(server.stop(), 0)

        self.assertEqual([line["state"] for line in self.scene.ledger().attempts("slow")], ["cancelled"])

    def slow(self, seconds: float) -> dict[str, Any]:
        """A schedule with one occurrence, in a moment, whose command takes its time."""
        spec = {"times": [instants.text_of(instants.seconds_ago(-1))]}
        return self.scene.writer.document("slow", "sleep", seconds, spec=spec, retry={"maxAttempts": 1})


class StartingAgain(ServeCase):
    """The same folders, another server."""

    def test_the_next_server_goes_on_where_the_last_one_stopped(self) -> None:
        catchup = {"policy": "all", "grace": "1s"}
        self.write("all.json", self.scene.writer.document("all", catchup=catchup, overlap="allow_all"))
        server = self.serve()
        self.await_runs("all")
        self.assertEqual(server.stop(), 0)
        before = self.scene.ledger()
        # Until something has been missed.
        stopped_at = instants.now()
        await_value(lambda: (instants.now() - stopped_at).total_seconds() > 3, "three seconds pass")

        server = self.serve()

        self.assertIn("0 created, 0 updated, 1 unchanged", "\n".join(server.greeting))
        caught_up = self.scene.await_ledger(lambda ledger: ledger.decisions("all", source="catchup"), "catching up")
        self.assertGreaterEqual(len(caught_up), 1)
        server.stop()
        after = self.scene.ledger()
        nominals = [instants.parse(line["nominal"]) for line in after.decisions("all", outcome="started")]
        steps = {(later - earlier).total_seconds() for earlier, later in zip(nominals, nominals[1:])}
        self.assertEqual(steps, {1.0})
        self.assertEqual(after.lines[: len(before.lines)], before.lines)

    def test_a_changed_file_changes_its_schedule(self) -> None:
        self.write("one.json", self.scene.writer.document("one"))
        self.serve().stop()
        self.write("one.json", self.scene.writer.document("one", every="2s"))

        server = self.serve()

        self.assertIn("0 created, 1 updated, 0 unchanged", "\n".join(server.greeting))
        self.assertEqual([line["kind"] for line in self.scene.ledger().select("change", "one")], ["created", "updated"])


class Mistakes(ServeCase):
    """What is wrong is said, and nothing else suffers."""

    def test_a_bad_file_is_reported_with_its_place_and_the_others_run(self) -> None:
        broken = self.write("broken.yaml", BROKEN_YAML)
        self.write("hello.yaml", YAML)

        server = self.serve()

        self.assertIn(f"{broken}:3:9:", server.logged())
        self.assertIn("schedules: 2 created, 0 updated, 0 unchanged, 1 refused", "\n".join(server.greeting))
        self.await_runs("hello")
        server.stop()

    def test_a_command_of_a_user_that_is_not_allowed_is_refused(self) -> None:
        action = {"command": {"argv": ["/bin/true"], "user": "daemon"}}
        self.write("other.json", {"id": "other", "every": "1h", "action": action})
        self.write("hello.yaml", YAML)

        server = self.serve()

        self.assertIn('this server does not run commands as user "daemon"', server.logged())
        self.assertIn("schedules: 2 created, 0 updated, 0 unchanged, 1 refused", "\n".join(server.greeting))
        server.stop()

    def test_a_file_that_breaks_later_keeps_its_last_good_schedule(self) -> None:
        path = self.write("one.json", self.scene.writer.document("one"))
        self.serve().stop()
        path.write_text("{", encoding="utf-8")

        server = self.serve()

        self.assertIn(f"{path}:1:", server.logged())
        self.await_runs("one")
        server.stop()

    def test_wrong_words_are_refused(self) -> None:
        for arguments in (
            ["serve", "now"],
            ["serve", "--workers", "0"],
            ["serve", "--workers", "many"],
            ["serve", "--stop-timeout", "soon"],
            ["serve", "--log", "xml"],
            ["serve", "--allow-egress", "everywhere"],
            ["serve", "--nope"],
            ["ledger"],
            ["ledger", "import"],
        ):
            with self.subTest(arguments=arguments):
                run = carillon(*arguments, folder=self.scene.folder)

                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(b"error:", run.stderr)
                self.assertEqual(run.stdout, b"")
        self.assertEqual([path.name for path in self.scene.folder.iterdir() if path.name == "carillon-data"], [])

    def test_a_second_server_is_refused_and_told_who_has_the_folder(self) -> None:
        self.write("hello.yaml", YAML)
        first = self.serve()

        run = carillon("serve", "--data", str(self.scene.data))

        self.assertEqual(run.returncode, 5, run.stderr)
        self.assertIn(f"pid {first.pid}".encode(), run.stderr)
        self.assertIn(str(self.scene.data).encode(), run.stderr)
        self.await_runs("hello")
        self.assertEqual(first.stop(), 0)

    def test_there_is_nothing_to_export_where_there_is_no_store(self) -> None:
        missing = self.scene.folder / "nowhere"

        run = carillon("ledger", "export", "--data", str(missing))

        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn(str(missing).encode(), run.stderr)
        self.assertEqual(run.stdout, b"")
        self.assertFalse(missing.exists())


if __name__ == "__main__":
    unittest.main()
