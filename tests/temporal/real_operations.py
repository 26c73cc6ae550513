"""Every operation on schedules that a client of Temporal has, by the real Python SDK, on a carillon that starts workflows on a real cluster."""

import asyncio
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import temporalio.api.workflowservice.v1 as service
from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.client import (
    Client, Schedule, ScheduleActionStartWorkflow, ScheduleAlreadyRunningError, ScheduleBackfill, ScheduleIntervalSpec,
    ScheduleOverlapPolicy, SchedulePolicy, ScheduleSpec, ScheduleState, ScheduleUpdate,
)
from temporalio.service import RPCError
from real_world import HOUR, QUEUE, Carillon, Cluster, Counts, await_value, worker_of


def schedule_of(kind: str, number: int, **more) -> Schedule:
    return Schedule(
        action=ScheduleActionStartWorkflow(kind, number, id=f"sdk-{kind.lower()}", task_queue=QUEUE, memo={"by": "sdk"}),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=HOUR)]),
        **more,
    )


async def operations(client: Client, cluster: Client, counts: Counts) -> None:
    handle = await client.create_schedule("first", schedule_of("Quick", 7), trigger_immediately=True, memo={"team": "data"})
    try:
        await client.create_schedule("first", schedule_of("Quick", 7))
        counts.check(False, "a second schedule of the same id is refused")
    except ScheduleAlreadyRunningError:
        counts.check(True, "a second schedule of the same id is refused")

    async def ended():
        described = await handle.describe()
        return described if described.info.num_actions == 1 and not described.info.running_actions else None

    described = await await_value(ended, "the triggered workflow has ended")
    counts.check(described.schedule.action.workflow == "Quick", "describe: the workflow")
    counts.check(len(described.info.recent_actions) == 1, "describe: one recent action")
    counts.check(len(described.info.next_action_times) == 10, "describe: ten times ahead")
    counts.check((await described.memo()) == {"team": "data"}, "describe: the memo")
    workflow_id = described.info.recent_actions[0].action.workflow_id
    result = await cluster.get_workflow_handle(workflow_id).result()
    counts.check(result == {"number": 7}, f"the cluster has performed {workflow_id}")
    info = await cluster.get_workflow_handle(workflow_id).describe()
    counts.check((await info.memo()).get("by") == "sdk", "the workflow has the memo of the client")
    run_id = described.info.recent_actions[0].action.first_execution_run_id
    counts.check(run_id == info.run_id, f"the run id is that of the cluster: {run_id}, {info.run_id}")

    await handle.trigger(overlap=ScheduleOverlapPolicy.ALLOW_ALL)
    await handle.trigger(overlap=ScheduleOverlapPolicy.ALLOW_ALL)
    counted = lambda: handle.describe()  # noqa: E731

    async def has_run(count: int):
        return (await counted()).info.num_actions == count

    await await_value(lambda: has_run(3), "two triggers are two runs")
    counts.check(True, "two triggers at once are two runs")
    await handle.pause(note="for a test")
    described = await handle.describe()
    counts.check(described.schedule.state.paused and described.schedule.state.note == "for a test", "pause with a note")
    await handle.unpause()
    counts.check(not (await handle.describe()).schedule.state.paused, "unpause")
    begin = datetime(2026, 11, 1, tzinfo=timezone.utc)
    await handle.backfill(ScheduleBackfill(begin, begin + 3 * HOUR, overlap=ScheduleOverlapPolicy.ALLOW_ALL))
    await await_value(lambda: has_run(7), "a backfill of four times")
    counts.check(True, "a backfill runs both of its ends")

    def change(_) -> ScheduleUpdate:
        return ScheduleUpdate(schedule_of("Slow", 1, policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.BUFFER_ONE)))

    await handle.update(change)
    described = await handle.describe()
    counts.check(described.schedule.action.workflow == "Slow", "update: the action")
    counts.check(described.schedule.policy.overlap == ScheduleOverlapPolicy.BUFFER_ONE, "update: the policy")
    await client.create_schedule("second", schedule_of("Quick", 1, state=ScheduleState(paused=True)))
    listed = [entry.id async for entry in await client.list_schedules()]
    counts.check(sorted(listed) == ["first", "second"], f"list: {listed}")
    paused = [entry.id async for entry in await client.list_schedules("TemporalSchedulePaused = true")]
    counts.check(paused == ["second"], f"list of paused ones: {paused}")
    raw = client.workflow_service
    counted_answer = await raw.count_schedules(service.CountSchedulesRequest(namespace="default"))
    counts.check(counted_answer.count == 2, "count")
    times = await raw.list_schedule_matching_times(service.ListScheduleMatchingTimesRequest(
        namespace="default", schedule_id="first", start_time=Timestamp(seconds=0), end_time=Timestamp(seconds=7200)))
    counts.check(len(times.start_time) == 2, "matching times")
    named = await raw.describe_namespace(service.DescribeNamespaceRequest(namespace="default"))
    counts.check(named.namespace_info.name == "default", "the namespace")
    counts.check((await raw.get_cluster_info(service.GetClusterInfoRequest())).cluster_name != "", "the cluster's info")
    counts.check(await client.service_client.check_health(), "health")
    await handle.delete()
    try:
        await handle.describe()
        counts.check(False, "a deleted schedule is not found")
    except RPCError as error:
        counts.check(error.status.name == "NOT_FOUND", "a deleted schedule is not found")


async def main() -> None:
    counts = Counts("operations of the Python SDK")
    with tempfile.TemporaryDirectory(prefix="carillon-temporal-", ignore_cleanup_errors=True) as name:
        cluster = Cluster(Path(name))
        await cluster.up()
        carillon = Carillon(Path(name), cluster)
        carillon.up()
        try:
            direct = await Client.connect(cluster.address)
            async with worker_of(direct):
                await operations(await carillon.client(), direct, counts)
        finally:
            carillon.end()
            cluster.end()
    counts.leave()


asyncio.run(main())
