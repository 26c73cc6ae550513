"""I17: once all faults are healed, every due occurrence is decided soon, for every schedule."""

from completeness import Decided, expected_slots
from evidence import Evidence
from moments import FOREVER, SECOND, seconds_text
from report import Report
from timeline import Life

# A clock that jumps by more than an hour is not believed for a minute.
HELD_STEP_MIN = 3_600 * SECOND
CLOCK_HOLD = 60 * SECOND


def check(evidence: Evidence, report: Report) -> None:
    """Only when the command line says when the last fault was healed."""
    if evidence.settings.healed_at is None:
        return
    for life in evidence.lives.values():
        # One that could not be written is tried again after a while, which may end later.
        retry_at = evidence.settings.set_aside.get(life.schedule, evidence.settings.healed_at)
        check_life(evidence, life, max(evidence.settings.healed_at, retry_at, believed_at(evidence)), report)


def believed_at(evidence: Evidence) -> int:
    """When the clock was believed again after it was last set by much."""
    held = [step.after for step in evidence.clock.steps[-1:] if abs(step.after - step.before) > HELD_STEP_MIN]
    return max(held, default=-FOREVER) + CLOCK_HOLD


def check_life(evidence: Evidence, life: Life, healed_at: int, report: Report) -> None:
    """Each occurrence of an active time has a decision no later than its bound."""
    decided = Decided(evidence, life)
    for segment, nominal in expected_slots(evidence, life):
        if not segment.is_active or segment.document is None:
            continue
        single, range_ = decided.single(nominal), decided.range_of(nominal)
        due = single.due if single else segment.document.latest_due(nominal)
        bound = max(due, healed_at) + evidence.settings.progress_max
        if bound > evidence.until:
            continue
        report.fact("I17")
        at = single.first_at if single else range_.at if range_ else None
        # What a pause or deletion took back was decided before, at a time the ledger no longer tells.
        is_withdrawn = single is not None and single.reason in ("paused", "deleted")
        seqs = tuple(row.seq for row in (single, range_) if row)
        if at is None or (at > bound and not is_withdrawn and not evidence.clock.is_before(max(seqs), at, bound)):
            message = f"{lateness_text(at, max(due, healed_at))}, though all is healed"
            report.violation("I17", life.schedule, message, nominal=nominal, seqs=seqs)


def lateness_text(at: int | None, possible_at: int) -> str:
    """How long it took."""
    return "never decided" if at is None else f"decided {seconds_text(at - possible_at)} after it could be"
