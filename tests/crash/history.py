"""The client history H of the checker: what was asked, and what was answered."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import instants
from servers import Answer

RESULTS = {"ok": "ok", "failed": "fail", "unknown": "unknown"}
OPERATIONS = {"edit": "update"}
WITHOUT_REVISION = ("trigger", "backfill")


class History:
    """Appends one line for each call."""

    def __init__(self, path: Path, client: str) -> None:
        self.client = client
        self.call_count = 0
        self.unanswered_count = 0
        # pylint: disable-next=consider-using-with
        self._file = path.open("w", encoding="utf-8")

    def write(self, asked_at: datetime, command: dict[str, Any], answer: Answer | None) -> None:
        """A call without an answer may have had its effect or not, and may yet have it."""
        self.call_count += 1
        self.unanswered_count += answer is None
        operation = command["op"]
        result = "unknown" if answer is None else RESULTS[answer["result"]]
        line = {
            "time": instants.text_of(asked_at),
            "end": None if result == "unknown" else instants.text_of(instants.now()),
            "client": self.client,
            "op": OPERATIONS.get(operation, operation),
            "schedule": command["document"]["id"] if "document" in command else command["schedule"],
            "arguments": command.get("document")
            or {key: command[key] for key in ("from", "to", "until") if key in command},
            "result": result,
            "revision": None,
        }
        if result == "ok" and answer is not None and operation not in WITHOUT_REVISION:
            line["revision"] = answer["revision"]
        if operation == "backfill":
            line["backfill"] = command["id"]
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self) -> None:
        """No more calls."""
        self._file.close()
