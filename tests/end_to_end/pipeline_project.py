"""A project with a folder of pipelines, and a server for it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))

from launchers import end_launcher  # noqa: E402
from servers import Process, environment  # noqa: E402

BINARIES = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/dev/bin").resolve()

# The examples that pipelines were described with, as they stand there.
TRIAGE = """\
name: "Daily Bug Report"
description: "Generate daily bug triage report"

# New: Schedule configuration
schedule:
  cron: "0 9 * * 1-5"           # 9 AM on weekdays
  timezone: "America/New_York"   # IANA timezone (optional, defaults to system)
  enabled: true                  # Can disable without removing config

  # Error handling
  retryPolicy:
    maxRetries: 3                # Retry failed executions (default: 3)
    retryDelayMs: 60000          # Delay between retries (default: 1 min)

  # Missed execution handling
  missedExecution: "run"         # "run" | "skip" (default: "run")

  # Execution window (optional)
  window:
    maxDelayMinutes: 30          # Skip if more than 30 min late

# Existing pipeline config
input:
  from:
    type: csv
    path: "bugs.csv"

map:
  prompt: "Analyze bug: {{title}}"
  output: [severity, category]

reduce:
  type: json
"""

DAILY = """\
name: "Daily Bug Report"
schedule:
  cron: "0 9 * * *"
  timezone: "America/New_York"

input:
  from: { type: csv, path: "bugs.csv" }
map:
  prompt: "Categorize: {{title}}"
  output: [severity, category]
reduce:
  type: json
"""

WEEKLY = """\
name: "Weekly Data Sync"
schedule:
  cron: "0 0 * * 0"
  retryPolicy:
    maxRetries: 5
    retryDelayMs: 300000  # 5 minutes

input:
  from: { type: csv, path: "sync-targets.csv" }
map:
  prompt: "Sync {{endpoint}}"
  output: [status, records_synced]
reduce:
  type: table
"""

MONITOR = """\
name: "Queue Monitor"
schedule:
  cron: "*/15 9-17 * * 1-5"  # Every 15 min, 9-5, Mon-Fri
  timezone: "America/Los_Angeles"
  missedExecution: "skip"  # Don't catch up on missed checks

input:
  items:
    - queue: "high-priority"
    - queue: "standard"
map:
  prompt: "Check queue {{queue}} depth"
  output: [depth, oldest_message_age]
reduce:
  type: json
"""


class Started(Process):
    """A server in the foreground, started in the folder of a project."""

    def __init__(self, project: Path, *arguments: str, variables: dict[str, str] | None = None) -> None:
        command = [str(BINARIES / "carillon"), *arguments, "--listen", "127.0.0.1:0"]
        own = own_state(project) | (variables or {})
        super().__init__(command, project / "server.log", lambda: os.chdir(project), own)
        self.greeting: list[str] = []

    def wait_until_ready(self) -> bool:
        """False if it has ended before."""
        while not self.greeting or "Ctrl-C" not in self.greeting[-1]:
            line = self.read_line()
            if line is None:
                return False
            self.greeting.append(line)
        return True

    def stop(self) -> int:
        """Asks it to end, and gives the exit code."""
        self.child.terminate()
        return self.wait()


def own_state(project: Path) -> dict[str, str]:
    """So that no other server of this user is found."""
    return {"XDG_STATE_HOME": str(project / "state"), "TZ": "Europe/Berlin"}


class ProjectCase(unittest.TestCase):
    """A project with a folder of pipelines."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        temporary = tempfile.TemporaryDirectory(prefix="carillon-packages-")
        self.addCleanup(temporary.cleanup)
        self.project = Path(temporary.name)
        self.pipelines = self.project / ".vscode" / "pipelines"
        self.pipelines.mkdir(parents=True)

    def write(self, package: str, text: str) -> Path:
        """Saves a pipeline.yaml."""
        file = self.pipelines / package / "pipeline.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def write_examples(self) -> None:
        """Three packages."""
        for package, text in (("daily-report", DAILY), ("weekly-sync", WEEKLY), ("team/queue-monitor", MONITOR)):
            self.write(package, text)

    def start(self, *arguments: str, variables: dict[str, str] | None = None) -> Started:
        """A server that is ready."""
        server = Started(self.project, *(arguments or ("scheduler", "start")), variables=variables)
        self.addCleanup(end_launcher, self.pipelines / ".carillon")
        self.addCleanup(server.close)
        self.assertTrue(server.wait_until_ready(), server.logged())
        return server

    def run_command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command in the folder of the project."""
        return subprocess.run(
            [str(BINARIES / "carillon"), *arguments],
            capture_output=True, text=True, env=environment() | own_state(self.project), cwd=self.project, timeout=60,
            check=False,
        )

    def command(self, *arguments: str) -> str:
        """What a command prints that must succeed."""
        done = self.run_command(*arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def listed(self) -> dict[str, dict[str, Any]]:
        """All schedules, by the path of their file."""
        documents = json.loads(self.command("scheduler", "list", "-o", "json"))
        items = documents["items"] if isinstance(documents, dict) else documents
        return {item["managedBy"].removeprefix("file:"): item for item in items}

    def state(self, package: str) -> dict[str, Any]:
        """What its state file says."""
        text = (self.pipelines / package / ".schedule-state.json").read_text(encoding="utf-8")
        return json.loads(text)
