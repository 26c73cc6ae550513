import {expect, test} from 'vitest';
import {emptyForm, fitsForm, formOf, mergeForm} from './form';

const nightly = {
  id: 'nightly',
  name: 'Nightly',
  labels: {team: 'data'},
  spec: {cron: ['30 2 * * *'], calendars: [], intervals: [], times: [], exclude: [], timezone: 'Europe/Berlin', jitter: '0s', dst: 'literal'},
  action: {command: {argv: ['/bin/echo', 'two words'], env: {A: 'b'}, shell: false}},
  policies: {overlap: 'buffer_one', catchup: {policy: 'all', window: '2h'}, retry: {maxAttempts: 2, initial: '3s', factor: 3}, timeout: null, keep: {runs: 7}},
};

test('a document goes through the form unchanged', () => {
  expect(fitsForm(nightly)).toBe(true);
  expect(mergeForm(nightly, formOf(nightly))).toEqual(nightly);
});
test('what the form does not show stays as it is', () => {
  const changed = mergeForm(nightly, {...formOf(nightly), when: {...formOf(nightly).when, tab: 'cron', cron: '0 3 * * *'}}) as typeof nightly;
  expect(changed.spec).toEqual({...nightly.spec, cron: ['0 3 * * *']});
  expect(changed.policies.keep).toEqual({runs: 7});
  expect(changed.action.command.env).toEqual({A: 'b'});
});
test.each([
  [{action: {command: {argv: ['date'], shell: true}}}],
  [{action: {command: {argv: ['/bin/sh', '-c', 'a\nb']}}}],
  [{action: {command: {argv: ['/bin/echo', '']}}}],
])('what the form cannot say is edited as a document: %j', (document) => {
  expect(fitsForm(document)).toBe(false);
});
test.each([
  {pipeline: {path: 'daily'}},
  {job: {type: 'mail', queue: 'q', payload: {a: [1, 'x']}, priority: 'high'}},
  {workflow: {type: 'Report', taskQueue: 'reports', id: null, input: [{a: 1}], cluster: 'main', retry: {maxAttempts: 3}, memo: {x: 1}}},
  {workflow: {type: 'Report', taskQueue: 'reports'}},
  {http: {url: 'https://example.com', method: 'PUT', headers: {A: 'b'}, body: {x: 1}}},
])('%j goes through the form unchanged', (action) => {
  expect(mergeForm({action}, formOf({action})).action).toEqual(action);
});
test('an empty form is a whole schedule but for what it starts', () => {
  expect(mergeForm({}, {...emptyForm(), id: 'a', argv: '/bin/true'})).toMatchObject({
    id: 'a',
    spec: {cron: ['0 2 * * *'], intervals: [], timezone: 'UTC'},
    action: {command: {argv: ['/bin/true']}},
    policies: {overlap: 'skip', retry: {maxAttempts: 4, initial: '1m'}},
  });
});
