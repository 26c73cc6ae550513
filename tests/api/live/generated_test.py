#!/usr/bin/env python3
"""Requests nobody would write, made from the description. Usage: generated_test.py BINARIES PRINT_API [--seed N]"""

import copy
import json
import random
import re
import sys
import unittest
from collections import Counter
from typing import Any

from served import LiveServer, print_api, unittest_arguments

from client import segment
from description import Description, Operation

COUNT = 2000
REFILL = 100  # deletions are among the requests
HOSTILE_TEXTS = (
    "", " ", ".", "..", "../../etc/passwd", "a/b", "a\\b", "%2e%2e%2f", "a\0b", "CON", "x" * 300, "\u202eevil",
    "'; drop table schedules; --", "\r\nFLUSHALL", "%s%n%x", "*", "[", "$(id)", "{{7*7}}", "<img src=x onerror=1>",
    "null", "true", "0x7f000001", "-1", "1e400", "9223372036854775808", "NaN", "\x1b]0;title\x07", "\U0001f600", "~",
    "2026-02-30T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "99999999w", "PT", "60 * * * *", "@reboot",
)
HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, -(2**63), 2**64, 1.5, 1e308, [], {}, [[]], {"": ""}, [None] * 100,
    {"a": {"b": {"c": {"d": {}}}}}, "x" * 5000,
)
HEADERS = (
    {"If-Match": '"1"'}, {"If-Match": "*"}, {"If-Match": "nonsense"}, {"If-Match": '"99999999999999999999"'},
    {"Idempotency-Key": "k"}, {"Idempotency-Key": "x" * 256}, {"Range": "bytes=5-1"}, {"Range": "bytes=-"},
    {"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=latin-1"}, {"Accept": "image/png"},
    {"Last-Event-ID": "-1"}, {"Last-Event-ID": "many"}, {"Origin": "null"}, {"X-Forwarded-For": "8.8.8.8"},
)
# Ids by the name of the place in the path; answers add to them.
IDS = {
    "id": ["nightly-report", "NIGHTLY-REPORT", "weekday-mail", "no-such"],
    "run": ["r-0000000000000", "nightly-report@2026-01-01T00:00:00Z", "~0"],
    "backfill": ["bf-0"],
    "worker": ["w-0"],
    "queue": ["reports", "mail", "default"],
    "token": ["00000000"],
    "lock": ["nightly-report", "no-such"],
    "revision": ["1", "2", "0", "99"],
}
MAKERS = {
    "createSchedule": "id", "putSchedule": "id", "createJob": "run", "triggerSchedule": "run", "retryRun": "run",
    "createBackfill": "backfill", "openWorker": "worker", "createToken": "token",
}
FIRST = ("createSchedule", "putSchedule", "triggerSchedule", "createJob", "createBackfill", "openWorker", "createToken")
DESCRIPTION: Description
SERVER: LiveServer


def setUpModule() -> None:
    """One server, with something in it."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer("--log", "json")


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Inventor:
    """Makes requests; the same ones from the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._ids = copy.deepcopy(IDS)

    def remember(self, operation: Operation, answer: Any) -> None:
        """What was made can be asked for later."""
        kind = MAKERS.get(operation.id)
        if kind is not None and isinstance(answer, dict) and len(self._ids[kind]) < 100:
            # A backfill that was only tried has no id.
            self._ids[kind] += [answer[key] for key in ("worker", "id") if key in answer][:1]

    def chance(self, share: float) -> bool:
        """True so often."""
        return self._random.random() < share

    def identifier(self, kind: str) -> str:
        """For the path: known, of another kind, or not fit to be known."""
        if self.chance(0.8):
            return self._random.choice(self._ids[kind])
        others = [text for ids in self._ids.values() for text in ids]
        return self._random.choice([text for text in HOSTILE_TEXTS if text] if self.chance(0.7) else others)

    def parameter(self, node: dict[str, Any]) -> str:
        """For the query: as described, or not."""
        schema = node["schema"]
        if self.chance(0.4):
            return self._random.choice(HOSTILE_TEXTS)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if schema.get("type") == "integer":
            low, high = schema.get("minimum", 0), min(schema.get("maximum", 1000), 1000)
            return str(self._random.choice((low, high, low - 1, schema.get("maximum", 10**19) + 1)))
        if schema.get("type") == "boolean":
            return self._random.choice(("true", "false", "1", ""))
        if "$ref" in schema:
            resolved = DESCRIPTION.resolved(schema)
            return self._random.choice([str(sample) for sample in resolved.get("examples", ["x"])])
        return self._random.choice([str(node.get("example", "x")), *self._ids["id"], *self._ids["run"]])

    def mutate(self, value: Any) -> Any:
        """A value with a few faults in it."""
        whole = copy.deepcopy(value)
        for _ in range(self._random.randint(0, 3)):
            whole = self._with_fault(whole)
        return whole

    def _with_fault(self, value: Any) -> Any:
        if isinstance(value, dict) and value and self.chance(0.85):
            key = self._random.choice(sorted(value))
            how = self._random.random()
            if how < 0.15:
                del value[key]
            elif how < 0.3:
                value[self._random.choice(HOSTILE_TEXTS)] = copy.deepcopy(value[key])
            else:
                value[key] = self._with_fault(value[key])
            return value
        if isinstance(value, list) and value and self.chance(0.7):
            index = self._random.randrange(len(value))
            value[index] = self._with_fault(value[index])
            return value
        return copy.deepcopy(self._random.choice(HOSTILE_TEXTS if self.chance(0.5) else HOSTILE_VALUES))

    def body(self, operation: Operation) -> bytes | None:
        """An example, perhaps with faults; sometimes not even JSON."""
        if operation.body is None:
            return b"{}" if operation.method != "GET" and self.chance(0.1) else None
        samples = [DESCRIPTION.resolved(one)["value"] for one in operation.body[1].get("examples", {}).values()]
        value = self.mutate(self._random.choice(samples or [{}]))
        if isinstance(value, dict) and isinstance(value.get("wait"), str):
            value["wait"] = "1ms"  # patience is not what is tested here
        text = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else json.dumps(value).encode()
        if self.chance(0.05):
            cut = self._random.randint(0, len(text))
            text = text[:cut] + self._random.choice((b"\xff", b"}", b"", b'"', b"[" * 200)) + text[cut:]
        return text

    def request(self, operation: Operation) -> dict[str, Any]:
        """All of it."""
        path = re.sub(r"\{(\w+)\}", lambda match: segment(self.identifier(match[1])), operation.path)
        query = [
            (one["name"], self.parameter(one))
            for one in operation.parameters_in("query")
            if one["name"] != "follow" and self.chance(0.9 if one.get("required") else 0.15)
        ]
        if self.chance(0.05):
            query.append((self._random.choice(HOSTILE_TEXTS), self._random.choice(HOSTILE_TEXTS)))
        headers = self._random.choice(HEADERS) if self.chance(0.2) else {}
        return {"path": path, "query": query, "headers": headers, "body": self.body(operation)}


class Requests(unittest.TestCase):
    """All of them."""

    def setUp(self) -> None:
        self.inventor = Inventor(SEED)
        self.statuses: Counter[int] = Counter()

    def send(self, operation: Operation, request: dict[str, Any]) -> None:
        """One, whose answer has to be as described."""
        answer = SERVER.admin.ask(
            operation.method,
            request["path"],
            request["body"],
            query=request["query"],
            headers=request["headers"],
            is_stream=operation.id == "streamEvents",
        )
        self.statuses[answer.status] += 1
        self.assertEqual([], answer.faults())
        if answer.status == 200 and operation.id == "streamEvents":
            return
        self.assertEqual([], operation.faults_of_answer(answer.status, answer.headers, answer.body))
        if answer.status < 300 and answer.media == "application/json":
            self.inventor.remember(operation, answer.json())

    def make_something(self) -> None:
        """So that there is something to find."""
        for name in FIRST:
            operation = DESCRIPTION.operations[name]
            assert operation.body is not None
            body = DESCRIPTION.resolved(next(iter(operation.body[1]["examples"].values())))["value"]
            path = operation.path.replace("{id}", "weekday-mail" if name == "putSchedule" else "nightly-report")
            self.send(operation, {"path": path, "query": [], "headers": {}, "body": json.dumps(body).encode()})

    def test_are_answered_as_described_or_refused_with_a_problem(self) -> None:
        operations = sorted(DESCRIPTION.operations.values(), key=lambda one: one.id)
        for number in range(COUNT):
            if number % REFILL == 0:
                self.make_something()
            operation = operations[number % len(operations)]
            request = self.inventor.request(operation)
            with self.subTest(seed=SEED, number=number, operation=operation.id, request=request):
                self.send(operation, request)
        print(f"seed {SEED}: {COUNT} requests: {dict(sorted(self.statuses.items()))}")
        self.assert_well()

    def assert_well(self) -> None:
        """The server has kept its head."""
        self.assertTrue(SERVER.is_alive())
        self.assertEqual(200, SERVER.stranger.get("/readyz").status)
        self.assertIs(True, SERVER.admin.get("/api/v1/audit/verify").json()["intact"])
        for line in SERVER.process.logged().splitlines():
            self.assertNotEqual("error", json.loads(line)["level"], line)


if __name__ == "__main__":
    SEED = 1
    if "--seed" in sys.argv:
        place = sys.argv.index("--seed")
        SEED = int(sys.argv[place + 1])
        del sys.argv[place : place + 2]
    unittest.main(argv=unittest_arguments())
