"""Occurrences that gave way to a start by hand: a trigger brings an overlap policy of its own."""

from collections import defaultdict

from evidence import Evidence
from records import Decision, Operation
from timeline import Life

REPLACING_POLICIES = ("buffer_latest", "cancel_other", "terminate_other")


def given_way(evidence: Evidence, life: Life) -> set[int]:
    """The seqs of skips as superseded that were written together with a trigger which may replace others."""
    triggers: dict[int, list[Decision]] = defaultdict(list)
    for decision in evidence.decisions[life.schedule, life.incarnation]:
        is_let_in = decision.outcome == "started" or decision.has_waited
        is_replacing = decision.source == "trigger" and may_replace(evidence, decision)
        if is_let_in and (is_replacing or is_replacing_backfill(evidence, decision)):
            triggers[decision.first_at].append(decision)
    return {
        decision.seq
        for decision in evidence.automatic(life)
        if decision.reason == "superseded" and any(trigger.seq > decision.seq for trigger in triggers[decision.at])
    }


def may_replace(evidence: Evidence, trigger: Decision) -> bool:
    """Whether a call that asked for this trigger, or may have, gave it such a policy."""
    if evidence.inputs.history is None:
        return True
    return any(
        operation.op == "trigger"
        and operation.schedule == trigger.schedule
        and operation.result != "fail"
        and operation.arguments.get("overlap", "allow_all") in REPLACING_POLICIES
        and may_have_asked(evidence, operation, trigger)
        for operation in evidence.inputs.history
    )


def is_replacing_backfill(evidence: Evidence, decision: Decision) -> bool:
    """Whether it comes through the schedule's slot with such a policy."""
    return decision.source == "backfill" and any(
        operation.op == "backfill"
        and operation.schedule == decision.schedule
        and operation.arguments.get("overlap") in REPLACING_POLICIES
        and decision.backfill in (None, operation.backfill)
        for operation in evidence.inputs.history or []
    )


def may_have_asked(evidence: Evidence, operation: Operation, trigger: Decision) -> bool:
    """By the run it was answered with, else by the time: a call without an answer may have its effect later."""
    if operation.run is not None and trigger.run is not None:
        return operation.run == trigger.run
    skew = evidence.settings.skew
    is_open = operation.result == "unknown" or operation.end is None
    return operation.time <= trigger.first_at + skew and (is_open or trigger.first_at <= operation.end + skew)
