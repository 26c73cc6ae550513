"""I10: a paused schedule starts nothing by itself, and says of each occurrence that it was paused."""

from completeness import Decided, expected_slots
from evidence import Evidence
from records import Attempt, Decision
from report import Report
from timeline import Life, Pause, Segment

REASONS_IN_A_PAUSE = ("paused", "deleted", "exhausted", "clock")


def check(evidence: Evidence, report: Report) -> None:
    """Looks into each pause, and at what claims to have been paused."""
    for life in evidence.lives.values():
        for decision in evidence.automatic(life):
            check_start(evidence, life, decision, report)
            check_reason(evidence, life, decision, report)
        check_occurrences(evidence, life, report)
        check_ranges(evidence, life, report)
        check_taken_up(evidence, life, report)


def check_start(evidence: Evidence, life: Life, decision: Decision, report: Report) -> None:
    """Neither decided to start nor claimed for the first time while paused or disabled."""
    if decision.outcome != "started" or evidence.is_cancelled_wait(decision):
        return
    report.fact("I10")
    attempts = evidence.attempts.get(decision.run or "", [])
    first = attempts[0] if attempts else None
    for pause in life.pauses:
        if is_inside(evidence, pause, decision.at) and decision.seq < pause.end_seq:
            broken(life, decision, "started while paused", pause.begin_seq, report)
        elif first and first.claimed_at is not None and is_claimed_inside(evidence, pause, first):
            broken(life, decision, "claimed while paused", pause.begin_seq, report)
    for segment in life.segments:
        if not segment.is_enabled and is_inside(evidence, segment, decision.at) and decision.seq < segment.end_seq:
            broken(life, decision, "started while disabled", segment.begin_seq, report)


def broken(life: Life, decision: Decision, message: str, begin_seq: int, report: Report) -> None:
    """A start that should not have been."""
    seqs = (begin_seq, decision.seq)
    report.violation("I10", life.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)


def is_inside(evidence: Evidence, span: Pause | Segment, at: int) -> bool:
    """Strictly between begin and end, by a clock that can be trusted."""
    end = span.certain_end if isinstance(span, Pause) else span.end_at
    return span.begin_at < at < end and evidence.clock.is_clear(span.begin_at, at)


def is_claimed_inside(evidence: Evidence, pause: Pause, attempt: Attempt) -> bool:
    """Retries go on in a pause; a first attempt does not. What a database under way had decided to pause is not paused
    until its line stands."""
    if attempt.attempt != 1 or attempt.claimed_at is None or attempt.seq < pause.begin_seq:
        return False
    return is_inside(evidence, pause, attempt.claimed_at)


def check_occurrences(evidence: Evidence, life: Life, report: Report) -> None:
    """What became due in a pause was skipped for it, unless the schedule keeps what it missed."""
    if not life.pauses:
        return
    decided = Decided(evidence, life)
    for segment, nominal in expected_slots(evidence, life):
        if segment.pause is None or segment.document is None or segment.document.keeps_missed:
            continue
        row = decided.single(nominal) or decided.range_of(nominal)
        if row is None or is_free_again(segment.pause, segment.document.latest_due(nominal)):
            continue
        report.fact("I10")
        if row.reason not in REASONS_IN_A_PAUSE:
            message = f"due in a pause, but the reason is {row.reason or 'none: it was not skipped'}"
            seqs = (segment.pause.begin_seq, row.seq)
            report.violation("I10", life.schedule, message, nominal=nominal, seqs=seqs)


def is_free_again(pause: Pause, due: int) -> bool:
    """After its end; a pause until nine leaves nine free."""
    return due > pause.certain_end or due == pause.until


def check_reason(evidence: Evidence, life: Life, decision: Decision, report: Report) -> None:
    """`paused` needs a pause: due inside it, or still unclaimed when it began."""
    if decision.reason != "paused" or not life.changes:
        return
    report.fact("I10")
    is_claimed = bool(evidence.attempts.get(decision.run or ""))
    spans = [*life.pauses] + [segment for segment in life.segments if not segment.is_enabled]
    fits = any(span.end_at >= decision.due and (span.begin_at < decision.due or not is_claimed) for span in spans)
    if not fits and evidence.clock.is_clear(decision.due):
        message = "skipped as paused, but there was no pause"
        report.violation("I10", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def paused_spans(life: Life) -> list[tuple[int, int]]:
    """From when to when it was paused. One that is paused again, with another reason or end, stays paused."""
    spans: list[tuple[int, int]] = []
    for pause in life.pauses:
        if spans and spans[-1][1] == pause.begin_at:
            spans[-1] = (spans[-1][0], pause.end_at)
        else:
            spans.append((pause.begin_at, pause.end_at))
    return spans


def check_ranges(evidence: Evidence, life: Life, report: Report) -> None:
    """A range of paused occurrences lies inside pauses."""
    spans = paused_spans(life)
    spans += [(segment.begin_at, segment.end_at) for segment in life.segments if not segment.is_enabled]
    for range_ in evidence.ranges_of(life):
        if range_.reason != "paused" or not life.changes:
            continue
        report.fact("I10")
        document = life.document_of(range_.revision)
        due = document.latest_due(range_.first) if document else range_.first
        fits = any(begin < due and range_.last <= end for begin, end in spans)
        if not fits and evidence.clock.is_clear(range_.first, range_.last):
            message = "a range skipped as paused does not lie in a pause"
            report.violation("I10", life.schedule, message, nominal=range_.first, seqs=(range_.seq,))


def check_taken_up(evidence: Evidence, life: Life, report: Report) -> None:
    """A schedule that is deleted in a pause and added again soon is still paused."""
    previous = life.restored_from
    if not previous or not previous.deleted or not previous.pauses or not life.created:
        return
    report.fact("I10")
    was_paused = previous.pauses[-1].end_seq == previous.deleted.seq
    if was_paused and life.created.seq not in evidence.matching.kept_pauses:
        message = "deleted in a pause and added again, but no longer paused"
        report.violation("I10", life.schedule, message, seqs=(previous.deleted.seq, life.created.seq))
