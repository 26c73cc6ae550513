"""Starts that were decided and taken back before a worker claimed them."""

from records import Change, Decision
from timeline import Life


def calls_back(life: Life, everyone: list[Decision]) -> list[Decision]:
    """Starts that were decided and called back in one transaction: what is due comes first, then the user's command."""
    commanded = {change.at for change in life.changes if stops_starts(life, change)}
    return [row for row in everyone if row.reason in ("paused", "deleted") and row.at in commanded]


def stops_starts(life: Life, change: Change) -> bool:
    """Whether a change calls back what is not claimed yet. An edit does if it disables."""
    if change.kind == "updated":
        document = life.document_of(change.revision)
        return document is not None and not document.enabled
    return change.kind in ("paused", "disabled", "deleted")


def was_queued_at(called_back: list[Decision], skip: Decision) -> bool:
    """Whether a start may have held the slot that was called back, unclaimed, a moment later: its line has only the
    time of that, and no version any more."""
    return any(row.version is None and row.due <= skip.at <= row.at and row.seq < skip.seq for row in called_back)
