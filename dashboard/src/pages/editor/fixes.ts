/** What can be mended with one click. The server says what is wrong and what to write; here it is only put in place. */
import type {Warning} from '../../api/types';
import {emptyRule, ruleFields, type When} from './when';

export type Fix = {word: string; apply: (when: When) => When};
type Finding = Pick<Warning, 'code' | 'fix' | 'pointer'>;

export function fixesOf(warning: Finding): Fix[] {
  const every = /every: (\w+)/.exec(warning.fix ?? '')?.[1];
  if (warning.code === 'uneven-step' && every)
    return [{word: `Every ${every} exactly`, apply: (when) => ({...when, tab: 'interval', intervals: [{every, offset: '', anchor: 'creation', source: {}}]})}];
  if (warning.code === 'dom-dow-or') {
    const index = Number(/\/cron\/(\d+)/.exec(warning.pointer)?.[1] ?? 0);
    return [{word: 'Only when both match', apply: (when) => bothMatch(when, index)}];
  }
  if (warning.code === 'dst-gap' || warning.code === 'dst-overlap')
    return [{word: 'Use UTC, which has no clock changes', apply: (when) => ({...when, timezone: 'UTC'})}];
  return [];
}

/** A cron expression as a calendar rule, whose fields must all match. */
function bothMatch(when: When, index: number): When {
  const lines = when.cron.split('\n').map((line) => line.trim()).filter(Boolean);
  const fields = lines[index]?.split(/\s+/) ?? [];
  if (fields.length !== 5) return when;
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  const rule = emptyRule({minute, hour, dayOfMonth, month, dayOfWeek});
  for (const name of ruleFields) if (rule[name] === '*' && !['minute', 'hour'].includes(name)) rule[name] = '';
  const rest = lines.filter((_, at) => at !== index);
  const isAlone = rest.length === 0 && when.tab !== 'several';
  return {...when, tab: isAlone ? 'calendar' : 'several', cron: rest.join('\n'), calendars: isAlone ? [rule] : [...(when.tab === 'several' ? when.calendars : []), rule], intervals: when.tab === 'several' ? when.intervals : [], exclude: when.tab === 'several' ? when.exclude : [], times: when.tab === 'several' ? when.times : ''};
}
