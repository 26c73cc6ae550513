#!/usr/bin/env python3
"""contracts/openapi.yaml is sound, and says what the program does. Usage: openapi_test.py PRINT_API"""

import json
import re
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from description import METHODS, ROOT, Description, Operation  # noqa: E402

CONTRACTS = ROOT / "contracts"
BUNDLED = {
    "spec.schema.json": "Spec",
    "schedule.schema.json": "Schedule",
    "run.schema.json": "Run",
    "backfill.schema.json": "BackfillRequest",
}
SCOPES = {"open", "read", "operate", "edit", "administer", "work"}
SIZE_MAX = 512 * 1024
DESCRIPTION: Description


def setUpModule() -> None:
    """Asks the program once."""
    global DESCRIPTION  # pylint: disable=global-statement
    DESCRIPTION = Description(PRINT_API)


def references(node: Any) -> Iterator[str]:
    """Every $ref below a node."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    if isinstance(node, list):
        for value in node:
            yield from references(value)


def bundled(node: Any, own: str) -> Any:
    """A schema file as it stands in the description: references lead to where the other files have been put."""
    if isinstance(node, list):
        return [bundled(value, own) for value in node]
    if not isinstance(node, dict):
        return node
    whole = {key: bundled(value, own) for key, value in node.items() if key != "$schema"}
    if isinstance(whole.get("$ref"), str):
        file, _, pointer = whole["$ref"].partition("#")
        whole["$ref"] = f"#/components/schemas/{BUNDLED[file] if file else own}{pointer}"
    return whole


class TheFile(unittest.TestCase):
    """As text."""

    def test_is_small_plain_and_without_repetitions_by_reference(self) -> None:
        text = (CONTRACTS / "openapi.yaml").read_text(encoding="utf-8")

        self.assertLessEqual(len(text), SIZE_MAX)
        self.assertTrue(text.isascii())
        self.assertEqual([], re.findall(r"^\s*(?:- |[\w-]+: )[&*]\w+", text, re.MULTILINE))

    def test_is_what_the_program_serves(self) -> None:
        self.assertEqual("3.1.0", DESCRIPTION.document["openapi"])
        self.assertEqual({"get", "put", "post", "patch", "delete"}, set(METHODS))
        for path, item in DESCRIPTION.document["paths"].items():
            self.assertEqual(set(), item.keys() - set(METHODS), path)


class References(unittest.TestCase):
    """Inside the file, and to the other contracts."""

    def test_all_lead_somewhere_in_the_file(self) -> None:
        for reference in set(references(DESCRIPTION.document)):
            self.assertTrue(reference.startswith("#/components/"), reference)
            DESCRIPTION.schemas.resolve(reference, DESCRIPTION.schemas.NAME)

    def test_every_component_is_used(self) -> None:
        used = set(references(DESCRIPTION.document))
        for kind, components in DESCRIPTION.document["components"].items():
            if kind == "securitySchemes":
                continue
            for name in components:
                place = f"#/components/{kind}/{name}"
                # For methods that are not described, on every address.
                if name != "MethodNotAllowed":
                    self.assertTrue(any(one == place or one.startswith(place + "/") for one in used), place)

    def test_shared_schemas_equal_the_contracts(self) -> None:
        for file, name in BUNDLED.items():
            with self.subTest(file=file):
                contract = json.loads((CONTRACTS / file).read_text(encoding="utf-8"))
                self.assertEqual(bundled(contract, name), DESCRIPTION.document["components"]["schemas"][name])


class Schemas(unittest.TestCase):
    """What bodies look like."""

    def schemas(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """All that are not references."""
        for name, schema in DESCRIPTION.document["components"]["schemas"].items():
            yield f"components/{name}", schema
        for operation in DESCRIPTION.operations.values():
            for parameter in operation.parameters:
                yield f"{operation.id}/{parameter['name']}", parameter["schema"]
            if operation.body is not None:
                yield f"{operation.id}/body", operation.body[1]["schema"]
            for status, answer in operation.answers():
                for media in answer.get("content", {}).values():
                    yield f"{operation.id}/{status}", media["schema"]

    def test_are_sound(self) -> None:
        faults = [fault for place, schema in self.schemas() for fault in DESCRIPTION.schemas.faults_in(schema, place)]

        self.assertEqual([], faults)

    def test_describe_every_member(self) -> None:
        for name, schema in DESCRIPTION.document["components"]["schemas"].items():
            if name in BUNDLED.values():
                continue
            self.assertIn("description", schema, name)
            for key, member in schema.get("properties", {}).items():
                self.assertTrue({"description", "$ref"} & member.keys(), f"{name}/{key}")


class Operations(unittest.TestCase):
    """What can be asked."""

    def test_are_exactly_the_routes_of_the_program(self) -> None:
        table = {(route["method"], route["path"], route["operation"]) for route in DESCRIPTION.routes}
        described = {(one.method, one.path, one.id) for one in DESCRIPTION.operations.values()}

        self.assertGreater(len(table), 50)
        self.assertEqual(len(table), len(DESCRIPTION.routes))
        self.assertEqual(set(), table - described, "not described")
        self.assertEqual(set(), described - table, "described, but not there")

    def test_need_the_scopes_of_the_program(self) -> None:
        for route in DESCRIPTION.routes:
            self.assertIn(route["scope"], SCOPES)
            self.assertEqual(route["scope"], DESCRIPTION.operations[route["operation"]].scope, route["operation"])

    def test_can_be_tried_without_effect_where_the_program_can(self) -> None:
        for route in DESCRIPTION.routes:
            names = {parameter["name"] for parameter in DESCRIPTION.operations[route["operation"]].parameters}
            self.assertEqual(route["hasDryRun"], "dryRun" in names, route["operation"])

    def test_have_a_body_where_the_program_takes_one(self) -> None:
        for route in DESCRIPTION.routes:
            has_body = DESCRIPTION.operations[route["operation"]].body is not None
            self.assertEqual(route["hasBody"], has_body, route["operation"])

    def test_have_ids_of_their_own(self) -> None:
        ids = [node["operationId"] for item in DESCRIPTION.document["paths"].values() for node in item.values()]

        self.assertEqual(len(ids), len(set(ids)))

    def test_without_a_token_are_those_of_scope_open(self) -> None:
        for operation in DESCRIPTION.operations.values():
            self.assertEqual(operation.scope == "open", operation.node.get("security") == [], operation.id)
            self.assertEqual(operation.scope == "open", operation.answer(401) is None, operation.id)

    def test_have_the_parameters_of_their_path(self) -> None:
        for operation in DESCRIPTION.operations.values():
            named = re.findall(r"\{(\w+)\}", operation.path)
            self.assertEqual(named, [parameter["name"] for parameter in operation.parameters_in("path")], operation.id)
            if named:
                self.assertIsNotNone(operation.answer(404), operation.id)

    def test_have_each_parameter_once(self) -> None:
        for operation in DESCRIPTION.operations.values():
            places = [(parameter["in"], parameter["name"]) for parameter in operation.parameters]
            self.assertEqual(len(places), len(set(places)), operation.id)

    def test_that_change_something_can_be_repeated_safely(self) -> None:
        for operation in DESCRIPTION.operations.values():
            headers = {parameter["name"] for parameter in operation.parameters_in("header")}
            # Questions, what waits for an answer of its own, and what must not be kept.
            others = ("previewSchedule", "validatePipeline", "previewBackfill", "claimJobs", "createSession", "createSessionLink", "createToken", "openWorker")
            is_write = operation.method != "GET" and operation.id not in others
            self.assertEqual(is_write, "Idempotency-Key" in headers, operation.id)
            if "If-Match" in headers:
                self.assertIsNotNone(operation.answer(412), operation.id)

    def test_refuse_with_a_problem(self) -> None:
        for operation in DESCRIPTION.operations.values():
            for status, answer in operation.answers():
                if status >= 400 and operation.scope != "open":
                    self.assertEqual(["application/problem+json"], list(answer["content"]), f"{operation.id} {status}")


class Examples(unittest.TestCase):
    """What readers copy."""

    def bodies(self, operation: Operation) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Every example of a body, with the schema it has to fit."""
        if operation.body is not None:
            media = operation.body[1]
            for name, example in media.get("examples", {}).items():
                yield f"{operation.id}/{name}", DESCRIPTION.resolved(example)["value"], media["schema"]
        for status, answer in operation.answers():
            for media in answer.get("content", {}).values():
                for name, example in media.get("examples", {}).items():
                    value = DESCRIPTION.resolved(example)["value"]
                    yield f"{operation.id}/{status}/{name}", value, media["schema"]

    def test_of_bodies_fit_their_schemas(self) -> None:
        count = 0
        for operation in DESCRIPTION.operations.values():
            for place, value, schema in self.bodies(operation):
                count += 1
                with self.subTest(place=place):
                    self.assertEqual([], DESCRIPTION.schemas.faults_of(value, schema))
        self.assertGreater(count, 2 * len(DESCRIPTION.operations))

    def test_of_parameters_fit_their_schemas(self) -> None:
        for operation in DESCRIPTION.operations.values():
            for parameter in operation.parameters:
                if "example" in parameter:
                    faults = DESCRIPTION.schemas.faults_of(parameter["example"], parameter["schema"])
                    self.assertEqual([], faults, f"{operation.id}/{parameter['name']}")

    def test_of_problems_have_the_status_they_stand_under(self) -> None:
        for operation in DESCRIPTION.operations.values():
            for status, answer in operation.answers():
                problem = answer.get("content", {}).get("application/problem+json", {"examples": {}})
                for name, example in problem["examples"].items():
                    self.assertEqual(status, example["value"]["status"], f"{operation.id}/{status}/{name}")


class TheStory(unittest.TestCase):
    """The order in which the examples can be sent."""

    def test_has_every_operation(self) -> None:
        self.assertEqual(set(DESCRIPTION.operations), {step.operation for step in DESCRIPTION.story})

    def test_has_a_request_and_an_answer_for_each_step(self) -> None:
        for step in DESCRIPTION.story:
            operation = DESCRIPTION.operations[step.operation]
            with self.subTest(step=step):
                self.assertLess(operation.status_of(step.example), 500)
                if operation.body is not None and operation.node["requestBody"]["required"]:
                    self.assertIn(step.example, operation.body[1]["examples"])

    def test_gives_every_parameter_that_is_needed(self) -> None:
        for step in DESCRIPTION.story:
            parameters = DESCRIPTION.operations[step.operation].parameters
            needed = {parameter["name"] for parameter in parameters if parameter.get("required")}
            self.assertEqual(set(), needed - step.parameters.keys(), step)
            self.assertEqual(set(), step.parameters.keys() - {parameter["name"] for parameter in parameters}, step)

    def test_leaves_no_example_of_a_request_untold(self) -> None:
        told = {(step.operation, step.example) for step in DESCRIPTION.story}
        for operation in DESCRIPTION.operations.values():
            if operation.body is not None:
                for name in operation.body[1].get("examples", {}):
                    self.assertIn((operation.id, name), told)


class TheReference(unittest.TestCase):
    """docs/reference/rest.md, for people."""

    def test_lists_exactly_the_routes(self) -> None:
        text = (ROOT / "docs" / "reference" / "rest.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+) ([^`]+)` \| (\w+) \| (.+) \|$", text, re.MULTILINE)
        listed = [(method, path, scope, summary) for method, path, scope, summary in rows]
        described = [
            (one.method, one.path, one.scope, one.node["summary"]) for one in DESCRIPTION.operations.values()
        ]

        self.assertEqual(sorted(described), sorted(listed))

    def test_shows_the_worker_that_stands_in_the_examples(self) -> None:
        text = (ROOT / "docs" / "reference" / "rest.md").read_text(encoding="utf-8")
        worker = (ROOT / "examples" / "worker_python" / "worker.py").read_text(encoding="utf-8")

        self.assertIn(f"```python\n{worker}```", text)


if __name__ == "__main__":
    PRINT_API = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
