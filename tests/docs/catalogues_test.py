#!/usr/bin/env python3
"""Lists in docs/ have what the code has: reasons, lint codes, metrics, flags, variables, events, tests.

Usage: catalogues_test.py CARILLON [unittest options]
"""

import json
import re
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path
from typing import Any

from markdown import ROOT
from print_cli import cli_page
from shell import Shell

BINARY = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin/carillon").resolve()
REFERENCE = ROOT / "docs" / "reference"


def sources(*patterns: str) -> str:
    """All that stands in the files of these patterns, tests left out."""
    files = sorted(file for pattern in patterns for file in ROOT.glob(pattern) if not file.name.endswith("_test.cpp"))
    assert files, patterns
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def text_of(path: Path) -> str:
    """A page as it stands there."""
    return path.read_text(encoding="utf-8")


def first_cells(path: Path) -> set[str]:
    """What stands in code marks at the beginning of a row of a table."""
    return set(re.findall(r"^\| `([^`]+)`", text_of(path), re.MULTILINE))


def pages_in(folder: Path) -> set[str]:
    """The names of a folder's pages, its map left out."""
    return {path.stem for path in folder.glob("*.md")} - {"README"}


def carillon(*arguments: str) -> str:
    """What it prints."""
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, check=True).stdout


class Reasons(unittest.TestCase):
    """One page for each reason that the engine can give."""

    folder = REFERENCE / "reasons"

    def given(self) -> set[str]:
        """What the engine says; words that it only knows are not given yet."""
        words = re.search(r"skip_reasons\{(.*?)\};", text_of(ROOT / "src/definitions/words.cpp"), re.DOTALL)
        assert words
        known = set(re.findall(r'"(\w+)"', words[1]))
        used = set(re.findall(r"SkipReason::(\w+)", sources("src/engine/*.cpp")))
        self.assertLessEqual(used, known)
        return used

    def test_every_reason_has_a_page_and_every_page_a_reason(self) -> None:
        self.assertEqual(pages_in(self.folder), self.given())

    def test_the_map_lists_them(self) -> None:
        listed = set(re.findall(r"^\| \[`?(\w+)`?\]\(\1\.md\)", text_of(self.folder / "README.md"), re.MULTILINE))
        self.assertEqual(listed, self.given())


class LintCodes(unittest.TestCase):
    """One page for each code that lint can give."""

    folder = REFERENCE / "lint"

    def test_every_code_has_a_page_and_every_page_a_code(self) -> None:
        found = re.findall(r'(?:\.code = |report\()"([a-z-]+)"', sources("src/calendar/lint/lint*.cpp", "src/definitions/policy_findings.cpp"))
        self.assertEqual(pages_in(self.folder), set(found))

    def test_help_lists_the_same(self) -> None:
        words = {word for line in carillon("help", "lint-codes").splitlines() for word in re.split(r"[ ,]+", line)}
        self.assertEqual(pages_in(self.folder) - words, set())

    def test_the_map_lists_them(self) -> None:
        listed = set(re.findall(r"^\| \[([a-z-]+)\]\(\1\.md\)", text_of(self.folder / "README.md"), re.MULTILINE))
        self.assertEqual(listed, pages_in(self.folder))


class Metrics(unittest.TestCase):
    """The page has what /metrics answers."""

    def setUp(self) -> None:
        self.shell = Shell(BINARY, ROOT)
        self.addCleanup(self.shell.close)
        self.shell.run("carillon serve")

    def test_every_metric_is_told_with_its_type(self) -> None:
        token = (self.shell.folder / "carillon-data" / "admin.token").read_text(encoding="utf-8").strip()
        request = urllib.request.Request(
            f"http://{self.shell.address}/metrics", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            metrics = dict(re.findall(r"^# TYPE (\w+) (\w+)$", answer.read().decode(), re.MULTILINE))
        rows = re.findall(r"^\| `(\w+)(?:\{[^}]*\})?` \| (\w+) \|", text_of(REFERENCE / "metrics.md"), re.MULTILINE)
        self.assertEqual(dict(rows), metrics)

    def test_alerts_ask_for_metrics_that_exist(self) -> None:
        rows = first_cells(REFERENCE / "metrics.md")
        names = {re.match(r"\w+", row)[0] for row in rows}  # type: ignore[index]
        page = text_of(ROOT / "docs/how-to/alert-with-prometheus.md")
        for name in set(re.findall(r"\b(?:carillon|scheduler)_[a-z_]+\b", page)):
            self.assertIn(re.sub(r"_(?:bucket|sum|count)$", "", name), names)


class Configuration(unittest.TestCase):
    """Flags of the server, variables, keys of files."""

    page = REFERENCE / "configuration.md"

    def test_flags_of_serve_are_those_of_its_help(self) -> None:
        flags = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", carillon("serve", "--help"), re.MULTILINE)) - {"--help"}
        told = {flag for cell in first_cells(self.page) for flag in re.findall(r"^--[a-z-]+", cell)}
        self.assertEqual(told, flags)

    def test_variables_are_those_that_the_programs_read(self) -> None:
        code = sources("src/cli/*.cpp", "src/cli/*/*.cpp", "src/main/*.cpp", "src/zones/*.cpp", "src/server/*.cpp", "src/data_folder/*.cpp")
        read = set(re.findall(r'(?:environment|getenv)\w*\((?:[^()"]*, *)?"([A-Z][A-Z_]+)"', code))
        told = {cell for cell in first_cells(self.page) if re.fullmatch(r"[A-Z][A-Z_]+", cell)}
        self.assertEqual(read - told, set(), "read, and not told")
        for name in told:
            self.assertIn(f'"{name}"', code + sources("src/executors/**/*.cpp"), "told, and nobody reads it")


    def test_commands_are_told_what_the_page_says(self) -> None:
        told = re.search(r"## Environment of a command\n(.*?)\n## ", text_of(self.page), re.DOTALL)
        assert told
        given = set(re.findall(r'"(CARILLON_\w+)"', sources("src/executors/process/variables.?pp")))
        self.assertEqual(set(re.findall(r"`(CARILLON_\w+)`", told[1])), given)


class ScheduleKeys(unittest.TestCase):
    """docs/reference/schedules.md has the keys and defaults of the schema."""

    def test_keys_and_defaults_are_those_of_the_schema(self) -> None:
        schedule = json.loads(text_of(ROOT / "contracts/schedule.schema.json"))
        spec = json.loads(text_of(ROOT / "contracts/spec.schema.json"))
        parts = schedule["$defs"]
        writable = ("id", "namespace", "name", "description", "labels", "enabled", "notes")
        known = keys_of({name: schedule["properties"][name] for name in writable}, "")
        known |= {"onCreate": ""} | keys_of(parts["onCreate"]["properties"], "onCreate.")
        known |= {"temporal": ""}  # whose members are nobody's to write
        known |= keys_of(spec["properties"], "spec.")
        known |= keys_of(spec["$defs"]["interval"]["properties"], "spec.intervals[].")
        for action in ("command", "http", "job", "workflow"):
            known |= keys_of(parts[action]["properties"], f"action.{action}.")
        known |= keys_of(parts["policies"]["properties"], "policies.")
        page = text_of(REFERENCE / "schedules.md").partition("## Short form")[0]
        told = re.findall(r"^\| `([\w.\[\]]+)` \| (?:`(.*?)`)? ?\|", page, re.MULTILINE)
        self.assertEqual(dict(told), known)


def keys_of(properties: dict[str, Any], prefix: str) -> dict[str, str]:
    """Keys by their path, each with its default as the page writes it."""
    found = {}
    for name, node in properties.items():
        if "properties" in node and name != "limits":
            found |= keys_of(node["properties"], f"{prefix}{name}.")
            continue
        default = node.get("default")
        text = default if isinstance(default, str) and default else json.dumps(default)
        found[prefix + name] = text if "default" in node else ""
    return found


class CommandLine(unittest.TestCase):
    """docs/reference/cli.md is what `carillon` says about itself."""

    def test_the_page_is_new(self) -> None:
        page = text_of(REFERENCE / "cli.md")
        self.assertEqual(page, cli_page(BINARY), "python3 -B tests/docs/print_cli.py CARILLON >docs/reference/cli.md")


class Events(unittest.TestCase):
    """docs/reference/events.md has the names of the contract."""

    def test_names_are_those_of_the_description(self) -> None:
        code = sources("src/service/event_message.cpp")
        names = set(re.findall(r'"((?:run|occurrence|schedule|backfill|server)\.[a-z]+)"', code)) | {"resync"}
        self.assertEqual(first_cells(REFERENCE / "events.md") & names, names)


class NamedTests(unittest.TestCase):
    """Explanations that lean on a test name one that exists."""

    def test_tests_that_pages_name_are_there(self) -> None:
        code = "\n".join(text_of(file) for file in [*ROOT.glob("tests/**/*.cpp"), *ROOT.glob("src/**/*_test.cpp")])
        there = {f"{suite}.{name}" for suite, name in re.findall(r"TEST(?:_[FP])?\((\w+), *(\w+)\)", code)}
        for path in sorted((ROOT / "docs" / "explanation").glob("*.md")):
            for name in re.findall(r"`([A-Z]\w+\.[a-z]\w+)`", text_of(path)):
                with self.subTest(str(path.relative_to(ROOT))):
                    self.assertIn(name, there)


if __name__ == "__main__":
    unittest.main()
