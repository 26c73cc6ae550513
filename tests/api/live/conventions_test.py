#!/usr/bin/env python3
"""What is the same for all requests: repeating, trying, paging. Usage: conventions_test.py BINARIES PRINT_API"""

import threading
import unittest
from typing import Any

from served import LiveServer, print_api, unittest_arguments

from client import Answer, segment
from description import Description
from waiting import await_value

DESCRIPTION: Description
SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
JOB = {"action": {"job": {"type": "t"}}}


def setUpModule() -> None:
    """One server for all."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """With a schedule of its own."""

    def setUp(self) -> None:
        self.id = self._testMethodName.replace("_", "-")[:100]
        self.path = f"{SCHEDULES}/{self.id}"
        self.created = self.sent(201, "POST", SCHEDULES, {"id": self.id, **JOB})

    def sent(self, status: int, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """The answer, which has this status."""
        answer = SERVER.admin.ask(method, path, body, **more)
        self.assertEqual(status, answer.status, answer.text)
        self.assertEqual([], answer.faults())
        return answer

    def run_count(self) -> int:
        """How often it was started."""
        return SERVER.admin.get(self.path).json()["runCount"]


class Repeating(Case):
    """Idempotency-Key."""

    def trigger(self, key: str, status: int = 202, body: Any = None) -> Answer:
        """Starts it, or not."""
        return self.sent(status, "POST", f"{self.path}/trigger", body, headers={"Idempotency-Key": key})

    def test_the_same_request_gives_the_same_answer_and_starts_nothing_more(self) -> None:
        first = self.trigger(self.id)
        again = self.trigger(self.id)

        self.assertEqual(first.body, again.body)
        self.assertEqual((None, "true"), tuple(one.headers.get("idempotency-replayed") for one in (first, again)))
        self.assertEqual(1, self.run_count())

    def test_another_request_with_the_key_is_refused(self) -> None:
        self.trigger(self.id)
        refused = self.trigger(self.id, 422, {"payload": 1})

        self.assertEqual("idempotency_key_reused", refused.json()["code"])
        self.assertEqual(1, self.run_count())

    def test_a_key_belongs_to_its_token(self) -> None:
        self.trigger(self.id)
        other = SERVER.client("operator")
        answer = other.ask("POST", f"{self.path}/trigger", headers={"Idempotency-Key": self.id})

        self.assertEqual((202, None), (answer.status, answer.headers.get("idempotency-replayed")))
        self.assertEqual(2, self.run_count())

    def test_what_was_refused_may_be_sent_again(self) -> None:
        document = {"id": f"{self.id}-2", "cron": "61 * * * *", "jobType": "t"}
        headers = {"Idempotency-Key": self.id}
        self.sent(422, "POST", SCHEDULES, document, headers=headers)
        self.sent(201, "POST", SCHEDULES, document | {"cron": "1 * * * *"}, headers=headers)

    def test_many_at_once_start_one_run(self) -> None:
        answers: list[int] = []
        send = lambda: answers.append(  # noqa: E731
            SERVER.admin.ask("POST", f"{self.path}/trigger", headers={"Idempotency-Key": self.id}).status
        )
        threads = [threading.Thread(target=send) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)

        self.assertLessEqual(set(answers), {202, 409})
        self.assertIn(202, answers)
        self.assertEqual(1, self.run_count())

    def test_a_created_schedule_is_created_once(self) -> None:
        headers = {"Idempotency-Key": self.id}
        first = self.sent(201, "POST", SCHEDULES, {"name": "Said twice", **JOB}, headers=headers)
        again = self.sent(201, "POST", SCHEDULES, {"name": "Said twice", **JOB}, headers=headers)

        self.assertEqual(first.json()["id"], again.json()["id"])
        self.assertEqual(first.headers["location"], again.headers["location"])


class Revisions(Case):
    """ETag and If-Match."""

    def test_a_write_from_an_older_revision_is_refused(self) -> None:
        old = self.created.headers["etag"]
        new = self.sent(200, "PATCH", self.path, {"description": "new"}, headers={"If-Match": old}).headers["etag"]

        self.assertNotEqual(old, new)
        for method, path, body in (
            ("PATCH", self.path, {"description": "lost"}),
            ("PUT", self.path, JOB),
            ("POST", f"{self.path}/pause", None),
            ("POST", f"{self.path}/disable", None),
            ("POST", f"{self.path}/trigger", None),
            ("DELETE", self.path, None),
        ):
            with self.subTest(method=method, path=path):
                self.sent(412, method, path, body, headers={"If-Match": old})
        after = self.sent(200, "GET", self.path)
        self.assertEqual(("new", new), (after.json()["description"], after.headers["etag"]))
        self.sent(204, "DELETE", self.path, headers={"If-Match": new})

    def test_a_star_asks_for_nothing_and_nonsense_is_refused(self) -> None:
        self.sent(200, "PATCH", self.path, {"description": "x"}, headers={"If-Match": "*"})
        self.sent(400, "PATCH", self.path, {"description": "y"}, headers={"If-Match": "three"})

    def test_saying_the_same_again_changes_nothing(self) -> None:
        before = self.sent(200, "GET", self.path)
        put = self.sent(200, "PUT", self.path, {key: before.json()[key] for key in ("spec", "action", "policies")})

        self.assertEqual(before.headers["etag"], put.headers["etag"])

    def test_what_was_read_can_be_sent_back(self) -> None:
        document = self.sent(200, "GET", self.path).json()
        put = self.sent(200, "PUT", self.path, document | {"description": "changed"})

        self.assertEqual("changed", put.json()["description"])


class Trying(Case):
    """dryRun."""

    def test_writes_nothing(self) -> None:
        before = SERVER.admin.get(self.path).body
        audited = SERVER.admin.get("/api/v1/audit", limit=1).json()["items"][0]["number"]
        dry = {"dryRun": "true"}
        self.sent(200, "PATCH", self.path, {"description": "dry"}, query=dry)
        self.sent(200, "PUT", self.path, {**JOB, "description": "dry"}, query=dry)
        for verb in ("pause", "disable", "reset"):
            self.sent(200, "POST", f"{self.path}/{verb}", query=dry)
        self.sent(204, "DELETE", self.path, query=dry)
        self.sent(204, "POST", f"{SCHEDULES}/batch-delete", {"ids": [self.id]}, query=dry)
        self.sent(200, "POST", f"{SCHEDULES}/batch", {"operation": "delete", "ids": [self.id]}, query=dry)
        request = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}
        self.sent(200, "POST", f"{self.path}/backfills", request, query=dry)
        self.sent(200, "POST", SCHEDULES, {"id": "dry", **JOB}, query=dry)

        self.assertEqual(before, SERVER.admin.get(self.path).body)
        self.assertEqual(404, SERVER.admin.get(f"{SCHEDULES}/dry").status)
        self.assertEqual(audited, SERVER.admin.get("/api/v1/audit", limit=1).json()["items"][0]["number"])

    def test_answers_what_would_be(self) -> None:
        dry = {"dryRun": "true"}
        patched = self.sent(200, "PATCH", self.path, {"description": "dry", "cron": "@daily"}, query=dry).json()
        self.assertEqual(("dry", ["@daily"]), (patched["description"], patched["spec"]["cron"]))
        self.assertIsNotNone(patched["nextRunAt"])

    def test_is_refused_like_the_thing_itself(self) -> None:
        dry = {"dryRun": "true"}
        self.sent(409, "POST", SCHEDULES, {"id": self.id, **JOB}, query=dry)
        self.sent(422, "POST", SCHEDULES, {"id": "wrong", **JOB, "cron": "61 * * * *"}, query=dry)
        self.sent(404, "PATCH", f"{SCHEDULES}/no-such", {}, query=dry)
        self.sent(412, "PATCH", self.path, {}, query=dry, headers={"If-Match": '"99"'})

    def test_is_refused_where_it_has_no_meaning(self) -> None:
        job, token = {"jobType": "t"}, {"name": "t", "role": "viewer"}
        for path, body in (("jobs", job), ("tokens", token), ("queues/q/pause", None)):
            self.sent(422, "POST", f"/api/v1/{path}", body, query={"dryRun": "true"})
        self.assertEqual(0, self.run_count())

    def test_of_a_trigger_or_a_cancellation_does_nothing(self) -> None:
        tried = self.sent(200, "POST", f"{self.path}/trigger", query={"dryRun": "true"}).json()
        self.assertEqual({"decision": {"outcome": "started", "reason": None}}, tried)
        self.sent(202, "POST", f"{self.path}/cancel", query={"dryRun": "true"})
        self.assertEqual(0, self.run_count())


class Paging(unittest.TestCase):
    """Lists that are longer than a page."""

    @classmethod
    def setUpClass(cls) -> None:
        for number in range(12):
            answer = SERVER.admin.post(SCHEDULES, {"id": f"paged-{number:02}", "labels": {"paged": "yes"}, **JOB})
            assert answer.status == 201, answer

    def pages(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """All items, page by page."""
        items: list[dict[str, Any]] = []
        token = None
        while True:
            page = SERVER.admin.get(path, **query, **({"pageToken": token} if token else {})).json()
            items += page["items"]
            token = page["nextPageToken"]
            if token is None:
                return items
            self.assertEqual(query["limit"], len(page["items"]))

    def test_shows_every_schedule_once(self) -> None:
        expected = [f"paged-{number:02}" for number in range(12)]
        for limit in (1, 5, 12, 500):
            self.assertEqual(expected, [item["id"] for item in self.pages(SCHEDULES, label="paged=yes", limit=limit)])
        page = SERVER.admin.get(SCHEDULES, label="paged=yes", limit=5, offset=10).json()
        self.assertEqual((["paged-10", "paged-11"], 12), ([item["id"] for item in page["items"]], page["total"]))

    def test_is_not_disturbed_by_what_comes_and_goes(self) -> None:
        first = SERVER.admin.get(SCHEDULES, label="paged=yes", limit=4).json()
        SERVER.admin.ask("PUT", f"{SCHEDULES}/paged-00a", {"labels": {"paged": "yes"}, **JOB})
        self.addCleanup(SERVER.admin.ask, "DELETE", f"{SCHEDULES}/paged-00a")
        second = SERVER.admin.get(SCHEDULES, label="paged=yes", limit=4, pageToken=first["nextPageToken"]).json()

        self.assertEqual([f"paged-{number:02}" for number in range(4, 8)], [item["id"] for item in second["items"]])

    def test_shows_every_run_and_every_audit_record_once(self) -> None:
        ids = [SERVER.admin.post(f"{SCHEDULES}/paged-00/trigger").json()["id"] for _ in range(7)]
        runs = self.pages(f"{SCHEDULES}/paged-00/runs", limit=3)
        self.assertEqual(list(reversed(ids)), [run["id"] for run in runs])
        numbers = [record["number"] for record in self.pages("/api/v1/audit", limit=7)]
        self.assertEqual(sorted(set(numbers), reverse=True), numbers)

    def test_refuses_a_token_of_somebody_else_and_sizes_out_of_bounds(self) -> None:
        sizes: list[dict[str, Any]] = [{"limit": 0}, {"limit": 501}, {"limit": "many"}, {"offset": -1}]
        words = [{"lable": "paged=yes"}, {"status": "asleep"}, {"view": "round"}]
        for query in [*sizes, *words, {"pageToken": "x"}, {"pageToken": "n~1"}]:
            self.assertEqual(422, SERVER.admin.get(SCHEDULES, **query).status, query)


class Names(Case):
    """How things are called."""

    def test_runs_have_a_name_beside_their_id(self) -> None:
        run = self.sent(202, "POST", f"{self.path}/trigger").json()["run"]
        named = self.sent(200, "GET", f"/api/v1/runs/{segment(run['name'])}")

        self.assertTrue(run["name"].startswith(f"{self.id}@"))
        self.assertEqual(run["id"], named.json()["id"])

    def test_a_location_leads_to_what_was_created_also_in_another_namespace(self) -> None:
        self.sent(200, "GET", self.created.headers["location"])
        other = self.sent(201, "POST", SCHEDULES, {"id": f"{self.id}-2", "namespace": "elsewhere", **JOB})
        self.assertEqual("elsewhere", self.sent(200, "GET", other.headers["location"]).json()["namespace"])

    def test_a_schedule_without_an_id_gets_one_from_its_name(self) -> None:
        ids = [self.sent(201, "POST", SCHEDULES, {"name": "Über Nacht!", **JOB}).json()["id"] for _ in range(2)]

        self.assertEqual(f"{ids[0]}-2", ids[1])

    def test_every_address_tells_its_methods(self) -> None:
        for path, item in DESCRIPTION.document["paths"].items():
            answer = self.sent(405, "OPTIONS", path.replace("{", "").replace("}", ""))
            methods = {method.upper() for method in item} | ({"HEAD"} if "get" in item else set())
            self.assertEqual(methods, set(answer.headers["allow"].split(", ")), path)
        self.assertEqual("GET, HEAD", self.sent(405, "POST", "/api/v1/runs").headers["allow"])
        self.sent(404, "GET", "/api/v1/nowhere")

    def test_reading_a_head_gives_the_head_of_the_answer(self) -> None:
        get, head = (self.sent(200, method, self.path) for method in ("GET", "HEAD"))

        self.assertEqual(b"", head.body)
        for name in ("etag", "content-type"):
            self.assertEqual(get.headers[name], head.headers[name])


class TheDescription(unittest.TestCase):
    """Of the interface."""

    def test_is_served_as_it_was_built_in(self) -> None:
        self.assertEqual(DESCRIPTION.document, SERVER.admin.get("/openapi.json").json())


class Questions(Case):
    """What was, what will be, and why."""

    def test_occurrences_are_past_decisions_and_future_starts_in_one_list(self) -> None:
        self.sent(200, "PATCH", self.path, {"every": "1s"})
        states = {"started", "skipped"}

        def decided() -> list[dict[str, Any]]:
            items = SERVER.admin.get(f"{self.path}/occurrences").json()["items"]
            return items if len([item for item in items if item["outcome"] in states]) >= 2 else []

        items = await_value(decided, "two decisions")
        outcomes = [item["outcome"] for item in items]
        self.assertEqual(sorted(outcomes, key=lambda outcome: outcome == "planned"), outcomes)
        self.assertEqual(sorted(item["nominal"] for item in items), [item["nominal"] for item in items])
        past = self.sent(200, "GET", f"{self.path}/why", query={"at": items[0]["nominal"]}).json()
        self.assertIn(past["occurrence"]["outcome"], states)
        self.assertEqual(["created", "updated"], [change["kind"] for change in past["changes"]])
        ahead = self.sent(200, "GET", f"{self.path}/why", query={"at": "2099-01-01T00:00:00.5Z"}).json()
        self.assertIsNone(ahead["occurrence"])
        self.assertIsNotNone(ahead["after"])


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
