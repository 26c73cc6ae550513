"""When a schedule may be done or dead, so that its occurrences need no decision."""

from typing import NamedTuple

from document import Document
from evidence import Evidence
from moments import FOREVER
from records import Change, Decision
from report import Report
from store_clock import Place
from timeline import Life

LONG_AGO: Place = (-1, -FOREVER)
FAR_AHEAD: Place = (FOREVER, FOREVER)

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
    spans = [(stop.at, end_of_start_stop(life, stop)) for stop in start_stops(evidence, life)]
    if any(document.total_repeats or document.consecutive_failures_max for document in documents):
        spans += [(stop.at, end_of_stop(evidence, life, stop)) for stop in stops(evidence, life)]
    return spans


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


class StartStop(NamedTuple):
    """From here on no start may have been left; `count` were made since they were last counted from zero."""

    at: int
    count: int


def counts_anew(life: Life, change: Change, before: Document | None) -> bool:
    """Starts are counted from a creation, a reset, and an edit that brings a limit or takes it away."""
    if change.kind in ("created", "reset"):
        return True
    document = life.document_of(change.revision)
    if change.kind != "updated" or document is None or before is None:
        return False
    return (document.starts_max is None) != (before.starts_max is None)


def start_stops(evidence: Evidence, life: Life) -> list[StartStop]:
    """Whenever the last start that maxStarts allows may have been made, by a start or by a change."""
    if not any(document and document.starts_max is not None for document in life.documents.values()):
        return []
    placed = evidence.clock.place_of
    started = [decision for decision in evidence.automatic(life) if decision.outcome == "started"]
    starts = sorted((placed(decision.seq, decision.at), decision.at) for decision in started)
    found: list[StartStop] = []
    document: Document | None = None
    since = LONG_AGO
    ends = [placed(change.seq, change.at) for change in life.changes[1:]] + [FAR_AHEAD]
    for change, end in zip(life.changes, ends):
        if counts_anew(life, change, document):
            since = placed(change.seq, change.at)
        document = life.document_of(change.revision) or document
        if document is None or document.starts_max is None:
            continue
        # Those of the same instant may have come before the change or after it: when in doubt they count.
        made = [at for place, at in starts if since <= place <= end]
        if len(made) >= document.starts_max:
            last = made[document.starts_max - 1] if document.starts_max else change.at
            found.append(StartStop(max(last, change.at), len(made)))
    return found


def end_of_start_stop(life: Life, stop: StartStop) -> int:
    """Until starts are counted anew, or an edit allows more."""
    document: Document | None = None
    for change in life.changes:
        before, document = document, life.document_of(change.revision) or document
        if change.at < stop.at:
            continue
        allows_more = document is not None and (document.starts_max is None or document.starts_max > stop.count)
        if counts_anew(life, change, before) or (change.kind == "updated" and allows_more):
            if change.at > stop.at:
                return change.at
    return FOREVER


def check(evidence: Evidence, report: Report) -> None:
    """No more automatic starts than maxStarts allows."""
    for life in evidence.lives.values():
        check_starts(evidence, life, report)


def check_starts(evidence: Evidence, life: Life, report: Report) -> None:
    """Counted between two changes that count anew; what waited when they were made is left out, as it may count for
    neither, and so is what was cancelled while it waited."""
    started = [
        decision
        for decision in evidence.automatic(life)
        if decision.outcome == "started" and (evidence.attempts.get(decision.run or "") or not decision.has_waited)
    ]
    document: Document | None = None
    since, limit = -FOREVER, None
    ends = [change.at for change in life.changes[1:]] + [FOREVER]
    for change, end in zip(life.changes, ends):
        anew = counts_anew(life, change, document)
        document = life.document_of(change.revision) or document
        if document is None:
            return
        since = change.at if anew else since
        # An edit in between may have allowed less: what was made before it stands.
        limit = document.starts_max if anew else max((limit or 0), (document.starts_max or 0))
        if document.starts_max is None or limit is None:
            continue
        made = [decision for decision in started if since < decision.first_at and decision.at < end]
        report.fact("I11")
        if len(made) > limit and evidence.clock.is_clear(since, *(decision.at for decision in made)):
            message = f"{len(made)} starts, maxStarts allows {limit}"
            report.violation("I11", life.schedule, message, seqs=tuple(decision.seq for decision in made[limit:]))
