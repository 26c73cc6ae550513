"""Finds the changes carillon adds to one that a client asked for; the call is answered with the last revision."""

from itertools import pairwise

from moments import parse_duration
from records import Change, Ledger

RESTORED_WITHIN = parse_duration("10m")
CARILLON = "carillon"


def changes_by_life(ledger: Ledger) -> dict[tuple[str, int], list[Change]]:
    """The changes of each incarnation, in order."""
    changes_of: dict[tuple[str, int], list[Change]] = {}
    for change in sorted(ledger.changes, key=lambda change: change.seq):
        changes_of.setdefault((change.schedule, change.incarnation or 1), []).append(change)
    return changes_of


def kept_pauses(ledger: Ledger) -> dict[int, Change]:
    """The pause that was written together with a creation, by the creation's seq: the namesake was deleted in it, or
    the document asks for it."""
    changes_of = changes_by_life(ledger)
    kept: dict[int, Change] = {}
    for (schedule, incarnation), changes in changes_of.items():
        namesake = changes_of.get((schedule, incarnation - 1), [])
        for created, paused in pairwise(changes[:2]):
            if is_of_one_write(created, "created", paused, "paused") and was_paused_till_now(namesake, created):
                kept[created.seq] = paused
            if is_first_pause(created, paused):
                kept[created.seq] = paused
    return kept


def is_first_pause(created: Change, paused: Change) -> bool:
    """Whether a schedule was created paused."""
    is_next = paused.at == created.at and paused.revision == created.revision + 1
    asks_for_it = ((created.document or {}).get("onCreate") or {}).get("pause") is not None
    return is_next and asks_for_it and (created.kind, paused.kind, paused.by) == ("created", "paused", created.by)


def ended_pauses(ledger: Ledger) -> dict[int, Change]:
    """The end of a pause that was over while its schedule was disabled, by the seq of the change that enabled it."""
    return {
        changes[i - 1].seq: changes[i]
        for changes in changes_by_life(ledger).values()
        for i in range(1, len(changes))
        if is_of_one_write(changes[i - 1], "enabled", changes[i], "resumed") and is_paused_after(changes[:i])
    }


def is_of_one_write(asked: Change, asked_kind: str, added: Change, added_kind: str) -> bool:
    """Two changes of these kinds, the second of which nobody asked for."""
    is_next = added.at == asked.at and added.revision == asked.revision + 1
    return is_next and (asked.kind, added.kind, added.by) == (asked_kind, added_kind, CARILLON)


def was_paused_till_now(namesake: list[Change], created: Change) -> bool:
    """Whether a life ended paused, and not long before this creation."""
    if not namesake or namesake[-1].kind != "deleted" or created.at - namesake[-1].at > RESTORED_WITHIN:
        return False
    return is_paused_after(namesake)


def is_paused_after(changes: list[Change]) -> bool:
    """Whether the last pause has not been ended by these."""
    kinds = [change.kind for change in changes if change.kind in ("paused", "resumed")]
    return bool(kinds) and kinds[-1] == "paused"
