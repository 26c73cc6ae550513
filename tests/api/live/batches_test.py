#!/usr/bin/env python3
"""One operation for many schedules: never more of them than were meant. Usage: batches_test.py BINARIES PRINT_API"""

import unittest
from typing import Any

from served import LiveServer, unittest_arguments

from client import Answer, Client

SERVER: LiveServer
SCHEDULES = "/api/v1/schedules"
BATCH = f"{SCHEDULES}/batch"
OPERATE = ("pause", "resume", "enable", "disable", "reset", "trigger", "cancel")
NOT_OBJECTS: tuple[Any, ...] = ([], ["team=blue"], "team=blue", 5, True, {})


def setUpModule() -> None:
    """One server for all."""
    global SERVER  # pylint: disable=global-statement
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Case(unittest.TestCase):
    """Three schedules in each of three namespaces."""

    def setUp(self) -> None:
        self.client = SERVER.admin
        for namespace in ("default", "blue", "red"):
            for name in ("one", "two", "three"):
                labels = {"team": "data"} if name != "three" else {"team": "ops"}
                document = {"labels": labels, "cron": "@yearly", "jobType": "t", "queue": "nobody"}
                answer = SERVER.admin.ask("PUT", f"{SCHEDULES}/{name}", document, query={"namespace": namespace})
                assert answer.status in (200, 201), answer

    def present(self) -> set[tuple[str, str]]:
        """Every schedule there is."""
        items = SERVER.admin.get(SCHEDULES, limit=500).json()["items"]
        return {(item["namespace"], item["id"]) for item in items}

    def active(self) -> set[tuple[str, str]]:
        """Every one that nobody has paused."""
        items = SERVER.admin.get(SCHEDULES, limit=500, status="active").json()["items"]
        return {(item["namespace"], item["id"]) for item in items}

    def post(self, status: int, path: str, body: Any, client: Client | None = None, **query: Any) -> Answer:
        """An answer of this status."""
        answer = (client or self.client).post(path, body, **query)
        self.assertEqual(status, answer.status, answer.text)
        self.assertEqual([], answer.faults())
        return answer

    def pointers(self, answer: Answer) -> list[str]:
        """Where faults were found."""
        return [error["pointer"] for error in answer.json()["errors"]]


class NothingIsMeantByAccident(Case):
    """What does not say which schedules are meant means none."""

    def refused(self, pointer: str, **members: Any) -> None:
        """Not valid there, and nothing has been done."""
        before = self.present()
        answer = self.post(422, BATCH, {"operation": "delete", **members})
        self.assertIn(pointer, self.pointers(answer))
        self.assertEqual(before, self.present())

    def test_an_empty_filter_is_refused(self) -> None:
        self.refused("/filter", filter={})
        self.refused("/filter", filter={"namespace": "blue"})
        self.refused("/filter", filter={"q": ""})
        self.refused("")

    def test_null_is_no_filter(self) -> None:
        for name in ("labels", "status", "q", "action", "nextBefore", "namespace"):
            with self.subTest(name=name):
                self.refused(f"/filter/{name}", filter={name: None})
        self.refused("/filter", filter=None)
        self.refused("/ids", ids=None)
        self.refused("/all", all=None)
        self.refused("/filter/labels/team", filter={"labels": {"team": None}})

    def test_labels_are_an_object_of_texts(self) -> None:
        for labels in NOT_OBJECTS:
            with self.subTest(labels=labels):
                self.refused("/filter/labels", filter={"labels": labels})
        for value in (5, True, None, ["data"], {"a": "b"}):
            with self.subTest(value=value):
                self.refused("/filter/labels/team", filter={"labels": {"team": value}})
        self.refused("/filter/labels/bad key", filter={"labels": {"bad key": "x"}})

    def test_other_members_have_their_type(self) -> None:
        for name, value in (("status", "asleep"), ("status", ["active"]), ("action", "shell"), ("q", 5)):
            with self.subTest(name=name, value=value):
                self.refused(f"/filter/{name}", filter={name: value})
        self.refused("/filter/nextBefore", filter={"nextBefore": "tomorrow"})
        self.refused("/all", all=False)
        self.refused("/all", all="yes")
        self.refused("/filter", filter="team=data")

    def test_only_one_way_to_say_it(self) -> None:
        labels = {"labels": {"team": "data"}}
        for members in ({"all": True, "filter": labels}, {"all": True, "ids": ["one"]}, {"ids": ["one"], "filter": labels}):
            with self.subTest(members=members):
                self.refused("", **members)

    def test_an_empty_label_is_not_any_label(self) -> None:
        body = {"operation": "delete", "filter": {"labels": {"team": ""}}, "preview": True}
        self.assertEqual(0, self.post(200, BATCH, body).json()["count"])


class Namespaces(Case):
    """A batch is about one namespace, as every request about one schedule is."""

    def paused_by(self, body: dict[str, Any], client: Client | None = None, **query: Any) -> set[tuple[str, str]]:
        """What is no longer active afterwards."""
        before = self.active()
        done = self.post(200, BATCH, {"operation": "pause", **body}, client, **query).json()
        changed = before - self.active()
        self.assertEqual(changed, {(one["namespace"], one["id"]) for one in done["results"]})
        self.assertEqual(len(changed), done["count"])
        for namespace, name in changed:
            SERVER.admin.post(f"{SCHEDULES}/{name}/resume", namespace=namespace)
        return changed

    def test_the_address_says_which(self) -> None:
        team = {"filter": {"labels": {"team": "data"}}}
        self.assertEqual({("blue", "one"), ("blue", "two")}, self.paused_by(team, namespace="blue"))
        self.assertEqual({("default", "one"), ("default", "two")}, self.paused_by(team))
        self.assertEqual({("red", "one")}, self.paused_by({"ids": ["one"]}, namespace="red"))
        own = {"filter": {"labels": {"team": "ops"}, "namespace": "blue"}}
        self.assertEqual({("blue", "three")}, self.paused_by(own))
        self.assertEqual({("blue", "three")}, self.paused_by(own, namespace="blue"))

    def test_all_means_all_of_the_namespace(self) -> None:
        self.assertEqual({("red", name) for name in ("one", "two", "three")}, self.paused_by({"all": True}, namespace="red"))
        bound = SERVER.client("operator", "blue")
        blue = {("blue", name) for name in ("one", "two", "three")}
        self.assertEqual(blue, self.paused_by({"all": True}, bound))

    def test_the_body_must_not_say_another_one(self) -> None:
        body = {"operation": "delete", "filter": {"labels": {"team": "data"}, "namespace": "red"}}
        before = self.present()
        answer = self.post(422, BATCH, body, namespace="blue")
        self.assertEqual(["/filter/namespace"], self.pointers(answer))
        bound = SERVER.client("admin", "blue")
        self.post(404, BATCH, body, bound)
        self.post(404, BATCH, body, bound, namespace="red")
        self.assertEqual(before, self.present())

    def test_deleting_many_stays_in_the_namespace(self) -> None:
        before = self.present()
        self.post(204, f"{SCHEDULES}/batch-delete", {"ids": ["one"]}, namespace="blue")
        self.assertEqual({("blue", "one")}, before - self.present())


class WholeOrNot(Case):
    """A request that is refused has done nothing."""

    def test_one_id_that_cannot_be_refuses_all(self) -> None:
        before = self.present()
        for body in ({"ids": ["one", "bad id"]}, {"ids": ["one", 5]}, {"ids": ["one", ""]}, {"ids": ["one", None]}):
            for path in ("batch-delete", "batch"):
                with self.subTest(body=body, path=path):
                    whole = body if path == "batch-delete" else {"operation": "delete", **body}
                    answer = self.post(422, f"{SCHEDULES}/{path}", whole)
                    self.assertEqual(["/ids/1"], self.pointers(answer))
                    self.assertEqual(before, self.present())

    def test_members_nobody_knows_refuse_all(self) -> None:
        before = self.present()
        for body in ({"ids": ["one"], "more": 1}, {"ids": ["one"], "scheduleIds": ["two"]}, {}, {"ids": "one"}, []):
            self.post(422, f"{SCHEDULES}/batch-delete", body)
        self.post(422, BATCH, {"operation": "delete", "ids": ["one"], "more": 1})
        self.assertEqual(before, self.present())


class Rights(Case):
    """Many need the same right as one."""

    def test_each_operation_needs_what_it_needs_alone(self) -> None:
        for role in ("viewer", "operator", "editor", "admin", "worker"):
            client = SERVER.client(role)
            for operation in (*OPERATE, "delete"):
                single = client.ask(*(("DELETE", f"{SCHEDULES}/no-such") if operation == "delete" else
                                      ("POST", f"{SCHEDULES}/no-such/{operation}")))
                for body in ({"ids": ["no-such"]}, {"filter": {"labels": {"team": "nobody"}}}):
                    with self.subTest(role=role, operation=operation, body=body):
                        many = client.post(BATCH, {"operation": operation, **body})
                        self.assertIn(single.status, (403, 404))
                        self.assertEqual(403 if single.status == 403 else 200, many.status, many.text)

    def test_what_was_refused_is_in_the_audit_log(self) -> None:
        self.post(403, BATCH, {"operation": "delete", "ids": ["one"]}, SERVER.client("operator"))
        newest = SERVER.admin.get("/api/v1/audit", limit=5).json()["items"]
        self.assertIn(("batchSchedules", "forbidden"), [(one["operation"], one["outcome"]) for one in newest])


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
