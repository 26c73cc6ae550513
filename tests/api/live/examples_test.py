#!/usr/bin/env python3
"""Every documented example is sent, in order, to an empty server. Usage: examples_test.py BINARIES PRINT_API"""

import re
import unittest
from typing import Any

from served import LiveServer, print_api, unittest_arguments

from client import Answer, segment
from description import Description, Operation, Step

DESCRIPTION: Description
SERVER: LiveServer

# What the server names: workers, runs, backfills, tokens.
OPAQUE = re.compile(r"^(r-[a-z0-9]{8,}|w-[a-z0-9]{8,}|bf-[a-z0-9]+|[0-9a-z]{8})$")


def setUpModule() -> None:
    """One server for the whole story."""
    global DESCRIPTION, SERVER  # pylint: disable=global-statement
    DESCRIPTION = Description(print_api())
    SERVER = LiveServer()


def tearDownModule() -> None:
    """Ends it."""
    SERVER.close()


class Names:
    """What the ids of the examples are called on this server, learned from its answers."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def learn(self, example: Any, real: Any) -> None:
        """Walks both; where the example has an id, the answer says what it is here."""
        if isinstance(example, dict) and isinstance(real, dict):
            for key in example.keys() & real.keys():
                self.learn(example[key], real[key])
        if isinstance(example, str) and isinstance(real, str) and OPAQUE.match(example):
            self._known.setdefault(example, real)

    def here(self, value: Any) -> Any:
        """The same with the names of this server."""
        if isinstance(value, dict):
            return {key: self.here(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.here(item) for item in value]
        return self._known.get(value, value) if isinstance(value, str) else value


def example_answer(operation: Operation, step: Step) -> Any:
    """The documented answer to a step."""
    answer = operation.answer(operation.status_of(step.example)) or {}
    for media in answer.get("content", {}).values():
        return DESCRIPTION.resolved(media["examples"][step.example])["value"]
    return None


class Teller:
    """Sends the steps of the story."""

    def __init__(self) -> None:
        self.names = Names()

    def request_of(self, operation: Operation, step: Step) -> dict[str, Any]:
        """How a step is sent."""
        given = self.names.here(step.parameters)
        path = re.sub(r"\{(\w+)\}", lambda match: segment(str(given[match[1]])), operation.path)
        query = {one["name"]: given[one["name"]] for one in operation.parameters_in("query") if one["name"] in given}
        headers = {one["name"]: given[one["name"]] for one in operation.parameters_in("header") if one["name"] in given}
        request = {
            "path": path,
            "query": {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()},
            "headers": headers,
            "body": None,
        }
        if operation.body is not None:
            media, node = operation.body
            if step.example in node.get("examples", {}):
                body = self.names.here(DESCRIPTION.resolved(node["examples"][step.example])["value"])
                request |= {"body": body.encode() if isinstance(body, str) else body, "media": media}
        return request

    def tell(self, step: Step) -> Answer:
        """Sends one step, and learns from its answer."""
        operation = DESCRIPTION.operations[step.operation]
        request = self.request_of(operation, step)
        answer = SERVER.admin.ask(operation.method, request.pop("path"), request.pop("body"), **request)
        if answer.media.endswith("json"):
            self.names.learn(example_answer(operation, step), answer.json())
        return answer

    def stream(self, step: Step) -> list[str]:
        """The names of events up to the end of a run."""
        request = self.request_of(DESCRIPTION.operations[step.operation], step)
        query = "&".join(f"{name}={value}" for name, value in request["query"].items())
        with SERVER.admin.events(f"{request['path']}?{query}", request["headers"]) as stream:
            assert (stream.status, stream.media) == (200, "text/event-stream"), stream.media
            return [event.name for event in stream.until("run.finished")]


class TheStory(unittest.TestCase):
    """One test, as each step stands on the ones before it."""

    def test_is_answered_as_the_description_says(self) -> None:
        teller = Teller()
        sent = 0
        for step in DESCRIPTION.story:
            operation = DESCRIPTION.operations[step.operation]
            with self.subTest(operation=step.operation, example=step.example):
                sent += 1
                if operation.id == "streamEvents":
                    self.assertIn("run.queued", teller.stream(step))
                    continue
                answer = teller.tell(step)
                self.assertEqual(operation.status_of(step.example), answer.status, answer.text[:500])
                self.assertEqual([], operation.faults_of_answer(answer.status, answer.headers, answer.body))
                self.compare(example_answer(operation, step), answer, step)
        print(f"{sent} examples of {len(DESCRIPTION.operations)} operations sent")

    def compare(self, example: Any, answer: Answer, step: Step) -> None:
        """An answer has the members that its example shows, no fewer and no more."""
        if isinstance(example, dict) and step.operation != "getOpenapi":
            self.assertEqual(sorted(example), sorted(answer.json()))
        if isinstance(example, dict) and answer.status >= 400:
            self.assertEqual(example["code"], answer.json()["code"])


if __name__ == "__main__":
    unittest.main(argv=unittest_arguments())
