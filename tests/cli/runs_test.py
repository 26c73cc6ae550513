#!/usr/bin/env python3
"""Runs, queues, tokens and the live view, by commands against a real server. Usage: runs_test.py BINARIES"""

import fcntl
import json
import os
import pty
import select
import signal
import stat
import struct
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "api" / "live"))

from served import LiveServer, binaries  # noqa: E402
from waiting import PATIENCE_SECONDS, await_value  # noqa: E402

SERVER: LiveServer
ENTER_PAGE = b"\x1b[?1049h"
LEAVE_PAGE = b"\x1b[?1049l"


def setUpModule() -> None:
    """One server for all, with a few schedules that only run when they are told to."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()
    for name, script in {
        "hello": "echo one; echo two; echo three",
        "broken": "echo oops; exit 3",
        "patient": "echo begun; while [ ! -e \"$0\" ]; do sleep 0.1; done; echo ended",
        "endless": "echo begun; sleep 600",
    }.items():
        action = ["/bin/sh", "-c", script, str(SERVER.folder / "go")]
        schedule = {"id": name, "cron": "0 0 1 1 *", "command": action, "policies": {"retry": {"maxAttempts": 1}}}
        answer = SERVER.admin.post("/api/v1/schedules", schedule)
        assert answer.status == 201, answer.text


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def environment(token: str | None = None) -> dict[str, str]:
    """Of somebody who knows the server and has no files of their own."""
    passed_on = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    return {name: os.environ[name] for name in passed_on if name in os.environ} | {
        "HOME": str(SERVER.folder / "home"),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "TZ": "UTC",
        "CARILLON_SERVER": f"http://127.0.0.1:{SERVER.port}",
        "CARILLON_TOKEN": token or (SERVER.data / "admin.token").read_text(encoding="utf-8").strip(),
    }


def command(*words: str) -> list[str]:
    """The real binary."""
    return [str(binaries() / "carillon"), *words]


def carillon(*words: str, token: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    return subprocess.run(
        command(*words), env=environment(token), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
        stdin=subprocess.DEVNULL,
    )


def started(*words: str) -> subprocess.Popen[bytes]:
    """Begins a command."""
    return subprocess.Popen(
        command(*words), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )


def trigger(schedule: str) -> str:
    """The id of a new run."""
    answer = SERVER.admin.post(f"/api/v1/schedules/{schedule}/trigger")
    assert answer.status == 202, answer.text
    return answer.json()["id"]


def run_of(run_id: str) -> dict[str, Any]:
    """As the server has it."""
    return SERVER.admin.get(f"/api/v1/runs/{run_id}").json()


def await_state(run_id: str, *states: str) -> None:
    """Until it is in one of them."""
    await_value(lambda: run_of(run_id)["state"] in states, f"{run_id} in {states}")


class Runs(unittest.TestCase):
    """run list, show, logs, wait, cancel, retry."""

    def test_are_waited_for_and_tell_by_the_exit_code_how_they_ended(self) -> None:
        good, bad = trigger("hello"), trigger("broken")

        self.assertEqual(0, carillon("run", "wait", good).returncode)
        waited = carillon("run", "wait", bad, "-o", "json")
        self.assertEqual(10, waited.returncode, waited.stderr)
        self.assertEqual("failed", json.loads(waited.stdout)["state"])

    def test_that_go_on_are_pending_after_the_timeout_until_they_are_cancelled(self) -> None:
        run_id = trigger("endless")
        await_state(run_id, "running")

        self.assertEqual(8, carillon("run", "wait", run_id, "--timeout", "50ms").returncode)
        self.assertEqual(0, carillon("run", "cancel", run_id).returncode)
        self.assertEqual(10, carillon("run", "wait", run_id).returncode)
        again = carillon("run", "cancel", run_id)
        self.assertEqual(5, again.returncode, again.stderr)

    def test_are_listed_with_filters(self) -> None:
        run_id = trigger("broken")
        await_state(run_id, "failed")

        listed = carillon("run", "list", "--schedule", "broken", "--state", "failed", "--since", "1h", "-q")
        self.assertIn(run_id, listed.stdout.split())
        self.assertEqual("", carillon("run", "list", "--schedule", "broken", "--state", "succeeded", "-q").stdout)
        table = carillon("run", "list", "--schedule", "broken").stdout
        self.assertIn("✗ failed  by hand; exited with 3", table)
        self.assertEqual(2, carillon("run", "list", "--state", "no-such-state").returncode)

    def test_are_shown_by_id_beginning_and_name(self) -> None:
        run_id = trigger("broken")
        await_state(run_id, "failed")

        for word in (run_id, run_id[:-3], run_of(run_id)["name"]):
            shown = carillon("run", "show", word)
            self.assertEqual(0, shown.returncode, shown.stderr)
            self.assertIn(run_id, shown.stdout)
            self.assertIn("exited with 3", shown.stdout)
        self.assertEqual(3, carillon("run", "show", "r-nothing").returncode)

    def test_are_started_again(self) -> None:
        run_id = trigger("broken")
        await_state(run_id, "failed")

        retried = carillon("run", "retry", run_id, "-q")
        self.assertEqual(0, retried.returncode, retried.stderr)
        self.assertNotEqual(run_id, retried.stdout.strip())
        self.assertEqual(10, carillon("run", "wait", retried.stdout.strip()).returncode)

    def test_have_logs_whole_and_in_part(self) -> None:
        run_id = trigger("hello")
        await_state(run_id, "succeeded")

        self.assertEqual("one\ntwo\nthree\n", carillon("run", "logs", run_id).stdout)
        self.assertEqual("two\nthree\n", carillon("logs", "hello", "--tail", "2").stdout)
        self.assertEqual("one\ntwo\nthree\n", carillon("logs", run_id, "-f").stdout)
        self.assertEqual(3, carillon("logs", "nothing-like-it").returncode)

    def test_have_logs_that_are_followed_to_their_end(self) -> None:
        go = SERVER.folder / "go"
        go.unlink(missing_ok=True)
        run_id = trigger("patient")
        with started("run", "logs", run_id, "-f") as follower:
            assert follower.stdout is not None
            self.assertEqual(b"begun\n", follower.stdout.readline())
            go.touch()
            self.assertEqual(b"ended\n", follower.stdout.readline())
            self.assertEqual(0, follower.wait(PATIENCE_SECONDS))

    def test_of_a_schedule_are_followed_from_one_to_the_next(self) -> None:
        await_state(trigger("hello"), "succeeded")
        with started("logs", "hello", "-f") as follower:
            assert follower.stdout is not None
            for expected in ("one", "two", "three"):
                self.assertEqual(f"{expected}\n".encode(), follower.stdout.readline())
            trigger("hello")
            self.assertEqual(b"one\n", follower.stdout.readline())
            follower.send_signal(signal.SIGINT)
            follower.wait(PATIENCE_SECONDS)


class Operations(unittest.TestCase):
    """Queues, tokens, audit, events, the server."""

    def test_queues_are_paused_and_resumed(self) -> None:
        await_state(trigger("hello"), "succeeded")
        queue = carillon("queue", "list", "-q").stdout.split()[0]

        self.assertEqual(0, carillon("queue", "pause", queue).returncode)
        self.assertIn("paused", carillon("queue", "list").stdout)
        run_id = trigger("hello")
        self.assertEqual(8, carillon("run", "wait", run_id, "--timeout", "300ms").returncode)
        self.assertEqual(0, carillon("queue", "resume", queue).returncode)
        self.assertEqual(0, carillon("run", "wait", run_id).returncode)

    def test_a_token_is_piped_used_and_revoked(self) -> None:
        made = carillon("token", "create", "passer-by", "--role", "viewer", "--expires", "1h")
        self.assertEqual(0, made.returncode, made.stderr)
        secret = made.stdout.strip()

        self.assertEqual(0, carillon("run", "list", token=secret).returncode)
        refused = carillon("token", "list", token=secret)
        self.assertEqual(4, refused.returncode, refused.stderr)
        self.assertIn("passer-by", carillon("token", "list").stdout)
        self.assertEqual(0, carillon("token", "revoke", "passer-by").returncode)
        self.assertEqual(4, carillon("run", "list", token=secret).returncode)

    def test_a_token_is_written_to_a_file_of_its_owner(self) -> None:
        path = SERVER.folder / "file.token"
        made = carillon("token", "create", "file", "--role", "viewer", "--out", str(path))

        self.assertEqual((0, ""), (made.returncode, made.stdout), made.stderr)
        self.assertEqual(0o600, stat.S_IMODE(path.stat().st_mode))
        self.assertTrue(path.read_text(encoding="utf-8").startswith("carillon_"))
        self.assertEqual(2, carillon("token", "create", "file", "--role", "viewer", "--out", str(path)).returncode)

    def test_the_audit_log_has_what_was_done_and_is_intact(self) -> None:
        trigger("hello")

        records = json.loads(carillon("audit", "--since", "1h", "--by", "admin", "-o", "json").stdout)
        self.assertIn("schedule.trigger", {record["operation"] for record in records})
        self.assertEqual([], json.loads(carillon("audit", "--by", "nobody", "-o", "json").stdout))
        self.assertEqual(0, carillon("audit", "verify").returncode)

    def test_events_come_as_lines(self) -> None:
        with started("events", "--topics", "run,server", "--schedule", "hello") as follower:
            assert follower.stdout is not None
            self.assertEqual("server.status", json.loads(follower.stdout.readline())["event"])
            run_id = trigger("hello")
            seen = []
            while "run.finished" not in seen:
                event = json.loads(follower.stdout.readline())
                if event["data"].get("id") == run_id:
                    seen.append(event["event"])
            self.assertEqual(["run.queued", "run.started", "run.finished"], seen)
            follower.kill()

    def test_the_server_says_who_it_is(self) -> None:
        shown = carillon("system")

        self.assertEqual(0, shown.returncode, shown.stderr)
        self.assertIn(f"at http://127.0.0.1:{SERVER.port}", shown.stdout)
        self.assertIn("Schedules  4", shown.stdout)
        self.assertEqual(4, json.loads(carillon("system", "-o", "json").stdout)["schedules"])


class Terminal:
    """A real terminal with a command on it."""

    def __init__(self, *words: str) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.execve(command()[0], command(*words), environment())
        self.resize(24, 100)
        self.seen = b""
        self.status: int | None = None

    def resize(self, rows: int, columns: int) -> None:
        """As if the window was."""
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        """Types them."""
        os.write(self.descriptor, keys.encode())

    def until(self, text: str | bytes) -> bytes:
        """What has come since the last call, up to and with this text."""
        wanted = text.encode() if isinstance(text, str) else text
        deadline = time.monotonic() + PATIENCE_SECONDS
        while wanted not in self.seen:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise AssertionError(f"{wanted!r} never came: {self.seen[-2000:]!r}")
            try:
                chunk = os.read(self.descriptor, 65_536)
            except OSError:
                chunk = b""
            if not chunk:
                raise AssertionError(f"it ended before {wanted!r}: {self.seen[-2000:]!r}")
            self.seen += chunk
        before, found, self.seen = self.seen.partition(wanted)
        return before + found

    def settings(self) -> list[Any]:
        """Of the terminal line."""
        return termios.tcgetattr(self.descriptor)

    def wait(self) -> int:
        """Its exit code."""
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.close(self.descriptor)


class Watch(unittest.TestCase):
    """The live view."""

    def test_follows_what_happens_takes_keys_and_leaves_the_terminal_as_it_was(self) -> None:
        with Terminal("watch") as terminal:
            before = terminal.settings()
            terminal.until(ENTER_PAGE)
            terminal.until("q quit")
            run_id = trigger("endless")
            terminal.until(run_id)
            terminal.type("/endless\r")
            terminal.until('names with "endless"')
            terminal.type("\r")
            terminal.until("log of endless")
            terminal.until("begun")
            terminal.type("q")
            terminal.until("running")
            terminal.type("?")
            terminal.until("trigger the schedule")
            terminal.type("?p")
            terminal.until("pause endless? y/n")
            terminal.type("y")
            terminal.until("pause done")
            self.assertEqual("paused", SERVER.admin.get("/api/v1/schedules/endless").json()["status"])
            terminal.resize(24, 30)
            # The keys no longer fit: the line ends where the terminal does.
            terminal.type("\x1b")
            terminal.until("Enter logs · w why · t trigger\x1b")
            carillon("run", "cancel", run_id)
            terminal.until("paused by")
            terminal.type("q")
            terminal.until(LEAVE_PAGE)
            self.assertEqual(before[3], terminal.settings()[3])
            self.assertEqual(0, terminal.wait())
        SERVER.admin.post("/api/v1/schedules/endless/resume")

    def test_leaves_the_terminal_as_it_was_when_it_is_told_to_end(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            with self.subTest(signal=number.name), Terminal("top") as terminal:
                before = terminal.settings()
                terminal.until("q quit")
                os.kill(terminal.pid, number)
                terminal.until(LEAVE_PAGE)
                self.assertEqual(before[3], terminal.settings()[3])
                self.assertEqual(130, terminal.wait())

    def test_ends_with_ctrl_c(self) -> None:
        with Terminal("watch") as terminal:
            terminal.until("q quit")
            terminal.type("\x03")
            terminal.until(LEAVE_PAGE)
            self.assertEqual(0, terminal.wait())

    def test_leaves_no_process_behind(self) -> None:
        with Terminal("watch") as terminal:
            terminal.until("q quit")
            children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text(encoding="ascii").split()
            self.assertEqual(1, len(children))
            os.kill(terminal.pid, signal.SIGKILL)
            await_value(lambda: not is_alive(int(children[0])), "the end of the child")

    def test_is_one_picture_without_a_terminal(self) -> None:
        shown = carillon("watch")

        self.assertEqual(0, shown.returncode, shown.stderr)
        self.assertIn(f"carillon · 127.0.0.1:{SERVER.port}", shown.stdout)
        self.assertIn(" next  ", shown.stdout)
        self.assertNotIn("\x1b", shown.stdout)

    def test_is_a_line_for_each_change_when_that_is_wanted(self) -> None:
        with started("watch", "-o", "jsonl") as follower:
            assert follower.stdout is not None
            self.assertEqual("server.status", json.loads(follower.stdout.readline())["event"])
            follower.kill()


def is_alive(pid: int) -> bool:
    """Whether it runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
