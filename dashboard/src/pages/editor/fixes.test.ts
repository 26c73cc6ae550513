import {expect, test} from 'vitest';
import {fixesOf} from './fixes';
import {specOf, whenOf} from './when';

const empty = {cron: [], calendars: [], intervals: [], times: [], exclude: [], timezone: 'UTC'};

test('a step that does not fit becomes an interval', () => {
  const [fix] = fixesOf({code: 'uneven-step', fix: 'for every 7 minutes exactly write an interval, like every: 7m', pointer: '/spec/cron/0'});
  const spec = specOf({}, fix!.apply(whenOf({...empty, cron: ['*/7 * * * *']})));
  expect(spec).toMatchObject({cron: [], intervals: [{every: '7m'}]});
});

test('day of month or day of week becomes a rule in which both must match', () => {
  const [fix] = fixesOf({code: 'dom-dow-or', fix: '', pointer: '/spec/cron/1'});
  const spec = specOf({}, fix!.apply(whenOf({...empty, cron: ['@daily', '0 9 1-7 * 1']})));
  expect(spec).toMatchObject({cron: ['@daily'], calendars: [{minute: '0', hour: '9', dayOfMonth: '1-7', dayOfWeek: '1'}]});
  const alone = specOf({}, fixesOf({code: 'dom-dow-or', fix: '', pointer: '/spec/cron/0'})[0]!.apply(whenOf({...empty, cron: ['0 9 1-7 * 1']})));
  expect(alone).toMatchObject({cron: [], intervals: [], calendars: [{minute: '0', hour: '9', dayOfMonth: '1-7', dayOfWeek: '1'}]});
});

test('what no click can mend has no button', () => {
  expect(fixesOf({code: 'every-second', fix: 'write 0', pointer: ''})).toEqual([]);
});
