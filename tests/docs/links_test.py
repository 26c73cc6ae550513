#!/usr/bin/env python3
"""Every link of docs/ and of the pages at the top leads somewhere, and every page of docs/ says what it is."""

import unittest
from pathlib import Path
from urllib.parse import unquote

from markdown import ROOT, Page, pages, read_page

DOORS = ("*Tutorial.*", "*How-to.*", "*Reference.*", "*Explanation.*")
OUTSIDE = ("http:", "https:", "mailto:", "urn:")


def aim(page: Page, target: str) -> tuple[Path, str]:
    """The file and the anchor of a link."""
    path, _, anchor = unquote(target).partition("#")
    return ((page.path.parent / path).resolve() if path else page.path), anchor


class Links(unittest.TestCase):
    """Nothing points to nowhere."""

    def test_what_links_name_is_there(self) -> None:
        at_the_top = [read_page(path) for path in sorted(ROOT.glob("*.md")) if path.name != "README.md"]
        for page in pages() + at_the_top:
            for line, target in page.links():
                if target.startswith(OUTSIDE):
                    continue
                with self.subTest(f"{page.name}:{line}", target=target):
                    path, anchor = aim(page, target)
                    self.assertTrue(path.exists(), "no such file")
                    self.assertTrue(path.is_relative_to(ROOT), "leads out of the repository")
                    if anchor:
                        self.assertIn(anchor, read_page(path).anchors(), "no such heading")

    def test_every_page_can_be_reached_from_the_map(self) -> None:
        met: set[Path] = set()
        left = [ROOT / "docs" / "README.md"]
        while left:
            path = left.pop()
            if path in met:
                continue
            met.add(path)
            page = read_page(path)
            aims = (aim(page, target)[0] for _, target in page.links() if not target.startswith(OUTSIDE))
            left += [to for to in aims if to.suffix == ".md" and to.exists()]
        for path in sorted((ROOT / "docs").rglob("*.md")):
            self.assertIn(path, met, "no way leads there from docs/README.md")


class Doors(unittest.TestCase):
    """A reader knows at once whether he is in the right place."""

    def test_every_page_begins_with_its_door(self) -> None:
        for path in sorted((ROOT / "docs").rglob("*.md")):
            if path.parent.name == "decisions" or path == ROOT / "docs" / "README.md":
                continue
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            with self.subTest(str(path.relative_to(ROOT))):
                self.assertTrue(lines[0].startswith("# "), "begins with its title")
                self.assertTrue(lines[1].startswith(DOORS), f"says behind its title which of {DOORS} it is")


if __name__ == "__main__":
    unittest.main()
