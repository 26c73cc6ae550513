#!/usr/bin/env python3
"""What stays behind, and who learns of it. Usage: security_traces_test.py BINARIES PRINT_API"""

import base64
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from served import LiveServer, binaries, print_api, unittest_arguments

from client import Client, Event
from description import Description
from hostile import SCHEDULES, Case, job_schedule, raw_request, status_of
from servers import environment
from waiting import await_value

DESCRIPTION: Description
SERVER: LiveServer
TEMPORARY = tempfile.TemporaryDirectory(prefix="carillon-secrets-")  # pylint: disable=consider-using-with
SECRETS = Path(TEMPORARY.name)


def setUpModule() -> None:
    """One server for all; its log is read by programs."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SECRETS.chmod(0o700)
    os.environ["CARILLON_TEST_ALLOWED"] = "c4n4ry-5ecret-of-env"
    os.environ["CARILLON_TEST_OTHER"] = "c4n4ry-not-to-be-read"
    SERVER = LiveServer("--log", "json", "--secret-dir", str(SECRETS), "--secret-env", "CARILLON_TEST_ALLOWED")


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()
    TEMPORARY.cleanup()


def secret_file(name: str, text: str) -> None:
    """A file of the secret directory, for its owner only."""
    path = SECRETS / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)


class Secrets(Case):
    """S35, S36."""

    def performed(self, name: str, action: dict[str, Any]) -> dict[str, Any]:
        """The one run of a new schedule, when it has ended."""
        once = {"policies": {"retry": {"maxAttempts": 1}}}
        self.create(SERVER.admin, {"id": name, "action": action, **once})
        path = f"/api/v1/runs/{self.trigger(SERVER.admin, name)['id']}"

        def ended() -> dict[str, Any] | None:
            run = SERVER.admin.get(path).json()
            return run if run["state"] in ("succeeded", "failed", "timed_out", "lost") else None

        return await_value(ended, f"the end of {name}")

    def log_of(self, run: dict[str, Any]) -> str:
        """What it printed."""
        return SERVER.admin.get(f"/api/v1/runs/{run['id']}/logs").text

    def test_s36_a_secret_that_a_command_prints_is_hidden(self) -> None:
        secret_file("printed", "c4n4ry-that-is-printed\n")
        script = 'echo "it is $A"; printf %s "$A" | base64; echo "$B" >&2'
        variables = {"A": "${secret:printed}", "B": "${env:CARILLON_TEST_ALLOWED}"}
        run = self.performed("printing", {"command": {"argv": ["/bin/sh", "-c", script], "env": variables}})

        self.assertEqual("succeeded", run["state"])
        log = self.log_of(run)
        self.assertIn("it is ***", log)
        self.assertEqual(3, log.count("***"), log)
        self.assertNotIn("c4n4ry", log)
        self.assertNotIn(base64.b64encode(b"c4n4ry-that").decode()[:12], log)

    def test_nothing_is_read_that_was_not_allowed(self) -> None:
        other = SERVER.folder / "outside"
        other.write_text("c4n4ry-outside", encoding="utf-8")
        (SECRETS / "link").symlink_to(other)
        token = (SERVER.data / "admin.token").read_text(encoding="utf-8").strip()
        for number, (reference, remedy) in enumerate(
            {
                "${file:/etc/passwd}": "outside the secret directory",
                f"${{file:{SERVER.data}/admin.token}}": "outside the secret directory",
                f"${{file:{other}}}": "outside the secret directory",
                "${secret:link}": "without following a link",
                "${secret:nothing}": "create it",
                "${env:CARILLON_TEST_OTHER}": "--secret-env CARILLON_TEST_OTHER",
                "${env:PATH}": "--secret-env PATH",
            }.items()
        ):
            with self.subTest(reference):
                command = {"argv": ["/bin/sh", "-c", 'echo "$X"'], "env": {"X": reference}}
                run = self.performed(f"not-allowed-{number}", {"command": command})
                self.assertEqual("failed", run["state"])
                self.assertIn(reference, run["error"])
                self.assertIn(remedy, run["error"])
                for place in (self.log_of(run), json.dumps(run)):
                    for value in ("c4n4ry", "root:", token):
                        self.assertNotIn(value, place)

    def test_a_secret_that_is_no_file_fails_its_attempt_and_stops_nobody(self) -> None:
        os.mkfifo(SECRETS / "fifo", 0o600)
        hook = {"url": "http://127.0.0.1:9/", "headers": {"X": "${secret:fifo}"}}
        run = self.performed("with-fifo", {"http": hook})

        self.assertEqual("failed", run["state"])
        self.assertIn("is not a regular file", run["error"])
        after = self.performed("after-fifo", {"command": {"argv": ["/bin/true"]}})
        self.assertEqual("succeeded", after["state"])

    def test_what_cannot_work_is_told_when_it_is_saved(self) -> None:
        hook = {"url": "http://127.0.0.1:9/"}
        for member, code in (
            ({"headers": {"Host": "x"}}, "invalid-header"),
            ({"headers": {"X": "${vault:x}"}}, "unknown-reference"),
            ({"headers": {"X": "${secret:a/b}"}}, "invalid-reference"),
            ({"body": "{{runIdd}}"}, "unknown-template-name"),
        ):
            answer = SERVER.admin.post(SCHEDULES, {"id": "refused", "action": {"http": hook | member}})
            self.assertEqual(422, answer.status, member)
            problem = answer.json()["errors"][0]
            self.assertEqual(code, problem["code"])
            self.assertTrue(problem["pointer"].startswith("/action/http/"), problem)
        env = {"DB_PASSWORD": "c4n4ry", "OTHER": "${env:CARILLON_TEST_OTHER}", "GOOD": "${secret:canary}"}
        command = {"argv": ["/bin/true"], "env": env}
        for query in ({}, {"dryRun": "true"}):
            body = {"id": f"warned-{len(query)}", "action": {"command": command}}
            answer = SERVER.admin.post(SCHEDULES, body, **query)
            warnings = {warning["code"]: warning for warning in answer.json()["warnings"]}
            self.assertEqual({"literal-secret", "unreadable-secret"}, set(warnings), query)
            self.assertEqual("/action/command/env/DB_PASSWORD", warnings["literal-secret"]["pointer"])
            self.assertIn("--secret-env CARILLON_TEST_OTHER", warnings["unreadable-secret"]["fix"])

    def test_s35_the_value_of_a_secret_appears_nowhere(self) -> None:
        canary = "c4n4ry-5ecret+/value"
        secret_file("canary", canary)
        reference = f"${{file:{SECRETS}/canary}}"
        spellings = {canary, quote(canary, safe=""), base64.b64encode(canary.encode()).decode()}
        script = 'test "$PASSWORD" = c4n4ry-5"ecret+/value"'
        command = {"argv": ["/bin/sh", "-c", script], "env": {"PASSWORD": reference}}
        headers = {"Authorization": f"Bearer {reference}"}
        hook = {"url": "http://127.0.0.1:9/", "headers": headers, "signingSecret": reference}
        once = {"policies": {"retry": {"maxAttempts": 1}}}
        self.create(SERVER.admin, {"id": "with-secret", "action": {"command": command}, **once})
        self.create(SERVER.admin, {"id": "with-hook", "action": {"http": hook}, **once})
        told: list[Event] = []
        with SERVER.admin.events("/api/v1/events") as stream:
            for name in ("with-secret", "with-hook"):
                told += stream.until("run.finished", id=self.trigger(SERVER.admin, name)["id"])
        for name, state in (("with-secret", "succeeded"), ("with-hook", "failed")):
            path = f"/api/v1/runs/{self.trigger(SERVER.admin, name)['id']}"
            is_there = lambda path=path, state=state: SERVER.admin.get(path).json()["state"] == state  # noqa: E731
            await_value(is_there, f"{name} {state}")

        for place, text in [*self.outputs(), ("the events", json.dumps([event.data for event in told]))]:
            for spelling in spellings:
                self.assertNotIn(spelling, text, place)
        kept = SERVER.admin.get(f"{SCHEDULES}/with-secret").json()
        self.assertEqual(reference, kept["action"]["command"]["env"]["PASSWORD"])

    def outputs(self) -> Iterator[tuple[str, str]]:
        """Everything that can be read of a server."""
        for operation in DESCRIPTION.operations.values():
            if operation.method != "GET" or operation.id == "streamEvents":
                continue
            for schedule in ("with-secret", "with-hook"):
                runs = SERVER.admin.get(f"{SCHEDULES}/{schedule}/runs").json()["items"]
                path = operation.path.replace("{id}", schedule).replace("{run}", runs[0]["id"])
                yield f"{operation.id} of {schedule}", SERVER.admin.get(path.replace("{backfill}", "bf-1")).text
        yield "the log", SERVER.process.logged()
        export = [str(binaries() / "carillon"), "ledger", "export", "--data", str(SERVER.data)]
        ledger = subprocess.run(export, capture_output=True, env=environment(), check=True, timeout=60)
        yield "the ledger", ledger.stdout.decode()
        for path in SERVER.data.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes().decode("latin-1")


class Traces(Case):
    """S49, S50: what stays, and what is told to strangers."""

    def test_s49_every_change_and_every_refusal_is_in_the_audit_log(self) -> None:
        editor = SERVER.token("editor", name="audited")
        client = Client(SERVER.port, editor["token"])
        self.create(client, job_schedule("audited"))
        path = f"{SCHEDULES}/audited"
        client.ask("PATCH", path, {"description": "x"})
        for verb in ("pause", "resume", "disable", "enable", "trigger", "cancel"):
            self.assertLess(client.post(f"{path}/{verb}").status, 300)
        client.ask("DELETE", path)
        self.assert_refused(client.get("/api/v1/tokens"), 403)

        def records() -> list[dict[str, Any]]:
            items = SERVER.admin.get("/api/v1/audit", limit=500).json()["items"]
            own = [item for item in reversed(items) if item["actor"] == f"token:{editor['id']}"]
            return own if any(item["outcome"] == "forbidden" for item in own) else []

        found = await_value(records, "the refusal in the audit log")
        operations = [item["operation"] for item in found]
        verbs = ("create", "patch", "pause", "resume", "disable", "enable", "trigger")
        expected = [f"schedule.{verb}" for verb in verbs] + ["run.cancel", "schedule.delete"]
        self.assertEqual(expected, [operation for operation in operations if operation != "listTokens"])
        self.assertEqual({"127.0.0.1"}, {item["address"] for item in found})
        by_name = {item["operation"]: item for item in found}
        self.assertRegex(by_name["schedule.create"]["after"], "^[0-9a-f]{64}$")
        self.assertRegex(by_name["schedule.patch"]["before"], "^[0-9a-f]{64}$")
        self.assertNotEqual(by_name["schedule.patch"]["before"], by_name["schedule.patch"]["after"])
        self.assertEqual(by_name["schedule.create"]["after"], by_name["schedule.patch"]["before"])
        created = SERVER.admin.get("/api/v1/audit", limit=500).json()["items"]
        self.assertIn(("token.create", editor["id"]), {(item["operation"], item["target"]) for item in created})

    def test_s49_a_record_that_was_changed_afterwards_is_named(self) -> None:
        self.assertIs(True, SERVER.admin.get("/api/v1/audit/verify").json()["intact"])
        store = sqlite3.connect(SERVER.data / "carillon.db", timeout=60)
        self.addCleanup(store.close)
        number, actor = store.execute("select number, actor from audit order by number limit 1 offset 2").fetchone()

        def forge(who: str) -> None:
            store.execute("update audit set actor = ? where number = ?", (who, number))
            store.commit()

        forge("somebody else")
        self.addCleanup(forge, actor)

        verdict = SERVER.admin.get("/api/v1/audit/verify").json()
        self.assertEqual((False, number), (verdict["intact"], verdict["firstBroken"]))
        self.assertEqual(f"record {number} is not as it was written", verdict["reason"])

    def test_s49_records_that_were_taken_away_at_the_end_are_missed(self) -> None:
        store = sqlite3.connect(SERVER.data / "carillon.db", timeout=60)
        self.addCleanup(store.close)
        rows = store.execute("select * from audit where number > 2").fetchall()

        def put_back() -> None:
            marks = ",".join("?" * len(rows[0]))
            store.executemany(f"insert or ignore into audit values ({marks})", rows)
            store.commit()

        store.execute("delete from audit where number > 2")
        store.commit()
        self.addCleanup(put_back)

        verdict = SERVER.admin.get("/api/v1/audit/verify").json()

        self.assertEqual((False, 3), (verdict["intact"], verdict["firstBroken"]))
        self.assertRegex(verdict["reason"], r"records 3 to \d+ are missing")

    def test_s50_strangers_learn_nothing_about_the_machine(self) -> None:
        told = re.compile(rb"(?i)/home|/root|/tmp|\.cpp|sqlite|select |stack|boost|0x[0-9a-f]{6}|exception")
        start = f"Host: 127.0.0.1:{SERVER.port}"
        requests = [
            raw_request("GET /nowhere HTTP/1.1", start),
            raw_request("GET / HTTP/1.1", start),
            raw_request(f"DELETE {SCHEDULES} HTTP/1.1", start),
            raw_request(f"BREW {SCHEDULES} HTTP/1.1", start),
            raw_request(f"GET {SCHEDULES}/%zz HTTP/1.1", start),
            raw_request(f"GET {SCHEDULES} HTTP/9.9", start),
            raw_request(f"GET {SCHEDULES} HTTP/1.1", start),
            raw_request(f"POST {SCHEDULES} HTTP/1.1", start, "Content-Length: 1", body=b"{"),
            raw_request("GET /livez HTTP/1.1", start),
            raw_request("GET /version HTTP/1.1", start),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 32,
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ]
        for request in requests:
            with self.subTest(request=request[:60]):
                response = SERVER.stranger.raw(request)
                self.assertIsNone(told.search(response), response[:500])
                server = re.search(rb"^Server: (.*)\r$", response, re.MULTILINE)
                self.assertTrue(server is None or not re.search(rb"\d", server[1]), response[:300])
                if status_of(response) >= 400:
                    self.assertIn(b"application/problem+json", response)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
