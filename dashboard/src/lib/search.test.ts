import {expect, test} from 'vitest';
import {completions, termsOf, termValue, withTerm} from './search';

test('terms stand between spaces, quotes hold them together', () => {
  expect(termsOf('state:paused  name:"Nightly report" etl')).toEqual(['state:paused', 'name:"Nightly report"', 'etl']);
  expect(termValue('state:paused etl', 'state')).toBe('paused');
  expect(termValue('etl', 'state')).toBe('');
});
test('a term is put in, changed and taken away without touching the others', () => {
  expect(withTerm('etl -id:test-*', 'state', 'paused')).toBe('state:paused etl -id:test-*');
  expect(withTerm('state:paused etl', 'state', 'dead')).toBe('state:dead etl');
  expect(withTerm('state:paused etl', 'state', '')).toBe('etl');
});
test('a begun qualifier is completed, then its values', () => {
  expect(completions('etl st', []).map((one) => one.text)).toEqual(['etl state:']);
  expect(completions('state:d', []).map((one) => one.text)).toEqual(['state:disabled ', 'state:done ', 'state:dead ']);
  expect(completions('x label:team', ['env=prod', 'team=data'])).toEqual([{text: 'x label:team=data ', what: ''}]);
  expect(completions('nosuch:', [])).toEqual([]);
});
