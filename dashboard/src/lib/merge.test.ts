import {expect, test} from 'vitest';
import {merged, mergeRows} from './merge';

const base = {name: 'A', spec: {cron: ['0 1 * * *'], timezone: 'UTC'}, labels: {team: 'x'}};

test('what only one side changed needs no decision', () => {
  const mine = {...base, name: 'Mine'};
  const theirs = {...base, spec: {...base.spec, timezone: 'Europe/Oslo'}};
  const rows = mergeRows(base, mine, theirs);
  expect(rows.map(({path, who, choice}) => [path.join('.'), who, choice])).toEqual([
    ['name', 'mine', 'mine'],
    ['spec.timezone', 'theirs', 'theirs'],
  ]);
  expect(merged(theirs, rows)).toEqual({...base, name: 'Mine', spec: {...base.spec, timezone: 'Europe/Oslo'}});
});

test('what both changed is shown with all three, and what was typed is kept until chosen otherwise', () => {
  const rows = mergeRows(base, {...base, name: 'Mine'}, {...base, name: 'Theirs'});
  expect(rows).toEqual([{path: ['name'], base: 'A', mine: 'Mine', theirs: 'Theirs', who: 'both', choice: 'mine'}]);
  expect(merged({...base, name: 'Theirs'}, rows)).toMatchObject({name: 'Mine'});
  expect(merged({...base, name: 'Theirs'}, rows.map((row) => ({...row, choice: 'theirs' as const})))).toMatchObject({name: 'Theirs'});
});

test('lists are one place; members may come and go', () => {
  const mine = {...base, labels: {}};
  const theirs = {...base, spec: {...base.spec, cron: ['0 2 * * *']}, description: 'new'};
  const rows = mergeRows(base, mine, theirs);
  expect(rows.map((row) => row.path.join('.'))).toEqual(['spec.cron', 'labels.team', 'description']);
  expect(merged(theirs, rows)).toEqual({name: 'A', spec: {cron: ['0 2 * * *'], timezone: 'UTC'}, labels: {}, description: 'new'});
});

test('the same change on both sides is no difference', () => {
  expect(mergeRows(base, {...base, name: 'B'}, {...base, name: 'B'})).toEqual([]);
});
