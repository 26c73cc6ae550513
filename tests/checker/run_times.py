"""From when to when runs lived, by the ledger and by the witness log."""

from collections import defaultdict
from dataclasses import dataclass

from evidence import Evidence
from moments import FOREVER
from records import Attempt, Decision


@dataclass
class Interval:
    """One attempt as its action saw it: [begin, end)."""

    begin: int
    end: int
    attempt: int
    decision: Decision


def witnessed_intervals(evidence: Evidence) -> dict[tuple[str, int], list[Interval]]:
    """The attempts that began, by life; those of jobs have no schedule. An action that could not write its end ended
    when the ledger says so."""
    starts: dict[tuple[str, int], int] = {}
    ends: dict[tuple[str, int], int] = {}
    for entry in evidence.inputs.witness or []:
        key = (entry.run, entry.attempt)
        if entry.event == "start":
            starts.setdefault(key, entry.at)
        elif entry.event == "end":
            ends[key] = entry.at
    intervals: dict[tuple[str, int], list[Interval]] = defaultdict(list)
    for (run, number), begin in starts.items():
        decision = evidence.runs.get(run) or evidence.jobs.get(run)
        if decision:
            attempt = next((row for row in evidence.attempts.get(run, []) if row.attempt == number), None)
            end = judged_end(evidence, attempt, ends.get((run, number)))
            intervals[decision.schedule, decision.incarnation].append(Interval(begin, end, number, decision))
    return intervals


def judged_end(evidence: Evidence, attempt: Attempt | None, witnessed: int | None) -> int:
    """Until when an attempt should have been alone: its own end, else the one in the ledger, else for ever."""
    recorded = attempt.ended_at if attempt and attempt.ended_at is not None else FOREVER
    if witnessed is None:
        return recorded
    if attempt and attempt.state == "lost" and attempt.claimed_at is not None and recorded < witnessed:
        # Its worker ends it by a clock of his own: late by as much as the store's clock was set forward.
        if witnessed - recorded <= evidence.clock.lease_cut_by(attempt.claimed_at, recorded):
            return recorded
    return witnessed


def surely_lived_until(evidence: Evidence, decision: Decision) -> int:
    """A run held its slot at least until then; its decision's time if nothing is known."""
    attempts = evidence.attempts.get(decision.run or "", [])
    if any(not attempt.is_terminal for attempt in attempts):
        return FOREVER
    return max((attempt.ended_at or 0 for attempt in attempts), default=decision.at)


def may_have_lived_until(evidence: Evidence, decision: Decision) -> int | None:
    """A run held its slot at most until then; none if the ledger cannot tell."""
    attempts = evidence.attempts.get(decision.run or "", [])
    if decision.run_ended_at is not None:
        # Its worker says when it ended; the slot is held until the store has been told.
        return max([decision.run_ended_at] + [attempt.at for attempt in attempts])
    if not attempts:
        return None
    if not attempts[-1].is_terminal:
        return FOREVER
    return ended_for_good(evidence, decision, attempts[-1])


def ended_for_good(evidence: Evidence, decision: Decision, last: Attempt) -> int | None:
    """When the last attempt ended the run; none if a retry may still have been waiting."""
    end = max(last.at, last.ended_at or 0)
    if last.state in ("succeeded", "cancelled"):
        return end
    document = evidence.life_of(decision).document_of(decision.revision)
    # What was given back waits in its queue again, and has used up none of the attempts.
    if document is None or last.state == "released":
        return None
    used = [attempt for attempt in evidence.attempts[last.run] if attempt.state != "released"]
    if len(used) >= document.retry.attempt_count_max:
        return end
    return end if last.state == "lost" and document.retry.repeats_lost is False else None
