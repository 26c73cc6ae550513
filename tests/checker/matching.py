"""Finds for each change in the ledger the client's call that made it."""

from collections import defaultdict
from dataclasses import dataclass, field

from records import Change, Ledger, Operation
from written_together import ended_pauses, kept_pauses

CHANGES_OF = {
    "create": ("created",),
    "update": ("updated", "created", "enabled", "disabled"),
    "pause": ("paused",),
    "resume": ("resumed",),
    "enable": ("enabled",),
    "disable": ("disabled",),
    "delete": ("deleted",),
    "reset": ("reset",),
}


@dataclass
class Matching:
    """Which operation made which change, by the change's seq, and what is left over on either side."""

    operation_of: dict[int, Operation] = field(default_factory=dict)
    ambiguous: set[int] = field(default_factory=set)
    idle_operations: list[Operation] = field(default_factory=list)
    unexplained_changes: list[Change] = field(default_factory=list)
    kept_pauses: dict[int, Change] = field(default_factory=dict)
    ended_pauses: dict[int, Change] = field(default_factory=dict)

    def revisions_of(self, change: Change) -> set[int]:
        """What a call that made a change may be answered with: a pause may begin or end with it."""
        added = self.kept_pauses.get(change.seq) or self.ended_pauses.get(change.seq)
        return {change.revision, added.revision if added else change.revision}


def match(ledger: Ledger, history: list[Operation]) -> Matching:
    """Acknowledged calls are found by their revision, calls of unknown outcome by kind, client and time."""
    matching = Matching(kept_pauses=kept_pauses(ledger), ended_pauses=ended_pauses(ledger))
    open_operations: dict[str, list[Operation]] = defaultdict(list)
    for operation in history:
        if operation.op in CHANGES_OF and operation.result != "fail":
            open_operations[operation.schedule].append(operation)
    clients = {operation.client for operation in history}
    # What was written together with a creation needs no call of its own.
    together = {change.seq for change in matching.kept_pauses.values()}
    changes = sorted((change for change in ledger.changes if change.seq not in together), key=lambda change: change.seq)
    # A schedule that was deleted and created again has its revisions twice, and a call of the first time may have gone
    # without an answer: whoever was under way when the change was made comes first.
    for must_be_under_way in (True, False):
        for change in changes:
            if change.seq not in matching.operation_of:
                match_acknowledged(change, open_operations[change.schedule], must_be_under_way, matching)
    for change in changes:
        if change.seq not in matching.operation_of:
            match_unknown(change, open_operations[change.schedule], clients, matching)
    matching.idle_operations = [operation for rest in open_operations.values() for operation in rest]
    return matching


def match_acknowledged(
    change: Change, operations: list[Operation], must_be_under_way: bool, matching: Matching
) -> None:
    """The oldest acknowledged call with this revision and this effect."""
    revisions = matching.revisions_of(change)
    for operation in operations:
        if operation.result != "ok" or change.kind not in CHANGES_OF[operation.op]:
            continue
        if must_be_under_way and not was_under_way(operation, change.at):
            continue
        if operation.revision in revisions or (operation.revision is None and operation.op == "delete"):
            matching.operation_of[change.seq] = operation
            operations.remove(operation)
            return


def was_under_way(operation: Operation, at: int) -> bool:
    """Whether it was asked and not answered yet."""
    return operation.time <= at and (operation.end is None or at <= operation.end)


def match_unknown(change: Change, operations: list[Operation], clients: set[str], matching: Matching) -> None:
    """A call without answer may have made it, if it was asked before; two that differ cannot be told apart."""
    fitting = [
        operation
        for operation in operations
        if operation.result == "unknown"
        and change.kind in CHANGES_OF[operation.op]
        and operation.time <= change.at
        and (change.by not in clients or change.by == operation.client)
    ]
    if not fitting:
        if change.by in clients:
            matching.unexplained_changes.append(change)
        return
    if any(operation.arguments != fitting[0].arguments for operation in fitting):
        matching.ambiguous.add(change.seq)
    matching.operation_of[change.seq] = fitting[0]
    operations.remove(fitting[0])
