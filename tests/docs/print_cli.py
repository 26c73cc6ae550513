#!/usr/bin/env python3
"""Prints docs/reference/cli.md from what `carillon` says about itself. Usage: print_cli.py CARILLON"""

import re
import subprocess
import sys
from pathlib import Path

HEAD = """\
# The command line

*Reference.* Every command and its flags, as `carillon help` and `carillon COMMAND --help` print them. This page is
printed by `tests/docs/print_cli.py`; a test says when it is stale.

Exit codes, forms of times and the JSON of each command are topics of their own, at the end.
"""


def say(binary: Path, *arguments: str) -> str:
    """What it prints in a place where nothing is set."""
    environment = {"LANG": "C.UTF-8", "HOME": "/nonexistent", "COLUMNS": "120", "PATH": "/usr/bin:/bin"}
    told = subprocess.run([str(binary), *arguments], capture_output=True, text=True, check=True, env=environment)
    return "".join(line.rstrip() + "\n" for line in told.stdout.rstrip().splitlines())


def cli_page(binary: Path) -> str:
    """The whole page."""
    overview = say(binary, "help")
    text = HEAD
    topics: list[str] = []
    for line in overview.splitlines():
        if re.match(r"(?:Usage|Examples):?", line):
            continue
        heading = re.fullmatch(r"([A-Z].*):", line)
        entry = re.match(r"  (\S+(?: \S+)?) {2,}", line)
        if line.startswith("Topics"):
            text += "\n## Topics\n"
            topics.append("")
        elif heading:
            text += f"\n## {heading[1]}\n"
        elif entry and topics:
            text += f"\n### help {entry[1]}\n\n```text\n{say(binary, 'help', entry[1])}```\n"
        elif entry:
            text += f"\n### {entry[1]}\n\n```text\n{say(binary, *entry[1].split(), '--help')}```\n"
    return text


if __name__ == "__main__":
    print(cli_page(Path(sys.argv[1]).resolve()), end="")
