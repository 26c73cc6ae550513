import {expect, test} from 'vitest';
import {dayKey, instantAt, monthAfter, weeksOf} from './days';

const text = (at: number): string => new Date(at).toISOString();

test.each([
  ['2026-11-18T00:00:00Z', 'UTC', '2026-11-18T00:00:00.000Z'],
  ['2026-11-18T00:00:00Z', 'Europe/Berlin', '2026-11-17T23:00:00.000Z'],
  ['2026-07-01T00:00:00Z', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2027-03-28T02:30:00Z', 'Europe/Berlin', '2027-03-28T01:30:00.000Z'], // does not exist: 03:30 CEST
  ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'], // exists twice: the first
  ['2026-11-18T00:00:00Z', 'Asia/Kolkata', '2026-11-17T18:30:00.000Z'],
  ['2026-04-24T00:00:00Z', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'], // midnight does not exist: 01:00
])('%s in %s is %s', (wall, zone, instant) => {
  expect(text(instantAt(Date.parse(wall), zone))).toBe(instant);
});

test('a month has whole weeks from Monday on', () => {
  const weeks = weeksOf('2026-11', 'UTC');
  expect(weeks.map((week) => week.length)).toEqual([7, 7, 7, 7, 7, 7]);
  expect(weeks[0]?.[0]).toMatchObject({key: '2026-10-26', isIn: false});
  expect(weeks[0]?.[6]).toMatchObject({key: '2026-11-01', isIn: true});
});

test('days of a change of clocks are shorter or longer', () => {
  const days = (month: string) => weeksOf(month, 'Europe/Berlin').flat();
  expect(days('2027-03').find((day) => day.key === '2027-03-28')?.hours).toBe(23);
  expect(days('2026-10').find((day) => day.key === '2026-10-25')?.hours).toBe(25);
  expect(days('2026-11').every((day) => !day.isIn || day.hours === 24)).toBe(true);
});

test('days touch without a gap', () => {
  for (const zone of ['Europe/Berlin', 'Africa/Cairo', 'America/Santiago', 'Australia/Lord_Howe']) {
    for (const month of ['2026-03', '2026-04', '2026-09', '2026-10', '2026-11']) {
      const days = weeksOf(month, zone).flat();
      days.slice(1).forEach((day, i) => expect(day.from, `${zone} ${day.key}`).toBe(days[i]?.to));
    }
  }
});

test('an instant belongs to the day of its zone', () => {
  expect(dayKey(Date.parse('2026-11-18T23:30:00Z'), 'Europe/Berlin')).toBe('2026-11-19');
  expect(dayKey(Date.parse('2026-11-18T23:30:00Z'), 'America/New_York')).toBe('2026-11-18');
  expect(monthAfter('2026-12', 1)).toBe('2027-01');
  expect(monthAfter('2026-01', -1)).toBe('2025-12');
});
