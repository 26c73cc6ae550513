import {expect, test} from 'vitest';
import type {Warning} from '../../api/types';
import {lintGroups} from './fleet_lint';

const finding = (code: string, severity: 'error' | 'warning' = 'warning'): Warning => ({code, severity, message: code, fix: null, at: null, pointer: ''});

test('findings of all schedules are counted by kind, what is wrong before what is odd', () => {
  const groups = lintGroups([
    {id: 'a', namespace: 'default', name: 'A', warnings: [finding('dst-gap')]},
    {id: 'b', namespace: 'default', name: '', warnings: [finding('dst-gap'), finding('never-fires', 'error')]},
    {id: 'c', namespace: 'team', name: 'C', warnings: []},
  ]);
  expect(groups.map(({code, severity, schedules}) => [code, severity, schedules.map((one) => one.name)])).toEqual([
    ['never-fires', 'error', ['b']],
    ['dst-gap', 'warning', ['A', 'b']],
  ]);
  expect(groups[1]?.schedules[0]?.path).toEqual(['schedules', 'default', 'a']);
});
