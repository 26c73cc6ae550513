"""What must be true of a folder when all servers have ended, however they ended."""

import re
import sqlite3
import subprocess
from datetime import datetime
from pathlib import Path

import instants
import marked
from documents import Writer
from ledger import Ledger, export_text

CHECK = Path(__file__).resolve().parent.parent / "checker" / "check"
# The client, the commands and the store read the same clock, each a moment after it acted.
SKEW = "50ms"
# A command that is made to end this soon may not have come to say that it began.
FIRST_WRITE = "500ms"
VIOLATION = re.compile(r"I\d+ [^:]+: ")


def problems_of(binaries: Path, folder: Path, data: Path, writer: Writer, decided_until: datetime) -> list[str]:
    """By the checker, the attempts, the processes, the database and the log; empty if all is well. Every occurrence up
    to `decided_until` has to have its decision."""
    ledger = folder / "ledger.jsonl"
    ledger.write_text(export_text(binaries, data), encoding="utf-8")
    return (
        problems_by_checker(ledger, folder / "history.jsonl", writer.witness, decided_until)
        + [f"still open: {line}" for line in Ledger(ledger.read_text(encoding="utf-8")).open_attempts()]
        + [f"left behind: {process}" for process in marked.living(writer.mark)]
        + problems_of_database(data / "carillon.db")
        + problems_in_log(folder / "server.log")
    )


def problems_by_checker(ledger: Path, history: Path | None, witness: Path, decided_until: datetime) -> list[str]:
    """What it has found, without its counts. Without a history it goes by the definitions in the ledger."""
    command = [str(CHECK), "--ledger", str(ledger), "--witness", str(witness)]
    command += [] if history is None else ["--history", str(history)]
    command += ["--until", instants.text_of(decided_until), "--settle", "0s"]
    command += ["--skew", SKEW, "--first-write", FIRST_WRITE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    found = [line for line in done.stdout.splitlines() if VIOLATION.match(line)]
    return found or [f"the checker says {done.returncode}: {done.stdout}{done.stderr}"]


def problems_of_database(file: Path) -> list[str]:
    """By SQLite's own word."""
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        found += [str(row) for row in connection.execute("PRAGMA foreign_key_check")]
    finally:
        connection.close()
    return [] if found == ["ok"] else [f"integrity: {line}" for line in found]


def problems_in_log(log: Path) -> list[str]:
    """Errors are for a person to act upon; a kill gives no reason for one, unless it is the launcher's."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"logged: {line}" for line in lines if '"level":"error"' in line and "launcher" not in line]
