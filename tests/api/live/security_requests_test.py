#!/usr/bin/env python3
"""What attackers send. Usage: security_requests_test.py BINARIES PRINT_API"""

import json
import re
import unittest
from typing import Any
from urllib.parse import quote

from served import LiveServer, print_api, unittest_arguments

from client import Answer, segment
from description import Description
from hostile import SCHEDULES, Case, job_schedule, raw_request, status_of
from waiting import await_value

DESCRIPTION: Description
SERVER: LiveServer
HOSTILE_IDS = (
    *("..", "../../etc/x", "a/b", "a\\b", "a\0b", ".hidden", "x" * 300),
    *("n\u0430me", "a b", "-a", "\u202e", "a\nb"),
)


def setUpModule() -> None:
    """One server for all; its log is read by programs."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer("--log", "json")


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def strictly_read(text: str) -> Any:
    """As a parser reads it that knows no favours: repeated keys and numbers that are none are errors. What does not fit
    into 64 bits is as near as a double can be."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            raise ValueError(f"a repeated key in {text[:80]}")
        return members

    def whole(digits: str) -> int | float:
        number = int(digits)
        return number if -(2**63) <= number < 2**64 else float(number)

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no number")

    return json.loads(text, object_pairs_hook=once, parse_int=whole, parse_constant=refuse)


class Bodies(Case):
    """S9, S12, S38, S40, S44."""

    def test_s9_members_that_only_the_server_writes_are_passed_over_and_unknown_ones_refused(self) -> None:
        editor = SERVER.client("editor")
        protected = {"owner": "root", "revision": 99, "status": "dead", "runCount": 7}
        document = {"id": "assigned", "action": {"job": {"type": "t"}}, **protected}

        answer = self.create(editor, document)

        self.assertEqual(1, answer["revision"])
        self.assertEqual("active", answer["status"])
        self.assertEqual(0, answer["runCount"])
        self.assertEqual("test", answer["owner"])
        self.assertEqual("test", editor.get(f"{SCHEDULES}/assigned").json()["owner"])
        for name in ("role", "run_as", "epoch", "uid", "version", "__proto__", "constructor"):
            refused = editor.post(SCHEDULES, {"id": "never", "action": {"job": {"type": "t"}}, name: "admin"})
            self.assert_refused(refused, 422)
            self.assertIn(f"/{name}", [error["pointer"] for error in refused.json()["errors"]])
        self.assert_refused(SERVER.admin.post("/api/v1/tokens", {"name": "x", "role": "viewer", "hash": "00"}), 422)

    def test_s12_pages_of_other_origins_and_forms_cannot_write(self) -> None:
        document = job_schedule("forged")
        neighbour = f"http://127.0.0.1:{SERVER.port + 1}"
        for origin in ("http://evil.example", "null", neighbour, "http://127.0.0.1", "file://"):
            answer = SERVER.admin.ask("POST", SCHEDULES, document, headers={"Origin": origin})
            self.assert_refused(answer, 403)
        forms = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
        for media in (*forms, "text/plain", "", "application/jsonx"):
            answer = SERVER.admin.ask("POST", SCHEDULES, document, headers={"Content-Type": media})
            self.assert_refused(answer, 415)
        self.assert_refused(SERVER.admin.get(f"{SCHEDULES}/forged"), 404)
        own = {"Origin": f"http://127.0.0.1:{SERVER.port}"}
        self.assertEqual(201, SERVER.admin.ask("POST", SCHEDULES, document, headers=own).status)

    def test_s38_json_that_is_no_json_is_refused_and_nothing_falls_over(self) -> None:
        hostile = {
            "deep lists": b"[" * 100_000,
            "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
            "a long number": b'{"id": ' + b"9" * 900_000 + b"}",
            "a long exponent": b'{"id": 1e' + b"9" * 100_000 + b"}",
            "lone surrogates": b'{"id": "\\ud800"}',
            "invalid UTF-8": b'{"id": "\xff\xfe"}',
            "a repeated key": b'{"id": "a", "id": "b"}',
            "two values": b'{"id": "a"} {"id": "b"}',
            "NaN": b'{"id": NaN}',
            "a comment": b'{/* */"id": "a"}',
            "a trailing comma": b'{"id": "a",}',
            "NUL": b'{"id": "a"}\0',
        }
        for name, body in hostile.items():
            with self.subTest(body=name):
                self.assert_refused(SERVER.admin.ask("POST", SCHEDULES, body), 400)
        for value in (None, True, 1, "text", [], [{}]):
            self.assert_refused(SERVER.admin.ask("POST", SCHEDULES, json.dumps(value).encode()), 422)
        self.assertTrue(SERVER.is_alive())

    def test_s40_what_is_accepted_means_the_same_to_another_parser(self) -> None:
        integers = (0, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, -(2**63), -(2**63) - 1, 10**30 + 1)
        numbers = "-0 1.0 0.1 1e5 1E+2 1e308 1e400 -1e400 1e-400 5e-324 01 +1 .5 1. 0x10 1_0 NaN Infinity -Infinity"
        texts = r'''"\u0000" "\ud83d\ude00" "\ud800" "\udc00\ud800" "\x" "\/" "\uD83D" 'a' "a'''
        objects = '''{"a":1,"a":1} {"b":{"a":1,"a":2}} {"a":1,"\\u0061":2} {"a":1,} [1,] {a:1} {"a"} [1]/**/ {"":""}'''
        deep = [["[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth] for depth in (8, 60, 64, 200, 5_000)]
        odd = ['"\u00e9"', '"\t"', "\ufeff1", "1\u00a0", "True", "", "1 2", '"a" "b"', "[[]]"]
        payloads = [*map(str, integers), *numbers.split(), *texts.split(), *objects.split(), *sum(deep, []), *odd]
        accepted = 0
        for payload in payloads:
            with self.subTest(payload=payload[:60]):
                body = '{"id":"p","jobType":"t","payload":' + payload + "}"
                answer = SERVER.admin.ask("POST", SCHEDULES, body.encode(), query={"dryRun": "true"})
                if answer.status != 200:
                    self.assert_refused(answer, 400, 422)
                    continue
                accepted += 1
                self.assertEqual(strictly_read(body)["payload"], answer.json()["action"]["job"]["payload"])
        self.assertGreater(accepted, 20)

    def test_s44_what_looks_like_a_query_is_kept_as_text_or_refused(self) -> None:
        name = "Robert'); drop table schedules; -- %s {} ${x} * ["
        self.create(SERVER.admin, job_schedule("injected", name=name, description="\r\nFLUSHALL\r\n' or 1=1"))
        self.assertEqual(name, SERVER.admin.get(f"{SCHEDULES}/injected").json()["name"])
        for pattern in ("%", "_njected", "i%d", "*", "[i]njected", "' or '1'='1", "injected' --"):
            with self.subTest(pattern=pattern):
                found = SERVER.admin.get(SCHEDULES, q=pattern, label="", limit=500).json()["items"]
                for item in found:
                    self.assertIn(pattern.lower(), (item["id"] + item["name"] + item["description"]).lower())
                self.assertEqual(0, SERVER.admin.get(SCHEDULES, label=f"{pattern}=x").json()["total"])
        self.assert_refused(SERVER.admin.get(SCHEDULES, status="active' or 1=1"), 422)
        self.assert_refused(SERVER.admin.get(f"/api/v1/runs/{segment('~%')}"), 404)
        self.assertEqual(200, SERVER.admin.get(SCHEDULES, q="Robert').").status)


class Browsers(Case):
    """S11, S13, S14: what a page somewhere on the net can make a browser send."""

    def test_s11_requests_for_another_host_are_turned_away_before_anything_else(self) -> None:
        token = f"Authorization: Bearer {SERVER.admin.token}"
        for path in (SCHEDULES, "/api/v1/events", "/livez", "/"):
            for hosts, statuses in (
                (["evil.example"], {421}),
                ([f"evil.example:{SERVER.port}"], {421}),
                ([f"127.0.0.1.nip.io:{SERVER.port}"], {421}),
                (["localhost.evil.example"], {421}),
                ([], {400}),
                ([""], {400}),
                (["127.0.0.1 evil.example"], {400}),
                ([f"127.0.0.1:{SERVER.port}", "evil.example"], {400}),
            ):
                with self.subTest(path=path, hosts=hosts):
                    lines = [f"Host: {host}" for host in hosts]
                    response = SERVER.stranger.raw(raw_request(f"GET {path} HTTP/1.1", *lines, token))
                    self.assertIn(status_of(response), statuses, response[:300])
        for host in (f"127.0.0.1:{SERVER.port}", f"localhost:{SERVER.port}"):
            response = SERVER.stranger.raw(raw_request(f"GET {SCHEDULES} HTTP/1.1", f"Host: {host}", token))
            self.assertEqual(200, status_of(response), response[:300])

    def test_s13_event_streams_need_our_origin_and_a_token_in_the_header(self) -> None:
        for origin in ("http://evil.example", "null"):
            answer = SERVER.admin.ask("GET", "/api/v1/events", headers={"Origin": origin})
            self.assert_refused(answer, 403)
        for name in ("token", "access_token", "authorization", "api_key"):
            for path in ("/api/v1/events", SCHEDULES):
                self.assert_refused(SERVER.stranger.get(path, **{name: SERVER.admin.token}), 401)
        cookie = {"Cookie": f"token={SERVER.admin.token}; Authorization=Bearer {SERVER.admin.token}"}
        self.assert_refused(SERVER.stranger.ask("GET", SCHEDULES, headers=cookie), 401)
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "eA=="}
        for headers in (upgrade, upgrade | {"Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings"}):
            answer = SERVER.admin.ask("GET", SCHEDULES, headers=headers)
            self.assertEqual((200, None), (answer.status, answer.headers.get("upgrade")))
            self.assert_refused(SERVER.stranger.ask("GET", "/api/v1/events", headers=headers), 401)
            foreign = headers | {"Origin": "http://evil.example"}
            self.assert_refused(SERVER.admin.ask("GET", "/api/v1/events", headers=foreign), 403)

    def test_s14_no_origin_is_invited(self) -> None:
        for path in (SCHEDULES, "/api/v1/events", "/livez", "/openapi.json", "/nowhere"):
            for client in (SERVER.stranger, SERVER.admin):
                preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
                answer = client.ask("OPTIONS", path, headers=preflight)
                self.assertGreaterEqual(answer.status, 400)
                self.assertEqual([], [name for name in answer.headers if name.startswith("access-control-")])
        answer = SERVER.admin.ask("GET", SCHEDULES, headers={"Origin": f"http://127.0.0.1:{SERVER.port}"})
        self.assertEqual([], [name for name in answer.headers if name.startswith("access-control-")])


class Names(Case):
    """S17, S18: texts that are more than names somewhere."""

    def test_s17_the_log_has_one_record_for_each_event_whatever_names_contain(self) -> None:
        poison = '\r\n{"level":"error","event":"forged"}\x1b]0;owned\x07'
        SERVER.admin.post(SCHEDULES, job_schedule("poisoned", name=poison))
        SERVER.admin.post(SCHEDULES, job_schedule("poisoned-2", description=poison, labels={"a": poison}))
        SERVER.admin.post("/api/v1/tokens", {"name": poison, "role": "viewer"})
        SERVER.admin.post("/api/v1/workers", {"name": poison, "queues": ["q"]})
        SERVER.admin.post(SCHEDULES, {"id": "shouting", "command": ["/bin/echo", poison], "enabled": False})
        self.trigger(SERVER.admin, "shouting")
        SERVER.admin.get(f"{SCHEDULES}/{segment(poison)}")
        SERVER.admin.ask("GET", SCHEDULES, headers={"User-Agent": "\x9b31m", "X-Request-Id": '","event":"forged'})
        runs = f"{SCHEDULES}/shouting/runs"
        await_value(lambda: "succeeded" in SERVER.admin.get(runs).text, "the end of the run")

        lines = SERVER.process.log.read_bytes().split(b"\n")
        self.assertGreater(len(lines), 1)
        for line in lines[:-1]:
            self.assertNotEqual("forged", json.loads(line)["event"])
            self.assertNotRegex(line, rb"[\x00-\x1f\x7f]")

    def test_s17_the_log_of_a_run_is_bytes_that_no_browser_takes_for_a_page(self) -> None:
        page = "<script>alert(1)</script>"
        self.create(SERVER.admin, {"id": "page", "command": ["/bin/echo", page], "enabled": False})
        run_id = self.trigger(SERVER.admin, "page")["id"]
        answer = await_value(lambda: self.log_at_end(run_id), "the log")

        self.assertEqual("text/plain; charset=utf-8", answer.media)
        self.assertEqual("nosniff", answer.headers["x-content-type-options"])
        self.assertIn("<script>", answer.text)

    def log_at_end(self, run_id: str) -> Answer | None:
        """The whole of it, when there is one."""
        answer = SERVER.admin.get(f"/api/v1/runs/{run_id}/logs")
        return answer if answer.headers.get("carillon-log-end") == "true" and answer.body else None

    def test_s18_no_name_leads_out_of_its_folder(self) -> None:
        def tree() -> set[str]:
            outside = {str(path) for path in SERVER.folder.iterdir()}
            return outside | {str(path) for path in SERVER.data.iterdir()}

        self.create(SERVER.admin, job_schedule("anchored"))
        before = tree()
        count = 0
        for operation in DESCRIPTION.operations.values():
            for place in re.findall(r"\{\w+\}", operation.path):
                for name in HOSTILE_IDS:
                    for encoded in {segment(name), quote(segment(name), safe="")}:
                        path = operation.path.replace(place, encoded)
                        path = re.sub(r"\{id\}", "anchored", re.sub(r"\{(?!id)\w+\}", "x", path))
                        body = None
                        if operation.body is not None:
                            examples = list(operation.body[1]["examples"].values())
                            body = DESCRIPTION.resolved(examples[0])["value"]
                            body = body.encode() if isinstance(body, str) else body
                        with self.subTest(operation=operation.id, path=path[:200]):
                            self.assert_refused(SERVER.admin.ask(operation.method, path, body), 400, 404, 422)
                        count += 1
        for name in HOSTILE_IDS:
            for member in ("id", "namespace", "queue"):
                document = job_schedule("fine") | {member: name}
                with self.subTest(member=member, name=name[:40]):
                    self.assert_refused(SERVER.admin.post(SCHEDULES, document), 422)
        print(f"{count} hostile names")
        self.assertEqual(before, tree())
        self.assertEqual(200, SERVER.admin.get(f"{SCHEDULES}/anchored").status)


class Framing(Case):
    """S40: what two servers could understand in two ways."""

    def post(self, *lines: str, body: bytes = b"", line_end: str = "\r\n") -> bytes:
        """What comes back to a request to create something."""
        start = (
            f"POST {SCHEDULES} HTTP/1.1",
            f"Host: 127.0.0.1:{SERVER.port}",
            f"Authorization: Bearer {SERVER.admin.token}",
            "Content-Type: application/json",
        )
        return SERVER.stranger.raw(raw_request(*start, *lines, body=body, line_end=line_end))

    def test_s40_requests_that_can_be_read_in_two_ways_are_refused_and_the_connection_ends(self) -> None:
        chunked = "Transfer-Encoding: chunked"
        cases: dict[str, tuple[list[str], bytes]] = {
            "both lengths": (["Content-Length: 2", chunked], b"0\r\n\r\n"),
            "two lengths": (["Content-Length: 2", "Content-Length: 3"], b"{} "),
            "a list of lengths": (["Content-Length: 2, 2"], b"{}"),
            "a negative length": (["Content-Length: -1"], b""),
            "a signed length": (["Content-Length: +2"], b"{}"),
            "a space before the colon": (["Content-Length : 2"], b"{}"),
            "a folded header": (["X-Long: a\r\n b", "Content-Length: 2"], b"{}"),
            "chunked twice": ([f"{chunked}, chunked"], b"0\r\n\r\n"),
            "an unknown coding": (["Transfer-Encoding: xchunked"], b"0\r\n\r\n"),
            "a bad chunk length": ([chunked], b"0x2\r\n{}\r\n0\r\n\r\n"),
            "a long chunk length": ([chunked], b"f" * 17 + b"\r\n"),
        }
        smuggled = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for name, (lines, body) in cases.items():
            with self.subTest(case=name):
                response = self.post(*lines, body=body + smuggled)
                self.assertIn(status_of(response), (400, 501), response[:300])
                self.assertEqual(1, response.count(b"HTTP/1.1 "), response)
        response = self.post("Content-Length: 2", body=b"{}" + smuggled, line_end="\n")
        self.assertEqual((400, 1), (status_of(response), response.count(b"HTTP/1.1 ")), response)

    def test_s40_bodies_are_bounded_whether_their_length_is_told_or_not(self) -> None:
        self.assert_refused(SERVER.admin.ask("POST", SCHEDULES, b" " * (1024 * 1024 + 1)), 413)
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        self.assertEqual(413, status_of(self.post("Transfer-Encoding: chunked", body=chunk * 40)))
        self.assertEqual(413, status_of(self.post("Content-Length: 99999999999")))
        self.assertIn(status_of(self.post()), (400, 411, 422))


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
