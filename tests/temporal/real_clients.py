"""Temporal's own command line and its SDKs for Go, TypeScript and Java, on a carillon that starts workflows on a real cluster.

real_clients.py [FOLDER]   writes what each printed to FOLDER. A client that has not been built or fetched is told and left out.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from temporalio.client import Client
from real_world import Carillon, Cluster, Counts, worker_of

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "build/temporal"
CLI = os.environ.get("TEMPORAL_CLI", str(BUILT / "temporal"))
# What `clients/build` makes, and how it is run.
SDKS = {
    "go": ("Go", "client_go", [str(BUILT / "client_go")]),
    "typescript": ("TypeScript", "typescript/main.mjs", ["node", str(BUILT / "typescript/main.mjs")]),
    "java": ("Java", "java/classes/Operations.class",
             ["java", "-cp", f"{BUILT}/java/lib/*:{BUILT}/java/classes", "Operations"]),
}
HOUR = {"go": "1h0m0s 1m0s", "typescript": "3600000 60000", "java": "PT1H PT1M"}
PAUSED = {"go": "Paused via Go SDK", "typescript": 'Paused via TypeScript SDK"', "java": "Paused via Java SDK"}


def expected(key: str, name: str) -> list[str]:
    """What a client prints, as patterns."""
    entry = rf"\[by-{key} Quick go on\]"
    return [
        rf"create: by-{key}",
        r"create again: true",
        rf"describe: Quick work made by {name} data data 10 Europe/Berlin 2",
        r"recent: true true",
        rf"update: {HOUR[key]} changed data",
        r"trigger: 2 actions",
        rf"pause: true {PAUSED[key]}",
        r"unpause: false go on",
        r"backfill: 6 actions",
        rf'list "": {entry}',
        rf"list \"Team = 'data'\": {entry}",
        r"list \"ScheduleId = 'nobody'\": \[\]",
        r"list by what is not there: .*invalid query: invalid search attribute: Nobody.*",
        r"delete: .*schedule not found",
    ]


class Terminal:
    """Commands with what they printed, as a person would see them."""

    def __init__(self, carillon: Carillon, home: Path):
        self.text = ""
        self.environment = {**os.environ, "HOME": str(home), "TEMPORAL_ADDRESS": carillon.grpc,
                            "TEMPORAL_API_KEY": carillon.token, "TEMPORAL_TLS": "false"}

    async def run(self, *command: str) -> tuple[int, str]:
        process = await asyncio.create_subprocess_exec(
            *command, env=self.environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        printed = (await asyncio.wait_for(process.communicate(), 180))[0].decode(errors="replace")
        shown = " ".join(part if re.fullmatch(r"[\w./:=+-]+", part) else f"'{part}'" for part in (Path(command[0]).name, *command[1:]))
        self.text += f"$ {shown}\n{printed}"
        if process.returncode:
            self.text += f"(exit code {process.returncode})\n"
        return process.returncode, printed


async def command_line(terminal: Terminal, counts: Counts) -> None:
    async def schedule(what: str, *arguments: str, right: str = "", code: int = 0) -> str:
        ended, printed = await terminal.run(CLI, "schedule", *what.split(), *arguments)
        counts.check(ended == code and re.search(right, printed, re.S) is not None, f"schedule {what}: {ended}, {printed}")
        return printed

    async def described() -> dict:
        return json.loads(await schedule("describe", "-s", "by-cli", "-o", "json"))

    await schedule("create", "-s", "by-cli", "--cron", "0 2 * * *", "--time-zone", "Europe/Berlin", "--workflow-id", "cli-quick",
                   "--type", "Quick", "--task-queue", "work", "--input", "7", "--schedule-memo", 'team="data"',
                   "--schedule-search-attribute", 'Team="data"', "--notes", "made by hand")
    await schedule("create", "-s", "by-cli", "--cron", "0 2 * * *", "--workflow-id", "w", "--type", "Quick", "--task-queue", "work",
                   code=1, right="already registered")
    await schedule("describe", "-s", "by-cli", right="by-cli.*Quick|Quick.*by-cli")
    await schedule("describe", "-s", "nobody", code=1, right="schedule not found")
    await schedule("list", "--query", "Team = 'data'", right="by-cli")
    await schedule("list", "--long", right="by-cli")
    await schedule("list", "--query", "TemporalSchedulePaused = true")
    await schedule("list", "--query", "Nobody = 1", code=1, right="invalid search attribute: Nobody")
    await schedule("trigger", "-s", "by-cli")
    for _ in range(100):
        info = (await described())["info"]
        if info.get("actionCount") == "1" and not info.get("runningWorkflows"):
            break
        await asyncio.sleep(0.1)
    counts.check(info["recentActions"][-1]["startWorkflowResult"].get("runId", "") != "", "the run id of the workflow")
    await schedule("toggle", "-s", "by-cli", "--pause", "--reason", "disk full")
    state = (await described())["schedule"]["state"]
    counts.check(state.get("paused") is True and state["notes"] == "disk full", f"toggle --pause: {state}")
    await schedule("toggle", "-s", "by-cli", "--unpause", "--reason", "repaired")
    await schedule("backfill", "-s", "by-cli", "--overlap-policy", "AllowAll", "--start-time", "2026-11-01T00:00:00Z",
                   "--end-time", "2026-11-03T12:00:00Z")
    await schedule("update", "-s", "by-cli", "--interval", "1h/5m", "--workflow-id", "cli-quick", "--type", "Quick",
                   "--task-queue", "work", "--input", "8", "--overlap-policy", "BufferOne", "--remaining-actions", "5")
    seen = (await described())["schedule"]
    counts.check(seen["spec"]["interval"][0] == {"interval": "3600s", "phase": "300s"}, f"update: {seen['spec']}")
    counts.check(seen["state"]["remainingActions"] == "5", f"update: {seen['state']}")
    await schedule("list-matching-times", "-s", "by-cli", "--start-time", "2026-10-25T00:00:00Z", "--end-time",
                   "2026-10-25T03:30:00Z")
    await schedule("delete", "-s", "by-cli")
    await schedule("describe", "-s", "by-cli", code=1, right="schedule not found")
    for command in ("namespace describe default", "namespace list", "cluster health", "cluster system", "search-attribute list"):
        code, printed = await terminal.run(CLI, "operator", *command.split())
        counts.check(code == 0, f"operator {command}: {printed}")


def compare(key: str, name: str, code: int, printed: str, counts: Counts) -> None:
    lines = [line for line in printed.splitlines() if not line.startswith("SLF4J")]
    patterns = expected(key, name)
    for number, pattern in enumerate(patterns):
        line = lines[number] if number < len(lines) else "(nothing)"
        counts.check(re.fullmatch(pattern, line) is not None, f"{name}: {line!r} is not {pattern!r}")
    counts.check(code == 0 and len(lines) == len(patterns), f"{name}: code {code}\n{printed}")


async def main() -> None:
    transcripts = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    counts = Counts("clients of Temporal")
    with tempfile.TemporaryDirectory(prefix="carillon-temporal-", ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name))
        await cluster.up()
        carillon = Carillon(Path(name), cluster)
        carillon.settings.write_text(carillon.settings.read_text() + "searchAttributes: {Team: Keyword}\n")
        carillon.up()
        texts = {}
        try:
            async with worker_of(await Client.connect(cluster.address)):
                if Path(CLI).exists():
                    terminal = Terminal(carillon, Path(name))
                    await command_line(terminal, counts)
                    texts["cli"] = terminal.text
                for key, (language, made, command) in SDKS.items():
                    if not (BUILT / made).exists():
                        print(f"  {language}: not built")
                        continue
                    terminal = Terminal(carillon, Path(name))
                    code, printed = await terminal.run(*command)
                    compare(key, language, code, printed, counts)
                    texts[key] = terminal.text
        finally:
            carillon.end()
            cluster.end()
    for key, text in texts.items():
        print(f"  {key}: {len(text.splitlines())} lines")
        if transcripts:
            transcripts.mkdir(parents=True, exist_ok=True)
            (transcripts / f"{key}.txt").write_text(text)
    counts.leave()


asyncio.run(main())
