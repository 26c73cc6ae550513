"""The client history H of the checker: what was asked, and what was answered."""

import json
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import instants
from servers import Answer

RESULTS = {"ok": "ok", "failed": "fail", "unknown": "unknown"}
OPERATIONS = {"edit": "update"}
WITHOUT_REVISION = ("trigger", "backfill")


class History:
    """Appends one line for each call. May be used from several threads."""

    def __init__(self, path: Path, client: str) -> None:
        self.client = client
        self.call_count = 0
        self.unanswered_count = 0
        self._lock = threading.Lock()
        # pylint: disable-next=consider-using-with
        self._file = path.open("w", encoding="utf-8")

    def write(self, asked_at: datetime, command: dict[str, Any], answer: Answer | None) -> None:
        """A call of the driver. One without an answer may have had its effect or not, and may yet have it."""
        operation = command["op"]
        result = "unknown" if answer is None else RESULTS[answer["result"]]
        members: dict[str, Any] = {
            "schedule": command["document"]["id"] if "document" in command else command["schedule"],
            "arguments": command.get("document") or {key: command[key] for key in ("from", "to", "until") if key in command},
        }
        if result == "ok" and answer is not None and operation not in WITHOUT_REVISION:
            members["revision"] = answer["revision"]
        if operation == "backfill":
            members["backfill"] = command["id"]
        self.append(asked_at, OPERATIONS.get(operation, operation), result, **members)

    def append(self, asked_at: datetime, operation: str, result: str, **members: Any) -> None:
        """Any call, which was answered or given up just now."""
        line = {
            "time": instants.text_of(asked_at),
            "end": None if result == "unknown" else instants.text_of(instants.now()),
            "client": self.client,
            "op": operation,
            "schedule": None,
            "arguments": {},
            "result": result,
            "revision": None,
        }
        with self._lock:
            self.call_count += 1
            self.unanswered_count += result == "unknown"
            self._file.write(json.dumps(line | members) + "\n")
            self._file.flush()

    def close(self) -> None:
        """No more calls."""
        self._file.close()
