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

test('all that match go by the filter; without one, all of the namespace', () => {
  const empty = {q: '', status: '', action: '', label: ''};
  const meant = {total: 9, namespaces: ['default']};
  expect(requestsOf('disable', {...meant, filter: {...empty, q: 'etl', label: 'team=a=b', status: 'active,paused'}})).toEqual([
    {namespace: 'default', body: {operation: 'disable', filter: {q: 'etl', labels: {team: 'a=b'}, status: 'active'}}},
    {namespace: 'default', body: {operation: 'disable', filter: {q: 'etl', labels: {team: 'a=b'}, status: 'paused'}}},
  ]);
  expect(requestsOf('pause', {...meant, filter: empty})).toEqual([{namespace: 'default', body: {operation: 'pause', all: true}}]);
});
