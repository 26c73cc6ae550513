"""Compares what a page shows with what a command printed.

In what a page shows, `…` inside a line stands for anything on that line, and a line that is only `…` for any lines.
When a server runs, times, durations, ids and process numbers differ each time: they are masked on both sides, and
blanks count once, since columns are as wide as what stands in them. A page without a server is compared exactly.
"""

import re

DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
MASKS = [
    (re.compile(r"\br-[0-9a-z]{8,}\b"), "RUN"),
    (re.compile(r"\bbf-[0-9a-f]{8,}\b"), "BACKFILL"),
    (re.compile(r"\bcarillon_[0-9A-Za-z]{40,}|\btoken:[0-9a-z]{8}\b"), "TOKEN"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"), "TIME"),
    (re.compile(rf"\b(?:{DAYS}) +\d{{1,2}} (?:{MONTHS})(?: \d{{4}})?\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?"), "CLOCK"),
    (re.compile(r"\b{0}(?: ?{0})*(?=[ ,.;:)\"…]|$)".format(r"\d+(?:\.\d+)?(?:ms|us|µs|d|h|m|s)")), "SPAN"),
    (re.compile(r"(?<=pid )\d+"), "PID"),
]


def masked(text: str) -> str:
    """The text with a word in place of everything that is new each time."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return re.sub(r"[ \t]+", " ", text).strip()


def pattern_of(line: str) -> str:
    """A regular expression for one shown line. Blanks at the end of a line are not printed, so they need not be."""
    if line.endswith(" …"):
        return pattern_of(line.removesuffix(" …")) + "(?: .*)?"
    return ".*?".join(re.escape(part) for part in line.split("…"))


def is_as_shown(shown: str, printed: str, is_masked: bool) -> bool:
    """Whether the output is what the page says."""
    form = masked if is_masked else str.rstrip
    pattern = ""
    for line in shown.rstrip().splitlines():
        pattern += r"(?:.*\n)*?" if line.strip() == "…" else pattern_of(form(line)) + r"\n"
    lines = "".join(form(line) + "\n" for line in printed.rstrip().splitlines())
    return re.fullmatch(pattern, lines) is not None
