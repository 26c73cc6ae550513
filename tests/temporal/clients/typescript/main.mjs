// Every operation on schedules of Temporal's TypeScript SDK, with what it answers, one per line.
import { Client, Connection, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';

const id = 'by-typescript';
const team = defineSearchAttributeKey('Team', 'KEYWORD');

async function awaitDescription(handle, what, isRight) {
  for (let i = 0; i < 300; ++i) {
    const described = await handle.describe();
    if (isRight(described)) return described;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within 30 s: ${what}`);
}

const options = {
  scheduleId: id,
  spec: { cronExpressions: ['0 2 * * *'], calendars: [{ hour: 12, comment: 'noon' }], timezone: 'Europe/Berlin' },
  action: { type: 'startWorkflow', workflowType: 'Quick', workflowId: 'typescript-quick', taskQueue: 'work', args: [7] },
  policies: { catchupWindow: '1 hour' },
  memo: { team: 'data' },
  typedSearchAttributes: [{ key: team, value: 'data' }],
  state: { note: 'made by TypeScript', triggerImmediately: true },
};

const connection = await Connection.connect({
  address: process.env.TEMPORAL_ADDRESS,
  apiKey: process.env.TEMPORAL_API_KEY,
  tls: process.env.TEMPORAL_TLS === 'false' ? false : undefined,
});
const { schedule: schedules } = new Client({ connection });

const handle = await schedules.create(options);
console.log('create:', handle.scheduleId);
const again = await schedules.create(options).catch((error) => error);
console.log('create again:', again instanceof ScheduleAlreadyRunning);

let described = await awaitDescription(handle, 'the first run',
  (d) => d.info.numActionsTaken === 1 && d.info.runningActions.length === 0);
console.log('describe:', described.action.workflowType, described.action.taskQueue, described.state.note, described.memo.team,
  described.typedSearchAttributes.get(team), described.info.nextActionTimes.length, described.spec.timezone, described.spec.calendars.length);
const { workflow } = described.info.recentActions[0].action;
console.log('recent:', workflow.workflowId.startsWith('typescript-quick-'), workflow.firstExecutionRunId !== '');

await handle.update(({ spec: _, ...previous }) => ({
  ...previous,
  spec: { intervals: [{ every: '1 hour', offset: '1 minute' }] },
  state: { ...previous.state, note: 'changed' },
}));
described = await handle.describe();
console.log('update:', described.spec.intervals[0].every, described.spec.intervals[0].offset, described.state.note,
  described.typedSearchAttributes.get(team));

await handle.trigger();
await awaitDescription(handle, 'the triggered run', (d) => d.info.numActionsTaken === 2);
console.log('trigger: 2 actions');

await handle.pause();
described = await handle.describe();
console.log('pause:', described.state.paused, described.state.note);
await handle.unpause('go on');
described = await handle.describe();
console.log('unpause:', described.state.paused, described.state.note);

const start = new Date('2026-11-01T00:01:00Z');
await handle.backfill({ start, end: new Date(start.getTime() + 3 * 3_600_000), overlap: ScheduleOverlapPolicy.ALLOW_ALL });
await awaitDescription(handle, 'the backfill', (d) => d.info.numActionsTaken === 6);
console.log('backfill: 6 actions');

for (const query of [undefined, "Team = 'data'", "ScheduleId = 'nobody'"]) {
  const found = [];
  for await (const entry of schedules.list({ pageSize: 1, query }))
    if (entry.scheduleId.startsWith(id)) found.push(entry.scheduleId, entry.action.workflowType, entry.state.note);
  console.log(`list ${JSON.stringify(query ?? '')}: [${found.join(' ')}]`);
}
try {
  for await (const entry of schedules.list({ query: 'Nobody = 1' })) console.log(entry.scheduleId);
} catch (error) {
  console.log('list by what is not there:', error.message, error.cause?.details ?? '');
}

await handle.delete();
const absent = await handle.describe().catch((error) => error);
console.log('delete:', absent instanceof ScheduleNotFoundError, absent.message);
await connection.close();
