"""I2: one decision for each occurrence, and none taken back once it has started."""

from evidence import Evidence
from records import Decision, Range, Void
from report import Report
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Looks for two decisions of one thing, by nominal time, by range and by run."""
    check_runs(evidence, report)
    for life in evidence.lives.values():
        check_slots(evidence, life, report)
        check_ranges(evidence, life, report)
        check_voids(evidence, life, report)


def check_runs(evidence: Evidence, report: Report) -> None:
    """A run belongs to one decision."""
    for decision in (*evidence.inputs.ledger.decisions, *evidence.inputs.ledger.jobs):
        if decision.run is None:
            continue
        report.fact("I2")
        first = evidence.runs.get(decision.run) or evidence.jobs[decision.run]
        if first is not decision:
            message = "two decisions name the same run"
            seqs = (first.seq, decision.seq)
            report.violation("I2", decision.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)


def check_slots(evidence: Evidence, life: Life, report: Report) -> None:
    """No occurrence was decided twice; a restored schedule inherits what was decided before."""
    seen: dict[int, Decision] = {}
    lives = [life.restored_from, life] if life.restored_from else [life]
    for decision in (decision for part in lives for decision in evidence.automatic(part)):
        report.fact("I2")
        first = seen.setdefault(decision.nominal, decision)
        if first is not decision and decision.incarnation == life.incarnation:
            message = f"two decisions: {word_of(first)} and {word_of(decision)}"
            report.violation("I2", life.schedule, message, nominal=decision.nominal, seqs=(first.seq, decision.seq))


def word_of(decision: Decision) -> str:
    """The outcome with its reason."""
    return f"{decision.outcome}({decision.reason})" if decision.reason else decision.outcome


def check_ranges(evidence: Evidence, life: Life, report: Report) -> None:
    """No range meets a decision or another range."""
    spans: list[tuple[int, int, Decision | Range]] = [
        (decision.nominal, decision.nominal, decision) for decision in evidence.automatic(life)
    ]
    spans += [(range_.first, range_.last, range_) for range_ in evidence.ranges_of(life)]
    open_ranges: list[Range] = []
    for first, last, row in sorted(spans, key=lambda span: (span[0], isinstance(span[2], Decision))):
        open_ranges = [range_ for range_ in open_ranges if first <= range_.last]
        for range_ in open_ranges:
            is_open = is_taken_back(evidence, range_, row, first, min(last, range_.last))
            if not is_open and not is_behind_its_last(evidence, life, range_, row):
                message = "a range overlaps what was decided otherwise"
                report.violation("I2", life.schedule, message, nominal=first, seqs=(range_.seq, row.seq))
                break
        if isinstance(row, Range):
            report.fact("I2")
            open_ranges.append(row)


def is_taken_back(evidence: Evidence, range_: Range, row: Decision | Range, first: int, last: int) -> bool:
    """Whether a void opened what the two have in common after the earlier one, and before the later one decided it."""
    earlier, later = (range_, row) if range_.seq < row.seq else (row, range_)
    return isinstance(earlier, Range) and any(
        void.first <= first and last <= void.last and void.seq < later.seq for void in evidence.range_voids[earlier.seq]
    )


def is_behind_its_last(evidence: Evidence, life: Life, range_: Range, row: Decision | Range) -> bool:
    """Whether a decision of a later revision lies between what a void left of a range and the void itself, where the
    range has no occurrence."""
    document = life.document_of(range_.revision)
    if not isinstance(row, Decision) or row.revision <= range_.revision or document is None:
        return False
    voids = [void for void in evidence.range_voids[range_.seq] if range_.last <= void.last and void.seq < row.seq]
    oracle = life.occurrences(document)
    return any(row.nominal < void.first and not oracle.within(row.nominal, void.first - 1) for void in voids)


def check_voids(evidence: Evidence, life: Life, report: Report) -> None:
    """A void opens a span of time again: it takes back skips, if there were any, and nothing else."""
    for void in evidence.voids[life.schedule, life.incarnation]:
        report.fact("I2")
        started = [decision for decision in before(evidence, life, void) if decision.outcome != "skipped"]
        for decision in started:
            message = f"a void of what has {decision.outcome}"
            seqs = (decision.seq, void.seq)
            report.violation("I2", life.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)


def before(evidence: Evidence, life: Life, void: Void) -> list[Decision]:
    """What was decided before the void for its occurrences, unless a void before it took that back."""
    return [
        decision
        for decision in evidence.decisions[life.schedule, life.incarnation]
        if decision.is_automatic and decision.seq < void.seq and void.first <= decision.nominal <= void.last
    ]
