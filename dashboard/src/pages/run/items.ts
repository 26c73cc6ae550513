/** The columns of a table of items: what went in, what came out, and errors where there are some. */
import type {Item} from '../../api/types';

export type Column = {key: string; name: string; part: 'input' | 'output' | 'rawText' | 'error'};
const columnsMax = 4;

export function columnsOf(items: Item[]): Column[] {
  const names = (part: 'input' | 'output'): string[] => {
    const seen = new Set<string>();
    for (const item of items) for (const name of Object.keys(item[part])) seen.add(name);
    return [...seen].slice(0, columnsMax);
  };
  return [
    ...names('input').map((name): Column => ({key: `in ${name}`, name, part: 'input'})),
    ...names('output').map((name): Column => ({key: `out ${name}`, name: `→ ${name}`, part: 'output'})),
    ...(items.some((item) => item.rawText) ? [{key: 'text', name: '→ text', part: 'rawText'} as Column] : []),
    ...(items.some((item) => item.error) ? [{key: 'error', name: 'Error', part: 'error'} as Column] : []),
  ];
}

export function cellText(item: Item, column: Column): string {
  if (column.part === 'rawText' || column.part === 'error') return item[column.part] ?? '';
  const value = item[column.part][column.key.slice(column.key.indexOf(' ') + 1)];
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
