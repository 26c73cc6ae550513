"""Runs whose names repeat: a name is unique among the runs of one incarnation, and a clock that is set back makes the
occurrences of an earlier one come again."""

from collections import defaultdict

from records import Attempt, Decision, Ledger, Witness

Claim = tuple[int, str | None]


def tell_apart(ledger: Ledger, witness: list[Witness]) -> None:
    """Gives each run of a later incarnation a name of its own, in all that tells of it."""
    for name, decisions in repeated_names(ledger).items():
        attempts = sorted((row for row in ledger.attempts if row.run == name), key=lambda row: row.seq)
        entries = [entry for entry in witness if entry.run == name]
        for decision in decisions[1:]:
            decision.run = f"{name} of incarnation {decision.incarnation}"
        rename_attempts(decisions, attempts)
        rename_entries(attempts, entries)


def repeated_names(ledger: Ledger) -> dict[str, list[Decision]]:
    """Names of occurrences that several incarnations have, each at most once, with their decisions in order."""
    named: dict[str, list[Decision]] = defaultdict(list)
    for decision in sorted(ledger.decisions, key=lambda decision: decision.seq):
        if decision.run is not None:
            named[decision.run].append(decision)
    return {name: decisions for name, decisions in named.items() if len(decisions) > 1 and are_apart(decisions)}


def are_apart(decisions: list[Decision]) -> bool:
    """Whether there is one for each of several incarnations of a schedule."""
    incarnations = {decision.incarnation for decision in decisions}
    is_one_schedule = len({decision.schedule for decision in decisions}) == 1
    is_told = 0 not in incarnations and all(decision.is_automatic for decision in decisions)
    return is_one_schedule and is_told and len(incarnations) == len(decisions)


def rename_attempts(decisions: list[Decision], attempts: list[Attempt]) -> None:
    """Each is one of the newest run of that name when it was claimed."""
    for attempt in attempts:
        attempt.run = [row.run or "" for row in decisions if row.seq < attempt.seq or row is decisions[0]][-1]


def rename_entries(attempts: list[Attempt], entries: list[Witness]) -> None:
    """What a worker started is, in the order of the log, what it had claimed."""
    runs: dict[Claim, list[str]] = defaultdict(list)
    for attempt in attempts:
        runs[attempt.attempt, attempt.worker].append(attempt.run)
    start_counts: dict[Claim, int] = defaultdict(int)
    for entry in sorted(entries, key=lambda entry: entry.line):
        claim = entry.attempt, entry.worker
        start_counts[claim] += entry.event == "start"
        if runs[claim]:
            entry.run = runs[claim][min(start_counts[claim], len(runs[claim])) - 1]
