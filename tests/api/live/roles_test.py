#!/usr/bin/env python3
"""Who may ask for what: every route with every role, and with none. Usage: roles_test.py BINARIES PRINT_API"""

import re
import unittest
from collections import Counter

from served import ROLES, LiveServer, print_api, unittest_arguments

from client import Answer, Client
from description import Description, Operation

SCOPES = {
    "viewer": {"read"},
    "operator": {"read", "operate"},
    "editor": {"read", "operate", "edit"},
    "admin": {"read", "operate", "edit", "administer", "work"},
    "worker": {"work"},
}
DESCRIPTION: Description
SERVER: LiveServer


def setUpModule() -> None:
    """One server for all."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


def knock(client: Client, operation: Operation) -> Answer:
    """Asks for something that is not there, so that whoever is let in changes nothing."""
    path = re.sub(r"\{\w+\}", "no-such-thing", operation.path)
    body = {} if operation.body is not None else None
    return client.ask(operation.method, path, body, is_stream=operation.id == "streamEvents")


class Strangers(unittest.TestCase):
    """Without a token."""

    def test_get_nothing_but_the_two_probes_and_the_index(self) -> None:
        answers = Counter()
        for operation in DESCRIPTION.operations.values():
            with self.subTest(operation=operation.id):
                answer = knock(SERVER.stranger, operation)
                answers[answer.status] += 1
                self.assertEqual(200 if operation.scope == "open" else 401, answer.status, answer.text)
                self.assertEqual([], answer.faults())
        print(f"without a token: {dict(answers)}")
        self.assertEqual(3, answers[200])

    def test_are_told_the_same_whatever_is_wrong(self) -> None:
        problems = [knock(SERVER.stranger, one).json() for one in DESCRIPTION.operations.values() if one.scope != "open"]

        ids = {problem.pop("instance") for problem in problems}
        self.assertEqual(len(problems), len(ids), "every request has a name of its own")
        self.assertEqual(1, len({str(sorted(problem.items())) for problem in problems}))


class Roles(unittest.TestCase):
    """With a token of each role."""

    def test_may_do_what_their_scopes_say_and_nothing_else(self) -> None:
        for role in ROLES:
            answers = Counter()
            client = SERVER.client(role)
            for operation in DESCRIPTION.operations.values():
                with self.subTest(role=role, operation=operation.id):
                    answer = knock(client, operation)
                    is_allowed = operation.scope in SCOPES[role] | {"open"}
                    answers["let in" if answer.status != 403 else "refused"] += 1
                    self.assertNotEqual(401, answer.status)
                    self.assertEqual(is_allowed, answer.status != 403, f"{answer.status} {answer.text}")
                    self.assertLess(answer.status, 500, answer.text)
                    self.assertEqual([], answer.faults())
            print(f"{role}: {dict(answers)}")

    def test_bound_to_a_namespace_get_no_more_than_others_of_their_role(self) -> None:
        for role in ROLES:
            client = SERVER.client(role, "bound")
            for operation in DESCRIPTION.operations.values():
                with self.subTest(role=role, operation=operation.id):
                    answer = knock(client, operation)
                    if operation.scope not in SCOPES[role] | {"open"}:
                        self.assertEqual(403, answer.status, answer.text)


class Reading(unittest.TestCase):
    """GET."""

    def test_changes_nothing(self) -> None:
        for operation in DESCRIPTION.operations.values():
            if operation.method == "GET":
                self.assertIn(operation.scope, ("open", "read", "administer"), operation.id)


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
