import {expect, test} from 'vitest';
import {timeChange} from './time_change';

const now = Date.parse('2026-11-18T12:00:00Z');
const day = (number: number, time: string): string => `2026-11-${number}T${time}:00Z`;

test('times that go, come and stay within a week are counted', () => {
  const change = timeChange([day(19, '02:00'), day(20, '02:00'), day(28, '02:00')], [day(19, '02:00'), day(20, '03:00')], now, 1000);
  expect(change).toMatchObject({added: [day(20, '03:00')], removed: [day(20, '02:00')], kept: 1, isCut: false});
});

test('where a list was cut, only what both reach is compared', () => {
  const change = timeChange([day(18, '13:00'), day(18, '14:00')], [day(18, '13:00'), day(18, '13:30'), day(18, '14:30')], now, 2);
  expect(change.until).toBe(Date.parse(day(18, '14:00')));
  expect(change).toMatchObject({added: [day(18, '13:30')], removed: [day(18, '14:00')], isCut: true});
});
