/** The search of lists: terms between spaces. The server does the finding; here they are only put together and completed. */
export type Qualifier = {name: string; what: string; values: string[]};

export const qualifiers: Qualifier[] = [
  {name: 'state', what: 'how the schedule stands', values: ['active', 'paused', 'disabled', 'done', 'dead']},
  {name: 'kind', what: 'what it starts', values: ['command', 'http', 'job', 'pipeline']},
  {name: 'label', what: 'key=value', values: []},
  {name: 'tz', what: 'its time zone', values: ['UTC', 'Europe/*', 'America/*', 'Asia/*']},
  {name: 'next', what: 'how near its next start is', values: ['<10m', '<1h', '<1d']},
  {name: 'id', what: 'its id, * for any characters', values: []},
  {name: 'name', what: 'its name', values: []},
  {name: 'namespace', what: 'its namespace', values: []},
];

/** Terms of a search; what stands in quotes is one. */
export function termsOf(text: string): string[] {
  return text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

/** The value of a term, as of `state` in `state:paused etl`. */
export function termValue(text: string, name: string): string {
  return termsOf(text).find((term) => term.startsWith(`${name}:`))?.slice(name.length + 1) ?? '';
}

/** The search with another value of a term; an empty one takes it away. */
export function withTerm(text: string, name: string, value: string): string {
  const others = termsOf(text).filter((term) => !term.startsWith(`${name}:`));
  return [...(value ? [`${name}:${value}`] : []), ...others].join(' ');
}

/** What could stand in place of the last word. */
export function completions(text: string, labels: string[]): {text: string; what: string}[] {
  const word = /\S*$/.exec(text)?.[0] ?? '';
  const before = text.slice(0, text.length - word.length);
  const colon = word.indexOf(':');
  if (colon < 0) {
    const fitting = word ? qualifiers.filter((one) => one.name.startsWith(word)) : qualifiers.slice(0, 5);
    return fitting.map((one) => ({text: `${before}${one.name}:`, what: one.what}));
  }
  const found = qualifiers.find((one) => one.name === word.slice(0, colon));
  if (!found) return [];
  const value = word.slice(colon + 1);
  const values = found.name === 'label' ? labels : found.values;
  return values.filter((one) => one.startsWith(value) && one !== value).slice(0, 8).map((one) => ({text: `${before}${found.name}:${one} `, what: ''}));
}
