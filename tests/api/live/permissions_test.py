#!/usr/bin/env python3
"""Every route with every role in its own namespace, in another one and in none. Usage: permissions_test.py BINARIES PRINT_API"""

import itertools
import json
import subprocess
import unittest
from typing import Any

from served import LiveServer, print_api, unittest_arguments

from client import Answer, Client

READ = frozenset({"viewer", "operator", "editor", "admin"})
OPERATE = frozenset({"operator", "editor", "admin"})
EDIT = frozenset({"editor", "admin"})
ADMINISTER = frozenset({"admin"})
WORK = frozenset({"worker", "admin"})
ROLES = ("viewer", "operator", "editor", "admin", "worker")

# What a route is about: something of a namespace; the caller's own session or token; the whole server, of which a token
# that is bound to a namespace is told what concerns it; the same, but nothing is told to such a token; or nothing.
THING, OWN, SERVER_WIDE, UNBOUND, OPEN = "thing", "own", "server", "unbound", "open"

# Who may ask for what. A route that is missing here is a fault: somebody has to decide.
TABLE: dict[str, tuple[frozenset[str], str]] = {
    "listSchedules": (READ, THING), "createSchedule": (EDIT, THING), "batchDeleteSchedules": (EDIT, THING),
    "batchSchedules": (OPERATE, THING), "previewSchedule": (READ, SERVER_WIDE), "getSchedule": (READ, THING),
    "putSchedule": (EDIT, THING), "patchSchedule": (EDIT, THING), "deleteSchedule": (EDIT, THING),
    "pauseSchedule": (OPERATE, THING), "resumeSchedule": (OPERATE, THING), "enableSchedule": (OPERATE, THING),
    "disableSchedule": (OPERATE, THING), "resetSchedule": (OPERATE, THING), "triggerSchedule": (OPERATE, THING),
    "cancelSchedule": (OPERATE, THING), "listNextRuns": (READ, THING), "listOccurrences": (READ, THING),
    "explainOccurrence": (READ, THING), "listScheduleRuns": (READ, THING), "previewBackfill": (READ, THING),
    "listBackfills": (READ, THING), "listAllBackfills": (READ, THING), "createBackfill": (OPERATE, THING), "getBackfill": (READ, THING),
    "pauseBackfill": (OPERATE, THING), "resumeBackfill": (OPERATE, THING), "cancelBackfill": (OPERATE, THING),
    "listRuns": (READ, THING), "getRun": (READ, THING), "cancelRun": (OPERATE, THING), "retryRun": (OPERATE, THING),
    "getRunLog": (READ, THING), "listRunItems": (READ, THING), "createJob": (OPERATE, THING), "getJob": (READ, THING),
    "listWorkers": (READ, UNBOUND), "openWorker": (WORK, SERVER_WIDE), "closeWorker": (WORK, OWN), "claimJobs": (WORK, OWN), "beatWorker": (WORK, OWN),
    "completeJob": (WORK, OWN), "failJob": (WORK, OWN), "appendJobLog": (WORK, OWN),
    "listPipelines": (READ, SERVER_WIDE), "validatePipeline": (READ, SERVER_WIDE),
    "listUpcoming": (READ, THING), "getLoad": (READ, THING), "getOutcomes": (READ, THING), "listQueues": (READ, THING),
    "pauseQueue": (OPERATE, THING), "resumeQueue": (OPERATE, THING), "patchQueue": (OPERATE, THING),
    "listDeadLetters": (READ, THING), "retryDeadLetter": (OPERATE, THING), "discardDeadLetter": (OPERATE, THING),
    "acquireLock": (WORK, THING), "extendLock": (WORK, THING), "releaseLock": (WORK, THING), "getLock": (READ, THING),
    "listRevisions": (READ, THING), "getRevision": (READ, THING), "getTimeline": (READ, THING),
    "getCalendar": (READ, THING), "proposeSpread": (READ, THING),
    "listTokens": (ADMINISTER, SERVER_WIDE), "createToken": (ADMINISTER, SERVER_WIDE), "revokeToken": (ADMINISTER, OWN),
    "createSession": (READ, SERVER_WIDE), "getSession": (READ, SERVER_WIDE), "closeSession": (READ, SERVER_WIDE),
    "createSessionLink": (READ, SERVER_WIDE),
    "listAudit": (ADMINISTER, SERVER_WIDE), "verifyAudit": (ADMINISTER, UNBOUND), "getSystem": (READ, SERVER_WIDE),
    "streamEvents": (READ, THING), "getIndex": (frozenset(ROLES), OPEN), "getLivez": (frozenset(ROLES), OPEN), "getReadyz": (frozenset(ROLES), OPEN),
    "getVersion": (READ, SERVER_WIDE), "getMetrics": (READ, UNBOUND), "getOpenapi": (READ, SERVER_WIDE),
}
# What one operation of a batch needs is what it needs alone.
BATCH = {"delete": "deleteSchedule", **{name: f"{name}Schedule" for name in
                                        ("pause", "resume", "enable", "disable", "reset", "trigger", "cancel")}}
JOB = {"jobType": "t", "queue": "nobody", "labels": {"team": "x"}, "cron": "@yearly"}
RANGE = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}
END = {"runId": "r-0000000000000", "attempt": 1}
BODIES: dict[str, Any] = {
    "createSchedule": {"id": "made", **JOB}, "batchDeleteSchedules": {"ids": ["made"]}, "putSchedule": JOB,
    "batchSchedules": {"operation": "trigger", "ids": ["mine"]}, "patchSchedule": {"description": "changed"},
    "previewSchedule": {"cron": "@daily"}, "validatePipeline": {"document": "name: p"}, "previewBackfill": RANGE, "createBackfill": RANGE,
    "createJob": {"jobType": "t", "queue": "nobody"}, "openWorker": {"name": "w", "queues": ["nobody"]},
    "patchQueue": {"limit": 5}, "acquireLock": {"token": "t"}, "extendLock": {"token": "t"}, "releaseLock": {"token": "not it"},
    "claimJobs": {}, "completeJob": END, "failJob": END, "createToken": {"name": "t", "role": "viewer"},
}
QUERIES = {"explainOccurrence": {"at": "2099-01-01T00:00:00Z"}, "appendJobLog": {"runId": END["runId"], "attempt": 1}}
SCHEDULES = "/api/v1/schedules"
SERVER: LiveServer
ROUTES: list[dict[str, Any]]
CLIENTS: dict[tuple[str, str | None], Client]
PLACES: dict[str, dict[str, str]]


def setUpModule() -> None:
    """One server with two namespaces."""
    global SERVER, ROUTES, CLIENTS, PLACES  # pylint: disable=global-statement
    told = subprocess.run([print_api()], check=True, capture_output=True, timeout=60).stdout
    ROUTES = json.loads(told)["routes"]
    SERVER = LiveServer()
    bindings = (None, "own")
    CLIENTS = {(role, name): SERVER.client(role, name) for role, name in itertools.product(ROLES, bindings)}
    PLACES = {}


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def places_in(namespace: str) -> dict[str, str]:
    """What stands in the places of addresses: things that are there."""
    query = {"namespace": namespace}
    put(namespace)
    run = SERVER.admin.post(f"{SCHEDULES}/mine/trigger", **query).json()["run"]["id"]
    lock = SERVER.admin.ask("POST", "/api/v1/locks/mine/acquire", {"token": "t", "ttl": "1h"}, query=query)
    assert lock.status == 200, lock
    return {"id": "mine", "revision": "1", "lock": "mine", "run": run, "backfill": new_backfill(namespace), "queue": "nobody", "worker": "w-0",
            "token": "00000000"}


def put(namespace: str, name: str = "mine") -> None:
    """The schedule is there, whatever was done to it."""
    answer = SERVER.admin.ask("PUT", f"{SCHEDULES}/{name}", JOB, query={"namespace": namespace})
    assert answer.status in (200, 201), answer


def new_backfill(namespace: str) -> str:
    """One that nobody has touched yet."""
    request = {"from": "2020-01-01T00:00:00Z", "to": "2021-01-02T00:00:00Z"}
    answer = SERVER.admin.ask("POST", f"{SCHEDULES}/mine/backfills", request, query={"namespace": namespace})
    assert answer.status == 201, answer
    return answer.json()["id"]


def ask(client: Client, route: dict[str, Any], place: str, query: dict[str, str]) -> Answer:
    """For what stands in a namespace, which may not be the one of the query."""
    # What is deleted must not be what the other routes are about.
    path = route["path"].replace("{id}", "doomed") if route["operation"] == "deleteSchedule" else route["path"]
    for name, value in PLACES[place].items():
        path = path.replace("{" + name + "}", value)
    operation = route["operation"]
    body = b"line" if operation == "appendJobLog" else BODIES.get(operation)
    whole = {**QUERIES.get(operation, {}), **query}
    return client.ask(route["method"], path, body, query=whole or None, is_stream=operation == "streamEvents")


class TheTable(unittest.TestCase):
    """Of this test."""

    def test_has_every_route_and_no_other(self) -> None:
        self.assertEqual({route["operation"] for route in ROUTES}, TABLE.keys())


class Everybody(unittest.TestCase):
    """Every route, every role, every namespace."""

    @classmethod
    def setUpClass(cls) -> None:
        PLACES.update({namespace: places_in(namespace) for namespace in ("own", "other", "default")})

    def expected(self, role: str, bound: str | None, operation: str, named: str | None) -> set[str]:
        """In words: what may happen."""
        allowed, kind = TABLE[operation]
        if role not in allowed:
            return {"forbidden"}
        if kind == UNBOUND and bound:
            return {"not valid"} if named else {"forbidden"}
        if kind == THING:
            return {"not there"} if bound and named == "other" else {"let in"}
        # What has no namespace does not take one.
        return {"not valid"} if named else {"let in", "not there"}

    def told(self, answer: Answer) -> str:
        """The same words for an answer."""
        self.assertLess(answer.status, 500, answer.text)
        self.assertEqual([], answer.faults())
        if answer.status == 422 and "?namespace" in answer.text:
            return "not valid"
        if '"code":"no_items"' in answer.text or '"code":"no_dead_letter"' in answer.text:  # about a run that the caller sees
            return "let in"
        return {401: "unknown", 403: "forbidden", 404: "not there"}.get(answer.status, "let in")

    def test_gets_what_the_table_says(self) -> None:
        count = 0
        for route, role, bound, named in itertools.product(ROUTES, ROLES, (None, "own"), (None, "own", "other")):
            place = named or bound or "default"
            if role in TABLE[route["operation"]][0] and route["method"] != "GET" and TABLE[route["operation"]][1] == THING:
                put(place, "doomed" if route["operation"] == "deleteSchedule" else "mine")
            with self.subTest(operation=route["operation"], role=role, bound=bound, named=named):
                answer = ask(CLIENTS[role, bound], route, place, {"namespace": named} if named else {})
                count += 1
                self.assertIn(self.told(answer), self.expected(role, bound, route["operation"], named),
                              f"{answer.status} {answer.text[:300]}")
        self.assertEqual(len(ROUTES) * len(ROLES) * 2 * 3, count)

    def test_without_a_token_gets_nothing(self) -> None:
        for route in ROUTES:
            with self.subTest(operation=route["operation"]):
                answer = ask(SERVER.stranger, route, "default", {})
                self.assertEqual(200 if TABLE[route["operation"]][1] == OPEN else 401, answer.status, answer.text)

    def test_reads_without_changing_anything(self) -> None:
        for route in ROUTES:
            self.assertTrue(route["method"] != "GET" or TABLE[route["operation"]][0] not in (OPERATE, EDIT, WORK), route)


class Batches(unittest.TestCase):
    """Every operation in every form."""

    FORMS: tuple[dict[str, Any], ...] = ({"ids": ["mine"]}, {"filter": {"labels": {"team": "x"}}}, {"all": True})

    def test_need_what_their_operation_needs_alone(self) -> None:
        namespaces = (None, "own", "other")
        for operation, role, bound, named in itertools.product(BATCH, ROLES, (None, "own"), namespaces):
            for form in self.FORMS:
                place = named or bound or "default"
                put(place)
                with self.subTest(operation=operation, role=role, bound=bound, named=named, form=form):
                    query = {"namespace": named} if named else None
                    body = {"operation": operation, **form}
                    answer = CLIENTS[role, bound].ask("POST", f"{SCHEDULES}/batch", body, query=query)
                    if role not in TABLE[BATCH[operation]][0]:
                        self.assertEqual(403, answer.status, answer.text)
                    elif bound and named == "other":
                        self.assertEqual(404, answer.status, answer.text)
                    else:
                        self.assertEqual(200, answer.status, answer.text)
                        touched = {(one["namespace"], one["id"]) for one in answer.json()["results"]}
                        self.assertLessEqual({(place, "mine")}, touched)
                        self.assertEqual({place}, {namespace for namespace, _ in touched})


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
