"""I13: attempts are numbered without gaps, follow one another, and keep the back-off."""

from document import Document
from evidence import Evidence
from moments import seconds_text
from records import Attempt, Decision
from report import Report


def check(evidence: Evidence, report: Report) -> None:
    """Replays every run."""
    for run, attempts in evidence.attempts.items():
        decision = evidence.runs.get(run)
        check_numbers(attempts, report)
        for attempt in attempts:
            check_times(evidence, attempt, report)
        for earlier, later in zip(attempts, attempts[1:]):
            check_pair(evidence, earlier, later, report)
        check_count(evidence, attempts, report)
        if decision:
            check_deleted(evidence, decision, attempts, report)


def broken(attempt: Attempt, message: str, report: Report, *others: Attempt) -> None:
    """Reports an attempt, with the others it was compared with."""
    seqs = (*(other.seq for other in others), attempt.seq)
    report.violation("I13", attempt.schedule, f"attempt {attempt.attempt} {message}", run=attempt.run, seqs=seqs)


def check_numbers(attempts: list[Attempt], report: Report) -> None:
    """1, 2, … n."""
    for expected, attempt in enumerate(attempts, start=1):
        report.fact("I13")
        if attempt.attempt != expected:
            broken(attempt, f"stands where {expected} should", report)
            return


def check_times(evidence: Evidence, attempt: Attempt, report: Report) -> None:
    """Claimed, launched, ended: each has its time, in this order."""
    report.fact("I13")
    if attempt.claimed_at is None:
        broken(attempt, "was never claimed", report)
    if attempt.launched_at is None and attempt.state in ("launched", "succeeded"):
        broken(attempt, f"is {attempt.state}, but was never launched", report)
    if attempt.launched_at is not None and attempt.state == "released":
        broken(attempt, "was given back after it had been launched", report)
    if attempt.is_terminal != (attempt.ended_at is not None):
        broken(attempt, f"is {attempt.state}, which its end does not fit", report)
    times = [time for time in (attempt.claimed_at, attempt.launched_at, attempt.ended_at) if time is not None]
    if evidence.clock.is_clear(*times) and times != sorted(times):
        broken(attempt, "was not claimed, launched and ended in this order", report)


def check_pair(evidence: Evidence, earlier: Attempt, later: Attempt, report: Report) -> None:
    """A retry follows an end that may be retried, after the back-off."""
    report.fact("I13")
    document = evidence.document_of_run(later.run)
    if not earlier.is_terminal or earlier.ended_at is None:
        broken(later, f"was claimed while attempt {earlier.attempt} was {earlier.state}", report, earlier)
        return
    if earlier.state in ("succeeded", "cancelled"):
        broken(later, f"follows an attempt that was {earlier.state}", report, earlier)
    if earlier.state == "lost" and document and document.retry.repeats_lost is False:
        broken(later, "repeats a lost attempt, which the definition does not allow", report, earlier)
    if later.claimed_at is not None and evidence.clock.is_clear(earlier.ended_at, later.claimed_at):
        check_delay(evidence, document, earlier, later, report)


def check_delay(
    evidence: Evidence, document: Document | None, earlier: Attempt, later: Attempt, report: Report
) -> None:
    """A lost attempt has no back-off to keep, since when it really ended is unknown."""
    # Whether lost attempts lengthen later delays is left open, so the least delay does not count them.
    mine = evidence.attempts[earlier.run]
    failed_count = sum(row.attempt <= earlier.attempt and row.state not in ("lost", "released") for row in mine)
    judges_backoff = document is not None and earlier.state not in ("lost", "released")
    least = document.retry.delay_after(failed_count) if judges_backoff else 0
    waited = later.claimed_at - earlier.ended_at
    set_back = evidence.clock.set_back_between(earlier.ended_at, later.claimed_at)
    if waited + set_back + evidence.settings.skew < least:
        message = f"was claimed after {seconds_text(waited)}, the back-off is {seconds_text(least)}"
        broken(later, message, report, earlier)
    if judges_backoff and later.claimable_from is not None:
        used_count = sum(row.attempt <= earlier.attempt and row.state != "released" for row in mine)
        longest = int(document.retry.delay_after(used_count) * (1 + document.retry.jitter))
        longest += evidence.clock.set_forward_between(earlier.ended_at, later.claimed_at)
        if later.claimable_from > max(earlier.at, earlier.ended_at) + longest + evidence.settings.skew:
            broken(later, "may be claimed only after more than the back-off", report, earlier)


def check_count(evidence: Evidence, attempts: list[Attempt], report: Report) -> None:
    """No more than the definition allows."""
    document = evidence.document_of_run(attempts[0].run)
    if document is None:
        report.not_judged["runs without a known definition"] += 1
        return
    report.fact("I13")
    # What was given back before it was launched does not count.
    used = [attempt for attempt in attempts if attempt.state != "released"]
    if len(used) > document.retry.attempt_count_max:
        broken(attempts[-1], f"is more than the {document.retry.attempt_count_max} allowed", report)


def check_deleted(evidence: Evidence, decision: Decision, attempts: list[Attempt], report: Report) -> None:
    """What runs when its schedule is deleted goes on, without retries."""
    deleted = evidence.life_of(decision).deleted
    for index, attempt in list(enumerate(attempts))[1:] if deleted else []:
        report.fact("I13")
        # What was given back may be claimed; its worker finds the schedule deleted, and launches nothing.
        is_given_back = all(earlier.state == "released" for earlier in attempts[:index])
        if is_given_back and attempt.launched_at is None:
            continue
        claimed_at = attempt.claimed_at or 0
        # What a database under way had decided to delete is not deleted until its line stands.
        is_after = claimed_at > deleted.at and attempt.seq > deleted.seq
        if is_after and evidence.clock.is_clear(claimed_at, deleted.at):
            broken(attempt, "retries a run of a deleted schedule", report)
