"""I7 for jobs and workers: what was queued is there, and an attempt ended as its worker was told it did."""

from collections import Counter, defaultdict

from evidence import Evidence
from records import STATES_AFTER, Attempt, Operation
from report import Report

AttemptKey = tuple[str, int]


def check(evidence: Evidence, report: Report) -> None:
    """Compares the history with the ledger."""
    history = evidence.inputs.history or []
    check_submitted(evidence, [operation for operation in history if operation.op == "submit"], report)
    calls: dict[AttemptKey, list[Operation]] = defaultdict(list)
    for operation in history:
        if operation.op in STATES_AFTER and operation.run is not None and operation.attempt is not None:
            calls[operation.run, operation.attempt].append(operation)
    check_acknowledged(evidence, calls, report)
    check_ends(evidence, calls, report)


def check_submitted(evidence: Evidence, calls: list[Operation], report: Report) -> None:
    """Every acknowledged job is there, and no more than were asked for."""
    if not calls:
        return
    for operation in calls:
        report.fact("I7")
        if operation.result == "ok" and operation.run not in evidence.jobs:
            message = f"a job (line {operation.line} of the history) was acknowledged, but is not there"
            report.violation("I7", "", message, run=operation.run)
    # The same answer given again to a repeated call is one effect.
    results = Counter(result for result, _ in {(call.result, call.run or call.line) for call in calls})
    report.fact("I7")
    if len(evidence.jobs) > results["ok"] + results["unknown"]:
        message = f"{len(evidence.jobs)} jobs, {results['ok']} acknowledged, {results['unknown']} unknown"
        report.violation("I7", "", message)


def check_acknowledged(evidence: Evidence, calls: dict[AttemptKey, list[Operation]], report: Report) -> None:
    """An attempt stays as it was acknowledged to have ended."""
    rows = {(row.run, row.attempt): row for row in evidence.inputs.ledger.attempts}
    for key, operations in calls.items():
        for operation in operations:
            report.fact("I7")
            row = rows.get(key)
            if operation.result != "ok" or (row and row.state in STATES_AFTER[operation.op]):
                continue
            state = f"it is {row.state}" if row else "the ledger has no such attempt"
            line = f"line {operation.line} of the history"
            message = f"{operation.op} of attempt {key[1]} ({line}) was acknowledged, but {state}"
            seqs = (row.seq,) if row else ()
            report.violation("I7", row.schedule if row else "", message, run=key[0], seqs=seqs)


def check_ends(evidence: Evidence, calls: dict[AttemptKey, list[Operation]], report: Report) -> None:
    """What a worker that writes its calls down is said to have ended, it has ended."""
    workers = {operation.client for operations in calls.values() for operation in operations}
    for row in evidence.inputs.ledger.attempts:
        if row.worker not in workers or row.state not in ("succeeded", "failed"):
            continue
        report.fact("I7")
        if not any(may_have_ended(operation, row) for operation in calls[row.run, row.attempt]):
            message = f"attempt {row.attempt} is {row.state}, which {row.worker} has not said"
            report.violation("I7", row.schedule, message, run=row.run, seqs=(row.seq,))


def may_have_ended(operation: Operation, row: Attempt) -> bool:
    """Whether a call can be the reason for an attempt's end."""
    return operation.result != "fail" and operation.client == row.worker and row.state in STATES_AFTER[operation.op]
