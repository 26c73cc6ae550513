"""The queues that ours is compared with: how they are fetched, and one measurement of each."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "peers"
NPM_PACKAGES = ("graphile-worker@0.17", "pg-boss@10", "pg@8")
GO_MODULES = ("github.com/riverqueue/river", "github.com/riverqueue/river/riverdriver/riverpgxv5",
              "github.com/riverqueue/river/rivermigrate", "github.com/jackc/pgx/v5")
NAMES = ("graphile-worker", "pg-boss", "River")


def install(home: Path) -> None:
    """Into one folder; nothing of the system changes."""
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(home), *NPM_PACKAGES],
                   check=True, stdout=sys.stderr)
    folder = home / "river"
    folder.mkdir(exist_ok=True)
    shutil.copy(HERE / "river" / "main.go", folder)
    if not (folder / "go.mod").exists():
        subprocess.run(["go", "mod", "init", "peer"], cwd=folder, check=True, stdout=sys.stderr)
    subprocess.run(["go", "mod", "tidy"], cwd=folder, check=True, stdout=sys.stderr)
    subprocess.run(["go", "build", "-o", "river", "."], cwd=folder, check=True, stdout=sys.stderr)


def command_of(name: str, home: Path) -> list[str] | None:
    """None if it is not there."""
    if name == "River":
        return [str(home / "river" / "river")] if (home / "river" / "river").exists() else None
    script = {"graphile-worker": "graphile.mjs", "pg-boss": "pgboss.mjs"}[name]
    return ["node", str(HERE / script)] if (home / "node_modules" / name).exists() else None


def measure(name: str, home: Path, url: str, jobs: int) -> dict[str, float]:
    """Jobs that wait, until the last is done."""
    command = command_of(name, home)
    assert command is not None
    done = subprocess.run([*command, url, str(jobs)], check=True, text=True, stdout=subprocess.PIPE,
                          env=os.environ | {"PEERS": str(home)})
    return json.loads(done.stdout.splitlines()[-1])
