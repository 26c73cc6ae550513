import {expect, test} from 'vitest';
import type {Run} from '../../api/types';
import {groupsOf} from './groups';

const run = (schedule: string | null, error: string | null, state = 'failed'): Run => ({schedule, error, state, reason: null}) as unknown as Run;
const names = (by: Parameters<typeof groupsOf>[1]) =>
  groupsOf([run('a', 'timeout\nmore'), run('b', 'timeout\nother'), run(null, null, 'succeeded'), run('a', 'timeout')], by).map((group) => [group.name, group.runs.length]);

test('runs are grouped, the largest group first', () => {
  expect(names('')).toEqual([['', 4]]);
  expect(names('schedule')).toEqual([['a', 2], ['b', 1], ['jobs without a schedule', 1]]);
  expect(names('error')).toEqual([['timeout', 3], ['no error', 1]]);
  expect(names('state')).toEqual([['failed', 3], ['succeeded', 1]]);
});
