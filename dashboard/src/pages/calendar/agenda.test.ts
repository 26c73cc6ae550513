import {expect, test} from 'vitest';
import type {Run, Upcoming} from '../../api/types';
import {agendaOf} from './agenda';

test('a day has one line for each schedule, in the order of their first time', () => {
  const run = (schedule: string, due: string, state: string): Run => ({schedule, due, state, namespace: 'default'}) as unknown as Run;
  const rows = agendaOf(
    [run('late', '2026-11-18T09:00:00Z', 'succeeded'), run('often', '2026-11-18T01:00:00Z', 'failed'), run('often', '2026-11-18T02:00:00Z', 'skipped')],
    [{namespace: 'default', schedule: 'often', name: 'Often', due: '2026-11-18T20:00:00Z'} as Upcoming],
  );
  expect(rows.map((row) => [row.name, row.count, row.failed, row.skipped, row.planned])).toEqual([
    ['often', 3, 1, 1, 1],
    ['late', 1, 0, 0, 0],
  ]);
  expect(rows[0]?.last).toBe('2026-11-18T20:00:00Z');
});
