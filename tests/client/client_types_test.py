#!/usr/bin/env python3
"""The structs of client/types have what contracts/openapi.yaml promises. Usage: client_types_test.py PRINT_TYPES"""

import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

JSON_TYPES = {"string": "string", "integer": "integer", "boolean": "boolean", "instant": "string"}


class Contract:
    """What the description says about members, behind its references and choices."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def schema(self, name: str) -> dict[str, Any]:
        """By name."""
        return self.document["components"]["schemas"][name]

    def target(self, reference: str) -> dict[str, Any]:
        """What a $ref means."""
        node = self.document
        for key in reference.removeprefix("#/").split("/"):
            node = node[key.replace("~1", "/").replace("~0", "~")]
        return node

    def choices(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """The schemas a value may have, without references; `required` of a reference adds to what it refers to."""
        if "$ref" in schema:
            inner = self.choices(self.target(schema["$ref"]))
            return [{**one, "required": sorted({*one.get("required", []), *schema.get("required", [])})}
                    for one in inner]
        if "anyOf" in schema and "properties" not in schema:
            return [choice for one in schema["anyOf"] for choice in self.choices(one)]
        return [schema]

    def types(self, schema: dict[str, Any]) -> set[str]:
        """The JSON types of a value; empty if it may have any."""
        found: set[str] = set()
        for choice in self.choices(schema):
            if "type" in choice:
                found |= {choice["type"]} if isinstance(choice["type"], str) else set(choice["type"])
            elif "enum" in choice or "const" in choice:
                found |= {"string"}
            else:
                return set()
        return found


class Comparison:
    """Where structs claim something else than the description says."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.faults: list[str] = []
        self.member_count = 0

    def value(self, place: str, claimed: Any, schema: dict[str, Any]) -> None:
        """One value: its type, and what is below it."""
        types = self.contract.types(schema)
        if claimed == "any" or not types:
            return
        wanted = JSON_TYPES[claimed] if isinstance(claimed, str) else "array" if "list" in claimed else "object"
        if wanted not in types:
            self.faults.append(f"{place} is {sorted(types)}, not {wanted}")
            return
        if claimed == "instant" and not any("RFC 3339" in str(one) or "date-time" in str(one) or "pattern" in one
                                            for one in self.contract.choices(schema)):
            self.faults.append(f"{place} is a text, but no instant")
        for choice in self.contract.choices(schema):
            if isinstance(claimed, dict) and "list" in claimed and "items" in choice:
                self.value(f"{place}", claimed["list"], choice["items"])
        if isinstance(claimed, dict) and "members" in claimed:
            self.members(place, claimed["members"], schema)

    def members(self, place: str, claimed: dict[str, Any], schema: dict[str, Any]) -> None:
        """All members of one struct."""
        objects = [one for one in self.contract.choices(schema) if "properties" in one]
        if not objects:
            return  # an object of which nothing is said
        for name, member in claimed.items():
            self.member_count += 1
            here = f"{place}/{name}"
            having = [one for one in objects if name in one["properties"]]
            if not having:
                self.faults.append(f"{here} is not described")
                continue
            if member["required"] and not all(name in one.get("required", []) for one in objects):
                self.faults.append(f"{here} may be left out")
            for one in having:
                if member["required"] and "null" in self.contract.types(one["properties"][name]):
                    self.faults.append(f"{here} may be null")
                self.value(here, member["type"], one["properties"][name])


class ClientTypes(unittest.TestCase):
    """Every member of every struct."""

    @classmethod
    def setUpClass(cls) -> None:
        printed = subprocess.run([PRINT_TYPES, str(ROOT / "contracts" / "openapi.yaml")], capture_output=True,
                                 check=True, timeout=60).stdout
        whole = json.loads(printed)
        cls.types = whole["types"]
        cls.contract = Contract(whole["description"])

    def test_every_member_is_described_as_it_is_read(self) -> None:
        """Its name, its type, and whether it is always there."""
        comparison = Comparison(self.contract)
        for name, claimed in self.types.items():
            comparison.value(name, claimed, self.contract.schema(name))
        self.assertEqual(comparison.faults, [])
        self.assertGreater(comparison.member_count, 150)

    def test_a_claim_that_is_not_true_is_found(self) -> None:
        """Otherwise the test above could not fail."""
        claims = {"id": {"type": "integer", "required": True}, "nominal": {"type": "instant", "required": True},
                  "attempt": {"type": "integer", "required": True}, "mood": {"type": "string", "required": False}}
        comparison = Comparison(self.contract)
        comparison.value("RunAnswer", {"members": claims}, self.contract.schema("RunAnswer"))
        self.assertEqual(sorted(set(comparison.faults)), [
            "RunAnswer/attempt may be left out", "RunAnswer/id is ['string'], not integer",
            "RunAnswer/mood is not described", "RunAnswer/nominal may be left out", "RunAnswer/nominal may be null"])


if __name__ == "__main__":
    PRINT_TYPES = sys.argv.pop()
    unittest.main()
