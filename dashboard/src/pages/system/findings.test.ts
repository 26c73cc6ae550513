import {expect, test} from 'vitest';
import type {System} from '../../api/types';
import {findingsOf} from './findings';

const sound = {now: '2026-11-18T12:00:00Z', tzdata: '2025b', store: {status: 'ok'}, commandsCanReadData: false, version: '1', nextWake: '2026-11-18T12:00:10Z'} as System;
const levels = (...given: Parameters<typeof findingsOf>) => findingsOf(...given).map((finding) => finding.level);

test('a sound server has only good findings', () => {
  expect(levels(sound, [{name: 'carillon_timer_tick_age_seconds', labels: {}, value: 0.1}], 200)).toEqual(['good', 'good', 'good']);
});
test.each([
  ['a full store', {...sound, store: {status: 'store-full', reason: 'no space', remedy: 'make room'}} as System, [], 0, 'no space'],
  ['a stuck loop', sound, [{name: 'carillon_loop_stalled', labels: {loop: 'decider'}, value: 1}], 0, 'decider'],
  ['a clock that is off', sound, [], 90_000, '1m 30s'],
  ['something overdue', {...sound, nextWake: '2026-11-18T11:59:00Z'} as System, [], 0, 'due for 1m'],
])('%s comes first, with what to do', (_, system, samples, skew, words) => {
  const [first] = findingsOf(system, samples, skew);
  expect(first?.level).not.toBe('good');
  expect(first?.what).toContain(words);
  expect(first?.remedy).not.toBe('');
});
