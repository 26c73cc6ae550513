import {expect, test} from 'vitest';
import type {Run} from '../../api/types';
import {collapsed, marksOf, ticksOf, type Mark} from './marks';

const at = (text: string): number => Date.parse(`2026-11-18T${text}Z`);
const run = (members: object): Run => ({id: 'r-1', schedule: 'a', namespace: 'default', state: 'succeeded', attempts: [], ...members}) as unknown as Run;
const window = {from: at('12:00:00'), to: at('13:00:00'), now: at('12:45:00')};

test('a run reaches from its start to its end, an open one to now', () => {
  const rows = marksOf(
    [
      run({due: '2026-11-18T12:10:00Z', startedAt: '2026-11-18T12:11:00Z', endedAt: '2026-11-18T12:12:00Z'}),
      run({id: 'r-2', state: 'running', due: '2026-11-18T12:40:00Z', startedAt: '2026-11-18T12:40:00Z'}),
      run({id: 'r-3', due: '2026-11-18T11:00:00Z', startedAt: '2026-11-18T11:00:00Z', endedAt: '2026-11-18T11:01:00Z'}),
    ],
    [],
    window,
  );

  expect(rows).toHaveLength(1);
  expect(rows[0]?.marks.map(({due, from, to}) => [due, from, to])).toEqual([
    [at('12:10:00'), at('12:11:00'), at('12:12:00')],
    [at('12:40:00'), at('12:40:00'), at('12:45:00')],
  ]);
});
test('ticks are round, and not many', () => {
  for (const span of [60_000, 900_000, 3_600_000, 86_400_000, 604_800_000]) {
    const ticks = ticksOf(at('12:34:56'), at('12:34:56') + span);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(11);
  }
});

test('a backfilled run did not wait since its nominal time', () => {
  const rows = marksOf(
    [run({source: 'backfill', due: '2026-11-17T12:10:00Z', nominal: '2026-11-17T12:10:00Z', queuedAt: '2026-11-18T12:20:00Z', startedAt: '2026-11-18T12:21:00Z', endedAt: '2026-11-18T12:22:00Z'})],
    [],
    window,
  );
  expect(rows[0]?.marks[0]?.due).toBe(at('12:20:00'));
});

test('marks that would touch are one with a number; others stay', () => {
  const mark = (state: string, from: number, to = from): Mark => ({state, due: from, from, to, run: 'r', text: ''});
  const marks = collapsed([mark('planned', 0), mark('planned', 5), mark('planned', 12), mark('planned', 200), mark('succeeded', 6, 7), mark('succeeded', 100, 160)], 1);
  expect(marks.map(({state, from, to, count}) => [state, from, to, count])).toEqual([
    ['planned', 0, 12, 3],
    ['succeeded', 6, 7, undefined],
    ['succeeded', 100, 160, undefined],
    ['planned', 200, 200, undefined],
  ]);
  expect(marks[0]?.text).toBe('3 planned');
});
