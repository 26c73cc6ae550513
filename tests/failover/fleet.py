"""Hundreds of schedules at 1 to 10 s: commands, requests and jobs, with every overlap policy."""

import random
from typing import Any

from documents import Document, Writer
from workload import OVERLAPS
from worker_loop import job_schedule

# Everything stays, so that the checker sees all of it.
KEEP = {"keep": {"runs": 10_000, "days": 30}}
SOON = {"maxAttempts": 4, "backoff": "fixed", "initial": "1s"}
# A queue of a database that is away for seconds, and of servers that come back: nothing counts as missed.
PATIENT = {"catchup": {"policy": "all", "grace": "60s", "window": "1h"}}


def policies(dice: random.Random, **more: Any) -> dict[str, Any]:
    """Those of a schedule that may be lost and tried again, or may not."""
    overlap = dice.choice(OVERLAPS)
    retry = SOON | {"onLost": dice.random() < 0.5}
    return KEEP | PATIENT | {"overlap": overlap, "bufferLimit": 20, "retry": retry} | more


def commands(writer: Writer, count: int, dice: random.Random) -> list[Document]:
    """They end at once, fail, or take a while."""
    found = []
    for number in range(count):
        habits = (("succeed", 0), ("succeed", 0), ("fail_first", 0), ("sleep", 0.8), ("beat", 1))
        behaviour, seconds = dice.choice(habits)
        every = f"{dice.randrange(6, 11)}s"
        found.append(writer.document(f"command-{number}", behaviour, seconds, every=every, **policies(dice)))
    return found


def requests(url: str, count: int, dice: random.Random) -> list[Document]:
    """Of the receiver."""
    return [
        {
            "id": f"request-{number}",
            "spec": {"intervals": [{"every": f"{dice.choice((1, 5, 6, 7, 8, 9, 10, 10))}s"}]},
            "action": {"http": {"url": url}},
            "policies": policies(dice),
        }
        for number in range(count)
    ]


def jobs(count: int, dice: random.Random) -> list[Document]:
    """For workers."""
    return [job_schedule(f"job-{number}", f"{dice.randrange(8, 11)}s", **policies(dice)) for number in range(count)]
