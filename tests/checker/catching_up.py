"""I11: what was found late is treated as the catch-up policy says."""

from bisect import bisect_right
from collections import defaultdict

from document import Document
from evidence import Evidence
from giving_way import REPLACING_POLICIES, given_way
from moments import instant_text, seconds_text
from records import Decision, Range
from report import Report
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Judges each decision by its lateness, then those made together."""
    for life in evidence.lives.values():
        late_together: dict[int, list[tuple[Decision, Document]]] = defaultdict(list)
        decisions = evidence.automatic(life)
        gave_way = given_way(evidence, life)
        # One that waited took the place of those before it, whatever became of it later; so did one that gave way.
        others = sorted(
            row.nominal
            for row in decisions
            if row.has_waited or row.seq in gave_way or row.reason not in ("superseded", "missed")
        )
        for decision in decisions:
            document = evidence.document_when_decided(decision)
            if document is None:
                continue
            report.fact("I11")
            if decision.seq not in gave_way:
                check_reason(evidence, life, decision, document, others, report)
            if is_late(decision, document):
                check_late_start(evidence, life, decision, document, report)
                late_together[decision.first_at].append((decision, document))
        for group in late_together.values():
            check_group(evidence, life, group, report)
        for range_ in evidence.ranges_of(life):
            check_range(evidence, life, range_, others, report)


def is_late(decision: Decision, document: Document) -> bool:
    """Found later than the grace allows."""
    return decision.first_at - decision.due > document.grace


def was_let_in(decision: Decision) -> bool:
    """Started, or waits to be, or once did."""
    return decision.outcome == "started" or decision.has_waited


def broken(evidence: Evidence, life: Life, row: Decision | Range, message: str, report: Report) -> None:
    """Reports a row, unless the clock went back over it."""
    nominal = row.nominal if isinstance(row, Decision) else row.first
    run = row.run if isinstance(row, Decision) else None
    if evidence.clock.is_clear(row.at, nominal):
        report.violation("I11", life.schedule, message, nominal=nominal, run=run, seqs=(row.seq,))


def check_late_start(evidence: Evidence, life: Life, decision: Decision, document: Document, report: Report) -> None:
    """Only a policy that catches up starts late, and never beyond the window."""
    if not was_let_in(decision):
        return
    lateness = decision.first_at - decision.due
    if document.catchup == "none":
        broken(evidence, life, decision, "started late, but the policy is none", report)
    elif document.window is not None and lateness > document.window:
        broken(evidence, life, decision, f"started {seconds_text(lateness)} late, beyond the window", report)


def check_group(evidence: Evidence, life: Life, group: list[tuple[Decision, Document]], report: Report) -> None:
    """`latest` starts the newest of a gap alone; `all` no more than its limit."""
    document = group[0][1]
    started = [decision for decision, _ in group if was_let_in(decision)]
    newest = max((decision for decision, _ in group), key=lambda decision: decision.nominal)
    if document.catchup == "latest":
        for decision in started:
            if decision is not newest:
                message = f"started late, but {instant_text(newest.nominal)} was missed after it"
                broken(evidence, life, decision, message, report)
    elif len(started) > document.catchup_count_max:
        message = f"{len(started)} started late together, the limit is {document.catchup_count_max}"
        broken(evidence, life, started[document.catchup_count_max], message, report)


def check_reason(
    evidence: Evidence, life: Life, decision: Decision, document: Document, others: list[int], report: Report
) -> None:
    """Reasons of catching up need their cause."""
    if decision.reason == "missed":
        # How long one may wait is said by the definition under which its turn comes, not by the one it came due under.
        binding = life.document_of(decision.revision) if decision.has_waited else document
        if binding and not is_missed(decision.at - decision.due, binding):
            broken(evidence, life, decision, "skipped as missed, but neither late nor beyond the window", report)
    elif decision.reason == "quota":
        if document.catchup != "all":
            broken(evidence, life, decision, f"skipped for the quota, but the policy is {document.catchup}", report)
    elif decision.reason == "superseded":
        check_superseded(evidence, life, decision, document, others, report)


def is_missed(lateness: int, document: Document) -> bool:
    """Late under the policy `none`, or later than one may start at all."""
    if document.window is not None and lateness > document.window:
        return True
    return document.catchup == "none" and lateness > document.grace


def check_superseded(
    evidence: Evidence, life: Life, decision: Decision, document: Document, others: list[int], report: Report
) -> None:
    """Something newer was decided in its place, by catching up or by an overlap policy that replaces."""
    by_policy = decision.has_waited or document.overlap in REPLACING_POLICIES
    if not by_policy and (document.catchup != "latest" or not is_late(decision, document)):
        broken(evidence, life, decision, "skipped as superseded, but nothing may replace it", report)
    elif not has_newer(others, decision.nominal, decision.at):
        broken(evidence, life, decision, "skipped as superseded, but nothing newer took its place", report)


def has_newer(others: list[int], nominal: int, at: int) -> bool:
    """Whether a later occurrence, not after `at`, was decided in another way."""
    index = bisect_right(others, nominal)
    return index < len(others) and others[index] <= at


def check_range(evidence: Evidence, life: Life, range_: Range, others: list[int], report: Report) -> None:
    """The same for a range, by its newest occurrence."""
    document = life.document_of(range_.revision)
    if document is None or range_.reason not in ("missed", "superseded", "quota"):
        return
    report.fact("I11")
    lateness = range_.at - range_.last
    if range_.reason == "missed" and not is_missed(lateness, document):
        broken(evidence, life, range_, "a range skipped as missed was neither late nor beyond the window", report)
    if range_.reason == "quota" and document.catchup != "all":
        broken(evidence, life, range_, f"a range skipped for the quota, but the policy is {document.catchup}", report)
    if range_.reason == "superseded":
        replaces = document.overlap in REPLACING_POLICIES
        if not replaces and (document.catchup != "latest" or lateness <= document.grace):
            broken(evidence, life, range_, "a range skipped as superseded, but nothing may replace it", report)
        elif not has_newer(others, range_.last, range_.at):
            broken(evidence, life, range_, "a range skipped as superseded, but nothing newer took its place", report)
