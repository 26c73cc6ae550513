import {expect, test} from 'vitest';
import type {Occurrence} from '../api/types';
import {monthCounts} from './month_counts';

test('occurrences are counted on the day of the zone, many skipped in a row as many', () => {
  const list = [
    {nominal: '2026-11-17T22:30:00Z', outcome: 'started', state: 'succeeded'},
    {nominal: '2026-11-17T23:30:00Z', outcome: 'started', state: 'timed_out'},
    {nominal: '2026-11-18T01:00:00Z', outcome: 'skipped', reason: 'outage', count: 40},
    {nominal: '2026-11-18T02:00:00Z', outcome: 'started', state: 'running'},
    {nominal: '2026-11-19T02:00:00Z', outcome: 'planned'},
  ] as Occurrence[];
  expect(Object.fromEntries(monthCounts(list, 'Europe/Berlin'))).toEqual({
    '2026-11-17': {succeeded: 1, failed: 0, skipped: 0, open: 0, planned: 0},
    '2026-11-18': {succeeded: 0, failed: 1, skipped: 40, open: 1, planned: 0},
    '2026-11-19': {succeeded: 0, failed: 0, skipped: 0, open: 0, planned: 1},
  });
});
