import {expect, test} from 'vitest';
import type {TimelineRow} from '../../api/types';
import {collapsed, rowsOf, ticksOf, type Mark} from './marks';

const at = (text: string): number => Date.parse(`2026-11-18T${text}Z`);
const row = (members: object): TimelineRow => ({schedule: 'a', namespace: 'default', name: 'A', status: 'active', partial: false, marks: [], ...members}) as TimelineRow;

test('what runs and what waits reaches to now, what has ended to its end', () => {
  const rows = rowsOf(
    [
      row({
        marks: [
          {from: '2026-11-18T12:11:00Z', to: '2026-11-18T12:12:00Z', kind: 'succeeded', count: 1, run: 'r-1', due: '2026-11-18T12:10:00Z'},
          {from: '2026-11-18T12:40:00Z', to: '2026-11-18T12:44:00Z', kind: 'running', count: 1, run: 'r-2'},
        ],
      }),
    ],
    at('12:45:00'),
  );

  expect(rows[0]?.path).toEqual(['schedules', 'default', 'a']);
  expect(rows[0]?.marks.map(({due, from, to, run}) => [due, from, to, run])).toEqual([
    [at('12:10:00'), at('12:11:00'), at('12:12:00'), 'r-1'],
    [at('12:40:00'), at('12:40:00'), at('12:45:00'), 'r-2'],
  ]);
  expect(rows[0]?.marks[0]?.text).toBe('succeeded, 1m · due 2026-11-18T12:10:00Z, 1m late');
});

test('a group leads nowhere and has the name of what its schedules have in common', () => {
  const [group] = rowsOf([row({schedule: null, namespace: null, status: null, name: 'reports', marks: [{from: '2026-11-18T13:00:00Z', to: '2026-11-18T13:00:00Z', kind: 'planned', count: 12}]})], at('12:45:00'));
  expect([group?.path, group?.name, group?.marks[0]?.text]).toEqual([null, 'reports', '12 planned']);
});

test('ticks are round, and not many', () => {
  for (const span of [60_000, 900_000, 3_600_000, 86_400_000, 604_800_000]) {
    const ticks = ticksOf(at('12:34:56'), at('12:34:56') + span);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(11);
  }
});

test('marks that would touch are one with their number; others stay', () => {
  const mark = (state: string, from: number, to = from, count = 1): Mark => ({state, due: from, from, to, run: 'r', text: '', count});
  const marks = collapsed([mark('planned', 0), mark('planned', 5), mark('planned', 12, 12, 4), mark('planned', 200), mark('succeeded', 6, 7), mark('succeeded', 100, 160)], 1);
  expect(marks.map(({state, from, to, count}) => [state, from, to, count])).toEqual([
    ['planned', 0, 12, 6],
    ['succeeded', 6, 7, 1],
    ['succeeded', 100, 160, 1],
    ['planned', 200, 200, 1],
  ]);
  expect(marks[0]?.text).toBe('6 planned');
});
