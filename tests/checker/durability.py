"""I7: what a client was told happened is in the ledger, and what it was told failed is not."""

from collections import Counter, defaultdict

from document import read_document
from evidence import Evidence
from records import Change, Decision, Operation
from report import Report
from timeline import Life

MAY_CHANGE_NOTHING = ("update", "enable", "disable", "reset")


def check(evidence: Evidence, report: Report) -> None:
    """Compares the history with the ledger; deletion is judged by the ledger alone too."""
    for life in evidence.lives.values():
        check_deletion(evidence, life, report)
        check_creation(evidence, life, report)
    if evidence.inputs.history is None:
        return
    check_operations(evidence, report)
    check_order(evidence, report)
    check_triggers(evidence, evidence.inputs.history, report)
    check_backfills(evidence, evidence.inputs.history, report)


def check_deletion(evidence: Evidence, life: Life, report: Report) -> None:
    """A deleted schedule decides nothing, and only a deleted one says so."""
    for decision in evidence.automatic(life):
        report.fact("I7")
        is_after = life.deleted and decision.seq > life.deleted.seq and decision.first_at > life.deleted.at
        if is_after and evidence.clock.is_clear(decision.first_at):
            message = "decided after the schedule was deleted"
            seqs = (life.deleted.seq, decision.seq)
            report.violation("I7", life.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)
        kinds = {change.kind for change in life.changes}
        if decision.reason == "deleted" and kinds and "deleted" not in kinds:
            message = "skipped as deleted, but the schedule was not"
            report.violation("I7", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def check_operations(evidence: Evidence, report: Report) -> None:
    """Acknowledged calls left their change; each change of a known client has a call that may have made it."""
    report.fact("I7", len(evidence.matching.operation_of))
    for operation in evidence.matching.idle_operations:
        report.fact("I7")
        if operation.result == "ok" and not changed_nothing(evidence, operation):
            call = f"{operation.op} (line {operation.line} of the history)"
            message = f"{call} was acknowledged with revision {operation.revision}, but left no change"
            report.violation("I7", operation.schedule, message)
    for change in evidence.matching.unexplained_changes:
        report.fact("I7")
        message = f"revision {change.revision} was {change.kind} by {change.by}, none of whose calls may have done it"
        report.violation("I7", change.schedule, message, seqs=(change.seq,))


def changed_nothing(evidence: Evidence, operation: Operation) -> bool:
    """A call for what is already so is answered with the revision there is."""
    if operation.op not in MAY_CHANGE_NOTHING:
        return False
    lives = [life for life in evidence.lives.values() if life.schedule == operation.schedule]
    return any(
        change.revision == operation.revision
        and (operation.end is None or change.at <= operation.end + evidence.settings.skew)
        and (operation.op != "update" or is_same_document(life, change, operation))
        for life in lives
        for change in life.changes
    )


def is_same_document(life: Life, change: Change, operation: Operation) -> bool:
    """An update with what is already there; a patch is believed."""
    if set(operation.arguments) == {"patch"}:
        return True
    try:
        return read_document(operation.arguments) == life.document_of(change.revision)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def check_order(evidence: Evidence, report: Report) -> None:
    """Of two calls, the one answered before the other was asked has the smaller revision."""
    acknowledged: dict[tuple[str, int], list[tuple[Operation, Change]]] = defaultdict(list)
    for change in evidence.inputs.ledger.changes:
        operation = evidence.matching.operation_of.get(change.seq)
        if operation and operation.result == "ok" and operation.end is not None:
            acknowledged[change.schedule, change.incarnation].append((operation, change))
    for (schedule, _), pairs in acknowledged.items():
        by_end = sorted(pairs, key=lambda pair: pair[0].end)
        for operation, change in pairs:
            report.fact("I7")
            earlier = [pair for pair in by_end if pair[0].end < operation.time and pair[1].revision > change.revision]
            # If the ledger's own times say the same, it was the clock that was set back between the two.
            earlier = [pair for pair in earlier if pair[1].at >= change.at]
            if earlier:
                answered = earlier[0][1]
                message = f"revision {change.revision} was asked for after revision {answered.revision} was answered"
                report.violation("I7", schedule, message, seqs=(answered.seq, change.seq))


def check_triggers(evidence: Evidence, history: list[Operation], report: Report) -> None:
    """Every acknowledged trigger has its decision, and no more than were asked for."""
    triggered = [decision for decision in evidence.inputs.ledger.decisions if decision.source == "trigger"]
    by_creation = {decision.seq for life in evidence.lives.values() for decision in made_by_creation(evidence, life)}
    found = Counter(decision.schedule for decision in triggered if decision.seq not in by_creation)
    check_counts("trigger", found, history, report)
    for operation in history:
        if operation.op != "trigger" or operation.result != "ok" or operation.run is None:
            continue
        report.fact("I7")
        decision = evidence.runs.get(operation.run)
        if decision is None or decision.schedule != operation.schedule:
            message = f"a trigger (line {operation.line} of the history) was acknowledged, but has no decision"
            report.violation("I7", operation.schedule, message, run=operation.run)


def made_by_creation(evidence: Evidence, life: Life) -> list[Decision]:
    """What was triggered in the moment the schedule was created."""
    triggered = [row for row in evidence.decisions[life.schedule, life.incarnation] if row.source == "trigger"]
    named = [row for row in triggered if row.run is not None and row.run.endswith("+trigger-create")]
    if named or not wants_trigger(life):
        return named
    # What was taken back before anybody claimed it has no run, and so no name any more.
    return [row for row in triggered if row.run is None and row.nominal == life.created.at][:1]


def wants_trigger(life: Life) -> bool:
    """Whether a trigger comes with its creation; with one that goes on after a deletion none does."""
    document = life.document_of(life.created.revision) if life.created else None
    return document is not None and document.starts_on_create and life.restored_from is None


def check_creation(evidence: Evidence, life: Life, report: Report) -> None:
    """What is to be done with a creation is done once, and not by one that goes on after a deletion."""
    if life.created is None or life.document_of(life.created.revision) is None:
        return
    wanted = int(wants_trigger(life))
    made = len(made_by_creation(evidence, life))
    report.fact("I7")
    if made != wanted:
        report.violation("I7", life.schedule, f"its creation has {made} triggers, not {wanted}", seqs=(life.created.seq,))


def check_backfills(evidence: Evidence, history: list[Operation], report: Report) -> None:
    """The same for backfills."""
    ids = {(backfill.schedule, backfill.id) for backfill in evidence.inputs.ledger.backfills}
    check_counts("backfill", Counter(schedule for schedule, _ in ids), history, report)
    for operation in history:
        if operation.op != "backfill" or operation.result != "ok" or operation.backfill is None:
            continue
        report.fact("I7")
        if (operation.schedule, operation.backfill) not in ids:
            call = f"backfill {operation.backfill} (line {operation.line} of the history)"
            message = f"{call} was acknowledged, but is not there"
            report.violation("I7", operation.schedule, message)


def check_counts(op: str, found: Counter[str], history: list[Operation], report: Report) -> None:
    """As many effects as acknowledged calls, or more by calls of unknown outcome."""
    for schedule in {operation.schedule for operation in history if operation.op == op} | set(found):
        mine = [item for item in history if item.op == op and item.schedule == schedule]
        # The same answer given again to a repeated call is one effect.
        answers = {(item.result, item.run or item.backfill or item.line) for item in mine}
        results = Counter(result for result, _ in answers)
        report.fact("I7")
        if not results["ok"] <= found[schedule] <= results["ok"] + results["unknown"]:
            message = f"{found[schedule]} effects of {op}, {results['ok']} acknowledged, {results['unknown']} unknown"
            report.violation("I7", schedule, message)
