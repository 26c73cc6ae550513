"""The counts that are printed whatever is found."""

from evidence import Evidence
from report import Report


def count(evidence: Evidence, report: Report) -> None:
    """How much there was of everything."""
    ledger = evidence.inputs.ledger
    counts = report.counts
    counts["slots"] += 0
    counts["schedules"] += len({schedule for schedule, _ in evidence.lives})
    counts["incarnations"] += len(evidence.lives)
    counts["decisions"] += len(ledger.decisions)
    counts["jobs"] += len(ledger.jobs)
    counts["ranges"] += len(ledger.ranges)
    counts["occurrences in ranges"] += sum(range_.count for range_ in ledger.ranges)
    counts["voids"] += len(ledger.voids)
    counts["outages"] += len(ledger.outages)
    counts["changes"] += len(ledger.changes)
    counts["backfills"] += len({(row.schedule, row.id) for row in ledger.backfills})
    counts["attempts"] += len(ledger.attempts)
    counts["starts"] += 0
    counts["times the clock went back"] += len(evidence.clock.repeated)
    count_outcomes(evidence, report)
    for attempt in ledger.attempts:
        counts[f"attempts {attempt.state}"] += 1
    count_others(evidence, report)


def count_outcomes(evidence: Evidence, report: Report) -> None:
    """Starts by source, skips by reason, and what still waits."""
    for decision in evidence.inputs.ledger.decisions:
        if decision.outcome == "started":
            report.counts["starts"] += 1
            report.counts[f"starts by {decision.source}"] += 1
        elif decision.outcome == "waiting":
            report.counts["waiting"] += 1
        else:
            report.counts[f"skips {decision.reason}"] += 1
    for range_ in evidence.inputs.ledger.ranges:
        report.counts[f"skips {range_.reason}"] += range_.count


def count_others(evidence: Evidence, report: Report) -> None:
    """The history and the witness log."""
    for operation in evidence.inputs.history or []:
        report.counts[f"calls {operation.result}"] += 1
    report.counts["witness starts"] += 0
    for entry in evidence.inputs.witness or []:
        report.counts[f"witness {entry.event}s"] += 1
    without = sum(life.created is not None and not any(life.documents.values()) for life in evidence.lives.values())
    if without:
        report.not_judged["schedules without a definition"] += without
