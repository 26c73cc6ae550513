import {expect, test} from 'vitest';
import type {Schedule} from '../../api/types';
import {requestsOf} from './bulk';

const schedule = (namespace: string, id: string): Schedule => ({namespace, id}) as Schedule;

test('picked schedules go by id, namespace by namespace', () => {
  expect(requestsOf('pause', {schedules: [schedule('a', 'x'), schedule('b', 'y'), schedule('a', 'z')]})).toEqual([
    {namespace: 'a', body: {operation: 'pause', ids: ['x', 'z']}},
    {namespace: 'b', body: {operation: 'pause', ids: ['y']}},
  ]);
});

test('all that match go by the search; without one, all of the namespace', () => {
  const meant = {total: 9, namespaces: ['default', 'b']};
  expect(requestsOf('disable', {...meant, filter: 'state:active etl'})).toEqual([
    {namespace: 'default', body: {operation: 'disable', filter: 'state:active etl'}},
    {namespace: 'b', body: {operation: 'disable', filter: 'state:active etl'}},
  ]);
  expect(requestsOf('pause', {...meant, namespaces: ['default'], filter: ''})).toEqual([{namespace: 'default', body: {operation: 'pause', all: true}}]);
});
