"""Checks blocks that are no commands: schedules, JSON, Python, C++."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from markdown import ROOT, Block
from shell import Shell, Trouble

FILE_LINE = re.compile(r"^# (?:file: (?P<named>[\w./-]+)|(?P<path>[\w./-]+\.(?:yaml|yml|json)))$")
# A document with one of these is a whole schedule; with none of them it may still be a spec.
SCHEDULE_KEYS = re.compile(r"^(?:schedules|action|command|url|jobType|job):", re.MULTILINE)
SPEC_KEYS = re.compile(r"^(?:spec|cron|calendars|intervals|times|every|exclude):", re.MULTILINE)
COMPILER = ["g++", "-std=c++23", "-fsyntax-only", "-x", "c++", f"-I{ROOT}/src/library/include", "-"]


def file_name(block: Block) -> str | None:
    """The file that a block is to be written to."""
    found = FILE_LINE.match(block.text.splitlines()[0]) if block.text.strip() else None
    return found["named"] or found["path"] if found else None


class Checker:
    """Has a server of its own for schedules, made when the first one is met."""

    def __init__(self, binary: Path) -> None:
        self._binary = binary
        self._shell: Shell | None = None

    def check(self, block: Block) -> str:
        """What was checked, in a word; trouble if there is any."""
        match block.language:
            case "yaml" | "yml":
                return self._check_yaml(block)
            case "json":
                json.loads(block.text)
            case "jsonl":
                for line in block.text.splitlines():
                    json.loads(line)
            case "python":
                compile(block.text, block.place, "exec")
            case "cpp":
                check_cpp(block)
            case _:
                raise Trouble(f"nobody knows how to check {block.language!r}: give the block another language")
        return block.language

    def _check_yaml(self, block: Block) -> str:
        if SCHEDULE_KEYS.search(block.text):
            return self._ask("apply --dry-run", block, {0})
        if SPEC_KEYS.search(block.text):
            return self._ask("lint", block, {0, 7})
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            return "yaml that is no schedule, unread: there is no parser for it here"
        yaml.safe_load(block.text)
        return "yaml"

    def _ask(self, verb: str, block: Block, good: set[int]) -> str:
        if not self._shell:
            self._shell = Shell(self._binary, ROOT)
            self._shell.run("carillon serve")
        file = self._shell.folder / "block.yaml"
        file.write_text(block.text, encoding="utf-8")
        code, output = self._shell.run(f"carillon {verb} block.yaml")
        if code not in good:
            raise Trouble(f"carillon {verb} says, with exit code {code}:\n{output}")
        return "schedule" if "apply" in verb else "spec"

    def close(self) -> None:
        """Ends the server."""
        if self._shell:
            self._shell.close()


def check_cpp(block: Block) -> None:
    """Compiled against the public headers, inside of a function unless it has one."""
    headers = sorted((ROOT / "src/library/include").rglob("*.hpp"))
    includes = "".join(f'#include "{header.relative_to(ROOT / "src/library/include")}"\n' for header in headers)
    is_whole = re.search(r"\bmain\s*\(|^#include", block.text, re.MULTILINE)
    body = block.text if is_whole else f"void shown() {{\n{block.text}}}\n"
    with tempfile.TemporaryDirectory(prefix="carillon-docs-") as folder:
        compiled = subprocess.run(
            COMPILER, input=includes + body, capture_output=True, text=True, cwd=folder, check=False, timeout=120
        )
    if compiled.returncode != 0:
        raise Trouble(f"does not compile:\n{compiled.stderr[:2000]}")
