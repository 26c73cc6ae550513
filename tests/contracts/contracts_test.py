"""Holds contracts/ against the code: same words, same defaults, same verdict on documents."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays as it is

from json_schema import Schemas, equal  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Schemas(ROOT / "contracts")
SCHEDULE = "schedule.schema.json"

# Enums of the schemas that the code has elsewhere, by where they stand.
OTHER_WORDS = {
    "spec.schema.json#/properties/dst": ["cron", "literal"],
    "spec.schema.json#/$defs/interval/properties/anchor": ["creation", "start", "epoch"],
    "schedule.schema.json#/$defs/workflow/properties/idReuse": [
        "allow_duplicate", "allow_duplicate_failed_only", "reject_duplicate"],
    "run.schema.json#/properties/waitingFor/properties/what": ["slot", "worker", "no_worker", "paused_queue", "retry"],
}

SAMPLE = {
    "id": "nightly-etl",
    "namespace": "default",
    "name": "Nightly ETL",
    "description": "",
    "labels": {"team": "data"},
    "enabled": True,
    "spec": {
        "cron": ["0 2 * * *"],
        "calendars": [
            {"second": "0", "minute": "0", "hour": "9", "dayOfMonth": "*", "month": "*", "dayOfWeek": "MON-FRI",
             "year": "*", "comment": ""}
        ],
        "intervals": [{"every": "1h", "offset": "5m", "anchor": "creation"}],
        "times": ["2027-01-31T09:00:00Z"],
        "exclude": [{"month": "12", "dayOfMonth": "25"}],
        "timezone": "Europe/Berlin",
        "startAt": None,
        "endAt": None,
        "jitter": "0s",
        "dst": "cron",
    },
    "policies": {
        "overlap": "skip",
        "bufferLimit": 1000,
        "catchup": {"policy": "latest", "window": None, "grace": "60s", "maxRuns": 1000},
        "retry": {"maxAttempts": 4, "backoff": "exponential", "initial": "1m", "factor": 2, "maxDelay": None,
                  "jitter": 0, "onLost": None},
        "timeout": None,
        "grace": "10s",
        "startDeadline": None,
        "totalRepeats": 0,
        "maxConsecutiveFailures": 0,
        "pauseOnFailure": False,
        "pause": {"missed": "skip"},
        "keep": {"runs": 50, "days": 30},
    },
}
ACTIONS = {
    "command": {"argv": ["/usr/bin/etl", "--full"], "shell": False, "cwd": None, "env": {}, "stdin": None,
                "user": None, "limits": {}, "onOwnerLoss": "kill"},
    "http": {"url": "https://example.com/hook", "method": "POST", "headers": {}, "body": None,
             "successCodes": ["200-299"], "signingSecret": None},
    "job": {"type": "report.generate", "payload": {}, "priority": "normal", "queue": "default"},
    "pipeline": {"path": "daily-report"},
    "workflow": {"type": "Report", "taskQueue": "reports", "id": None, "input": None, "executionTimeout": None,
                 "runTimeout": None, "taskTimeout": None, "retry": None, "memo": {}, "searchAttributes": {},
                 "idReuse": "allow_duplicate", "cluster": None, "message": None},
}
SMALLEST_ACTIONS = {
    "command": {"argv": ["true"]}, "http": {"url": "http://h"}, "job": {"type": "t"}, "pipeline": {"path": "p"},
    "workflow": {"type": "T", "taskQueue": "q"},
}
JOB = {"job": {"type": "t"}}


def small(**members) -> dict:
    return {"id": "x", "action": JOB, **members}


def acting(kind: str, **members) -> dict:
    return {"id": "x", "action": {kind: {**SMALLEST_ACTIONS[kind], **members}}}


def behaving(**policies) -> dict:
    return small(policies=policies)


def due(**spec) -> dict:
    return small(spec=spec)


GOOD = [
    {"name": "Only a name", "action": JOB},
    small(status="active", revision=3, nextRunAt=None, skipped={"overlap": 2}),
    small(labels={"a.b-c_d": ""}),
    small(temporal={"id": "any/id\n", "memo": "AA=="}, notes="a\nb"),
    small(onCreate={"pause": {"reason": "not yet"}, "trigger": {"overlap": "skip", "payload": [1]},
                    "backfills": [{"from": "2026-11-01T00:00:00Z", "to": "2026-11-02T00:00:00Z", "overlap": "buffer_all"}]}),
    behaving(maxStarts=0), behaving(maxStarts=None),
    due(cron="@daily"),
    due(calendars=[{"hour": [{"start": 9, "end": 17}], "minute": 30}]),
    due(intervals=[{"every": "PT15M"}], jitter="1h30m", startAt="2026-01-27T15:00:00.5+01:00"),
    acting("command", env={"A": "1"}, limits={"nofile": 64}, stdin="a\nb", onOwnerLoss="adopt"),
    acting("command", argv=["echo $HOME"], shell=True),
    acting("http", method="get", headers={"X-A": "b"}, body={"a": 1}, successCodes=[204, "301-302"]),
    acting("http", url="HTTPS://[2001:db8::1]:8443/a?b#c", signingSecret="${env:HOOK}"),
    acting("job", priority="HIGH", payload=[1, 2], queue="slow"),
    acting("job", priority=-100),
    acting("pipeline", path="a/b..c"),
    acting("workflow", id="report-{{nominalTime}}", input=[{"day": 1}, 7], executionTimeout="1h", cluster="blue",
           retry={"maxAttempts": 3, "initial": "1s", "factor": 1.5, "nonRetryable": ["Bad"]}),
    behaving(retry={"factor": 1.5, "jitter": 0.25, "maxDelay": "10m", "onLost": True}, timeout="1h", grace="0s"),
]

BAD = [
    5, [], {}, {"id": "x"}, {"action": JOB},
    small(id="-x"), small(id="a b"), small(id="x" * 129), small(id=5), small(namespace=""),
    small(name=""), small(name="n" * 201), small(name="a\nb"), small(description="d" * 10_001),
    small(labels={"a b": "c"}), small(labels={"a": 1}), small(labels={"a": "v" * 257}),
    small(labels={f"l{n}": "" for n in range(65)}), small(enabled="yes"), small(uid=1), small(polices={}),
    small(notes=5), small(notes="n" * 10_001), small(onCreate=[]), small(onCreate={"paused": True}),
    small(onCreate={"trigger": {"overlap": "maybe"}}), small(onCreate={"backfills": [{"from": "2026-11-01T00:00:00Z"}]}),
    behaving(maxStarts=-1), behaving(maxStarts="3"),
    small(temporal=5), small(temporal={"note": "n"}), small(temporal={"id": "x" * 1001}),
    small(spec=5), due(crom="@daily"), due(cron=5), due(timezone=""), due(startAt="yesterday"), due(jitter=5),
    due(dst="maybe"), due(intervals=[{}]), due(intervals=[{"every": "1h", "anchor": "now"}]), due(times=["9:00"]),
    due(calendars=[{"hour": True}]), due(calendars=[{"colour": "red"}]), due(exclude={"month": "12"}),
    small(action={}), small(action={"comand": {}}), small(action={**JOB, "pipeline": {"path": "p"}}),
    acting("command", argv=[]), acting("command", argv="ls"), acting("command", argv=[5]),
    acting("command", argv=["a"] * 1001), acting("command", env={"A=B": "c"}), acting("command", env={"A": 1}),
    acting("command", limits={"openFiles": 5}), acting("command", limits={"nofile": -1}),
    acting("command", onOwnerLoss="keep"), acting("command", shell="yes"), acting("command", cwd=""),
    acting("http", url="ftp://h"), acting("http", url="http://"), acting("http", url="http://u:p@h/"),
    acting("http", url="http://h/a b"), acting("http", method="FETCH"), acting("http", headers={"A B": "c"}),
    acting("http", headers={"A": "b\r\nc"}), acting("http", successCodes=[]), acting("http", successCodes=["ok"]),
    acting("http", successCodes=[600]), acting("http", signingSecret="whsec_abc"),
    acting("job", type=""), acting("job", type="a b"), acting("job", priority="urgent"), acting("job", priority=101),
    acting("job", queue="a b"), acting("pipeline", path="../x"), acting("pipeline", path="/etc"),
    acting("pipeline", path="a/../b"),
    acting("workflow", type=""), acting("workflow", taskQueue=5), acting("workflow", input={"a": 1}),
    acting("workflow", idReuse="never"), acting("workflow", retry={"attempts": 3}), acting("workflow", cluster="a b"),
    acting("workflow", executionTimeout=5), acting("workflow", memo=[]), acting("workflow", id="x" * 901),
    behaving(overlap="skipp"), behaving(bufferLimit=0), behaving(bufferLimit=1.5), behaving(catchup="latest"),
    behaving(catchup={"policy": "newest"}), behaving(catchup={"maxRuns": 0}), behaving(catchup={"runs": 1}),
    behaving(retry={"maxAttempts": 0}), behaving(retry={"backoff": "quadratic"}), behaving(retry={"initial": 60}),
    behaving(retry={"factor": 0.5}), behaving(retry={"jitter": 1.1}), behaving(retry={"onLost": "no"}),
    behaving(timeout="soon"), behaving(totalRepeats=-1), behaving(maxConsecutiveFailures=-1),
    behaving(pauseOnFailure=1), behaving(pause={"missed": "keep"}), behaving(keep={"runs": 0}),
    behaving(keep={"days": 0}), behaving(colour="red"),
]

SHORT_GOOD = [
    {"name": "Daily Report", "description": "Generate daily sales report", "cronExpr": "0 9 * * *",
     "timezone": "America/New_York", "jobType": "report.generate",
     "jobPayload": {"reportType": "sales", "format": "pdf"}, "jobPriority": "NORMAL"},
    {"name": "Daily report", "workflow_id": 1, "trigger_node_id": "trigger_schedule_abc123",
     "interval_seconds": 86400, "total_repeats": 0, "max_retries": 3, "timeout_seconds": 600,
     "trigger_payload": {"report_type": "daily"}},
    {"id": "x", "cron": ["@daily"], "command": "echo hi"},
    {"id": "x", "every": "15m", "command": ["echo", "hi"]},
    {"id": "x", "every": "15m", "url": "https://example.com/hook"},
]
SHORT_BAD = [
    {"id": "x", "cronExpr": 5, "jobType": "t"}, {"id": "x", "every": 60, "jobType": "t"},
    {"id": "x", "intervalSeconds": 0, "jobType": "t"}, {"id": "x", "interval_seconds": "60", "jobType": "t"},
    {"id": "x", "jobType": ""}, {"id": "x", "jobType": "t", "job_priority": "urgent"}, {"id": "x", "command": []},
    {"id": "x", "url": "nowhere"}, {"id": "x", "jobType": "t", "maxRetries": -1},
    {"id": "x", "jobType": "t", "timeout_seconds": 0}, {"id": "x", "jobTyp": "t"},
]

RUN = {
    "id": "r-abcd1234", "name": "nightly-etl@2026-01-27T14:00:00Z", "schedule": "nightly-etl", "namespace": "default",
    "nominal": "2026-01-27T14:00:00Z", "due": "2026-01-27T14:00:00Z", "source": "schedule", "revision": 1,
    "state": "succeeded", "reason": None, "attempt": 1,
    "attempts": [{"attempt": 1, "worker": "w1", "claimedAt": "2026-01-27T14:00:00Z",
                  "launchedAt": "2026-01-27T14:00:00.1Z", "endedAt": "2026-01-27T14:00:05Z", "state": "succeeded",
                  "exitCode": 0, "signal": None, "error": None, "rusage": None}],
    "queuedAt": "2026-01-27T14:00:00Z", "startedAt": "2026-01-27T14:00:00.1Z", "endedAt": "2026-01-27T14:00:05Z",
    "lateMs": 100, "durationMs": 4900, "result": None, "error": None, "itemsProcessed": None, "resultFile": None,
    "logBytes": 12, "why": "It was due.",
}
BAD_RUNS = [
    {**RUN, "id": "7"}, {**RUN, "name": "nightly"}, {**RUN, "state": "skipped"}, {**RUN, "source": "cron"},
    {**RUN, "attempt": -1}, {**RUN, "uid": 1}, {**RUN, "attempts": [{"attempt": 1, "state": "running"}]},
    {**RUN, "nominal": "14:00"}, {key: value for key, value in RUN.items() if key != "state"},
]

AT = "2026-01-27T14:00:00Z"
HEAD = {"seq": 1, "at": AT, "schedule": "nightly-etl"}
DECISION = {**HEAD, "type": "decision", "server": "s1", "namespace": "default", "incarnation": 1, "revision": 1,
            "nominal": AT, "due": AT, "source": "schedule", "outcome": "skipped", "reason": "overlap", "run": None}
RECORDS = [
    DECISION,
    {**DECISION, "outcome": "started", "reason": None, "run": "r-abcd1234", "waitedFrom": AT, "version": 3, "endedAt": AT},
    {**HEAD, "type": "range", "incarnation": 1, "revision": 1, "from": AT, "to": AT, "count": 5, "reason": "missed"},
    {**HEAD, "type": "attempt", "run": "r-abcd1234", "attempt": 1, "worker": "w1", "state": "lost", "claimedAt": AT,
     "launchedAt": None, "endedAt": None, "exitCode": None, "reason": None},
    {**HEAD, "type": "change", "incarnation": 1, "revision": 2, "kind": "paused", "by": "ann"},
    {**HEAD, "type": "backfill", "id": "b1", "from": AT, "to": AT, "state": "running", "done": 1, "total": 5},
    {**HEAD, "type": "void", "nominal": AT, "reason": "clock"},
    {**HEAD, "type": "void", "from": AT, "to": AT, "reason": "clock"},
    {"type": "outage", "seq": 1, "at": AT, "from": AT, "to": AT, "cause": "down"},
]
BAD_RECORDS = [
    {**DECISION, "type": "note"}, {**DECISION, "outcome": "done"}, {**DECISION, "reason": "tired"},
    {**DECISION, "seq": 0}, {**DECISION, "count": 5}, {**RECORDS[2], "count": 0}, {**RECORDS[3], "state": "running"},
    {**RECORDS[4], "kind": "renamed"}, {key: value for key, value in DECISION.items() if key != "nominal"},
    {**RECORDS[4], "document": "text"}, {**RECORDS[5], "state": "started"}, {**RECORDS[6], "from": AT, "to": AT},
    {**HEAD, "type": "void", "from": AT, "reason": "clock"},
    {**RECORDS[8], "cause": "tired"}, {**RECORDS[8], "schedule": "nightly-etl"},
]

BACKFILL = {"from": AT, "to": AT, "order": "newest_first", "reprocess": "failed", "concurrency": 5, "exclusive": True}
BAD_BACKFILLS = [
    {"from": AT}, {**BACKFILL, "order": "random"}, {**BACKFILL, "reprocess": "some"}, {**BACKFILL, "concurrency": 0},
    {**BACKFILL, "concurrency": 1001}, {**BACKFILL, "exclusive": "yes"}, {**BACKFILL, "pace": 1},
]


def ask(*arguments: str, given: str = "") -> str:
    return subprocess.run([CHECK_DOCUMENTS, *arguments], input=given, capture_output=True, text=True, check=True).stdout


def read(documents: list) -> list[dict]:
    """What the code says to each document."""
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    return [json.loads(line) for line in ask("read", given=lines).splitlines()]


class SchemasTest(unittest.TestCase):
    def test_are_sound(self):
        names = {"spec.schema.json", SCHEDULE, "run.schema.json", "ledger.schema.json", "backfill.schema.json"}
        self.assertEqual(names, set(SCHEMAS.files))
        self.assertEqual([], SCHEMAS.faults_of_schemas())

    def test_describe_every_member_that_users_write(self):
        for schema, file, at in SCHEMAS.all_schemas():
            for key, member in schema.get("properties", {}).items():
                if not schema.get("readOnly"):
                    self.assertTrue({"description", "const", "$ref"} & member.keys(), f"{file}{at}/properties/{key}")


class WordsTest(unittest.TestCase):
    def test_are_those_of_the_code(self):
        words = json.loads(ask("words"))
        found = {}
        for schema, file, at in SCHEMAS.all_schemas():
            if "enum" in schema:
                place = file + at
                if place not in OTHER_WORDS:
                    self.assertIn(schema.get("title"), words, f"{place} has words of its own")
                    found[schema["title"]] = schema["enum"]
                else:
                    self.assertEqual(OTHER_WORDS[place], schema["enum"])

        self.assertEqual(words, found)


class DefaultsTest(unittest.TestCase):
    def test_are_those_of_the_code(self):
        documents = [{"id": "x", "action": {kind: action}} for kind, action in SMALLEST_ACTIONS.items()]
        checked = set()
        for document, answer in zip(documents, read(documents), strict=True):
            # A workflow has retries of its own, and is tried once here; for the rest the defaults are those of all.
            if "workflow" in document["action"]:
                self.assertEqual(1, answer["canonical"]["policies"]["retry"].pop("maxAttempts"))
            self.compare({"$ref": "#"}, SCHEDULE, answer["canonical"], "", checked)

        for place in ("/namespace", "/enabled", "/spec/dst", "/policies/retry/factor", "/policies/keep/days",
                      "/action/command/onOwnerLoss", "/action/http/successCodes", "/action/job/priority",
                      "/action/workflow/idReuse"):
            self.assertIn(place, checked)

    def compare(self, schema: dict, file: str, value, at: str, checked: set) -> None:
        """Each default in the schema is what the code wrote, all the way down."""
        if "default" in schema:
            self.assertTrue(equal(schema["default"], value), f"{at}: {schema['default']!r} is {value!r} in the code")
            checked.add(at)
        if "$ref" in schema:
            self.compare(*SCHEMAS.resolve(schema["$ref"], file), value, at, checked)
        for key, member in schema.get("properties", {}).items():
            if isinstance(value, dict) and key in value:
                self.compare(member, file, value[key], f"{at}/{key}", checked)


class DocumentsTest(unittest.TestCase):
    def assert_good(self, documents: list, definition: str = "") -> None:
        for document, answer in zip(documents, read(documents), strict=True):
            self.assertEqual([], SCHEMAS.faults(document, SCHEDULE, definition), document)
            self.assertIn("canonical", answer, f"{document}: {answer}")
            self.assertEqual([], SCHEMAS.faults(answer["canonical"], SCHEDULE), answer)
            self.assertEqual([], SCHEMAS.faults({"schedules": [document]}, SCHEDULE, "file"))

    def assert_bad(self, documents: list, definition: str = "") -> None:
        for document, answer in zip(documents, read(documents), strict=True):
            self.assertNotEqual([], SCHEMAS.faults(document, SCHEDULE, definition), f"the schema takes {document}")
            self.assertIn("problems", answer, f"the code takes {document}")

    def test_the_reference_is_valid_with_each_action(self):
        self.assert_good([{**SAMPLE, "action": {kind: action}} for kind, action in ACTIONS.items()])

    def test_all_four_actions_at_once_are_too_many(self):
        self.assert_bad([{**SAMPLE, "action": ACTIONS}])

    def test_good_documents_pass_both(self):
        self.assert_good(GOOD)

    def test_bad_documents_pass_neither(self):
        self.assert_bad(BAD)

    def test_short_form(self):
        self.assert_good(SHORT_GOOD, "shortForm")
        self.assert_bad(SHORT_BAD, "shortForm")

    def test_canonical_form_has_the_members_in_the_order_of_the_schema(self):
        documents = [{**SAMPLE, "action": {kind: action}} for kind, action in ACTIONS.items()]
        for answer in read(documents):
            self.assert_ordered({"$ref": "#"}, SCHEDULE, answer["canonical"], "")

    def assert_ordered(self, schema: dict, file: str, value, at: str) -> None:
        if "$ref" in schema:
            return self.assert_ordered(*SCHEMAS.resolve(schema["$ref"], file), value, at)
        if not isinstance(value, dict) or "properties" not in schema:
            return None
        self.assertEqual([key for key in schema["properties"] if key in value], list(value), at)
        for key, member in value.items():
            self.assert_ordered(schema["properties"][key], file, member, f"{at}/{key}")
        return None


class RecordsTest(unittest.TestCase):
    def test_runs(self):
        self.assertEqual([], SCHEMAS.faults(RUN, "run.schema.json"))
        for run in BAD_RUNS:
            self.assertNotEqual([], SCHEMAS.faults(run, "run.schema.json"), run)

    def test_ledger(self):
        for record in RECORDS:
            self.assertEqual([], SCHEMAS.faults(record, "ledger.schema.json"), record)
        for record in BAD_RECORDS:
            self.assertNotEqual([], SCHEMAS.faults(record, "ledger.schema.json"), record)

    def test_ledger_lines_as_the_code_writes_them(self):
        lines = [json.loads(line) for line in ask("ledger").splitlines()]
        for line in lines:
            self.assertEqual([], SCHEMAS.faults(line, "ledger.schema.json"), line)
        self.assertEqual({record["type"] for record in RECORDS}, {line["type"] for line in lines})

    def test_backfill_requests(self):
        for request in (BACKFILL, {"from": AT, "to": AT}):
            self.assertEqual([], SCHEMAS.faults(request, "backfill.schema.json"), request)
        for request in BAD_BACKFILLS:
            self.assertNotEqual([], SCHEMAS.faults(request, "backfill.schema.json"), request)


if __name__ == "__main__":
    CHECK_DOCUMENTS = sys.argv.pop(1)
    unittest.main()
