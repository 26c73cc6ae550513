"""I12: a backfill decides the occurrences of its range, each once, in its own lane."""

from collections import defaultdict
from typing import Any

from evidence import Evidence
from moments import SECOND, instant_text
from records import COMPLETED_BACKFILL_STATES, Backfill, Decision
from report import Report
from run_times import Interval, witnessed_intervals
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Gives every backfilled decision to its backfill and judges them together."""
    intervals = witnessed_intervals(evidence)
    for key, life in evidence.lives.items():
        made: dict[str, list[Decision]] = defaultdict(list)
        backfilled = [decision for decision in evidence.decisions[key] if decision.source == "backfill"]
        # Those that name their backfill come first: what another one skipped before is left to that one.
        for decision in sorted(backfilled, key=lambda decision: decision.backfill is None):
            assign(evidence, life, decision, made, report)
        for backfill in evidence.backfills[key]:
            check_one(evidence, life, backfill, made[backfill.id], report)
            check_lane(evidence, life, backfill, made[backfill.id], intervals[key], report)


def assign(evidence: Evidence, life: Life, decision: Decision, made: dict[str, list[Decision]], report: Report) -> None:
    """By the id it names, else by the first backfill that covers it and has not decided it yet."""
    report.fact("I12")
    covering = [row for row in evidence.backfills[life.schedule, life.incarnation] if covers(row, decision)]
    named = [row for row in covering if decision.backfill in (None, row.id)]
    if decision.outcome == "skipped" and decision.backfill is None:
        # Only through the schedule's slot can one be skipped, and only by one that is not over; a skip tells no id.
        named = [row for row in named if overlap_of(evidence, row)] or named
        named = [row for row in named if not is_over_before(evidence, row, decision)] or named
    if not named:
        broken(life, decision, "backfilled, but no backfill covers it", report)
        return
    free = [row for row in named if all(other.nominal != decision.nominal for other in made[row.id])]
    if not free:
        earlier = next(other for other in made[named[0].id] if other.nominal == decision.nominal)
        broken(life, decision, "backfilled twice", report, earlier)
        return
    made[free[0].id].append(decision)


def is_over_before(evidence: Evidence, backfill: Backfill, decision: Decision) -> bool:
    """Whether it was complete when the decision was made."""
    is_complete = backfill.state in COMPLETED_BACKFILL_STATES and backfill.at < decision.first_at
    return is_complete and evidence.clock.is_clear(backfill.at, decision.first_at)


def covers(backfill: Backfill, decision: Decision) -> bool:
    """Ranges are half-open."""
    return backfill.first <= decision.nominal < backfill.end


def broken(life: Life, decision: Decision, message: str, report: Report, *others: Decision) -> None:
    """Reports a backfilled decision."""
    seqs = (*(other.seq for other in others), decision.seq)
    report.violation("I12", life.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)


def arguments_of(evidence: Evidence, backfill: Backfill) -> dict[str, Any]:
    """What the client asked for, as far as the history tells."""
    for operation in evidence.inputs.history or []:
        if operation.op == "backfill" and operation.schedule == backfill.schedule and operation.backfill == backfill.id:
            return operation.arguments
    return {}


def overlap_of(evidence: Evidence, backfill: Backfill) -> str | None:
    """The policy of a backfill through the schedule's slot; none: it has a lane of its own, or nobody knows."""
    return arguments_of(evidence, backfill).get("overlap")


def check_one(evidence: Evidence, life: Life, backfill: Backfill, made: list[Decision], report: Report) -> None:
    """Its decisions are occurrences, in one direction, and all of them once it is complete."""
    for decision in made:
        check_member(evidence, life, decision, report)
    check_direction(life, made, report)
    if backfill.state in COMPLETED_BACKFILL_STATES:
        check_complete(evidence, life, backfill, made, report)
    if backfill.total is not None and backfill.done is not None:
        report.fact("I12")
        is_short = backfill.state in COMPLETED_BACKFILL_STATES and backfill.done != backfill.total
        if is_short or not 0 <= backfill.done <= backfill.total or len(made) > backfill.total:
            progress = f"{backfill.done} of {backfill.total} and {len(made)} decisions"
            message = f"backfill {backfill.id} is {backfill.state} with {progress}"
            report.violation("I12", life.schedule, message, seqs=(backfill.seq,))


def check_member(evidence: Evidence, life: Life, decision: Decision, report: Report) -> None:
    """An occurrence of the definition it was made by, whatever pauses there are."""
    documents = evidence.documents_when_decided(decision)
    # Through the slot they are skipped by their overlap policy, and only by that.
    if decision.reason == "paused":
        broken(life, decision, "a backfill ignores pauses", report)
    if not documents or None in documents:
        report.not_judged["backfilled without a known definition"] += 1
    elif not any(life.occurrences(document).contains(decision.nominal) for document in documents):
        broken(life, decision, f"backfilled, but not an occurrence of revision {decision.revision}", report)


def check_direction(life: Life, made: list[Decision], report: Report) -> None:
    """Oldest first or newest first, not to and fro."""
    made = [decision for decision in made if decision.backfill is not None] or made
    nominals = [decision.nominal for decision in made]
    report.fact("I12")
    if nominals not in (sorted(nominals), sorted(nominals, reverse=True)):
        broken(life, made[-1], "backfilled in no order", report, made[0])


def check_complete(evidence: Evidence, life: Life, backfill: Backfill, made: list[Decision], report: Report) -> None:
    """Nothing of the range is left out, except what needed no repetition."""
    arguments = arguments_of(evidence, backfill)
    documents = {document for document in life.documents.values() if document}
    if len(documents) != 1 or arguments.get("reprocess") == "failed":
        report.not_judged["completed backfills"] += 1
        return
    present = {decision.nominal for decision in made}
    if arguments.get("reprocess") != "all":
        everyone = evidence.decisions[life.schedule, life.incarnation]
        present |= {row.nominal for row in everyone if row.outcome == "started"}
    for nominal in life.occurrences(documents.pop()).within(backfill.first, backfill.end - 1):
        report.fact("I12")
        if nominal not in present:
            message = f"backfill {backfill.id} is complete without it"
            report.violation("I12", life.schedule, message, nominal=nominal, seqs=(backfill.seq,))


def check_lane(
    evidence: Evidence, life: Life, backfill: Backfill, made: list[Decision], intervals: list[Interval], report: Report
) -> None:
    """No more runs at once than its concurrency, one unless asked otherwise."""
    limit = int(arguments_of(evidence, backfill).get("concurrency") or 1)
    mine = {id(decision) for decision in made}
    ends: list[int] = []
    for interval in sorted(intervals, key=lambda interval: interval.begin):
        if id(interval.decision) not in mine or not evidence.clock.is_clear(interval.begin):
            continue
        report.fact("I12")
        ends = [end for end in ends if end > interval.begin + evidence.settings.skew] + [interval.end]
        if len(ends) > limit:
            message = f"{len(ends)} runs of backfill {backfill.id} at {instant_text(interval.begin // SECOND * SECOND)}"
            broken(life, interval.decision, message, report)
