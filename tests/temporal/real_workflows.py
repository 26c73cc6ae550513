"""Many workflows on a real cluster, while carillon is killed and the cluster is restarted: each is started once, each end is recorded.

real_workflows.py [NUMBER]
"""

import asyncio
import random
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

from temporalio.client import Client
from relay import Relay
from real_world import QUEUE, Carillon, Cluster, Counts, await_value, worker_of

EXPECTED = {"Quick": "succeeded", "Slow": "succeeded", "Chain": "succeeded", "Broken": "failed", "Patient": "cancelled",
            "Stubborn": "cancelled"}
SHARES = {"Quick": 40, "Slow": 20, "Chain": 10, "Broken": 10, "Patient": 10, "Stubborn": 10}
FINAL = {"succeeded", "failed", "timed_out", "cancelled", "lost", "expired"}


def states_of(carillon: Carillon, schedules) -> dict[str, dict]:
    """Every run of the schedules, by its id."""
    runs: dict[str, dict] = {}
    for schedule in schedules:
        token = ""
        while True:
            page = carillon.call("GET", f"/schedules/{schedule}/runs?limit=500{token}")
            runs.update({run["id"]: run for run in page["items"] if run["id"]})
            if not page.get("nextPageToken"):
                break
            token = f"&pageToken={page['nextPageToken']}"
    return runs


async def play(carillon: Carillon, cluster: Cluster, number: int, counts: Counts) -> None:
    chosen = random.Random(7)
    kinds = [kind for kind, share in SHARES.items() for _ in range(share * number // 100)]
    chosen.shuffle(kinds)
    schedules = {kind: f"many-{kind.lower()}" for kind in SHARES}
    for kind, schedule in schedules.items():
        carillon.call("PUT", f"/schedules/{schedule}", {
            "spec": {}, "action": {"workflow": {"type": kind, "taskQueue": QUEUE, "input": [1]}},
            "policies": {"overlap": "allow_all", "grace": "2s", "keep": {"runs": 10000}}})
    accidents = {number * part // 10: accident for part, accident in enumerate(
        (None, "kill carillon", "restart the cluster", "kill carillon", "stop carillon", "kill the cluster", "kill carillon",
         "restart the cluster", "kill carillon", None)) if accident}
    wanted: dict[str, str] = {}
    cancelled: set[str] = set()
    for index, kind in enumerate(kinds):
        run = carillon.call("POST", f"/schedules/{schedules[kind]}/trigger", {"payload": [index]})["run"]["id"]
        wanted[run] = kind
        if kind in ("Patient", "Stubborn") and chosen.random() < 0.5:
            carillon.call("POST", f"/runs/{run}/cancel", {})
            cancelled.add(run)
        accident = accidents.get(index)
        if accident is None:
            continue
        print(f"  after {index} starts: {accident}", flush=True)
        if accident.endswith("carillon"):
            carillon.end(signal.SIGTERM if accident.startswith("stop") else signal.SIGKILL)
            carillon.up()
        else:
            cluster.end(signal.SIGKILL if accident.startswith("kill") else signal.SIGTERM)
            await cluster.up()
    for run, kind in wanted.items():
        if kind in ("Patient", "Stubborn") and run not in cancelled:
            carillon.call("POST", f"/runs/{run}/cancel", {})

    def all_ended():
        runs = states_of(carillon, schedules.values())
        open_count = sum(run["state"] not in FINAL for run in runs.values())
        return runs if len(runs) == number and open_count == 0 else None

    runs = await await_value(all_ended, f"all of {number} have ended", 1800)
    seen = Counter()
    for run, kind in wanted.items():
        state = runs[run]["state"]
        seen[kind, state] += 1
        # One that was cancelled before it could be started never came to the cluster.
        counts.check(state == EXPECTED[kind], f"{kind} {run} is {state}: {runs[run]['error']}")
        counts.check(runs[run]["attempt"] <= 1, f"{kind} {run} has no second attempt")
    for (kind, state), count in sorted(seen.items()):
        print(f"  {kind}: {count} {state}")
    client = await Client.connect(cluster.address)
    started, first_runs = Counter(), 0
    async for execution in client.list_workflows("TemporalScheduledById IS NOT NULL"):
        description = await client.get_workflow_handle(execution.id, run_id=execution.run_id).describe()
        if description.raw_description.workflow_execution_info.first_run_id != execution.run_id:
            continue
        first_runs += 1
        started[(await description.memo())["carillonRun"]] += 1
    counts.check(all(count == 1 for count in started.values()), f"each was started once: {started.most_common(3)}")
    unstarted = sum(1 for run in wanted if not any(name.split("/")[1].split("#")[0] == run for name in started))
    never = [run for run in wanted if runs[run]["state"] == "cancelled" and not runs[run]["startedAt"]]
    counts.check(unstarted == len(never), f"{unstarted} were not started on the cluster, {len(never)} were cancelled before")
    print(f"  {len(wanted)} runs, {first_runs} workflows started on the cluster, {unstarted} cancelled before they were started")


async def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    counts = Counts(f"{number} workflows")
    with tempfile.TemporaryDirectory(prefix="carillon-temporal-", ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name))
        await cluster.up()
        carillon = Carillon(Path(name), cluster)
        relay = Relay(carillon)
        carillon.called_back(cluster, relay.server_port)
        carillon.up()
        try:
            async with worker_of(await Client.connect(cluster.address)):
                await play(carillon, cluster, number, counts)
            print(f"  calls of the cluster that tell of ends, by the answer: {dict(sorted(relay.counts.items()))}")
            counts.check(relay.counts[200] > 0 and set(relay.counts) <= {200, 503}, f"ends are told: {relay.counts}")
        finally:
            carillon.end()
            cluster.end()
    counts.leave()


asyncio.run(main())
