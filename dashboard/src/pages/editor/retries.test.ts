import {expect, test} from 'vitest';
import {durationMs, retryDelays} from './retries';

test.each([['90s', 90_000], ['1h30m', 5_400_000], ['250ms', 250], ['PT15M', null], ['', null], ['5x', null]])('%s is %j', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
test('delays grow as the policy says, up to ten times the first', () => {
  expect(retryDelays(4, 'exponential', '1m')).toEqual([60_000, 120_000, 240_000]);
  expect(retryDelays(4, 'fixed', '2s')).toEqual([2000, 2000, 2000]);
  expect(retryDelays(4, 'linear', '2s')).toEqual([2000, 4000, 6000]);
  expect(retryDelays(7, 'exponential', '1s')?.at(-1)).toBe(10_000);
  expect(retryDelays(3, 'exponential', '1s', 3, '2s')).toEqual([1000, 2000]);
  expect(retryDelays(1, 'fixed', '2s')).toEqual([]);
  expect(retryDelays(3, 'fixed', 'soon')).toBeNull();
});
