import {expect, test} from 'vitest';
import type {Run} from '../../api/types';
import {workersOf} from './workers';

const run = (id: string, worker?: string): Run => ({id, attempts: worker ? [{worker}] : []}) as unknown as Run;

test('workers are listed whether they have a run or not, the busiest first', () => {
  const present = [{name: 'idle', leaseUntil: '', running: 0}, {name: 'busy', leaseUntil: '', running: 1}, {name: 'busy', leaseUntil: '', running: 2}];
  const workers = workersOf(present, [run('r-1', 'busy'), run('r-2', 'gone'), run('r-3')]);
  expect(workers.map(({name, running, runs}) => [name, running, runs.map((one) => one.id)])).toEqual([
    ['busy', 3, ['r-1']],
    ['gone', 1, ['r-2']],
    ['unknown', 1, ['r-3']],
    ['idle', 0, []],
  ]);
});
