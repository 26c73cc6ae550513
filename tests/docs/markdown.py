"""Pages of the documentation: their fenced blocks, headings and links."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
NOT_RUN = re.compile(r"<!--\s*not run:\s*(?P<reason>.*?)\s*-->")
NEEDS = re.compile(r"<!--\s*needs:\s*(?P<programs>[\w ./-]+?)\s*-->")
HEADING = re.compile(r"^#{1,6}\s+(?P<text>.*?)\s*#*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^()\s]+)\)")
CODE_SPAN = re.compile(r"(`+)[^`\n]+\1")


def name_of(path: Path) -> str:
    """The path from the top of the repository, if it is in there."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


@dataclass(frozen=True)
class Block:
    """What stands between two fences."""

    page: Path
    line: int  # of the opening fence, from 1
    language: str
    text: str
    not_run: str | None  # the reason, if the page gives one

    @property
    def place(self) -> str:
        """For messages."""
        return f"{name_of(self.page)}:{self.line}"


@dataclass
class Page:
    """A Markdown file, taken apart."""

    path: Path
    blocks: list[Block] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)  # lines outside of fences, with their numbers

    @property
    def name(self) -> str:
        """The path from the top of the repository."""
        return name_of(self.path)

    def needs(self) -> list[str]:
        """Programs that the page cannot be played without."""
        found = [NEEDS.search(line) for _, line in self.prose]
        return [program for one in found if one for program in one["programs"].split()]

    def anchors(self) -> set[str]:
        """What a link may name behind a number sign."""
        found: dict[str, int] = {}
        names = set()
        for _, line in self.prose:
            heading = HEADING.match(line)
            if not heading:
                continue
            slug = slug_of(heading["text"])
            count = found.get(slug, 0)
            names.add(f"{slug}-{count}" if count else slug)
            found[slug] = count + 1
        return names

    def links(self) -> list[tuple[int, str]]:
        """Targets of links and images, with the line they stand in."""
        text = CODE_SPAN.sub("`code`", "\n".join(line for _, line in self.prose))
        return [(self.prose[text.count("\n", 0, link.start())][0], link["target"]) for link in LINK.finditer(text)]


def slug_of(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    kept = "".join(c for c in text.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def read_page(path: Path) -> Page:
    """Takes a page apart."""
    page = Page(path)
    opened: re.Match[str] | None = None
    start, content, reason = 0, [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if opened:
            if line.strip().startswith(opened["fence"]) and not line.strip().strip(opened["fence"][0]):
                text = "".join(one.removeprefix(opened["indent"]) + "\n" for one in content)
                page.blocks.append(Block(path, start, opened["info"].strip().split(" ")[0], text, reason))
                opened, reason = None, None
            else:
                content.append(line)
            continue
        opened = FENCE.match(line)
        if opened:
            start, content = number, []
            continue
        page.prose.append((number, line))
        told = NOT_RUN.search(line)
        if told:
            reason = told["reason"]
        elif line.strip():
            reason = None  # it speaks of the block right below it only
    if opened:
        raise AssertionError(f"{page.name}:{start}: the block is never closed")
    return page


def pages() -> list[Page]:
    """README.md and all of docs/."""
    return [read_page(path) for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]
