"""The life of a schedule from its changes: which definition was in force when, and when it was paused."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from document import Document, merged, read_document
from matching import Matching
from moments import FOREVER, parse_instant
from occurrences import Occurrences
from records import Change, Ledger
from written_together import RESTORED_WITHIN


@dataclass
class Pause:
    """No automatic start strictly between begin and end. `until` is when it should end by itself."""

    begin_at: int
    begin_seq: int
    until: int = FOREVER
    end_at: int = FOREVER
    end_seq: int = FOREVER
    is_resumed: bool = False

    @property
    def certain_end(self) -> int:
        """Up to here it surely holds."""
        return min(self.end_at, self.until)


@dataclass
class Segment:
    """A time (begin, end] in which nothing changed."""

    begin_at: int
    begin_seq: int
    revision: int
    document: Document | None
    is_enabled: bool
    pause: Pause | None
    end_at: int = FOREVER
    end_seq: int = FOREVER

    @property
    def is_active(self) -> bool:
        """Neither paused nor disabled."""
        return self.is_enabled and self.pause is None


@dataclass
class Life:
    """One incarnation of a schedule."""

    schedule: str
    incarnation: int
    segments: list[Segment] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    created: Change | None = None
    deleted: Change | None = None
    restored_from: "Life | None" = None
    anchor: int = 0
    problems: list[tuple[Change, str]] = field(default_factory=list)
    documents: dict[int, Document | None] = field(default_factory=dict)

    def document_of(self, revision: int) -> Document | None:
        """The definition of a revision, if it is known."""
        return self.documents.get(revision)

    def segments_at(self, at: int) -> list[Segment]:
        """What was in force at an instant; two segments where one ends."""
        return [segment for segment in self.segments if segment.begin_at <= at <= segment.end_at]

    def segments_between(self, low: int, high: int) -> list[Segment]:
        """What was in force when a clock that showed `high` was set back to `low`, or may have been."""
        return [segment for segment in self.segments if segment.begin_at <= high and low <= segment.end_at]

    def occurrences(self, document: Document) -> Occurrences:
        """The oracle of one of its definitions."""
        return document.occurrences(self.anchor)

    @property
    def begins_at(self) -> int:
        """Nothing before this is its business; a schedule restored from its tombstone goes on where it was."""
        if self.restored_from and self.restored_from.deleted:
            return self.restored_from.deleted.at
        return self.created.at if self.created else -FOREVER

    def definition_span(self, revision: int) -> tuple[int, int]:
        """From when to when the definition of this revision was in force, also under neighbouring revisions."""
        document = self.document_of(revision)
        index = next((i for i, segment in enumerate(self.segments) if segment.revision == revision), None)
        if index is None:
            return self.begins_at, FOREVER
        first = last = index
        while first > 0 and self.segments[first - 1].document == document:
            first -= 1
        while last + 1 < len(self.segments) and self.segments[last + 1].document == document:
            last += 1
        begin = self.begins_at if first == 0 else self.segments[first - 1].end_at
        return begin, self.segments[last].end_at


def build_lives(ledger: Ledger, matching: Matching) -> dict[tuple[str, int], Life]:
    """All incarnations that have changes in the ledger."""
    changes_of: dict[tuple[str, int], list[Change]] = defaultdict(list)
    for change in sorted(ledger.changes, key=lambda change: change.seq):
        changes_of[change.schedule, change.incarnation or 1].append(change)
    lives = {key: build_life(*key, changes, matching) for key, changes in changes_of.items()}
    link_restored(lives, matching)
    return lives


def link_restored(lives: dict[tuple[str, int], Life], matching: Matching) -> None:
    """An id that is added again soon after it was deleted goes on where it was, and in the same pause."""
    for (schedule, incarnation), life in sorted(lives.items()):
        earlier = [other for (name, number), other in lives.items() if name == schedule and number < incarnation]
        previous = max(earlier, key=lambda other: other.incarnation, default=None)
        if previous and previous.deleted and life.created:
            if life.created.at - previous.deleted.at <= RESTORED_WITHIN:
                life.restored_from = previous
                life.anchor = previous.anchor
                if life.created.seq in matching.kept_pauses and previous.pauses:
                    life.pauses[0].begin_at = previous.deleted.at
                    life.pauses[0].until = previous.pauses[-1].until


def build_life(schedule: str, incarnation: int, changes: list[Change], matching: Matching) -> Life:
    """Replays the changes in order."""
    life = Life(schedule, incarnation, changes=changes)
    written: dict[str, Any] | None = None
    document: Document | None = None
    is_enabled = True
    for change in changes:
        close_last_segment(life, change)
        if change.kind == "created":
            begin_life(life, change)
        if change.kind in ("created", "updated"):
            written = written_document(change, matching, written)
            document = read_or_note(life, change, written)
            is_enabled = document.enabled if document else True
        is_enabled = {"enabled": True, "disabled": False}.get(change.kind, is_enabled)
        apply_pause(life, change, matching)
        life.documents[change.revision] = document
        if change.kind == "deleted":
            life.deleted = change
            continue
        pause = life.pauses[-1] if life.pauses and life.pauses[-1].end_at == FOREVER else None
        life.segments.append(Segment(change.at, change.seq, change.revision, document, is_enabled, pause))
    return life


def begin_life(life: Life, change: Change) -> None:
    """The first creation counts; a second one in the same life only takes the deletion back."""
    life.deleted = None
    if life.created is None:
        life.created, life.anchor = change, change.at


def close_last_segment(life: Life, change: Change) -> None:
    """A change ends what was in force."""
    if life.segments and life.segments[-1].end_at == FOREVER:
        life.segments[-1].end_at, life.segments[-1].end_seq = change.at, change.seq


def apply_pause(life: Life, change: Change, matching: Matching) -> None:
    """Begins or ends a pause."""
    if change.kind == "paused":
        operation = matching.operation_of.get(change.seq)
        until = operation.arguments.get("until") if operation else None
        end = parse_instant(until) if until else FOREVER
        end_pause(life, change)
        life.pauses.append(Pause(change.at, change.seq, until=end))
    elif change.kind in ("resumed", "deleted"):
        end_pause(life, change)


def end_pause(life: Life, change: Change) -> None:
    """Ends the open pause, if there is one."""
    if life.pauses and life.pauses[-1].end_at == FOREVER:
        pause = life.pauses[-1]
        pause.end_at, pause.end_seq, pause.is_resumed = change.at, change.seq, change.kind == "resumed"


def written_document(change: Change, matching: Matching, before: dict[str, Any] | None) -> dict[str, Any] | None:
    """The document a change brought: its own if the ledger has it, else its call's."""
    if change.document is not None:
        return change.document
    operation = matching.operation_of.get(change.seq)
    if operation is None or change.seq in matching.ambiguous:
        return None
    if set(operation.arguments) == {"patch"}:
        return None if before is None else merged(before, operation.arguments["patch"])
    return operation.arguments


def read_or_note(life: Life, change: Change, written: dict[str, Any] | None) -> Document | None:
    """The document, or none and a note why it cannot be read."""
    if written is None:
        return None
    try:
        return read_document(written)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        life.problems.append((change, str(problem)))
        return None
