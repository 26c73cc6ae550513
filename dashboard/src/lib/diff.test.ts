import {expect, test} from 'vitest';
import {diffLines, diffOf} from './diff';

const short = (before: string, after: string): string =>
  diffLines([...before], [...after]).map(({kind, text}) => ({same: ' ', added: '+', removed: '-'})[kind] + text).join('');

test.each([
  ['abc', 'abc', ' a b c'],
  ['abc', 'abxc', ' a b+x c'],
  ['abc', 'ac', ' a-b c'],
  ['', 'ab', '+a+b'],
  ['ab', '', '-a-b'],
  ['abcd', 'acbd', ' a-b c+b d'],
])('%s to %s is %s', (before, after, expected) => {
  expect(short(before, after)).toBe(expected);
});

test('either text can be read back from the difference', () => {
  const before = 'the quick brown fox jumps over the dog'.split(' ');
  const after = 'a quick red fox jumps right over the lazy dog'.split(' ');
  const lines = diffLines(before, after);
  expect(lines.filter((line) => line.kind !== 'added').map((line) => line.text)).toEqual(before);
  expect(lines.filter((line) => line.kind !== 'removed').map((line) => line.text)).toEqual(after);
});

test('what did not change is left out, but for what stands around a change', () => {
  const parts = diffOf({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}, {a: 1, b: 2, c: 3, d: 4, e: 50, f: 6}, 1);
  expect(parts).toEqual([
    {kind: 'left-out', count: 4},
    {kind: 'same', text: '  "d": 4,'},
    {kind: 'removed', text: '  "e": 5,'},
    {kind: 'added', text: '  "e": 50,'},
    {kind: 'same', text: '  "f": 6'},
    {kind: 'left-out', count: 1},
  ]);
  expect(diffOf({a: 1}, {a: 1})).toEqual([{kind: 'left-out', count: 3}]);
});
