import {expect, test} from 'vitest';
import type {Run} from '../../api/types';
import {percentile, trendOf} from './trend';

test.each([
  [[], 0.5, null],
  [[7], 0.95, 7],
  [[3, 1, 2, 4], 0.5, 2],
  [Array.from({length: 100}, (_, i) => i + 1), 0.95, 95],
])('of %j the share %d is at most %j', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

test('runs stand in the order of their start; failures apart; open ones are left out', () => {
  const run = (second: number, state: string, ms: number | null, source = 'schedule'): Run =>
    ({id: `r-${second}`, startedAt: new Date(second * 1000).toISOString(), state, durationMs: ms, lateMs: 500, source}) as unknown as Run;
  const trend = trendOf([run(30, 'failed', 4000), run(10, 'succeeded', 1000), run(20, 'succeeded', 3000, 'backfill'), run(40, 'running', null)]);
  expect(trend.at).toEqual([10, 20, 30]);
  expect(trend.took).toEqual([1, 3, null]);
  expect(trend.failed).toEqual([null, null, 4]);
  expect(trend.tookHalf).toEqual([1, 1, 3]);
  expect(trend.tookMost).toEqual([1, 3, 4]);
  expect(trend.late).toEqual([0.5, null, 0.5]);
});

test('old runs do not count for ever', () => {
  const runs = Array.from({length: 30}, (_, i) => ({id: String(i), startedAt: new Date(i * 1000).toISOString(), state: 'succeeded', durationMs: i < 10 ? 9000 : 1000, source: 'schedule'}) as unknown as Run);
  expect(trendOf(runs).tookMost.at(-1)).toBe(1);
});
