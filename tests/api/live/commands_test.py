#!/usr/bin/env python3
"""Who may define commands, and what a command can reach of its server. Usage: commands_test.py BINARIES PRINT_API"""

import os
import re
import resource
import signal
import socket
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from served import LiveServer, unittest_arguments
from waiting import await_value, pass_time

from client import Answer, Client

NOBODY = 65_534


def become_nobody() -> None:
    """A server without any rights, as most are."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def launcher_pid(data: Path) -> int:
    """The process that starts commands."""
    return int((data / "launcher.lock").read_text(encoding="utf-8"))


def put_command(client: Client, name: str, script: str, **more: Any) -> Answer:
    """A schedule that runs only when asked to."""
    action = {"command": {"argv": [script], "shell": True, **more}}
    document = {"action": action, "policies": {"retry": {"maxAttempts": 1}}}
    return client.ask("PUT", f"/api/v1/schedules/{name}", document)


def output_of(client: Client, script: str, name: str = "look") -> str:
    """What a command prints, as its run's log has it."""
    answer = put_command(client, name, f"exec 2>&1; {script}")
    assert answer.status in (200, 201), answer
    started = client.post(f"/api/v1/schedules/{name}/trigger")
    assert started.status == 202, started
    run = started.json()["run"]["id"]
    done = ("succeeded", "failed", "timed_out", "cancelled", "lost")
    await_value(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] in done, f"{run} ends")
    return client.get(f"/api/v1/runs/{run}/logs").text


class Bound(unittest.TestCase):
    """Tokens that are bound to a namespace."""

    def test_define_commands_only_while_the_server_allows_it(self) -> None:
        server = LiveServer("--allow-commands", "tenant")
        try:
            token = server.token("editor", "tenant", execute=True)
            self.assertIn("execute", token["scopes"])
            self.assertEqual(201, put_command(Client(server.port, token["token"]), "mine", "true").status)

            server.arguments = ()
            server.restart()

            editor = Client(server.port, token["token"])
            refused = put_command(editor, "mine", "id")
            self.assertEqual((403, "execute_required"), (refused.status, refused.json()["code"]))
            self.assertEqual(202, editor.post("/api/v1/schedules/mine/trigger").status, "what is there can be used")
            listed = {one["id"]: one["scopes"] for one in server.admin.get("/api/v1/tokens").json()["items"]}
            self.assertEqual(["read", "operate", "edit"], listed[token["id"]])
            self.assertEqual(403, server.admin.post(
                "/api/v1/tokens", {"name": "n", "role": "editor", "namespace": "tenant", "execute": True}).status)
        finally:
            server.close()


@unittest.skipIf(os.geteuid() != 0, "to become others takes root")
class Data(unittest.TestCase):
    """The data folder."""

    def test_is_hidden_from_commands_of_a_server_of_root(self) -> None:
        server = LiveServer()
        try:
            secret = (server.data / "admin.token").read_text(encoding="utf-8").strip()
            editor = Client(server.port, server.token("editor", execute=True)["token"])
            pid = server.process.pid
            for script in (f"cat {server.data}/admin.token", f"cat /proc/{pid}/root{server.data}/admin.token",
                           f"for f in /proc/{pid}/fd/*; do strings $f; done", f"grep -a carillon_ {server.data}/*"):
                with self.subTest(script=script):
                    self.assertNotIn(secret, output_of(editor, script))
            self.assertEqual("hello\n", output_of(editor, f"echo hello >{server.folder}/beside; cat {server.folder}/beside"))
            self.assertFalse(server.admin.get("/api/v1/system").json()["commandsCanReadData"])
        finally:
            server.close()

    def test_can_be_shown_to_commands_that_need_it(self) -> None:
        server = LiveServer("--commands-see-data")
        try:
            secret = (server.data / "admin.token").read_text(encoding="utf-8").strip()
            self.assertIn(secret, output_of(server.admin, f"cat {server.data}/admin.token"))
            self.assertTrue(server.admin.get("/api/v1/system").json()["commandsCanReadData"])
            self.assertIn("commands can read the data folder", server.process.logged())
        finally:
            server.close()

    def test_is_kept_from_commands_of_another_user_by_file_modes(self) -> None:
        server = LiveServer("--commands-see-data", "--run-as", "nobody")
        try:
            secret = (server.data / "admin.token").read_text(encoding="utf-8").strip()
            self.assertEqual("nobody\n", output_of(server.admin, "id -un"))
            self.assertNotIn(secret, output_of(server.admin, f"cat {server.data}/admin.token"))
            self.assertFalse(server.admin.get("/api/v1/system").json()["commandsCanReadData"])
        finally:
            server.close()


@unittest.skipIf(os.geteuid() != 0, "to become others takes root")
class OtherUsers(unittest.TestCase):
    """Commands that name a user."""

    def test_need_a_server_that_allows_them(self) -> None:
        server = LiveServer("--allow-user", "daemon")
        try:
            self.assertEqual(201, put_command(server.admin, "a", "id", user="daemon").status)
            self.assertEqual(201, put_command(server.admin, "b", "id", user="root").status, "its own")
            self.assertEqual(422, put_command(server.admin, "c", "id", user="nobody").status)

            server.arguments = ()
            server.restart()

            started = server.admin.post("/api/v1/schedules/a/trigger").json()["run"]["id"]
            await_value(lambda: server.admin.get(f"/api/v1/runs/{started}").json()["state"] in ("failed", "retrying"),
                       "the launch is refused")
            run = server.admin.get(f"/api/v1/runs/{started}").json()
            self.assertIn("--allow-user daemon", run["attempts"][0]["error"])
        finally:
            server.close()


@unittest.skipIf(os.geteuid() != 0, "to become others takes root")
class Unprivileged(unittest.TestCase):
    """A server without rights, whose commands are of the same user."""

    def start(self, *arguments: str) -> LiveServer:
        """One."""
        variables = {"DATABASE_URL": "postgres://the-secret", "HOME": "/nonexistent"}
        return LiveServer(*arguments, prepare=become_nobody, variables=variables, owner=NOBODY)

    def test_keeps_its_variables_and_memory_from_commands(self) -> None:
        server = self.start()
        try:
            pid = server.process.pid
            self.assertEqual("65534\n", output_of(server.admin, "id -u"), "as the server")
            for name in ("environ", "maps", "mem", "auxv"):
                with self.subTest(file=name):
                    seen = output_of(server.admin, f"cat /proc/{pid}/{name}")
                    self.assertIn("ermission denied", seen)
                    self.assertNotIn("the-secret", seen)
            self.assertIn("ermission denied", output_of(server.admin, f"ls /proc/{pid}/fd"))
        finally:
            server.close()

    def test_says_that_commands_can_read_its_data(self) -> None:
        server = self.start()
        try:
            self.assertTrue(server.admin.get("/api/v1/system").json()["commandsCanReadData"])
            self.assertIn("commands can read the data folder", server.process.logged())
        finally:
            server.close()

    def test_may_be_debugged_if_asked_to(self) -> None:
        server = self.start("--core-dumps")
        try:
            self.assertIn("the-secret", output_of(server.admin, f"cat /proc/{server.process.pid}/environ"))
        finally:
            server.close()

    def test_cannot_run_commands_as_another_user(self) -> None:
        with self.assertRaisesRegex(AssertionError, "CAP_SETUID"):
            self.start("--run-as", "daemon")


def limit_files(soft: int, hard: int) -> Callable[[], None]:
    """As `ulimit -n` does."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class OpenFiles(unittest.TestCase):
    """How many there may be."""

    def test_are_as_many_for_the_server_as_the_machine_allows_and_for_commands_as_before(self) -> None:
        server = LiveServer(prepare=limit_files(200, 1000))
        try:
            limits = Path(f"/proc/{server.process.pid}/limits").read_text(encoding="utf-8")
            self.assertRegex(limits, r"Max open files +1000 +1000 ")
            self.assertEqual("200 1000\n", output_of(server.admin, "echo $(ulimit -Sn) $(ulimit -Hn)"))
        finally:
            server.close()

    def test_are_left_for_commands_whoever_else_is_connected(self) -> None:
        server = LiveServer("--workers", "4", prepare=limit_files(400, 400))
        idle = []
        try:
            for _ in range(500):
                try:
                    idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
                except OSError:
                    break
            for number in range(20):
                self.assertEqual(f"{number}\n", output_of(server.admin, f"echo {number}", f"n{number % 4}"))
            runs = server.admin.get("/api/v1/runs", limit=100).json()["items"]
            self.assertEqual({"succeeded"}, {run["state"] for run in runs})
            self.assertEqual({1}, {run["attempt"] for run in runs})
        finally:
            for connection in idle:
                connection.close()
            server.close()


    def test_are_not_all_taken_by_connections(self) -> None:
        server = LiveServer("--workers", "4", prepare=limit_files(400, 400))
        idle = []
        try:
            for _ in range(250):
                idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            connections = re.search(r"^carillon_http_connections (\d+)$", server.admin.get("/metrics").text, re.MULTILINE)
            assert connections is not None
            self.assertLessEqual(int(connections[1]), 112, "400 less what the server and four runs need")
        finally:
            for connection in idle:
                connection.close()
            server.close()


class Halted(unittest.TestCase):
    """A launcher that stands still for a while."""

    def begins_nothing_after(self, change: Callable[[Client], Answer]) -> None:
        """A run is on its way to the launcher when its schedule is changed; then the launcher goes on."""
        server = LiveServer()
        launcher = launcher_pid(server.data)
        mark = server.folder / "mark"
        os.kill(launcher, signal.SIGSTOP)
        try:
            spec = {"every": "1s", "command": ["/usr/bin/touch", str(mark)]}
            self.assertEqual(201, server.admin.ask("PUT", "/api/v1/schedules/tick", spec).status)
            run = await_value(lambda: server.admin.get("/api/v1/runs", state="running").json()["items"], "a start")[0]
            self.assertLess(change(server.admin).status, 300)
            pass_time(1.5)
            os.kill(launcher, signal.SIGCONT)
            ended = await_value(
                lambda: (found := server.admin.get(f"/api/v1/runs/{run['id']}").json())["endedAt"] and found, "its end")
            self.assertEqual("cancelled", ended["state"])
            self.assertIn("paused, disabled or deleted", ended["attempts"][0]["error"])
            self.assertFalse(mark.exists())
        finally:
            os.kill(launcher, signal.SIGCONT)
            server.close()

    def test_begins_nothing_that_was_paused_meanwhile(self) -> None:
        self.begins_nothing_after(lambda client: client.post("/api/v1/schedules/tick/pause"))

    def test_begins_nothing_that_was_deleted_meanwhile(self) -> None:
        self.begins_nothing_after(lambda client: client.ask("DELETE", "/api/v1/schedules/tick"))

    def test_begins_what_is_still_wanted(self) -> None:
        server = LiveServer()
        launcher = launcher_pid(server.data)
        os.kill(launcher, signal.SIGSTOP)
        try:
            self.assertEqual(201, put_command(server.admin, "once", "echo done").status)
            run = server.admin.post("/api/v1/schedules/once/trigger").json()["run"]["id"]
            pass_time(1.5)
            os.kill(launcher, signal.SIGCONT)
            ended = await_value(
                lambda: (found := server.admin.get(f"/api/v1/runs/{run}").json())["endedAt"] and found, "its end")
            self.assertEqual(("succeeded", 1), (ended["state"], ended["attempt"]))
        finally:
            os.kill(launcher, signal.SIGCONT)
            server.close()


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
