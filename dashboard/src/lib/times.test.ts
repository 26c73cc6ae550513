import {describe, expect, test} from 'vitest';
import {durationText, relativeText, timeText} from './times';

const noon = Date.parse('2026-11-18T12:00:00Z');

describe('timeText', () => {
  test('names the zone, also across a change of clocks', () => {
    expect(timeText(noon, 'UTC', noon)).toBe('Wed 18 Nov 12:00:00 UTC');
    expect(timeText(noon, 'Europe/Berlin', noon)).toBe('Wed 18 Nov 13:00:00 CET');
    expect(timeText(Date.parse('2026-07-01T00:30:00Z'), 'Europe/Berlin', noon)).toBe('Wed 1 Jul 02:30:00 CEST');
  });
  test.each([
    ['America/New_York', 'EST'],
    ['America/Los_Angeles', 'PST'],
    ['Europe/London', 'GMT'],
    ['Asia/Kathmandu', 'GMT+5:45'],
  ])('in %s says %s', (zone, name) => {
    expect(timeText(noon, zone, noon).split(' ').at(-1)).toBe(name);
  });
  test('has the year where it is another one', () => {
    expect(timeText(Date.parse('2027-01-02T03:04:05Z'), 'UTC', noon)).toBe('Sat 2 Jan 2027 03:04:05 UTC');
  });
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0s'],
  [9999, '9.9s'],
  [10_000, '10s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [90_000, '1m 30s'],
  [3_600_000, '1h'],
  [7_500_000, '2h 5m'],
  [273_600_000, '3d 4h'],
  [1_296_000_000, '15d'],
])('%d milliseconds are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('relative times say before or after', () => {
  expect(relativeText(noon + 7_900, noon)).toBe('in 7s');
  expect(relativeText(noon - 65_000, noon)).toBe('1m 5s ago');
  expect(relativeText(noon + 500, noon)).toBe('now');
});
