"""Reads the witness log."""

import json
from pathlib import Path
from typing import Any


def starts_of(witness: Path) -> list[dict[str, Any]]:
    """What commands said when they began."""
    lines = (json.loads(line) for line in witness.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["event"] == "start"]
