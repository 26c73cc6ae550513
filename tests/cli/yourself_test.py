#!/usr/bin/env python3
"""doctor, init, config, context, open and completion with real faults. Usage: yourself_test.py FOLDER_OF_BINARIES"""

import http.server
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api" / "live"))

from served import LiveServer, binaries  # noqa: E402

PATIENCE_SECONDS = 60


class Yourself(unittest.TestCase):
    """A home and a folder of their own for every test."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="carillon-cli-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.environment = {"LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(self.folder / "home"),
                            "PATH": os.environ.get("PATH", "")}
        self.environment |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}

    def run_carillon(self, *words, folder=None, **environment):
        """One command line."""
        return subprocess.run([str(binaries() / "carillon"), *map(str, words)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
                              cwd=folder or self.folder, env=self.environment | environment)

    def told(self, *words, code=0, **more):
        """What a command says on standard output, given that it ends with this code."""
        run = self.run_carillon(*words, **more)
        self.assertEqual(run.returncode, code, run.stderr + run.stdout)
        return run.stdout

    def served(self, *arguments):
        """A server, and the settings that lead to it."""
        server = LiveServer(*arguments)
        self.addCleanup(server.close)
        self.environment |= {"CARILLON_SERVER": f"http://127.0.0.1:{server.port}",
                             "CARILLON_TOKEN_FILE": str(server.data / "admin.token")}
        return server


class ManPage(Yourself):
    """The manual page, which is made of what the program says about itself."""

    def test_has_every_command_once_with_its_options(self):
        maker = Path(__file__).resolve().parents[2] / "packaging" / "man_page"
        page = subprocess.run(["bash", str(maker), str(binaries() / "carillon"), "1.0"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS,
                              env=self.environment).stdout
        commands = re.findall(r"^\.SS carillon (.*)$", page, re.MULTILINE)
        listed = [line[2:].split("  ")[0] for line in self.told("help").partition("Topics")[0].splitlines()
                  if line.startswith("  ")]

        self.assertEqual(commands, listed)
        usages = re.findall(r"^\.B carillon ([a-z-]+(?: [a-z]+)?)", page.replace("\\-", "-"), re.MULTILINE)
        self.assertEqual(len(usages), len(listed))
        for usage, command in zip(usages, listed):
            self.assertTrue(usage.startswith(command), usage)
        for command, option in (("run logs", "--follow"), ("backfill create", "--from"), ("queue list", "--quiet")):
            section = page.replace("\\-", "-").partition(f".SS carillon {command}\n")[2].partition(".SS ")[0]
            self.assertIn(option, section, command)


def free_port():
    """One that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Doctor(Yourself):
    """Every fault is made for real."""

    def checks(self, *words, **environment):
        """What it found, by check."""
        run = self.run_carillon("doctor", "-o", "json", *words, **environment)
        self.assertEqual(run.stderr, "")
        found = {}
        for each in json.loads(run.stdout):
            found.setdefault(each["check"], []).append(each)
        is_well = all(each["status"] == "ok" for group in found.values() for each in group)
        self.assertEqual(run.returncode, 0 if is_well else 7)
        return found

    def fault(self, check, *words, **environment):
        """The one thing that is wrong about this."""
        faults = [each for each in self.checks(*words, **environment).get(check, []) if each["status"] != "ok"]
        self.assertEqual(len(faults), 1, check)
        self.assertTrue(faults[0]["fix"])
        return faults[0]

    def test_a_server_that_is_well(self):
        server = self.served()

        found = self.checks("--data", server.data)

        for check in ("server", "server-clock", "version", "store", "folder", "disk", "lock", "token", "port", "tzdata"):
            self.assertEqual({each["status"] for each in found[check]}, {"ok"}, found[check])
        self.assertIn(f"pid {server.process.pid} ", found["lock"][0]["message"])
        self.assertIn(f"pid {server.process.pid} ", found["port"][0]["message"])
        self.assertIn("integrity ok", self.checks("--data", server.data, "--full")["store"][0]["message"])

    def test_no_server(self):
        port = free_port()

        fault = self.fault("server", CARILLON_SERVER=f"127.0.0.1:{port}")

        self.assertIn(f"cannot reach carillon at 127.0.0.1:{port}", fault["message"])
        self.assertIn("carillon serve", fault["fix"])

    def test_a_clock_that_is_wrong(self):
        server = self.served()

        found = self.checks("--data", server.data, CARILLON_NOW="2020-01-01T00:00:00Z")

        self.assertEqual(found["server-clock"][0]["status"], "error")
        self.assertIn("ahead of this one", found["server-clock"][0]["message"])
        self.assertEqual(found["clock-backwards"][0]["status"], "error")

    def test_a_database_of_another_program(self):
        (self.folder / "data").mkdir(mode=0o700)
        with sqlite3.connect(self.folder / "data" / "carillon.db") as database:
            database.execute("PRAGMA application_id = 4711")
            database.execute("CREATE TABLE other (x)")

        self.assertIn("another program", self.fault("store", "--data", "data")["message"])

    def test_a_database_that_is_newer(self):
        server = LiveServer()
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        try:
            with sqlite3.connect(server.data / "carillon.db") as database, \
                    sqlite3.connect(data / "carillon.db") as copy:
                database.backup(copy)
                copy.execute("PRAGMA user_version = 9999")
        finally:
            server.close()

        self.assertIn("format 9999", self.fault("store", "--data", "data")["message"])

    def test_a_file_that_is_no_database(self):
        (self.folder / "data").mkdir(mode=0o700)
        (self.folder / "data" / "carillon.db").write_bytes(b"nonsense" * 1000)

        self.fault("store", "--data", "data")

    def test_a_port_that_another_program_has(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]

            fault = self.fault("port", "--listen", f"127.0.0.1:{port}")

        self.assertIn(f"port {port} is in use by pid {os.getpid()} (", fault["message"])
        self.assertIn("carillon serve --listen", fault["fix"])

    def test_zones_that_are_missing(self):
        (self.folder / "empty").mkdir()

        self.assertIn("tzdata", self.fault("tzdata", TZDIR=str(self.folder / "empty"))["message"])

    def test_a_folder_that_is_open_to_others_or_no_folder(self):
        (self.folder / "data").mkdir()
        (self.folder / "data").chmod(0o777)
        (self.folder / "file").write_text("x", encoding="utf-8")

        self.assertEqual(self.fault("folder", "--data", "data")["fix"], "chmod go-w data")
        self.fault("folder", "--data", "file")

    def test_a_token_that_others_can_read(self):
        token = self.folder / "my.token"
        token.write_text("secret", encoding="utf-8")
        token.chmod(0o644)

        fault = self.fault("token", "--token-file", token)

        self.assertEqual(fault["fix"], f"chmod 600 {token}")
        self.assertNotIn("secret", json.dumps(self.checks("--token-file", token)))

    def test_a_server_of_another_version(self):
        class Old(http.server.BaseHTTPRequestHandler):
            """Answers as a server of another version would."""

            def do_GET(self):  # noqa: N802
                now = {"now": "2026-10-29T14:22:05Z", "tzdata": "1999a"}
                body = json.dumps({"version": "0.0.1"} if self.path == "/version" else now).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Silent."""

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Old) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"127.0.0.1:{server.server_address[1]}"
            found = self.checks("--server", address, CARILLON_NOW="2026-10-29T14:22:05Z")
            server.shutdown()

        self.assertIn("0.0.1", found["version"][0]["message"])
        self.assertEqual(found["version"][0]["status"], "warning")
        self.assertEqual(found["server-tzdata"][0]["status"], "warning")
        self.assertEqual(found["server-clock"][0]["status"], "ok")

    def test_settings_that_cannot_be_read(self):
        (self.folder / ".carillon.yaml").write_text("sever: x\n", encoding="utf-8")

        self.assertIn(".carillon.yaml:1", self.fault("config")["message"])


class Beginning(Yourself):
    """The first minutes."""

    def test_what_init_writes_runs_as_written(self):
        said = self.told("init", "hello")
        self.assertIn("cd hello && carillon serve --apply .", said)
        self.assertEqual(self.run_carillon("init", "hello").returncode, 5)

        server = self.served("--apply", str(self.folder / "hello"))

        self.assertEqual(self.told("list", "-q"), "hello\nwebhook\n")
        self.assertTrue(server.is_alive())
        self.assertEqual(self.told("lint", "hello"), "no findings\n")

    def test_open_prints_an_address_that_answers(self):
        self.served()

        link = re.escape(self.environment["CARILLON_SERVER"]) + r"/#sign-in=carillon_link_[0-9a-z]{40}\n"
        self.assertRegex(self.told("open", "--print"), link)

    def test_a_context_leads_to_its_server(self):
        server = self.served()
        url, token = self.environment.pop("CARILLON_SERVER"), self.environment.pop("CARILLON_TOKEN_FILE")

        self.told("context", "add", "here", "--server", url, "--token-file", token)
        self.told("context", "use", "here")

        self.assertEqual(self.told("config", "get", "server"), url + "\n")
        self.assertEqual(self.told("list", "-q"), "")
        self.assertIn("currentContext", self.told("config", "show", "--origin"))
        self.assertTrue((self.folder / "home/.config/carillon/config.yaml").stat().st_mode & 0o077 == 0)
        self.assertTrue(server.is_alive())

    def test_a_context_that_asks_is_not_written_to_by_scripts(self):
        server = self.served("--apply", str(Path(__file__).resolve().parents[2] / "examples" / "schedules"))
        url, token = self.environment.pop("CARILLON_SERVER"), self.environment.pop("CARILLON_TOKEN_FILE")
        self.told("context", "add", "prod", "--server", url, "--token-file", token, "--confirm")
        self.told("context", "use", "prod")

        self.told("list")
        self.told("pause", "hello", code=2)
        self.told("pause", "hello", "--context", "prod")
        self.assertTrue(server.is_alive())


class Completion(Yourself):
    """The script in a real bash."""

    def completed(self, *words):
        """What bash offers for the last word."""
        script = 'source <("$BINARY" completion bash); carillon() { "$BINARY" "$@"; }; COMP_WORDS=(carillon "$@"); ' \
                 'COMP_CWORD=$#; _carillon; [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"'
        run = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=False,
                             cwd=self.folder, timeout=PATIENCE_SECONDS,
                             env=self.environment | {"BINARY": str(binaries() / "carillon")})
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_bash_offers_words_flags_and_values(self):
        self.assertEqual(self.completed("descr"), ["describe"])
        self.assertEqual(self.completed("context", "u"), ["use"])
        self.assertEqual(self.completed("next", "--af"), ["--after"])
        self.assertEqual(self.completed("list", "-o", "js"), ["json", "jsonl"])
        self.assertEqual(self.completed("next", "--tz", "Europe/Berl"), ["Europe/Berlin"])

    def test_bash_offers_files(self):
        (self.folder / "my file.yaml").write_text("x", encoding="utf-8")

        self.assertEqual(self.completed("lint", "my"), ["my", "file.yaml"])

    def test_bash_offers_names_of_schedules(self):
        self.served("--apply", str(Path(__file__).resolve().parents[2] / "examples" / "schedules"))

        self.assertEqual(self.completed("status", ""), ["flaky", "hello", "slow"])
        self.assertEqual(self.completed("scheduler", "pause", "h"), ["hello"])

    def test_bash_is_silent_without_a_server(self):
        self.environment["CARILLON_SERVER"] = f"http://127.0.0.1:{free_port()}"

        self.assertEqual(self.completed("status", ""), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
