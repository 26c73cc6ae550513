#!/usr/bin/env python3
"""The tests of the documentation notice what is wrong: cases here plant faults. Usage: harness_test.py CARILLON"""

import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import commands
import markdown
from docs_test import Player
from expected_output import is_as_shown
from shell import Shell, Trouble
from syntax import Checker

BINARY = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin/carillon").resolve()


class Output(unittest.TestCase):
    """What a page shows against what was printed."""

    def test_without_a_server_every_character_counts(self) -> None:
        self.assertTrue(is_as_shown("in 3d2h\n", "in 3d2h\n", is_masked=False))
        self.assertFalse(is_as_shown("in 3d2h\n", "in 3d1h\n", is_masked=False))
        self.assertFalse(is_as_shown("a b\n", "a  b\n", is_masked=False))

    def test_with_a_server_times_ids_and_widths_may_differ_and_words_may_not(self) -> None:
        shown = "r-82mdkpwb7fqfb  Mon 16 Nov 12:55:33  2.0s  3  ✗ failed\n"
        other = "r-0123456789abc   Tue  1 Dec 08:00:00  1m05s  3  ✗ failed\n"
        self.assertTrue(is_as_shown(shown, other, is_masked=True))
        self.assertFalse(is_as_shown(shown, other.replace("✗ failed", "✔ ok"), is_masked=True))
        self.assertFalse(is_as_shown(shown, other.replace("  3  ", "  2  "), is_masked=True))

    def test_dots_stand_for_a_part_of_a_line_or_for_lines(self) -> None:
        self.assertTrue(is_as_shown("a …\n…\nz\n", "a b\nc\nd\nz\n", is_masked=False))
        self.assertTrue(is_as_shown("a …\n…\nz\n", "a \nz\n", is_masked=False))
        self.assertFalse(is_as_shown("a …\n…\nz\n", "a b\nc\n", is_masked=False))
        self.assertFalse(is_as_shown("a …\nz\n", "a b\nc\nz\n", is_masked=False))

    def test_more_or_less_than_shown_is_a_difference(self) -> None:
        self.assertFalse(is_as_shown("a\n", "a\nb\n", is_masked=False))
        self.assertFalse(is_as_shown("a\nb\n", "a\n", is_masked=False))


class Blocks(unittest.TestCase):
    """How pages are taken apart."""

    def test_commands_of_a_script_may_have_several_lines(self) -> None:
        parts = ["a \\\n  b\n", "cat <<END\nx\nEND\n", "for i in 1; do\n  c\ndone\n"]
        self.assertEqual([command.text for command in commands.of_script("# remark\n" + "".join(parts))], parts)

    def test_a_session_has_commands_and_what_they_print(self) -> None:
        found = commands.of_session("$ a\n$ b \\\n> c\nd\n> e\n")
        self.assertEqual([(one.text, one.shown) for one in found], [("a\n", None), ("b \\\nc\n", "d\n> e\n")])

    def test_links_are_found_also_when_they_go_over_two_lines(self) -> None:
        page = markdown.Page(Path("page.md"), prose=[(1, "[a](b.md) and `[no](link)`"), (2, "[c"), (3, "d](e.md#f)")])
        self.assertEqual(page.links(), [(1, "b.md"), (2, "e.md#f")])

    def test_anchors_are_those_of_the_headings(self) -> None:
        self.assertEqual(markdown.slug_of("What \"at most once\", and `more`"), "what-at-most-once-and-more")


class Pages(unittest.TestCase):
    """A page that does not tell the truth is found out."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        self.folder = tempfile.TemporaryDirectory(prefix="carillon-docs-")
        self.addCleanup(self.folder.cleanup)
        self.checker = Checker(BINARY)
        self.addCleanup(self.checker.close)

    def play(self, text: str) -> Counter[str]:
        """Plays a page of this text."""
        path = Path(self.folder.name) / "page.md"
        path.write_text(text, encoding="utf-8")
        counts: Counter[str] = Counter()
        player = Player(BINARY, markdown.read_page(path), self.checker, counts)
        try:
            player.play()
        finally:
            player.close()
        return counts

    def test_true_ones_pass_and_are_counted(self) -> None:
        counts = self.play(
            "```sh\nx=1\n```\n\n```console\n$ echo $x\n1\n```\n\n<!-- not run: why not -->\n```sh\nfalse\n```\n"
        )
        self.assertEqual(counts, Counter({"run": 2, "not run: why not": 1}))

    def test_false_ones_do_not(self) -> None:
        for text in (
            "```sh\nfalse\n```\n",
            "```console\n$ echo 1\n2\n```\n",
            "```console\n$ false\n```\n",
            "```json\n{\n```\n",
            "```python\ndef\n```\n",
            "```cpp\ncarillon::Nothing nothing;\n```\n",
            '```yaml\nid: x\ncron: "61 * * * *"\ncommand: [/bin/true]\n```\n',
            '```yaml\nid: x\nspec: {cron: "1 * * * *"}\naction: {comand: {argv: [/bin/true]}}\n```\n',
            "```klingon\nnuqneH\n```\n",
            "```\nno language\n```\n",
        ):
            with self.subTest(text), self.assertRaises(Trouble):
                self.play(text)

    def test_a_reason_not_to_run_holds_for_the_next_block_only(self) -> None:
        with self.assertRaises(Trouble):
            self.play("<!-- not run: why not -->\n```sh\nfalse\n```\n\n```sh\nfalse\n```\n")


class Shells(unittest.TestCase):
    """What a page starts does not outlive it."""

    def test_servers_and_folders_are_gone_afterwards(self) -> None:
        shell = Shell(BINARY, markdown.ROOT)
        try:
            shell.run("carillon serve")
            self.assertTrue(shell.has_server)
            pid, top = shell.servers[0], shell.top
        finally:
            shell.close()
        self.assertFalse(Path(f"/proc/{pid}").exists())
        self.assertFalse(top.exists())


if __name__ == "__main__":
    unittest.main()
