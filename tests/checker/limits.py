"""When a schedule may be done or dead, so that its occurrences need no decision."""

from evidence import Evidence
from moments import FOREVER
from records import Change, Decision
from timeline import Life

Span = tuple[int, int]
End = tuple[int, bool]


def quiet_spans(evidence: Evidence, life: Life) -> list[Span]:
    """Times in which a limit may have stopped the schedule; when in doubt it has, as run states are not exported."""
    documents = [document for document in life.documents.values() if document]
    if not any(document.total_repeats or document.consecutive_failures_max for document in documents):
        return []
    return [(at, end_of_stop(life, at, successes)) for at, successes in stops(evidence, life)]


def stops(evidence: Evidence, life: Life) -> list[tuple[int, int]]:
    """When a limit was reached, and how many runs had succeeded since they were last counted from zero."""
    ends = sorted(ends_of_runs(evidence, life))
    return stops_by_ends(life, ends) + stops_at_once(life, ends)


def stops_by_ends(life: Life, ends: list[End]) -> list[tuple[int, int]]:
    """Those that the end of a run brought."""
    resets = resets_of(life)
    successes = failures = 0
    before = -FOREVER
    found = []
    for at, succeeded in ends:
        if any(before < reset <= at for reset in resets):
            successes = failures = 0
        successes += succeeded
        failures = 0 if succeeded else failures + 1
        before = at
        if is_stopped(life, at, successes, failures):
            found.append((at, successes))
    return found


def stops_at_once(life: Life, ends: list[End]) -> list[tuple[int, int]]:
    """Who becomes active when its repeats are used up, as by an edit that limits them, is done. Only failures kill."""
    begins = [(segment.begin_at, segment.document) for segment in life.segments if segment.is_active]
    counted = [(at, document, successes_by(life, ends, at)) for at, document in begins if document]
    return [(at, successes) for at, document, successes in counted if 0 < document.total_repeats <= successes]


def successes_by(life: Life, ends: list[End], at: int) -> int:
    """How many runs had succeeded since the last reset."""
    since = max((reset for reset in resets_of(life) if reset <= at), default=-FOREVER)
    return sum(succeeded for end, succeeded in ends if since <= end <= at)


def resets_of(life: Life) -> list[int]:
    """When its runs were counted from zero again."""
    return [change.at for change in life.changes if change.kind == "reset"]


def end_of_stop(life: Life, at: int, successes: int) -> int:
    """A reset starts a schedule again, and so does an edit unless its repeats are used up all the same."""
    restarts = [change.at for change in life.changes if change.at > at and is_restart(life, change, successes)]
    return min(restarts, default=FOREVER)


def is_restart(life: Life, change: Change, successes: int) -> bool:
    """Whether a change leaves done and dead."""
    document = life.document_of(change.revision)
    is_used_up = document is not None and 0 < document.total_repeats <= successes
    return change.kind in ("reset", "created") or (change.kind == "updated" and not is_used_up)


def is_stopped(life: Life, at: int, successes: int, failures: int) -> bool:
    """Whether a limit in force was reached."""
    documents = [segment.document for segment in life.segments_at(at) if segment.document]
    return any(
        0 < document.total_repeats <= successes or 0 < document.consecutive_failures_max <= failures
        for document in documents
    )


def ends_of_runs(evidence: Evidence, life: Life) -> list[End]:
    """(when, whether it succeeded) of every run that has ended or may have; those made by hand do not count."""
    started = [decision for decision in evidence.automatic(life) if decision.outcome == "started" and decision.run]
    return [end_of_run(evidence, decision) for decision in started]


def end_of_run(evidence: Evidence, decision: Decision) -> End:
    """A run without attempts may have expired at any time after its decision."""
    attempts = evidence.attempts.get(decision.run or "", [])
    if not attempts:
        return decision.at, False
    last = attempts[-1]
    return max(last.at, last.ended_at or 0), last.state == "succeeded"
