"""Where the ledger's own times went backwards: there, times cannot tell what came first."""

from records import Ledger
from moments import SECOND

STEP_MIN = 2 * SECOND
WRITTEN_ONCE = ("overlap", "buffer_full", "missed", "superseded", "quota", "exhausted", "clock")


class StoreClock:
    """Times that the store's clock passed more than once."""

    def __init__(self, ledger: Ledger):
        self.repeated: list[tuple[int, int]] = []
        latest = None
        for _, at in sorted(written_once(ledger)):
            if latest is not None and at < latest - STEP_MIN:
                self.add(at, latest)
            latest = at if latest is None else max(latest, at)

    def add(self, low: int, high: int) -> None:
        """Joins what was repeated by the same step."""
        if self.repeated and self.repeated[-1][1] == high:
            low = min(low, self.repeated.pop()[0])
        self.repeated.append((low, high))

    def is_clear(self, *instants: int | None) -> bool:
        """None of the instants was passed twice."""
        return not any(
            low <= instant <= high for low, high in self.repeated for instant in instants if instant is not None
        )


def written_once(ledger: Ledger) -> list[tuple[int, int]]:
    """(seq, at) of the lines whose time is that of their only write."""
    rows = [(row.seq, row.at) for kind in (ledger.changes, ledger.ranges, ledger.voids) for row in kind]
    rows += [
        (decision.seq, decision.at)
        for decision in ledger.decisions
        if not decision.has_waited and (decision.outcome == "started" or decision.reason in WRITTEN_ONCE)
    ]
    return rows
