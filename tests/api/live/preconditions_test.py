#!/usr/bin/env python3
"""What a request says of what it was made from, and of where it belongs. Usage: preconditions_test.py BINARIES PRINT_API"""

import unittest
from typing import Any

from served import LiveServer, unittest_arguments

from client import Answer

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
JOB = {"jobType": "t", "queue": "nobody"}


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """With a schedule of its own."""

    def setUp(self) -> None:
        self.id = self._testMethodName.replace("_", "-")[:100]
        self.path = f"{SCHEDULES}/{self.id}"
        self.etag = self.sent(201, "PUT", self.path, JOB).headers["etag"]

    def sent(self, status: int, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """The answer, which has this status."""
        answer = SERVER.admin.ask(method, path, body, **more)
        self.assertEqual(status, answer.status, f"{method} {path} {body} {more}: {answer.text}")
        self.assertEqual([], answer.faults())
        return answer


class Tags(Case):
    """ETag."""

    def test_never_come_back(self) -> None:
        self.sent(204, "DELETE", self.path)
        again = self.sent(201, "PUT", self.path, JOB).headers["etag"]
        self.assertNotEqual(self.etag, again)
        headers = {"If-Match": self.etag}
        for method, path, body in (("PUT", self.path, JOB), ("PATCH", self.path, {"description": "x"}),
                                   ("POST", f"{self.path}/pause", None), ("POST", f"{self.path}/cancel", None),
                                   ("POST", f"{self.path}/trigger", None), ("DELETE", self.path, None)):
            self.sent(412, method, path, body, headers=headers)
        self.sent(200, "POST", f"{self.path}/pause", headers={"If-Match": again})

    def test_of_others_do_not_match_and_lists_do(self) -> None:
        for tags in ('"1"', '"foreign"', 'W/' + self.etag, '"a", "b"', '""'):
            self.sent(412, "PATCH", self.path, {"description": tags}, headers={"If-Match": tags})
        new = self.sent(200, "PATCH", self.path, {"description": "x"}, headers={"If-Match": f'"a" , {self.etag},"b"'})
        self.sent(412, "PATCH", self.path, {"description": "y"}, headers={"If-Match": self.etag})
        self.sent(200, "PATCH", self.path, {"description": "z"}, headers={"If-Match": new.headers["etag"]})
        for nonsense in ("three", '"open', '"a" "b"', ""):
            self.sent(400, "PATCH", self.path, {"description": "n"}, headers={"If-Match": nonsense})

    def test_of_an_answer_say_whether_it_changed(self) -> None:
        read = self.sent(200, "GET", self.path)
        known = {"If-None-Match": read.headers["etag"]}
        same = self.sent(304, "GET", self.path, headers=known)
        self.assertEqual((b"", read.headers["etag"]), (same.body, same.headers["etag"]))
        self.sent(304, "GET", self.path, headers={"If-None-Match": f'"x", W/{read.headers["etag"]}'})
        self.sent(200, "GET", self.path, headers={"If-None-Match": '"x"'})
        self.sent(200, "GET", self.path, query={"view": "flat"}, headers=known)
        # A run changes what is answered, but not what a change may be made from.
        self.sent(202, "POST", f"{self.path}/trigger")
        later = self.sent(200, "GET", self.path, headers=known)
        self.assertEqual(1, later.json()["runCount"])
        self.sent(200, "PATCH", self.path, {"description": "x"}, headers={"If-Match": read.headers["etag"]})

    def test_where_there_are_none_do_not_match(self) -> None:
        for path, body in ((f"{SCHEDULES}/batch", {"operation": "pause", "ids": [self.id]}), (SCHEDULES, JOB),
                           ("/api/v1/jobs", JOB), ("/api/v1/tokens", {"name": "t", "role": "viewer"})):
            self.sent(412, "POST", path, body, headers={"If-Match": self.etag})
            self.sent(412, "POST", path, body, headers={"If-Match": "*"})
        self.assertEqual("active", self.sent(200, "GET", self.path).json()["status"])

    def test_of_what_was_only_tried_do_not_exist(self) -> None:
        tried = self.sent(200, "PATCH", self.path, {"description": "x"}, query={"dryRun": "true"})
        self.assertNotIn("etag", tried.headers)


class Creating(Case):
    """PUT."""

    def test_only_what_is_not_there(self) -> None:
        self.sent(412, "PUT", self.path, JOB | {"description": "x"}, headers={"If-None-Match": "*"})
        self.sent(412, "PUT", self.path, JOB | {"description": "x"}, headers={"If-None-Match": self.etag})
        self.assertEqual("", self.sent(200, "GET", self.path).json()["description"])
        self.sent(204, "DELETE", self.path)
        self.sent(412, "PUT", self.path, JOB, headers={"If-Match": "*"})
        made = self.sent(201, "PUT", self.path, JOB, headers={"If-None-Match": "*"})
        self.assertEqual(self.path, made.headers["location"])

    def test_in_the_namespace_of_the_address(self) -> None:
        for namespace in ("blue", "red"):
            self.sent(201, "PUT", self.path, JOB, query={"namespace": namespace})
        other = JOB | {"namespace": "red", "description": "changed"}
        for query in ({"namespace": "blue"}, {}):
            refused = self.sent(422, "PUT", self.path, other, query=query)
            self.assertEqual(["/namespace"], [error["pointer"] for error in refused.json()["errors"]])
        self.assertEqual("", self.sent(200, "GET", self.path, query={"namespace": "red"}).json()["description"])
        self.sent(200, "PUT", self.path, other, query={"namespace": "red"})
        newest = SERVER.admin.get("/api/v1/audit", limit=1).json()["items"][0]
        self.assertEqual(("schedule.put", "red", self.id), tuple(newest[key] for key in ("operation", "namespace", "target")))
        self.sent(422, "PATCH", self.path, {"namespace": "red"}, query={"namespace": "blue"})
        self.sent(422, "POST", SCHEDULES, {"id": "x", "namespace": "red", **JOB}, query={"namespace": "blue"})
        made = self.sent(201, "POST", SCHEDULES, {"id": f"{self.id}-2", **JOB}, query={"namespace": "blue"})
        self.assertEqual("blue", made.json()["namespace"])
        self.sent(422, "POST", "/api/v1/jobs", {"namespace": "red", **JOB}, query={"namespace": "blue"})

    def test_does_not_rename(self) -> None:
        put = self.sent(200, "PUT", f"{SCHEDULES}/{self.id.upper()}", JOB | {"description": "x"})
        self.assertEqual(self.id, put.json()["id"])
        self.assertEqual("x", self.sent(200, "GET", self.path).json()["description"])

    def test_takes_no_word_of_an_address_for_an_id(self) -> None:
        for word in ("batch", "batch-delete", "preview"):
            self.sent(422, "POST", SCHEDULES, {"id": word, **JOB})
            self.sent(405, "PUT", f"{SCHEDULES}/{word}", JOB)
            self.assertEqual("POST", self.sent(405, "GET", f"{SCHEDULES}/{word}").headers["allow"])
        self.assertEqual("POST", self.sent(405, "GET", f"{self.path}/backfills/preview").headers["allow"])
        self.assertEqual("preview-2", self.sent(201, "POST", SCHEDULES, {"name": "Preview", **JOB}).json()["id"])

    def test_takes_no_namespace_that_differs_by_case(self) -> None:
        self.sent(422, "POST", SCHEDULES, {"id": "x", "namespace": "Default", **JOB})
        self.sent(422, "PUT", f"{SCHEDULES}/x", JOB, query={"namespace": "Default"})
        self.sent(422, "POST", "/api/v1/jobs", {"jobType": "t", "namespace": "Default"})
        self.sent(422, "POST", "/api/v1/tokens", {"name": "t", "role": "viewer", "namespace": "Default"})

    def test_takes_no_pipeline(self) -> None:
        action = {"action": {"pipeline": {"path": "p"}}}
        for method, path, body in (("POST", SCHEDULES, {"id": "x", **action}), ("PUT", self.path, action),
                                   ("PATCH", self.path, action)):
            problem = self.sent(422, method, path, body).json()
            self.assertIn("this server has no folder of pipelines", problem["detail"])


class Strictness(Case):
    """What the description forbids is refused."""

    def test_of_values(self) -> None:
        token = {"name": "t", "role": "viewer"}
        for body in ({"expiresIn": "0s"}, {"expiresIn": None}, {"namespace": None}, {"name": "a\x1b[2J"},
                     {"name": "\u202eevil"}, {"name": "a\u0085b"}, {"name": "a\nb"}):
            self.sent(422, "POST", "/api/v1/tokens", token | body)
        for name in ("a\u0085b", "\u202eevil", "x\u2066y"):
            self.sent(422, "PATCH", self.path, {"name": name})
        self.sent(422, "POST", "/api/v1/workers", {"name": "w", "queues": ["q"], "lease": None})
        session = SERVER.admin.post("/api/v1/workers", {"name": "w", "queues": ["q"]}).json()["worker"]
        self.sent(422, "POST", f"/api/v1/workers/{session}/claim", {"wait": None})
        self.sent(422, "POST", "/api/v1/jobs", {"action": {}})
        self.sent(422, "POST", f"{SCHEDULES}/preview")

    def test_of_members_that_would_be_dropped(self) -> None:
        for member in ({"id": "x"}, {"cron": "@daily"}, {"every": "1m"}, {"labels": {"a": "b"}}, {"spec": {}}):
            self.sent(422, "POST", "/api/v1/jobs", {"jobType": "t", **member})
        session = SERVER.admin.post("/api/v1/workers", {"name": "w", "queues": ["q"]}).json()["worker"]
        for path in (f"{self.path}/resume", f"{self.path}/enable", f"{self.path}/disable", f"{self.path}/reset",
                     f"{self.path}/cancel", f"/api/v1/workers/{session}/heartbeat", "/api/v1/queues/q/pause"):
            self.sent(422, "POST", path, {"unknown": 1})
        self.sent(200, "POST", f"/api/v1/workers/{session}/heartbeat", {})

    def test_of_parameters(self) -> None:
        for path in ("/livez", "/readyz", "/version", "/metrics", "/openapi.json"):
            self.sent(422, "GET", path, query={"unknown": "1"})
        self.sent(422, "GET", SCHEDULES, query=[("limit", "1"), ("limit", "2")])
        self.sent(422, "GET", self.path, query=[("namespace", "default"), ("namespace", "red")])
        self.sent(200, "GET", SCHEDULES, query=[("label", "a=b"), ("label", "c=d")])

    def test_of_addresses(self) -> None:
        self.sent(200, "GET", self.path, query={"view": "flat"})
        self.sent(422, "GET", f"{self.path}%3Fflat")
        self.sent(200, "GET", self.path, query={"view": "flat"})
        self.sent(400, "GET", f"{SCHEDULES}/flat%2F{self.id}")

    def test_of_namespaces_of_runs(self) -> None:
        run = self.sent(202, "POST", f"{self.path}/trigger").json()["run"]["id"]
        self.sent(200, "GET", f"/api/v1/runs/{run}")
        self.sent(200, "GET", f"/api/v1/runs/{run}", query={"namespace": "default"})
        self.sent(404, "GET", f"/api/v1/runs/{run}", query={"namespace": "red"})
        self.sent(404, "POST", f"/api/v1/runs/{run}/cancel", query={"namespace": "red"})

    def test_of_places_of_backfills(self) -> None:
        query = {"namespace": "elsewhere"}
        self.sent(201, "PUT", self.path, JOB | {"cron": "@daily"}, query=query)
        request = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z"}
        made = self.sent(201, "POST", f"{self.path}/backfills", request, query=query)
        self.sent(200, "GET", made.headers["location"])


class Queues(Case):
    """A queue that is paused is not passed over in silence."""

    def test_that_is_paused_is_what_runs_wait_for(self) -> None:
        self.sent(200, "POST", "/api/v1/queues/nobody/pause")
        self.addCleanup(SERVER.admin.post, "/api/v1/queues/nobody/resume")
        run = self.sent(202, "POST", f"{self.path}/trigger").json()["run"]
        self.assertEqual({"what": "paused_queue", "queue": "nobody", "until": None, "pausedBy": "admin"}, run["waitingFor"])
        self.assertIn("its queue nobody is paused", run["why"])
        self.sent(200, "POST", "/api/v1/queues/nobody/resume")
        later = self.sent(200, "GET", f"/api/v1/runs/{run['id']}").json()
        self.assertEqual("worker", later["waitingFor"]["what"])


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
