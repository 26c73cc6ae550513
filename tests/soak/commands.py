"""Thousands of real commands through one `carillon serve`, and what the server and its launcher hold all the while."""

import json
import os
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ledger import Ledger
from servers import Served

PER_SECOND = 40
LOOK_SECONDS = 0.1
STRETCH_SECONDS = 5.0
GROWTH_MAX = 0.05
MEBIBYTE = 1024 * 1024
# A writer, a checkpointer and four readers, which come when they are first needed: a file and its log each, and one
# index for all.
DATABASE_FILES_MAX = 13


@dataclass
class Holding:
    """The most memory and the fewest files and threads of a stretch: commands at work have files of their own."""

    memory: int = 0
    files: int = 1_000_000  # without the database
    database_files: int = 0
    threads: int = 1_000_000

    def look(self, pid: int) -> None:
        """Adds what a process holds now."""
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        lines = dict(line.split(":", 1) for line in status.splitlines())
        self.memory = max(self.memory, int(lines["VmRSS"].split()[0]) * 1024)
        self.threads = min(self.threads, int(lines["Threads"]))
        targets = targets_of(pid)
        of_database = sum("carillon.db" in target for target in targets)
        self.database_files = max(self.database_files, of_database)
        self.files = min(self.files, len(targets) - of_database)

    def __str__(self) -> str:
        return f"{self.memory / MEBIBYTE:8.2f} {self.files:6} {self.database_files:6} {self.threads:8}"


@dataclass
class Stretch:
    """Some seconds of the life of both."""

    commands: int
    database: int  # bytes of its pages
    server: Holding
    launcher: Holding


def documents() -> list[dict[str, object]]:
    """Half of the commands print something, one in ten fails."""
    return [
        {
            "id": f"bell-{number}",
            "spec": {"intervals": [{"every": "1s"}]},
            "action": {"command": {"argv": ["/bin/sh", "-c", script_of(number)]}},
            "policies": {"retry": {"maxAttempts": 1}},
        }
        for number in range(PER_SECOND)
    ]


def script_of(number: int) -> str:
    """What one of them does, each time."""
    return ("echo the bell rings; " if number % 2 else "") + f"exit {int(number % 10 == 0)}"


def targets_of(pid: int) -> list[str]:
    """What its open files are; one that is closed meanwhile is none."""
    targets = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            targets.append(os.readlink(entry))
        except FileNotFoundError:
            continue
    return targets


def size_of_pages(data: Path) -> int:
    """Of the database, without its log. A page that was written stays in memory until the store's cache is full."""
    connection = sqlite3.connect(f"file:{data / 'carillon.db'}?mode=ro", uri=True)
    try:
        count, size = (connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "page_size"))
    finally:
        connection.close()
    return int(count) * int(size)


def only_child_of(pid: int) -> int:
    """Its launcher."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()[0])


def watch(server: Served, data: Path, log: Path, count: int) -> list[Stretch]:
    """Until so many commands have ended, or no more do."""
    launcher = only_child_of(server.pid)
    stretches: list[Stretch] = []
    while not stretches or stretches[-1].commands < count:
        stretch = Stretch(0, 0, Holding(), Holding())
        end = time.monotonic() + STRETCH_SECONDS
        while time.monotonic() < end:
            stretch.server.look(server.pid)
            stretch.launcher.look(launcher)
            time.sleep(LOOK_SECONDS)
        text = log.read_text(encoding="utf-8")
        stretch.commands = text.count('"event":"run succeeded"') + text.count('"event":"run failed"')
        stretch.database = size_of_pages(data)
        assert not stretches or stretch.commands > stretches[-1].commands, "nothing runs any more"
        stretches.append(stretch)
    return stretches


def is_steady(name: str, before: Holding, after: Holding, explained: int) -> bool:
    """Says so, too. The pages of the database that came meanwhile are explained: the store's cache, 32 MiB at most."""
    growth = after.memory / before.memory - 1
    unexplained = (after.memory - explained) / before.memory - 1
    files, threads = after.files - before.files, after.threads - before.threads
    is_so = unexplained < GROWTH_MAX and files == threads == 0 and after.database_files <= DATABASE_FILES_MAX
    memory = f"memory {growth * 100:+.2f} % ({unexplained * 100:+.2f} % without new pages)"
    print(f"{name}: {memory}, files {files:+}, threads {threads:+}: {'steady' if is_so else 'NOT STEADY'}")
    return is_so


def soak_commands(binaries: Path, count: int) -> bool:
    """Whether nothing grew after the first fifth."""
    with tempfile.TemporaryDirectory(prefix="carillon-soak-") as temporary:
        folder = Path(temporary)
        (folder / "schedules.json").write_text(json.dumps({"schedules": documents()}), encoding="utf-8")
        arguments = ("--apply", str(folder / "schedules.json"), "--workers", "64", "--log", "json")
        log = folder / "server.log"
        with Served(binaries, folder / "data", log, *arguments) as server:
            assert server.wait_until_ready(), server.logged()[-2000:]
            stretches = watch(server, folder / "data", log, count)
            assert server.stop() == 0, server.logged()[-2000:]
        ended = Ledger.of(binaries, folder / "data")
    assert not ended.open_attempts(), ended.open_attempts()[:5]

    heads = f"{'MiB':>8} {'files':>6} {'db':>6} {'threads':>8}"
    print(f"{'':9} {'':8} {'server':30}  launcher\n{'commands':>9} {'db MiB':>8} {heads} {heads}")
    for stretch in stretches:
        print(f"{stretch.commands:9} {stretch.database / MEBIBYTE:8.2f} {stretch.server} {stretch.launcher}")
    begin = next(stretch for stretch in stretches if stretch.commands >= count / 5)
    last = stretches[-1]
    pages = max(last.database - begin.database, 0)
    # Both are told, whatever the first one says.
    verdicts = [
        is_steady("server", begin.server, last.server, pages),
        is_steady("launcher", begin.launcher, last.launcher, 0),
    ]
    return all(verdicts)
