"""Schedule documents whose commands write the witness log."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marked import MARK

Document = dict[str, Any]

WITNESS_SCRIPT = Path(__file__).resolve().parent / "witness.sh"


@dataclass(frozen=True)
class Writer:
    """Makes documents for one test: all its commands write to one file and carry one mark."""

    witness: Path
    mark: str

    def action(self, behaviour: str, seconds: float = 0) -> dict[str, Any]:
        """See witness.sh for what a command can do."""
        argv = ["/bin/bash", str(WITNESS_SCRIPT), str(self.witness), behaviour, f"{seconds:g}"]
        return {"command": {"argv": argv, "env": {MARK: self.mark}}}

    def document(
        self,
        name: str,
        behaviour: str = "succeed",
        seconds: float = 0,
        *,
        every: str = "1s",
        spec: dict[str, Any] | None = None,
        **policies: Any,
    ) -> Document:
        """A schedule by interval unless it has a spec of its own."""
        return {
            "id": name,
            "spec": {"intervals": [{"every": every}]} if spec is None else spec,
            "action": self.action(behaviour, seconds),
            "policies": policies,
        }
