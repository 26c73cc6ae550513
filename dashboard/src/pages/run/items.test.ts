import {expect, test} from 'vitest';
import type {Item} from '../../api/types';
import {cellText, columnsOf} from './items';

const item = (index: number, more: Partial<Item>): Item => ({index, state: 'succeeded', input: {}, output: {}, rawText: null, error: null, usage: null, ...more});

test('columns are what the items have, errors only where one has some', () => {
  const items = [item(0, {input: {name: 'Ann', 'first name': 'A'}, output: {mood: 'good'}}), item(1, {input: {name: 'Bo'}, state: 'failed', error: 'no answer'})];
  const columns = columnsOf(items);
  expect(columns.map((column) => column.name)).toEqual(['name', 'first name', '→ mood', 'Error']);
  expect(columns.map((column) => cellText(items[0] as Item, column))).toEqual(['Ann', 'A', 'good', '']);
  expect(columns.map((column) => cellText(items[1] as Item, column))).toEqual(['Bo', '', '', 'no answer']);
});

test('what is no text is written as JSON, and nothing is markup', () => {
  const one = item(0, {input: {n: 12345678901, list: [1, 2], html: '<b>x</b>'}});
  expect(columnsOf([one]).map((column) => cellText(one, column))).toEqual(['12345678901', '[1,2]', '<b>x</b>']);
});
