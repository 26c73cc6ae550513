#!/usr/bin/env python3
"""Does what README.md and docs/ say, block by block. Usage: docs_test.py CARILLON [PAGE…]

tests/docs/README.md says what a page may contain.
"""

import re
import shutil
import sys
import traceback
from collections import Counter
from pathlib import Path

import commands
from expected_output import is_as_shown
from markdown import ROOT, Block, Page, pages
from shell import LISTEN, PATIENCE_SECONDS, Shell, Trouble, await_true
from syntax import Checker, file_name

RUN = {"sh", "console"}
SHOWN = {"text", "sql", "nginx", "ini", "promql"}
# Questions may be asked again until the answer is as shown: what they ask about takes its time.
QUESTION = re.compile(
    r"^carillon (?:(?:scheduler )?(?:list|status|history|why|explain|logs|upcoming|load)|run (?:list|show)|queue list"
    r"|backfill (?:list|show)|audit|token list|ledger export)\b|^curl (?!.*(?: -d | -X |--data))"
)
# What works without one; all other commands of carillon speak to it.
ALONE = r"next|describe|lint|zones|serve|start|stop|ledger|version|help|completion|init|doctor|config|context|import|-"
NEEDS_SERVER = re.compile(re.escape(LISTEN) + rf"|admin\.token|\bcarillon (?!{ALONE})[a-z]")
TRIES_SECONDS = min(60.0, PATIENCE_SECONDS)


class Player:
    """Plays one page in one shell."""

    def __init__(self, binary: Path, page: Page, checker: Checker, counts: Counter[str]) -> None:
        self._page = page
        self._checker = checker
        self._counts = counts
        self._shell = Shell(binary, ROOT)
        if page.path == ROOT / "README.md":  # the reader stands at the top of the repository
            (self._shell.folder / "start").symlink_to(self._shell.top / "bin" / "carillon")

    def play(self) -> None:
        """Every block, in order."""
        for block in self._page.blocks:
            try:
                self._play_block(block)
            except Exception as error:
                raise Trouble(f"{block.place}: {error}") from error

    def close(self) -> None:
        """Ends what the page started."""
        self._shell.close()

    def _play_block(self, block: Block) -> None:
        if block.not_run is not None:
            self._counts[f"not run: {block.not_run}"] += 1
            return
        name = file_name(block)
        if name:
            file = self._shell.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        language = block.language or ("console" if block.text.startswith("$ ") else "")
        if language in RUN:
            self._run(commands.of_script(block.text) if language == "sh" else commands.of_session(block.text))
            self._counts["run"] += 1
        elif language in SHOWN:
            self._counts[f"only shown: {language}"] += 1
        else:
            self._counts[f"checked: {self._checker.check(block)}"] += 1

    def _run(self, found: list[commands.Command]) -> None:
        for command in found:
            if NEEDS_SERVER.search(command.text) and not self._shell.has_had_server:
                self._shell.run("carillon serve")
            self._run_one(command)

    def _run_one(self, command: commands.Command) -> None:
        last: list[tuple[int, str]] = []

        def is_as_told() -> bool:
            last[:] = [self._shell.run(command.text)]
            code, output = last[0]
            if command.shown is None:
                return code == 0
            return is_as_shown(command.shown, output, is_masked=self._shell.has_had_server)

        if is_as_told():
            return
        if self._shell.has_server and QUESTION.search(command.text):
            try:
                return await_true(is_as_told, command.text, TRIES_SECONDS)
            except Trouble:
                pass
        code, output = last[0]
        told = "exit code 0" if command.shown is None else command.shown
        raise Trouble(f"$ {command.text.rstrip()}\n--- the page says\n{told}\n--- exit code {code}, printed\n{output}")


def main() -> int:
    """The exit code of the test."""
    binary = Path(sys.argv[1]).resolve()
    chosen = {str(Path(name).resolve()) for name in sys.argv[2:]}
    counts: Counter[str] = Counter()
    faults = 0
    checker = Checker(binary)
    try:
        for page in pages():
            if not page.blocks or (chosen and str(page.path) not in chosen):
                continue
            missing = [program for program in page.needs() if not shutil.which(program)]
            if missing:
                counts[f"not run: {missing[0]} is not installed"] += len(page.blocks)
                continue
            player = Player(binary, page, checker, counts)
            try:
                player.play()
                print(f"ok    {page.name}", flush=True)
            except Exception as error:  # pylint: disable=broad-exception-caught
                faults += 1
                print(f"FAULT {error}", flush=True)
                if not isinstance(error, Trouble):
                    traceback.print_exc()
            finally:
                player.close()
    finally:
        checker.close()
    for kind, count in sorted(counts.items(), key=lambda item: item[0]):
        print(f"{count:5} {kind}")
    checked = sum(count for kind, count in counts.items() if kind.startswith("checked"))
    skipped = sum(count for kind, count in counts.items() if kind.startswith("not run"))
    print(f"{counts['run']} blocks run, {checked} checked, {skipped} not run")
    return 1 if faults or not counts["run"] else 0


if __name__ == "__main__":
    sys.exit(main())
