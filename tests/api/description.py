"""The description of the API (contracts/openapi.yaml) and the route table, as the program itself has them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "contracts"))

from json_schema import Schemas  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
METHODS = ("get", "put", "post", "patch", "delete")


class DescribedSchemas(Schemas):
    """The schemas inside the description, which has one file and refers only to itself."""

    NAME = "openapi.yaml"

    def __init__(self, document: dict[str, Any]) -> None:  # pylint: disable=super-init-not-called
        self.files = {self.NAME: document}

    def faults_of(self, value: Any, schema: dict[str, Any]) -> list[str]:
        """Where a value differs from a schema."""
        return list(self._faults(value, schema, self.NAME, ""))

    def faults_in(self, schema: dict[str, Any], place: str) -> list[str]:
        """What is wrong with a schema itself."""
        return list(self._faults_of_schema(schema, self.NAME, place))


@dataclass(frozen=True)
class Step:
    """One request of the story, by the names of its examples."""

    operation: str
    example: str
    parameters: dict[str, Any]


class Operation:
    """One thing that can be asked of the server."""

    def __init__(self, description: "Description", method: str, path: str, node: dict[str, Any]) -> None:
        self.description = description
        self.method = method.upper()
        self.path = path
        self.node = node
        self.id: str = node["operationId"]
        self.scope: str = node["x-scope"]
        self.parameters = [description.resolved(parameter) for parameter in node.get("parameters", [])]

    def parameters_in(self, place: str) -> list[dict[str, Any]]:
        """Those of the path, the query or the headers."""
        return [parameter for parameter in self.parameters if parameter["in"] == place]

    @property
    def body(self) -> tuple[str, dict[str, Any]] | None:
        """Media type of the body, and what is said of it."""
        if "requestBody" not in self.node:
            return None
        return next(iter(self.node["requestBody"]["content"].items()))

    def answer(self, status: int) -> dict[str, Any] | None:
        """What is said of the answer of a status."""
        node = self.node["responses"].get(str(status))
        return None if node is None else self.description.resolved(node)

    def answers(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """All that are described."""
        for status, node in self.node["responses"].items():
            yield int(status), self.description.resolved(node)

    def faults_of_answer(self, status: int, headers: dict[str, str], body: bytes) -> list[str]:
        """Where an answer differs from what is said of it. The names of headers are in lower case."""
        answer = self.answer(status)
        if answer is None:
            return [f"{self.id} is not said to answer {status}: {body[:300]!r}"]
        faults = self._faults_of_headers(answer, headers)
        media = headers.get("content-type", "")
        if "content" not in answer:
            return faults + ([f"{self.id} {status} has a body"] if body else [])
        if media not in answer["content"]:
            return faults + [f"{self.id} {status} is {media!r}, not {list(answer['content'])}"]
        value = json.loads(body) if media.endswith("json") else body.decode("utf-8", "replace")
        found = self.description.schemas.faults_of(value, answer["content"][media]["schema"])
        return faults + [f"{self.id} {status}{fault}" for fault in found]

    def _faults_of_headers(self, answer: dict[str, Any], headers: dict[str, str]) -> list[str]:
        faults = []
        for name, node in answer.get("headers", {}).items():
            said = self.description.resolved(node)
            value = headers.get(name.lower())
            if value is None and said.get("required"):
                faults.append(f"{self.id} has no {name}")
            if value is not None:
                faults += [f"{name}{fault}" for fault in self.description.schemas.faults_of(value, said["schema"])]
        return faults

    def status_of(self, example: str) -> int:
        """The status that an example is answered with."""
        for status, answer in self.answers():
            if example in answer.get("x-examples", []):
                return status
            for media in answer.get("content", {}).values():
                if example in media.get("examples", {}):
                    return status
        raise KeyError(f"{self.id} has no answer {example}")


class Description:
    """All of it."""

    def __init__(self, print_api: str) -> None:
        whole = json.loads(subprocess.run([print_api], capture_output=True, check=True, timeout=60).stdout)
        self.routes: list[dict[str, str]] = whole["routes"]
        self.document: dict[str, Any] = whole["description"]
        self.schemas = DescribedSchemas(self.document)
        self.operations = {
            node["operationId"]: Operation(self, method, path, node)
            for path, item in self.document["paths"].items()
            for method, node in item.items()
        }
        self.story = [
            Step(step["operation"], step["example"], step.get("parameters", {})) for step in self.document["x-story"]
        ]

    def resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """Behind a reference, if it is one."""
        return self.schemas.resolve(node["$ref"], DescribedSchemas.NAME)[0] if "$ref" in node else node
