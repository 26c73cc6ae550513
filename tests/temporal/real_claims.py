"""What carillon does better than the server whose API it serves, shown side by side: the same calls of the same SDK, to both."""

import asyncio
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import temporalio.api.schedule.v1 as messages
import temporalio.api.workflowservice.v1 as service
from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.client import (
    Client, Schedule, ScheduleActionStartWorkflow, ScheduleIntervalSpec, ScheduleOverlapPolicy, SchedulePolicy, ScheduleSpec,
)
from temporalio.service import RPCError
from real_world import HOUR, QUEUE, Carillon, Cluster, Counts, await_value, worker_of


def stamp(moment: datetime) -> Timestamp:
    made = Timestamp()
    made.FromDatetime(moment)
    return made


def schedule_of(kind: str, policy: SchedulePolicy | None = None, **spec) -> Schedule:
    return Schedule(action=ScheduleActionStartWorkflow(kind, 1, id=f"claim-{kind.lower()}", task_queue=QUEUE),
                    spec=ScheduleSpec(**spec), policy=policy or SchedulePolicy())


async def clock_change(client: Client) -> str:
    """How often `0 * * * *` in Berlin is due from midnight to four UTC when clocks go back on 25 October 2026."""
    await client.create_schedule("autumn", schedule_of("Quick", cron_expressions=["0 * * * *"], time_zone_name="Europe/Berlin"))
    day = datetime(2026, 10, 24, 23, 59, tzinfo=timezone.utc)
    times = await client.workflow_service.list_schedule_matching_times(service.ListScheduleMatchingTimesRequest(
        namespace="default", schedule_id="autumn", start_time=stamp(day), end_time=stamp(day + 4 * HOUR)))
    return " ".join(time.ToDatetime().strftime("%H:%M") for time in times.start_time)


async def two_triggers(client: Client) -> str:
    handle = await client.create_schedule("twice", schedule_of("Quick", intervals=[ScheduleIntervalSpec(every=24 * HOUR)]))
    for _ in range(2):
        await handle.trigger(overlap=ScheduleOverlapPolicy.ALLOW_ALL)

    async def ended():
        described = await handle.describe()
        return described if described.info.num_actions >= 1 and not described.info.running_actions else None

    await await_value(ended, "the triggers have run")
    await asyncio.sleep(3)  # a second one would have come
    described = await handle.describe()
    return f"{len({a.action.workflow_id for a in described.info.recent_actions})} workflow(s)"


async def stale_token(client: Client) -> str:
    handle = await client.create_schedule("token", schedule_of("Quick", intervals=[ScheduleIntervalSpec(every=24 * HOUR)]))
    raw = client.workflow_service
    described = await raw.describe_schedule(service.DescribeScheduleRequest(namespace="default", schedule_id="token"))

    async def update(notes: str) -> None:
        changed = messages.Schedule()
        changed.CopyFrom(described.schedule)
        changed.state.notes = notes
        await raw.update_schedule(service.UpdateScheduleRequest(
            namespace="default", schedule_id="token", schedule=changed, conflict_token=described.conflict_token,
            identity="me", request_id=notes))

    await update("first")
    await asyncio.sleep(1)
    try:
        await update("second")
    except RPCError as error:
        return f"refused: {error.message}"
    await asyncio.sleep(1)
    return f"answered OK, notes are {(await handle.describe()).schedule.state.note!r}"


async def pause_on_failure(client: Client) -> str:
    handle = await client.create_schedule("fragile", schedule_of(
        "Broken", SchedulePolicy(pause_on_failure=True), intervals=[ScheduleIntervalSpec(every=24 * HOUR)]))
    await handle.trigger()
    # The workflow fails at once. Not asked meanwhile: to be asked makes Temporal look.
    await asyncio.sleep(15)
    return "paused" if (await handle.describe()).schedule.state.paused else "not paused 15 s later"


CLAIMS = {
    "0 * * * * in Berlin, 25 October 2026, 00:00 to 04:00 UTC": (clock_change, "00:00 01:00 02:00 03:00"),
    "two triggers within a second": (two_triggers, "2 workflow(s)"),
    "an update with a stale conflict token": (stale_token, "refused: mismatched conflict token"),
    "a triggered run fails, with pause on failure": (pause_on_failure, "paused"),
}


async def main() -> None:
    counts = Counts("claims")
    with tempfile.TemporaryDirectory(prefix="carillon-temporal-", ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name))
        await cluster.up()
        carillon = Carillon(Path(name), cluster)
        carillon.up()
        try:
            direct = await Client.connect(cluster.address)
            async with worker_of(direct):
                ours = await carillon.client()
                for title, (claim, expected) in CLAIMS.items():
                    theirs, own = await claim(direct), await claim(ours)
                    print(f"  {title}\n    Temporal: {theirs}\n    carillon: {own}")
                    counts.check(own == expected, f"{title}: {own}")
        finally:
            carillon.end()
            cluster.end()
    counts.leave()


asyncio.run(main())
