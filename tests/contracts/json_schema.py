"""The part of JSON Schema 2020-12 that contracts/ uses: nothing is installed for it, and nothing else is let in."""

import json
import re
from pathlib import Path

TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: (isinstance(v, int) and not isinstance(v, bool)) or (isinstance(v, float) and v == int(v)),
}
ONE_SCHEMA = {"items", "additionalProperties", "propertyNames"}
LIST_OF_SCHEMAS = {"anyOf", "oneOf"}
MAP_OF_SCHEMAS = {"properties", "$defs"}
COUNTS = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
ANNOTATIONS = {"$schema", "title", "description", "default", "examples", "format", "readOnly"}
OTHERS = {"$ref", "type", "enum", "const", "required", "pattern", "minimum", "maximum"}
KEYWORDS = ONE_SCHEMA | LIST_OF_SCHEMAS | MAP_OF_SCHEMAS | COUNTS | ANNOTATIONS | OTHERS


def equal(a, b) -> bool:
    """Equality of JSON, where true is not 1."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


class Schemas:
    """The schema files of a folder, by name."""

    def __init__(self, folder: Path):
        self.files = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}

    def resolve(self, reference: str, file: str):
        """The schema a $ref means, and the file it stands in."""
        name, _, pointer = reference.partition("#")
        file = name or file
        schema = self.files[file]
        for key in pointer.split("/")[1:]:
            schema = schema[key.replace("~1", "/").replace("~0", "~")]
        return schema, file

    def faults(self, value, file: str, definition: str = "") -> list[str]:
        """Where a value differs from a schema; empty if nowhere."""
        schema, file = self.resolve(f"#/$defs/{definition}" if definition else "#", file)
        return list(self._faults(value, schema, file, ""))

    def _faults(self, value, schema, file, at):
        if schema is True:
            return
        if schema is False:
            yield f"{at}: not allowed"
            return
        if "$ref" in schema:
            target, target_file = self.resolve(schema["$ref"], file)
            yield from self._faults(value, target, target_file, at)
        yield from self._fault_of_value(value, schema, at)
        if isinstance(value, str):
            yield from self._faults_of_text(value, schema, at)
        if isinstance(value, list):
            yield from self._faults_of_list(value, schema, file, at)
        if isinstance(value, dict):
            yield from self._faults_of_object(value, schema, file, at)
        yield from self._faults_of_choice(value, schema, file, at)

    def _faults_of_choice(self, value, schema, file, at):
        matching = {
            keyword: sum(not list(self._faults(value, choice, file, at)) for choice in schema[keyword])
            for keyword in LIST_OF_SCHEMAS & schema.keys()
        }
        if matching.get("anyOf", 1) == 0:
            yield f"{at}: matches none of anyOf"
        if matching.get("oneOf", 1) != 1:
            yield f"{at}: matches {matching['oneOf']} of oneOf"

    @staticmethod
    def _fault_of_value(value, schema, at):
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(TYPES[t](value) for t in types):
            yield f"{at}: is not {' or '.join(types)}"
        if "enum" in schema and not any(equal(value, word) for word in schema["enum"]):
            yield f"{at}: is none of {schema['enum']}"
        if "const" in schema and not equal(value, schema["const"]):
            yield f"{at}: is not {schema['const']!r}"
        if TYPES["number"](value):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{at}: {value} is out of range"

    @staticmethod
    def _faults_of_text(value, schema, at):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            yield f"{at}: has {len(value)} characters"
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{at}: {value!r} does not match {schema['pattern']}"

    def _faults_of_list(self, value, schema, file, at):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{at}: has {len(value)} items"
        for index, item in enumerate(value):
            yield from self._faults(item, schema.get("items", True), file, f"{at}/{index}")

    def _faults_of_object(self, value, schema, file, at):
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
            yield f"{at}: has {len(value)} members"
        for key in schema.get("required", []):
            if key not in value:
                yield f"{at}/{key}: is missing"
        known = schema.get("properties", {})
        for key, member in value.items():
            yield from self._faults(key, schema.get("propertyNames", True), file, f"{at}/{key}")
            yield from self._faults(member, known.get(key, schema.get("additionalProperties", True)), file, f"{at}/{key}")

    def faults_of_schemas(self) -> list[str]:
        """What is wrong with the schemas themselves."""
        return [fault for file, schema in self.files.items() for fault in self._faults_of_schema(schema, file, file)]

    def _faults_of_schema(self, schema, file, at):
        if isinstance(schema, bool):
            return
        for keyword in schema.keys() - KEYWORDS:
            yield f"{at}: {keyword} is not a keyword that is used here"
        yield from self._faults_of_keywords(schema, file, at)
        for key, inner in self.inner_schemas(schema):
            yield from self._faults_of_schema(inner, file, f"{at}/{key}")

    def _faults_of_keywords(self, schema, file, at):
        types = schema.get("type", [])
        for name in [types] if isinstance(types, str) else types:
            if name not in TYPES:
                yield f"{at}: {name} is not a type"
        for keyword in COUNTS & schema.keys():
            if not isinstance(schema[keyword], int) or schema[keyword] < 0:
                yield f"{at}: {keyword} is not a count"
        for key in schema.get("required", []):
            if "properties" in schema and key not in schema["properties"]:
                yield f"{at}: requires {key}, which is no property"
        try:
            re.compile(schema.get("pattern", ""))
        except re.error as error:
            yield f"{at}: pattern: {error}"
        try:
            if "$ref" in schema:
                self.resolve(schema["$ref"], file)
        except KeyError as error:
            yield f"{at}: {schema['$ref']} leads nowhere: {error}"
            return
        for sample in ([schema["default"]] if "default" in schema else []) + schema.get("examples", []):
            for fault in self._faults(sample, schema, file, ""):
                yield f"{at}: its own sample {sample!r}: {fault}"

    @staticmethod
    def inner_schemas(schema):
        """The schemas directly inside a schema, each with its key."""
        for keyword in ONE_SCHEMA & schema.keys():
            yield keyword, schema[keyword]
        for keyword in LIST_OF_SCHEMAS & schema.keys():
            yield from ((f"{keyword}/{index}", inner) for index, inner in enumerate(schema[keyword]))
        for keyword in MAP_OF_SCHEMAS & schema.keys():
            yield from ((f"{keyword}/{key}", inner) for key, inner in schema[keyword].items())

    def all_schemas(self):
        """Every schema in every file that is more than true or false, with its file and place."""
        rest = [(schema, file, "#") for file, schema in self.files.items()]
        while rest:
            schema, file, at = rest.pop()
            if isinstance(schema, dict):
                yield schema, file, at
                rest.extend((inner, file, f"{at}/{key}") for key, inner in self.inner_schemas(schema))
