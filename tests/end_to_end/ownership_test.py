#!/usr/bin/env python3
"""Whose files a server and its command line trust. Usage: ownership_test.py FOLDER_OF_BINARIES [unittest options]"""

import http.client
import http.server
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
import unittest
import unittest.mock
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from scene import Scene  # noqa: E402
from servers import Served, environment  # noqa: E402
from waiting import await_value  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()
SOMEBODY_ELSE = 65_534
FILE_SIZE_MAX = 256 * 1024

needs_root = unittest.skipUnless(os.geteuid() == 0, "only root can give files away")


class OwnershipCase(unittest.TestCase):
    """A server's folder that somebody may have prepared."""

    def setUp(self) -> None:
        self.scene = Scene(BINARIES)
        self.addCleanup(self.scene.close)
        self.data = self.scene.data
        # Where servers write down that they run, and where commands look for them.
        home = unittest.mock.patch.dict(os.environ, {"HOME": str(self.scene.folder / "home")})
        home.start()
        self.addCleanup(home.stop)

    def serve(self, *arguments: str, prepare: Callable[[], None] | None = None) -> Served:
        """A server, ready or not."""
        server = self.scene.served(*arguments, prepare=prepare)
        self.addCleanup(server.close)
        return server

    def serve_well(self, *arguments: str, prepare: Callable[[], None] | None = None) -> Served:
        """A server that is ready."""
        server = self.serve(*arguments, prepare=prepare)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def assert_refused(self, *words: str) -> None:
        """A server does not start, and says why."""
        server = self.serve()
        self.assertFalse(server.wait_until_ready())
        self.assertNotEqual(server.wait(), 0)
        for word in words:
            self.assertIn(word, server.logged())

    def carillon(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """A command of the command line, in the folder above the data."""
        settings = environment() | {"TZ": "UTC"} | more
        return subprocess.run([str(BINARIES / "carillon"), *arguments], capture_output=True, text=True, env=settings,
                              cwd=self.scene.folder, timeout=60, check=False)


def mode(path: Path) -> int:
    """What everybody may do with it."""
    return stat.S_IMODE(path.stat().st_mode)


class DataFolder(OwnershipCase):
    """What is in it decides who is admin."""

    @needs_root
    def test_that_of_another_user_is_refused(self) -> None:
        self.data.mkdir(mode=0o755)
        os.chown(self.data, SOMEBODY_ELSE, SOMEBODY_ELSE)

        self.assert_refused("belongs to", f"uid {SOMEBODY_ELSE}")

        self.assertEqual(list(self.data.iterdir()), [])

    def test_the_token_is_not_written_into_a_file_that_was_there(self) -> None:
        self.data.mkdir(mode=0o700)
        trap = self.scene.folder / "trap"
        trap.touch()
        (self.data / "admin.token.new").hardlink_to(trap)

        self.serve_well()

        self.assertEqual(trap.read_text(encoding="utf-8"), "")
        self.assertTrue((self.data / "admin.token").read_text(encoding="utf-8").startswith("carillon_"))

    def test_a_lock_with_a_second_name_is_refused_and_not_emptied(self) -> None:
        self.data.mkdir(mode=0o700)
        precious = self.scene.folder / "precious"
        precious.write_text("text", encoding="utf-8")
        (self.data / "lock").hardlink_to(precious)

        self.assert_refused("hard link")

        self.assertEqual(precious.read_text(encoding="utf-8"), "text")

    def test_a_fifo_in_place_of_a_file_is_refused_at_once(self) -> None:
        for name in ("admin.token", "run-id.key", "lock", "launcher.lock", "carillon.db"):
            with self.subTest(name=name):
                self.data.mkdir(mode=0o700, exist_ok=True)
                (self.data / name).unlink(missing_ok=True)
                os.mkfifo(self.data / name)
                try:
                    self.assert_refused("FIFO", name)
                finally:
                    (self.data / name).unlink()

    def test_nobody_else_can_read_what_it_holds(self) -> None:
        self.data.mkdir(mode=0o700)
        self.data.chmod(0o755)

        self.serve_well()

        files = [each for each in self.data.rglob("*") if each.is_file()]
        self.assertIn(self.data / "carillon.db-wal", files)
        self.assertEqual({each.name: oct(mode(each)) for each in files if mode(each) & 0o077}, {})

    def test_it_makes_no_file_for_others_whatever_mask_it_was_started_with(self) -> None:
        server = self.serve_well(prepare=lambda: os.umask(0) and None)

        self.assertIn("Umask:\t0077\n", Path(f"/proc/{server.child.pid}/status").read_text(encoding="utf-8"))

    def test_the_store_of_an_earlier_version_becomes_private(self) -> None:
        self.serve_well().stop()
        (self.data / "carillon.db").chmod(0o644)

        self.serve_well()

        self.assertEqual(mode(self.data / "carillon.db"), 0o600)


class Sink(http.server.BaseHTTPRequestHandler):
    """Somebody who waits for tokens."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """Keeps what it was sent."""
        self.heard.append(str(self.headers))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"items": []}')

    def log_message(self, format: str, *args: object) -> None:  # pylint: disable=redefined-builtin
        """Nobody wants to know."""


class Records(OwnershipCase):
    """A record of a running server says where tokens go."""

    def setUp(self) -> None:
        super().setUp()
        Sink.heard = []
        sink = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
        threading.Thread(target=sink.serve_forever, daemon=True).start()
        self.addCleanup(sink.server_close)
        self.addCleanup(sink.shutdown)
        self.url = f"http://127.0.0.1:{sink.server_port}"
        self.secret = self.scene.folder / "id_rsa"
        self.secret.write_text("-----BEGIN KEY-----", encoding="utf-8")
        self.secret.chmod(0o600)
        self.here = self.scene.folder / "carillon-data"
        self.here.mkdir(mode=0o700)

    def pretend(self, folder: Path, **more: Any) -> Path:
        """A record that names a process which is called as a server is."""
        program = self.scene.folder / "carillon-not"
        if not program.exists():
            shutil.copy("/bin/sleep", program)
        # pylint: disable-next=consider-using-with
        process = subprocess.Popen([str(program), "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        record = {"url": self.url, "tokenFile": str(self.secret), "data": str(self.here), "pid": process.pid,
                  "startedAt": "2026-11-01T00:00:00Z"} | more
        file = folder / "server.json"
        file.write_text(json.dumps(record), encoding="utf-8")
        file.chmod(0o600)
        return file

    def assert_not_used(self, reason: str) -> None:
        """Nothing was sent, and people are told."""
        run = self.carillon("list")
        self.assertEqual(Sink.heard, [])
        self.assertIn(f"warning: {self.here}/server.json is ignored: ", run.stderr)
        self.assertIn(reason, run.stderr)

    @needs_root
    def test_that_of_another_user_is_not_used(self) -> None:
        record = self.pretend(self.here)
        os.chown(record, SOMEBODY_ELSE, SOMEBODY_ELSE)
        self.assert_not_used("belongs to")

        os.chown(record, 0, 0)
        os.chown(self.here, SOMEBODY_ELSE, SOMEBODY_ELSE)
        self.assert_not_used("belongs to")

    def test_one_that_others_may_change_is_not_used(self) -> None:
        record = self.pretend(self.here)
        record.chmod(0o666)
        self.assert_not_used("other users can write to the file")

        record.chmod(0o600)
        self.here.chmod(0o777)
        self.assert_not_used("other users can write to the folder")

    def test_one_that_leads_to_another_machine_is_not_used(self) -> None:
        for url in ("http://192.0.2.1:7070", "http://127.0.0.1:1@192.0.2.1:7070", "http://127.0.0.1.example.org:1"):
            with self.subTest(url=url):
                self.pretend(self.here, url=url)
                self.assert_not_used("is not a local address of this machine")

    def test_its_token_is_that_of_its_folder_and_nothing_else(self) -> None:
        self.pretend(self.here)
        self.assertNotEqual(self.carillon("list").returncode, 0)

        (self.here / "admin.token").symlink_to(self.secret)
        self.assertIn("symbolic link", self.carillon("list").stderr)

        (self.here / "admin.token").unlink()
        (self.here / "admin.token").write_text("-----BEGIN KEY-----", encoding="utf-8")
        (self.here / "admin.token").chmod(0o600)
        self.assertIn("does not contain a carillon token", self.carillon("list").stderr)

        os.mkfifo(self.here / "fifo", 0o600)
        os.replace(self.here / "fifo", self.here / "admin.token")
        self.assertIn("FIFO", self.carillon("list").stderr)
        self.assertEqual(Sink.heard, [])

        token = "carillon_0jgykyq4_" + "z" * 40
        (self.here / "admin.token").unlink()
        (self.here / "admin.token").write_text(token, encoding="utf-8")
        (self.here / "admin.token").chmod(0o600)
        self.carillon("list")
        self.assertIn(f"Authorization: Bearer {token}", Sink.heard[0])

    def test_its_token_is_not_that_of_another_folder_which_it_names(self) -> None:
        elsewhere = self.scene.folder / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        (elsewhere / "admin.token").write_text("carillon_0jgykyq4_" + "z" * 40, encoding="utf-8")
        (elsewhere / "admin.token").chmod(0o600)
        self.pretend(self.here, data=str(elsewhere))

        run = self.carillon("list")

        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(Sink.heard, [])

    def test_a_real_one_is_found(self) -> None:
        self.here.rmdir()
        self.data = self.scene.data = self.here
        self.serve_well()

        run = self.carillon("list")

        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("warning", run.stderr)


class DeletedFolder(OwnershipCase):
    """What is written into a deleted file is lost."""

    def setUp(self) -> None:
        super().setUp()
        self.server = self.serve_well()
        self.port = int(self.server.greeting[0].rsplit(":", 1)[1])
        self.token = (self.data / "admin.token").read_text(encoding="utf-8").strip()

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Status and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def assert_says_so(self, what: str) -> None:
        """To whoever writes, whoever watches, and to people."""
        status, body = self.ask("POST", "/api/v1/schedules", {"id": "late", "cron": "0 0 1 1 *", "command": "true"})
        self.assertEqual(status, 503, body)
        self.assertIn("store-unwritable", body)
        status, body = self.ask("GET", "/readyz")
        self.assertEqual(status, 503)
        self.assertIn("the data folder was deleted or replaced", body)
        self.assertEqual(self.server.logged().count("data folder was deleted or replaced"), 1, self.server.logged())
        self.assertIn(what, self.server.logged())
        told = self.carillon("doctor", "--data", str(self.data))
        self.assertEqual(told.returncode, 7)
        self.assertIn("was deleted or replaced under the running server", told.stdout)

    def test_nothing_is_acknowledged_when_it_is_gone(self) -> None:
        self.assertEqual(self.ask("GET", "/readyz")[0], 200)

        shutil.rmtree(self.data)

        self.assert_says_so("was deleted while the server runs")
        self.assertIn("the data folder", self.carillon("list").stderr)
        self.assertEqual(self.server.stop(), 0, self.server.logged())

    def test_nothing_is_acknowledged_when_another_is_in_its_place(self) -> None:
        moved = self.scene.folder / "moved"
        self.data.rename(moved)
        self.data.mkdir(mode=0o700)
        shutil.copy(moved / "carillon.db", self.data / "carillon.db")

        # Whoever writes in the moment between the two sees it deleted.
        self.assert_says_so("while the server runs; nothing is written any more")

        shutil.rmtree(self.data)
        moved.rename(self.data)
        body = {"id": "later", "cron": "0 0 1 1 *", "command": "true"}
        self.assertEqual(self.ask("POST", "/api/v1/schedules", body)[0], 201, "it is back")
        # Claims and decisions have to find that out, too.
        await_value(lambda: self.ask("GET", "/readyz")[0] == 200, "the server is ready again")


class Commands(OwnershipCase):
    """What a server does for itself is not passed on."""

    def test_they_have_the_usual_mask_and_signals(self) -> None:
        told = self.scene.folder / "told"
        (self.scene.folder / "one.yaml").write_text(
            f"id: one\ncron: 0 0 1 1 *\ncommand: umask > {told}; grep SigIgn /proc/self/status >> {told}\n",
            encoding="utf-8")
        self.serve_well("--apply", str(self.scene.folder / "one.yaml"), prepare=lambda: os.umask(0o077) and None)

        run = self.carillon("trigger", "one", "--wait")

        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(told.read_text(encoding="utf-8").splitlines(), ["0022", "SigIgn:\t0000000000000000"])


class FileSizes(OwnershipCase):
    """`ulimit -f` is a full disk, and no death."""

    def test_a_limit_that_is_reached_fails_writes_and_leaves_the_server_running(self) -> None:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE_MAX, FILE_SIZE_MAX))

        server = self.serve_well(prepare=limit)
        codes = set()
        for number in range(400):
            run = self.carillon("add", f"one-{number}", "--cron", "0 0 1 1 *", "--", "/bin/echo", "x" * 20_000)
            codes.add(run.returncode)
            if run.returncode != 0:
                break

        self.assertGreater(len(codes), 1, "the limit was reached")
        self.assertIsNone(server.child.poll(), "the server still runs")
        self.assertEqual(self.carillon("list").returncode, 0)
        self.assertEqual(server.stop(signal.SIGTERM), 0, server.logged()[-2000:])


if __name__ == "__main__":
    unittest.main()
