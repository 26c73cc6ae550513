"""I14: what was final in an earlier export is the same in a later one."""

from evidence import Evidence
from records import Attempt, Decision, Ledger
from report import Report

ATTEMPT_MEMBERS = ("state", "exit_code", "ended_at", "launched_at", "claimed_at", "worker")
DECISION_MEMBERS = ("schedule", "nominal", "due", "source", "outcome", "reason", "run")


def check(evidence: Evidence, report: Report) -> None:
    """Compares two exports, from the first line the later one still has."""
    before, after = evidence.inputs.before, evidence.inputs.ledger
    if before is None:
        return
    oldest = min(after.seqs, default=0)
    check_attempts(before, after, oldest, report)
    check_decisions(evidence, before, after, oldest, report)
    check_changes(before, after, oldest, report)


def check_attempts(before: Ledger, after: Ledger, oldest: int, report: Report) -> None:
    """A finished attempt stays as it ended; none vanishes."""
    now = {(attempt.run, attempt.attempt): attempt for attempt in after.attempts}
    for attempt in before.attempts:
        if attempt.seq < oldest:
            continue
        report.fact("I14")
        later = now.get((attempt.run, attempt.attempt))
        if later is None:
            message = f"attempt {attempt.attempt} has vanished"
            report.violation("I14", attempt.schedule, message, run=attempt.run, seqs=(attempt.seq,))
        elif attempt.is_terminal:
            compare_attempts(attempt, later, report)


def compare_attempts(attempt: Attempt, later: Attempt, report: Report) -> None:
    """Names what changed."""
    for member in ATTEMPT_MEMBERS:
        was, is_now = getattr(attempt, member), getattr(later, member)
        if was != is_now:
            message = f"attempt {attempt.attempt} had {member} {was} and has {is_now}"
            report.violation("I14", attempt.schedule, message, run=attempt.run, seqs=(attempt.seq, later.seq))


def check_decisions(evidence: Evidence, before: Ledger, after: Ledger, oldest: int, report: Report) -> None:
    """A decision stays, unless it was folded into a range with its reason."""
    now = {decision.seq: decision for decision in (*after.decisions, *after.jobs)}
    for decision in (*before.decisions, *before.jobs):
        if decision.seq < oldest:
            continue
        report.fact("I14")
        later = now.get(decision.seq)
        if later is None:
            if not is_folded(decision, after):
                message = "the decision has vanished"
                report.violation("I14", decision.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))
        elif decision.outcome != "waiting" and not is_withdrawn(before, decision, later):
            compare_decisions(decision, later, report)


def is_folded(decision: Decision, after: Ledger) -> bool:
    """Retention joins equal neighbouring skips."""
    return decision.outcome == "skipped" and any(
        range_.schedule == decision.schedule
        and range_.reason == decision.reason
        and range_.first <= decision.nominal <= range_.last
        for range_ in after.ranges
    )


def is_withdrawn(before: Ledger, decision: Decision, later: Decision) -> bool:
    """A pause or deletion takes a queued start back that nobody had claimed."""
    was_claimed = any(attempt.run == decision.run for attempt in before.attempts)
    became_skip = decision.outcome == "started" and later.outcome == "skipped"
    return became_skip and later.reason in ("paused", "deleted") and not was_claimed


def compare_decisions(decision: Decision, later: Decision, report: Report) -> None:
    """Names what changed."""
    for member in DECISION_MEMBERS:
        was, is_now = getattr(decision, member), getattr(later, member)
        if was != is_now:
            message = f"the decision had {member} {was} and has {is_now}"
            report.violation("I14", decision.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def check_changes(before: Ledger, after: Ledger, oldest: int, report: Report) -> None:
    """Changes and voids stay as they were."""
    now = {row.seq: row for row in (*after.changes, *after.voids)}
    for row in (*before.changes, *before.voids):
        if row.seq < oldest:
            continue
        report.fact("I14")
        later = now.get(row.seq)
        if later is None or (later.at, later.schedule) != (row.at, row.schedule):
            report.violation("I14", row.schedule, "a change or void is no longer what it was", seqs=(row.seq,))
