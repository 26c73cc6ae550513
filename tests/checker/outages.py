"""Times in which nobody decided, as the ledger has them."""

from evidence import Evidence
from moments import SECOND
from records import Decision, Outage

# What came due so shortly before an outage may have been read by a server that did not live to write it.
OUTAGE_SLACK = 5 * SECOND
# Older ones are forgotten.
KEPT_MAX = 1_000
# Whoever decides is told of so many, the newest.
TOLD_MAX = 32


def outage_of(evidence: Evidence, decision: Decision, slack: int = 0) -> Outage | None:
    """The outage after which it was decided, and in which it came due."""
    for outage in evidence.inputs.ledger.outages:
        is_after = outage.seq < decision.seq and outage.end <= decision.first_at
        if is_after and outage.begin - slack <= decision.due < outage.end:
            return outage
    return None


def was_told(evidence: Evidence, decision: Decision, outage: Outage) -> bool:
    """Whether it was among the newest ones when this was decided."""
    seqs = [one.seq for one in evidence.inputs.ledger.outages if outage.seq <= one.seq < decision.seq]
    return len(seqs) <= TOLD_MAX


def may_be_forgotten(evidence: Evidence, decision: Decision) -> bool:
    """Whether it came due before the oldest outage of as many as are kept."""
    outages = evidence.inputs.ledger.outages
    return len(outages) >= KEPT_MAX and decision.due < min(outage.begin for outage in outages)
