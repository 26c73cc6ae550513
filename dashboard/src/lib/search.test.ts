import {expect, test} from 'vitest';
import {completions, filterOf, textOf} from './search';

test('qualifiers are taken out of the text, the rest is looked for', () => {
  expect(filterOf('status:paused nightly  etl label:team=data')).toEqual({q: 'nightly etl', status: 'paused', action: '', label: 'team=data'});
});
test('what only looks like a qualifier stays text', () => {
  expect(filterOf('http://x status: a:b')).toEqual({q: 'http://x status: a:b', status: '', action: '', label: ''});
});
test.each(['status:paused action:http label:team=data etl', 'report', ''])('%s comes back as it was', (text) => {
  expect(textOf(filterOf(text))).toBe(text);
});
test('a begun qualifier is completed, then its values', () => {
  expect(completions('etl st', []).map((one) => one.text)).toEqual(['etl status:']);
  expect(completions('status:d', []).map((one) => one.text)).toEqual(['status:disabled ', 'status:done ', 'status:dead ']);
  expect(completions('x label:team', ['env=prod', 'team=data'])).toEqual([{text: 'x label:team=data ', what: ''}]);
  expect(completions('nosuch:', [])).toEqual([]);
});
