import {expect, test} from 'vitest';
import {faultMark, fieldAt} from './cron_help';

test.each([
  ['30 2 * * *', 0, 'Minute'],
  ['30 2 * * *', 2, 'Minute'],
  ['30 2 * * *', 3, 'Hour'],
  ['30 2 * * *', 10, 'Day of week'],
  ['0 30 2 * * *', 0, 'Second'],
  ['0 30 2 * * *', 2, 'Minute'],
  ['@daily\n0 3 * * 1', 11, 'Day of month'],
  ['@daily', 3, 'Word'],
  ['TZ=Europe/Oslo 30 2 * * *', 15, 'Minute'],
  ['', 0, undefined],
])('in %j at %d stands the field %s', (text, caret, name) => {
  expect(fieldAt(text, caret)?.name).toBe(name);
});

test('a fault is marked at its token', () => {
  const fault = {pointer: '/spec/cron/1', message: '"25" in the hour field (column 3) is above the range'};
  expect(faultMark('@daily\n0 25 * * *', fault)).toEqual({line: '0 25 * * *', from: 2, length: 2});
  expect(faultMark('@daily', {pointer: '/cron', message: 'what is this'})).toBeNull();
});
