import {expect, test} from 'vitest';
import {anchoredSpec} from './anchored_spec';

const created = '2026-11-18T16:18:39.053655Z';

test('an interval that is counted from creation is counted from the whole second of it', () => {
  expect(anchoredSpec({intervals: [{every: '15m'}, {every: '1h', anchor: 'epoch'}], startAt: null}, created)).toEqual({
    startAt: '2026-11-18T16:18:39Z',
    intervals: [{every: '15m', anchor: 'start'}, {every: '1h', anchor: 'epoch'}],
  });
});
test.each([[{cron: ['@daily'], intervals: []}], [{intervals: [{every: '1h', anchor: 'epoch'}]}], [{intervals: [{every: '1h'}], startAt: '2027-01-01T00:00:00Z'}], [{}]])('%j needs no other asking', (spec) => {
  expect(anchoredSpec(spec, created)).toBeNull();
});
