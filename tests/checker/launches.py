"""I3 and I4: what was started is what the ledger says, once each, and never before it was claimed."""

from collections import defaultdict

from evidence import Evidence
from records import Attempt, Witness
from report import Report

AttemptKey = tuple[str, int]


def check(evidence: Evidence, report: Report) -> None:
    """Compares the witness log with the attempts; the ledger alone must at least know a decision for each attempt."""
    check_decisions(evidence, report)
    if evidence.inputs.witness is None:
        return
    starts: dict[AttemptKey, list[Witness]] = defaultdict(list)
    for entry in evidence.inputs.witness:
        if entry.event == "start":
            starts[entry.run, entry.attempt].append(entry)
    check_single(evidence, starts, report)
    check_launched(evidence, starts, report)
    check_claimed(evidence, starts, report)


def schedule_of(evidence: Evidence, run: str) -> str:
    """The schedule of a run, as far as it is known."""
    if run in evidence.runs:
        return evidence.runs[run].schedule
    attempts = evidence.attempts.get(run)
    return attempts[0].schedule if attempts else ""


def check_decisions(evidence: Evidence, report: Report) -> None:
    """Only a started run has attempts."""
    for run, attempts in evidence.attempts.items():
        decision = evidence.runs.get(run) or evidence.jobs.get(run)
        report.fact("I4")
        if decision is None:
            message = "an attempt of a run that no decision started"
            report.violation("I4", attempts[0].schedule, message, run=run, seqs=(attempts[0].seq,))
        elif decision and decision.outcome != "started":
            message = f"an attempt of a run that was {decision.outcome}"
            seqs = (decision.seq, attempts[0].seq)
            report.violation("I4", decision.schedule, message, nominal=decision.nominal, run=run, seqs=seqs)


def check_single(evidence: Evidence, starts: dict[AttemptKey, list[Witness]], report: Report) -> None:
    """An attempt starts at most once."""
    for (run, attempt), entries in starts.items():
        report.fact("I3")
        if len(entries) > 1:
            lines = ", ".join(str(entry.line) for entry in entries)
            message = f"attempt {attempt} started {len(entries)} times (lines {lines} of the witness log)"
            report.violation("I3", schedule_of(evidence, run), message, run=run, seqs=seqs_of(evidence, run, attempt))


def seqs_of(evidence: Evidence, run: str, attempt: int) -> tuple[int, ...]:
    """The ledger lines of an attempt."""
    return tuple(row.seq for row in evidence.attempts.get(run, []) if row.attempt == attempt)


def check_launched(evidence: Evidence, starts: dict[AttemptKey, list[Witness]], report: Report) -> None:
    """As many starts as launches, for schedules whose actions write the witness log."""
    witnessed = {schedule_of(evidence, run) for run, _ in starts}
    for attempts in evidence.attempts.values():
        for attempt in attempts:
            if attempt.schedule not in witnessed or not attempt.is_terminal or attempt.state == "lost":
                continue
            has_started = bool(starts.get((attempt.run, attempt.attempt)))
            if not has_started and was_ended_at_once(evidence, attempt):
                report.not_judged["attempts ended before their first write"] += 1
                continue
            report.fact("I3")
            if has_started != (attempt.launched_at is not None):
                report_launch(attempt, has_started, report)


def was_ended_at_once(evidence: Evidence, attempt: Attempt) -> bool:
    """Whether it was made to end so soon after its launch that it may not have come to write anything."""
    if attempt.state not in ("cancelled", "timed_out") or attempt.launched_at is None or attempt.ended_at is None:
        return False
    return attempt.ended_at - attempt.launched_at < evidence.settings.first_write_max


def report_launch(attempt: Attempt, has_started: bool, report: Report) -> None:
    """The ledger and the witness differ."""
    ledger, witness = ("not launched", "a start") if has_started else ("launched", "no start")
    message = f"attempt {attempt.attempt} is {attempt.state} and {ledger} in the ledger, the witness has {witness}"
    report.violation("I3", attempt.schedule, message, run=attempt.run, seqs=(attempt.seq,))


def check_claimed(evidence: Evidence, starts: dict[AttemptKey, list[Witness]], report: Report) -> None:
    """Every start was claimed before, by the worker that made it."""
    for (run, number), entries in starts.items():
        attempt = next((row for row in evidence.attempts.get(run, []) if row.attempt == number), None)
        for entry in entries:
            report.fact("I4")
            problem = phantom(evidence, entry, attempt)
            if problem:
                seqs = (attempt.seq,) if attempt else ()
                message = f"{problem} (line {entry.line} of the witness log)"
                report.violation("I4", schedule_of(evidence, run), message, run=run, seqs=seqs)


def phantom(evidence: Evidence, entry: Witness, attempt: Attempt | None) -> str | None:
    """What is wrong with a start, if anything."""
    if attempt is None:
        return f"attempt {entry.attempt} started, but the ledger has no such attempt"
    if attempt.claimed_at is None:
        return f"attempt {entry.attempt} started without a claim"
    is_clear = evidence.clock.is_clear(attempt.claimed_at, entry.at)
    if is_clear and entry.at + evidence.settings.skew < attempt.claimed_at:
        return f"attempt {entry.attempt} started before it was claimed"
    if entry.worker and attempt.worker and entry.worker != attempt.worker:
        return f"attempt {entry.attempt} was claimed by {attempt.worker} and started by {entry.worker}"
    return None
