"""I21: nothing is dropped without a reason, and the counters add up to the rows."""

from collections import Counter

from evidence import Evidence
from records import SKIP_REASONS
from report import Report
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Reasons of every skip, then the reported sums."""
    check_reasons(evidence, report)
    for life in evidence.lives.values():
        check_exhausted(evidence, life, report)
    for reported in evidence.inputs.counters or []:
        check_sums(evidence, reported.schedule, reported.skipped, reported.line, report)


def check_reasons(evidence: Evidence, report: Report) -> None:
    """A skip has a reason that exists, everything else has none; a range counts something."""
    for decision in evidence.inputs.ledger.decisions:
        report.fact("I21")
        is_right = decision.reason in SKIP_REASONS if decision.outcome == "skipped" else decision.reason is None
        if not is_right:
            message = f"{decision.outcome} with the reason {decision.reason}"
            report.violation("I21", decision.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
        if decision.outcome == "started" and decision.run is None:
            message = "started without a run"
            report.violation("I21", decision.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
    for range_ in evidence.inputs.ledger.ranges:
        report.fact("I21")
        if range_.reason not in SKIP_REASONS or range_.count < 1 or range_.last < range_.first:
            message = f"a range of {range_.count} with the reason {range_.reason}"
            report.violation("I21", range_.schedule, message, nominal=range_.first, seqs=(range_.seq,))


def check_exhausted(evidence: Evidence, life: Life, report: Report) -> None:
    """`exhausted` needs a limit, and one on starts alone needs as many starts."""
    documents = life.documents.values()
    if not documents or any(document is None for document in documents):
        return
    by_ends = any(document.total_repeats or document.consecutive_failures_max for document in documents if document)
    starts_max = [document.starts_max for document in documents if document and document.starts_max is not None]
    rows = [*evidence.automatic(life), *evidence.ranges_of(life)]
    for row in rows:
        if row.reason == "exhausted":
            report.fact("I21")
            if not by_ends and not starts_max:
                report.violation("I21", life.schedule, "skipped as exhausted without a limit", seqs=(row.seq,))
            elif not by_ends and starts_by(evidence, life, row.seq, row.at) < min(starts_max):
                report.violation("I21", life.schedule, "skipped as exhausted with starts left", seqs=(row.seq,))


def starts_by(evidence: Evidence, life: Life, seq: int, at: int) -> int:
    """How many automatic starts there were before a line at most, those that were taken back later included."""
    place = evidence.clock.place_of(seq, at)
    return sum(
        (decision.outcome == "started" or decision.reason in ("paused", "deleted"))
        and (decision.first_at <= at or evidence.clock.place_of(decision.seq, decision.first_at) <= place)
        for decision in evidence.automatic(life)
    )


def check_sums(evidence: Evidence, schedule: str, reported: dict[str, int], line: int, report: Report) -> None:
    """The newest incarnation's counters; whether a voided skip is taken off them is left open."""
    newest = max((life.incarnation for life in evidence.lives.values() if life.schedule == schedule), default=1)
    least, most = skips_of(evidence, schedule, newest)
    for reason in {*most, *reported}:
        report.fact("I21")
        if not least[reason] <= reported.get(reason, 0) <= most[reason]:
            claim = f"{reported.get(reason, 0)} skips for {reason} are reported (line {line} of the counters)"
            message = f"{claim}, the ledger has {most[reason]}"
            report.violation("I21", schedule, message)


def skips_of(evidence: Evidence, schedule: str, incarnation: int) -> tuple[Counter[str], Counter[str]]:
    """Skips by reason, without and with those a void took back."""
    least: Counter[str] = Counter()
    most: Counter[str] = Counter()
    for decision in evidence.decisions[schedule, incarnation]:
        if decision.outcome == "skipped":
            most[decision.reason or ""] += 1
            least[decision.reason or ""] += decision.seq not in evidence.void_of
    for range_ in evidence.ranges[schedule, incarnation]:
        most[range_.reason] += range_.count
        least[range_.reason] += 0 if evidence.range_voids[range_.seq] else range_.count
    return least, most
