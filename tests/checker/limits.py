"""When a schedule may be done or dead, so that its occurrences need no decision."""

from typing import NamedTuple

from document import Document
from evidence import Evidence
from moments import FOREVER
from records import Change, Decision
from store_clock import Place
from timeline import Life

LONG_AGO: Place = (-1, -FOREVER)

Span = tuple[int, int]


class End(NamedTuple):
    """The end of a run, and its place among all that happened."""

    at: int
    place: Place
    succeeded: bool


class Stop(NamedTuple):
    """A limit was reached, with so many runs that had succeeded since they were last counted from zero."""

    at: int
    place: Place
    successes: int


def quiet_spans(evidence: Evidence, life: Life) -> list[Span]:
    """Times in which a limit may have stopped the schedule; when in doubt it has, as run states are not exported."""
    documents = [document for document in life.documents.values() if document]
    if not any(document.total_repeats or document.consecutive_failures_max for document in documents):
        return []
    return [(stop.at, end_of_stop(evidence, life, stop)) for stop in stops(evidence, life)]


def stops(evidence: Evidence, life: Life) -> list[Stop]:
    """Whenever a limit was reached."""
    ends = sorted(ends_of_runs(evidence, life), key=lambda end: (end.place, end.succeeded))
    return stops_by_ends(evidence, life, ends) + stops_at_once(evidence, life, ends)


def stops_by_ends(evidence: Evidence, life: Life, ends: list[End]) -> list[Stop]:
    """Those that the end of a run brought."""
    resets = resets_of(evidence, life)
    successes = failures = 0
    before = LONG_AGO
    found = []
    for end in ends:
        if any(before < reset <= end.place for reset in resets):
            successes = failures = 0
        successes += end.succeeded
        failures = 0 if end.succeeded else failures + 1
        before = end.place
        if is_stopped(in_force_at(evidence, life, end.place), successes, failures):
            found.append(Stop(end.at, end.place, successes))
    return found


def stops_at_once(evidence: Evidence, life: Life, ends: list[End]) -> list[Stop]:
    """Who becomes active when its repeats are used up, as by an edit that limits them, is done. Only failures kill."""
    found = []
    for segment in life.segments:
        place = evidence.clock.place_of(segment.begin_seq, segment.begin_at)
        successes = successes_by(evidence, life, ends, place)
        if segment.is_active and segment.document and 0 < segment.document.total_repeats <= successes:
            found.append(Stop(segment.begin_at, place, successes))
    return found


def successes_by(evidence: Evidence, life: Life, ends: list[End], place: Place) -> int:
    """How many runs had succeeded since the last reset."""
    since = max((reset for reset in resets_of(evidence, life) if reset <= place), default=LONG_AGO)
    return sum(end.succeeded for end in ends if since <= end.place <= place)


def place_of(evidence: Evidence, change: Change) -> Place:
    """Where a change stands."""
    return evidence.clock.place_of(change.seq, change.at)


def resets_of(evidence: Evidence, life: Life) -> list[Place]:
    """Where its runs were counted from zero again."""
    return [place_of(evidence, change) for change in life.changes if change.kind == "reset"]


def end_of_stop(evidence: Evidence, life: Life, stop: Stop) -> int:
    """A reset starts a schedule again, and so does an edit unless its repeats are used up all the same."""
    later = [change for change in life.changes if place_of(evidence, change) > stop.place]
    return min((change.at for change in later if is_restart(life, change, stop.successes)), default=FOREVER)


def is_restart(life: Life, change: Change, successes: int) -> bool:
    """Whether a change leaves done and dead."""
    document = life.document_of(change.revision)
    is_used_up = document is not None and 0 < document.total_repeats <= successes
    return change.kind in ("reset", "created") or (change.kind == "updated" and not is_used_up)


def in_force_at(evidence: Evidence, life: Life, place: Place) -> list[Document]:
    """The definitions in force then; two where one ends."""
    place_of = evidence.clock.place_of
    return [
        segment.document
        for segment in life.segments
        if segment.document
        and place_of(segment.begin_seq, segment.begin_at) <= place <= place_of(segment.end_seq, segment.end_at)
    ]


def is_stopped(documents: list[Document], successes: int, failures: int) -> bool:
    """Whether a limit in force was reached."""
    return any(
        0 < document.total_repeats <= successes or 0 < document.consecutive_failures_max <= failures
        for document in documents
    )


def ends_of_runs(evidence: Evidence, life: Life) -> list[End]:
    """Those of every run that has ended or may have; those made by hand do not count."""
    started = [decision for decision in evidence.automatic(life) if decision.outcome == "started" and decision.run]
    return [end_of_run(evidence, decision) for decision in started]


def end_of_run(evidence: Evidence, decision: Decision) -> End:
    """A run without attempts may have expired at any time after its decision."""
    attempts = evidence.attempts.get(decision.run or "", [])
    if not attempts:
        return End(decision.at, evidence.clock.place_of(decision.seq, decision.at), False)
    last = attempts[-1]
    at = max(last.at, last.ended_at or 0)
    return End(at, evidence.clock.place_of(last.seq, at), last.state == "succeeded")
