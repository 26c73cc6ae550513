import {describe, expect, test} from 'vitest';
import {simpleOf} from './simple';
import {emptyWhen, specOf, tabOf, whenOf, whyNot, withTab} from './when';

const empty = {cron: [], calendars: [], intervals: [], times: [], exclude: [], timezone: 'UTC', startAt: null, endAt: null, jitter: '0s', dst: 'cron'};
const rule = {second: '0', minute: '30', hour: [{start: 9, end: 17, step: 2}], dayOfMonth: '*', month: '*', dayOfWeek: 'mon-fri', year: '*', comment: 'opening'};

describe('the simple tab', () => {
  test.each(['* * * * *', '*/15 * * * *', '5 * * * *', '30 2 * * *', '0 9 * * 1-5', '0 9 * * 0,6', '15 0 28 * *'])('shows %s', (cron) => {
    expect(simpleOf(cron)).not.toBeNull();
  });
  test.each([
    '*/7 * * * *', '30 02 * * *', '30  2 * * *', '0 9 * * MON-FRI', '0 9 * * 6,0', '0 9 * * 7', '0 9 * * 1,2,3,4,5', '0 0 31 * *', '0 0 1 1 *', '0 9 1 * 1', '61 2 * * *', '0 0 2 * * *', '@daily', 'TZ=UTC 0 2 * * *', '',
  ])('leaves %s a text', (cron) => {
    expect(simpleOf(cron)).toBeNull();
  });
});

test.each([
  [{...empty}, 'manual'],
  [{...empty, cron: ['30 2 * * *']}, 'simple'],
  [{...empty, cron: ['@daily']}, 'cron'],
  [{...empty, cron: ['0 1 * * *', '0 2 * * *']}, 'cron'],
  [{...empty, cron: ['0 1 * * *'], exclude: [{month: '12'}]}, 'several'],
  [{...empty, intervals: [{every: '1h', offset: '5m', anchor: 'epoch'}]}, 'interval'],
  [{...empty, intervals: [{every: '1h'}, {every: '7h'}]}, 'several'],
  [{...empty, calendars: [rule], exclude: [{month: '12', dayOfMonth: '25'}], times: ['2026-12-24T18:00:00Z']}, 'calendar'],
  [{...empty, times: ['2026-12-24T18:00:00Z']}, 'calendar'],
  [{...empty, cron: ['@daily'], intervals: [{every: '1h'}], calendars: [rule], startAt: '2027-01-01T00:00:00Z', jitter: '5m', dst: 'literal'}, 'several'],
])('%j opens as %s and goes through the form unchanged', (spec, tab) => {
  expect(tabOf(spec)).toBe(tab);
  expect(specOf(spec, whenOf(spec))).toEqual(spec);
});

test('one changed field of a rule changes only that field', () => {
  const spec = {...empty, calendars: [rule]};
  const when = whenOf(spec);
  expect(when.calendars[0]?.hour).toBe('9-17/2');
  if (when.calendars[0]) when.calendars[0].minute = '45';
  expect(specOf(spec, when).calendars).toEqual([{...rule, minute: '45'}]);
});

test('a custom expression never opens as simple', () => {
  const when = whenOf({...empty, cron: ['0 9 * * MON-FRI']});
  expect(whyNot('simple', when)).toContain('custom expression');
  expect(withTab(when, 'simple')).toBe(when);
});

test('going to another tab and back loses nothing', () => {
  const when = whenOf({...empty, cron: ['0 9 * * MON-FRI']});
  const back = withTab(withTab(when, 'interval'), 'cron');
  expect(specOf(empty, back).cron).toEqual(['0 9 * * MON-FRI']);
});

test('several begins with what was there, and with nothing else', () => {
  const when = withTab(emptyWhen(), 'several');
  expect(specOf({}, when)).toMatchObject({cron: ['0 2 * * *'], intervals: [], calendars: [], exclude: [], times: []});
});

test('limits that are taken away are told to the server', () => {
  const spec = {...empty, cron: ['@daily'], startAt: '2027-01-01T00:00:00Z', endAt: null};
  expect(specOf(spec, {...whenOf(spec), startAt: ''})).toMatchObject({startAt: null, endAt: null});
});
