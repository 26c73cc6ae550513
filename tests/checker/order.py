"""I5: a schedule's decisions never fork: one order, one server each, none by a definition already replaced."""

from dataclasses import dataclass

from evidence import Evidence
from moments import FOREVER
from records import Change, Decision, Void
from report import Report
from timeline import Life

PASSING_OVER = ("created", "updated", "enabled", "reset")


def check(evidence: Evidence, report: Report) -> None:
    """Looks at the whole ledger's order, then at each schedule's."""
    check_seqs(evidence, report)
    for life in evidence.lives.values():
        check_revisions(life, report)
        check_nominal_order(evidence, life, report)
        check_versions(evidence, life, report)
        check_definitions(evidence, life, report)


def check_seqs(evidence: Evidence, report: Report) -> None:
    """Lines ascend, without repeating a number."""
    seqs = evidence.inputs.ledger.seqs
    for earlier, later in zip(seqs, seqs[1:]):
        report.fact("I5")
        if later <= earlier:
            report.violation("I5", "", "the export does not ascend", seqs=(earlier, later))


def check_revisions(life: Life, report: Report) -> None:
    """Each change has a revision of its own, greater than the one before."""
    for earlier, later in zip(life.changes, life.changes[1:]):
        report.fact("I5")
        if later.revision <= earlier.revision and later.kind != "created":
            message = f"revision {later.revision} ({later.kind}) follows revision {earlier.revision} ({earlier.kind})"
            report.violation("I5", life.schedule, message, seqs=(earlier.seq, later.seq))


@dataclass
class Place:
    """Where a line left the cursor, and until when the store's clock had not come there."""

    nominal: int
    due: int
    seq: int


def check_nominal_order(evidence: Evidence, life: Life, report: Report) -> None:
    """The cursor only moves on, unless a void takes it back. Starts that waited are left out: their line is older than
    their outcome."""
    passed: list[Place] = []
    lines: list[Decision | Void] = [decision for decision in evidence.automatic(life) if not decision.has_waited]
    lines += evidence.voids[life.schedule, life.incarnation]
    for line in sorted(lines, key=lambda line: line.seq):
        if isinstance(line, Void):
            go_back(passed, line)
            continue
        report.fact("I5")
        if passed and line.nominal < passed[-1].nominal:
            if was_passed_over(life, line) or was_added(life, passed[-1], line):
                reopen(evidence, passed, line)
        if passed and line.nominal < passed[-1].nominal:
            message = "decided after a later occurrence"
            report.violation("I5", life.schedule, message, nominal=line.nominal, seqs=(passed[-1].seq, line.seq))
        else:
            passed.append(Place(line.nominal, line.due, line.seq))


def go_back(passed: list[Place], void: Void) -> None:
    """What started under a clock that was ahead stands; what a void opens before it is decided after it, in order."""
    count = len(passed)
    while passed and passed[-1].nominal >= void.first and passed[-1].due > void.at:
        passed.pop()
    if len(passed) < count:
        passed.append(Place(void.first - 1, FOREVER, void.seq))


def was_passed_over(life: Life, decision: Decision) -> bool:
    """Whether a change before it moved the cursor over its occurrence, so that there was no skip to void."""
    return any(
        change.kind in PASSING_OVER
        and change.seq < decision.seq
        and change.revision <= decision.revision
        and change.at >= decision.nominal
        for change in life.changes
    )


def was_added(life: Life, later: Place, decision: Decision) -> bool:
    """Whether it was no occurrence when the later one was decided, and an edit made it one: no skip to void either."""
    if not any(change.kind == "updated" and later.seq < change.seq < decision.seq for change in life.changes):
        return False
    documents = [segment.document for segment in life.segments if segment.begin_seq < later.seq < segment.end_seq]
    return not any(document and life.occurrences(document).contains(decision.nominal) for document in documents)


def reopen(evidence: Evidence, passed: list[Place], decision: Decision) -> None:
    """Goes back over starts that came to be ahead of the store's clock: it showed an earlier time after them."""
    while passed and passed[-1].nominal > decision.nominal:
        shown = evidence.clock.earliest(passed[-1].seq, decision.seq)
        if shown is None or shown >= passed[-1].due:
            return
        passed.pop()


def check_versions(evidence: Evidence, life: Life, report: Report) -> None:
    """Where lines tell the version they were decided from: it ascends, and one version has one writer."""
    writers: dict[int, Decision] = {}
    latest = 0
    for decision in evidence.decisions[life.schedule, life.incarnation]:
        if decision.version is None or decision.has_waited:
            continue
        report.fact("I5")
        first = writers.setdefault(decision.version, decision)
        if (first.server, first.at) != (decision.server, decision.at):
            message = f"version {decision.version} was written by {first.server} and by {decision.server}"
            report.violation("I5", life.schedule, message, nominal=decision.nominal, seqs=(first.seq, decision.seq))
        elif decision.version < latest:
            message = f"version {decision.version} follows version {latest}"
            report.violation("I5", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
        latest = max(latest, decision.version)


def check_definitions(evidence: Evidence, life: Life, report: Report) -> None:
    """A decision names a revision that exists, and one that was not replaced before."""
    revisions = {change.revision: change for change in life.changes}
    if life.created is None:
        return
    for decision in evidence.automatic(life):
        report.fact("I5")
        if decision.revision not in revisions:
            message = f"decided under revision {decision.revision}, which no change made"
            report.violation("I5", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
            continue
        replaced = next((change for change in life.changes if is_stale(evidence, decision, change)), None)
        if replaced:
            message = f"decided under revision {decision.revision} after revision {replaced.revision}"
            report.violation("I5", life.schedule, message, nominal=decision.nominal, seqs=(replaced.seq, decision.seq))


def is_stale(evidence: Evidence, decision: Decision, change: Change) -> bool:
    """Both the order of lines and the times must say it, since a change decides what is due in its own transaction."""
    return (
        decision.revision < change.revision
        and decision.seq > change.seq
        and decision.first_at > change.at
        and evidence.clock.is_clear(decision.first_at, change.at)
    )
