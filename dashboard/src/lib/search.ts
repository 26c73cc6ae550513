/** What may be typed into the search: words, and qualifiers that narrow a list down. The server does the finding. */
export type Qualifier = {name: string; what: string; values: string[]};

export const qualifiers: Qualifier[] = [
  {name: 'status', what: 'how the schedule stands', values: ['active', 'paused', 'disabled', 'done', 'dead']},
  {name: 'action', what: 'what it starts', values: ['command', 'http', 'job', 'pipeline']},
  {name: 'label', what: 'key=value', values: []},
];
export type Filter = {q: string; status: string; action: string; label: string};

/** `status:paused label:team=data etl` as a filter. What is no qualifier is text to be found. */
export function filterOf(text: string): Filter {
  const filter: Filter = {q: '', status: '', action: '', label: ''};
  const rest = text.replace(/(^|\s)(status|label|action):(\S+)/g, (_, space: string, name: keyof Filter, value: string) => {
    filter[name] = value;
    return space;
  });
  filter.q = rest.trim().replace(/\s+/g, ' ');
  return filter;
}

export function textOf(filter: Filter): string {
  const parts = (['status', 'action', 'label'] as const).filter((name) => filter[name]).map((name) => `${name}:${filter[name]}`);
  return [...parts, filter.q].filter(Boolean).join(' ');
}

/** What could stand in place of the last word. */
export function completions(text: string, labels: string[]): {text: string; what: string}[] {
  const word = /\S*$/.exec(text)?.[0] ?? '';
  const before = text.slice(0, text.length - word.length);
  const [name, value] = word.split(':', 2);
  if (value === undefined) {
    if (!word) return qualifiers.map((one) => ({text: `${before}${one.name}:`, what: one.what}));
    return qualifiers.filter((one) => one.name.startsWith(word)).map((one) => ({text: `${before}${one.name}:`, what: one.what}));
  }
  const found = qualifiers.find((one) => one.name === name);
  if (!found) return [];
  const values = found.name === 'label' ? labels : found.values;
  return values.filter((one) => one.startsWith(value) && one !== value).slice(0, 8).map((one) => ({text: `${before}${found.name}:${one} `, what: ''}));
}
