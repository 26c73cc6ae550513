"""I9: one run at a time unless the policy allows more, bounded waiting, and no skip for a run that was not there."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial

from called_back import calls_back, was_queued_at
from evidence import Evidence
from moments import FOREVER, instant_text
from outages import OUTAGE_SLACK, may_be_forgotten, outage_of, was_told
from records import Decision
from report import Report
from run_times import Interval, may_have_lived_until, surely_lived_until, witnessed_intervals
from timeline import Life


def check(evidence: Evidence, report: Report) -> None:
    """Sweeps over each schedule's runs."""
    intervals = witnessed_intervals(evidence)
    for group in intervals.values():
        check_attempts(evidence, group, report)
    for key, life in evidence.lives.items():
        check_witnessed(evidence, life, intervals[key], report)
        check_recorded(evidence, life, report)
        check_waiting(evidence, life, report)
        check_release_order(evidence, life, report)
        check_skips(evidence, life, report)


def is_exclusive(evidence: Evidence, decision: Decision) -> bool:
    """Whether a run may only start alone; unknown definitions are not judged."""
    document = evidence.life_of(decision).document_of(decision.revision)
    return document is not None and document.is_exclusive


def check_witnessed(evidence: Evidence, life: Life, intervals: list[Interval], report: Report) -> None:
    """By the witness: no automatic run begins while another one goes on."""
    longest: Interval | None = None
    for interval in sorted(intervals, key=lambda interval: interval.begin):
        if not interval.decision.is_automatic:
            continue
        report.fact("I9")
        if longest and longest.decision is not interval.decision and has_overtaken(evidence, longest, interval):
            if longest.end > interval.begin + evidence.settings.skew and evidence.clock.is_clear(interval.begin):
                report_overlap(life, longest.decision, interval.decision, interval.begin, "ran", report)
        if longest is None or interval.end > longest.end:
            longest = interval


def has_overtaken(evidence: Evidence, one: Interval, other: Interval) -> bool:
    """The run that was decided to start while the other had the slot is at fault, whoever of them began an attempt."""
    return is_exclusive(evidence, max(one.decision, other.decision, key=lambda decision: (decision.at, decision.seq)))


def check_attempts(evidence: Evidence, intervals: list[Interval], report: Report) -> None:
    """By the witness: no attempt begins while an earlier one of its run goes on."""
    last_of_run: dict[str, Interval] = {}
    for interval in sorted(intervals, key=lambda interval: interval.begin):
        run = interval.decision.run or ""
        check_self(evidence, interval, last_of_run.get(run), report)
        last_of_run[run] = interval


def check_self(evidence: Evidence, interval: Interval, earlier: Interval | None, report: Report) -> None:
    """Two attempts of one run are never alive together."""
    if earlier is None:
        return
    report.fact("I9")
    if earlier.end > interval.begin + evidence.settings.skew and evidence.clock.is_clear(interval.begin):
        decision = interval.decision
        message = f"attempt {interval.attempt} began while attempt {earlier.attempt} was alive"
        seqs = (decision.seq,)
        report.violation("I9", decision.schedule, message, nominal=decision.nominal, run=decision.run, seqs=seqs)


def report_overlap(life: Life, holder: Decision, late: Decision, at: int, verb: str, report: Report) -> None:
    """Two runs at once."""
    message = f"started at {instant_text(at)} while run {holder.run} {verb}"
    report.violation("I9", life.schedule, message, nominal=late.nominal, run=late.run, seqs=(holder.seq, late.seq))


def started_runs(evidence: Evidence, decisions: list[Decision]) -> list[Decision]:
    """Those that really started, in this order."""
    started = [row for row in decisions if row.outcome == "started" and not evidence.is_cancelled_wait(row)]
    return sorted(started, key=lambda row: (row.at, row.seq))


def through_slot(evidence: Evidence, life: Life) -> list[Decision]:
    """Backfilled runs that share the schedule's slot."""
    policies = {
        operation.backfill: operation.arguments.get("overlap")
        for operation in evidence.inputs.history or []
        if operation.op == "backfill" and operation.schedule == life.schedule and operation.backfill is not None
    }
    return [
        decision
        for decision in evidence.decisions[life.schedule, life.incarnation]
        if decision.source == "backfill" and policies.get(decision.backfill) not in (None, "allow_all")
    ]


def check_recorded(evidence: Evidence, life: Life, report: Report) -> None:
    """By the ledger: the slot was free when an exclusive run was decided to start."""
    holder: Decision | None = None
    held_until = -FOREVER
    started = started_runs(evidence, [*evidence.automatic(life), *through_slot(evidence, life)])
    for decision in started:
        report.fact("I9")
        needs_slot = not decision.is_automatic or is_exclusive(evidence, decision)
        if holder and needs_slot and held_until > decision.at + evidence.settings.skew:
            if evidence.clock.is_clear(decision.at, held_until, holder.at):
                report_overlap(life, holder, decision, decision.at, "held the slot", report)
        until = surely_lived_until(evidence, decision)
        if holder is None or until > held_until:
            holder, held_until = decision, until


def waiting_limit(life: Life, at: int) -> int | None:
    """How many may wait at an instant; none where the definition is unknown or does not bound it here."""
    limits: list[int] = []
    for segment in life.segments_at(at):
        if segment.document is None or segment.document.keeps_missed:
            return None
        policy = segment.document.overlap
        if policy in ("cancel_other", "terminate_other"):
            return None
        limits.append({"buffer_one": 1, "buffer_latest": 1, "buffer_all": segment.document.buffer_limit}.get(policy, 0))
    return max(limits, default=None)


def end_of_waiting(decision: Decision) -> int:
    """When a waiting start got its outcome."""
    return FOREVER if decision.outcome == "waiting" else decision.at


class WaitingCount:
    """How many waited at an instant: from when each was first decided until its outcome, or until told otherwise."""

    def __init__(self, decisions: list[Decision], end_of: Callable[[Decision], int] = end_of_waiting):
        self.waiting = [decision for decision in decisions if decision.has_waited]
        self.end_of = {decision.seq: end_of(decision) for decision in self.waiting}
        self.begins = sorted(decision.first_at for decision in self.waiting)
        self.ends = sorted(self.end_of.values())

    def at(self, instant: int) -> int:
        """Those that begin at this instant count, those that end at it do not."""
        return bisect_right(self.begins, instant) - bisect_right(self.ends, instant)

    def before_what_followed(self, decision: Decision, called_back: list[Decision]) -> int:
        """At a decision. Those that end at its instant count if that may have been after it: called back by a command,
        under a newer revision, by a trigger that took their place, or by the end of a run, which comes in a transaction
        of its own."""
        ending = [row for row in self.waiting if self.end_of[row.seq] == decision.at]
        later = [
            row
            for row in ending
            if row.revision > decision.revision
            or row.outcome == "started"
            or row.reason == "superseded"
            or row in called_back
        ]
        return self.at(decision.at) + len(later)

    def has_any_until(self, instant: int) -> bool:
        """Whether one waited when the instant came; it may have got its outcome then."""
        return bisect_right(self.begins, instant) > bisect_left(self.ends, instant)

    def seqs_at(self, instant: int) -> tuple[int, ...]:
        """Their lines."""
        return tuple(row.seq for row in self.waiting if row.first_at <= instant < self.end_of[row.seq])


def surely_waited_until(evidence: Evidence, started: list[Decision], decision: Decision) -> int:
    """Up to its outcome; one that may have been queued in between, as long as the runs before it held the slot."""
    if not decision.was_queued_after_waiting:
        return end_of_waiting(decision)
    before = [surely_lived_until(evidence, run) for run in started if run.at <= decision.first_at]
    return min(decision.at, max([decision.first_at, *before]))


def check_waiting(evidence: Evidence, life: Life, report: Report) -> None:
    """No more wait than the policy keeps."""
    started = started_runs(evidence, evidence.automatic(life))
    count = WaitingCount(evidence.automatic(life), partial(surely_waited_until, evidence, started))
    for decision in count.waiting:
        limit = waiting_limit(life, decision.first_at)
        if limit is None or not evidence.clock.is_clear(decision.first_at):
            continue
        report.fact("I9")
        if count.at(decision.first_at) > limit:
            message = f"{count.at(decision.first_at)} wait, the policy keeps {limit}"
            seqs = count.seqs_at(decision.first_at)
            report.violation("I9", life.schedule, message, nominal=decision.nominal, seqs=seqs)


def check_release_order(evidence: Evidence, life: Life, report: Report) -> None:
    """What waited starts in the order of nominal times."""
    released = [row for row in started_runs(evidence, evidence.automatic(life)) if row.has_waited]
    released.sort(key=lambda decision: (decision.at, decision.nominal))
    for earlier, later in zip(released, released[1:]):
        report.fact("I9")
        if later.nominal < earlier.nominal and evidence.clock.is_clear(earlier.at, later.at):
            message = f"released after the later {instant_text(earlier.nominal)}"
            seqs = (earlier.seq, later.seq)
            report.violation("I9", life.schedule, message, nominal=later.nominal, run=later.run, seqs=seqs)


def check_skips(evidence: Evidence, life: Life, report: Report) -> None:
    """`overlap` needs a run that held the slot or one that waited for it, `buffer_full` a full buffer."""
    everyone = evidence.decisions[life.schedule, life.incarnation]
    waiting = WaitingCount(everyone)
    times, held_until = holders(evidence, life)
    called_back = calls_back(life, everyone)
    for decision in evidence.automatic(life):
        if decision.outcome != "skipped" or not evidence.clock.is_clear(decision.at):
            continue
        if decision.reason == "overlap" and not decision.has_waited:
            report.fact("I9")
            index = bisect_right(times, decision.at)
            # An end counts once others can see it, some time after it was stamped. Who waited has the slot when it is
            # free, also if he is called back in the same transaction.
            is_free = index == 0 or visible_by(evidence, held_until[index - 1]) < decision.at
            is_called_back = any(row.at == decision.at for row in called_back) or was_queued_at(called_back, decision)
            if is_free and not waiting.has_any_until(decision.at) and not is_called_back:
                skip_violation(life, decision, "skipped for an overlap, but no run held the slot", report)
            else:
                check_was_there(evidence, life, decision, called_back, report)
        elif decision.reason == "outage":
            report.fact("I9")
            check_outage(evidence, life, decision, report)
        elif decision.reason == "buffer_full":
            report.fact("I9")
            check_buffer_full(evidence, life, decision, waiting, called_back, report)


def visible_by(evidence: Evidence, at: int) -> int:
    """When everybody saw what was written at a time: a slow or halted writer may have committed it only at the end of
    what disturbed him."""
    skew = evidence.settings.skew
    ends = (span.end for span in evidence.inputs.disturbances if span.begin - skew <= at <= span.end + skew)
    return max([at, *ends]) + skew


def check_was_there(
    evidence: Evidence, life: Life, decision: Decision, called_back: list[Decision], report: Report
) -> None:
    """What came due in an outage overlaps with nothing that was decided after it."""
    outage = outage_of(evidence, decision)
    if outage is None or not evidence.clock.is_clear(decision.due, outage.begin, outage.end):
        return
    if not was_told(evidence, decision, outage):
        report.not_judged["skips in an outage that was no longer told"] += 1
        return
    if any(row.seq < outage.seq and row.at >= decision.at for row in called_back):
        return
    for other in evidence.decisions[life.schedule, life.incarnation]:
        if other.seq > outage.seq:
            break
        if other.has_waited and end_of_waiting(other) >= decision.at:
            return
        if other.outcome == "started":
            until = may_have_lived_until(evidence, other)
            if until is None or until + evidence.settings.skew >= decision.at:
                return
    skip_violation(life, decision, "skipped for an overlap with what was started after the outage", report)


def check_outage(evidence: Evidence, life: Life, decision: Decision, report: Report) -> None:
    """It came due in one, and its policy would have let it pass beside what took its place."""
    document = evidence.document_when_decided(decision)
    if outage_of(evidence, decision, OUTAGE_SLACK) is None:
        if may_be_forgotten(evidence, decision):
            report.not_judged["skips for an outage that may be forgotten"] += 1
            return
        skip_violation(life, decision, "skipped for an outage, but there was none when it was due", report)
    elif document is not None and document.overlap not in ("skip", "buffer_one") and not document.keeps_missed:
        skip_violation(life, decision, f"skipped for an outage, but the policy is {document.overlap}", report)


def skip_violation(life: Life, decision: Decision, message: str, report: Report) -> None:
    """A skip without cause."""
    report.violation("I9", life.schedule, message, nominal=decision.nominal, seqs=(decision.seq,))


def holders(evidence: Evidence, life: Life) -> tuple[list[int], list[int]]:
    """When runs began, and until when any of those begun so far may have lived."""
    everyone = evidence.decisions[life.schedule, life.incarnation]
    started = started_runs(evidence, everyone)
    next_exclusive = FOREVER
    until: list[int] = []
    for decision in reversed(started):
        end = may_have_lived_until(evidence, decision)
        # The next exclusive start proves that the slot was free by then.
        until.append(next_exclusive if end is None else end)
        if decision.is_automatic and is_exclusive(evidence, decision):
            next_exclusive = decision.at
    until.reverse()
    for index in range(1, len(until)):
        until[index] = max(until[index], until[index - 1])
    return [decision.at for decision in started], until


def check_buffer_full(
    evidence: Evidence, life: Life, skip: Decision, waiting: WaitingCount, called_back: list[Decision], report: Report
) -> None:
    """Only `buffer_all` has a limit that overflows."""
    document = evidence.document_when_decided(skip)
    if document is None:
        return
    if document.overlap != "buffer_all" and not document.keeps_missed:
        skip_violation(life, skip, f"skipped for a full buffer, but the policy is {document.overlap}", report)
    elif not document.keeps_missed:
        if waiting.before_what_followed(skip, called_back) >= document.buffer_limit:
            return
        skip_violation(life, skip, "skipped for a full buffer, but there was room", report)
