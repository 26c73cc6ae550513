/** The rule of a schedule as a form. The spec stays the truth: a tab is open only where it shows all that the spec says. */
import {cronOf, emptySimple, simpleOf, type Simple} from './simple';

type Document = Record<string, unknown>;
export const ruleFields = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year', 'second'] as const;
export type RuleField = (typeof ruleFields)[number];
/** A calendar or an exclusion. `source` is what it was read from: what is not touched goes back as it came. */
export type Rule = Record<RuleField | 'comment', string> & {source: Document};
export type Interval = {every: string; offset: string; anchor: string; source: Document};
export type Tab = 'simple' | 'cron' | 'interval' | 'calendar' | 'several' | 'manual';
export type When = {
  tab: Tab;
  simple: Simple;
  cron: string;
  intervals: Interval[];
  calendars: Rule[];
  exclude: Rule[];
  times: string;
  timezone: string;
  jitter: string;
  startAt: string;
  endAt: string;
  dst: string;
};

const record = (value: unknown): Document => (value && typeof value === 'object' ? (value as Document) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const lines = (value: string): string[] => value.split('\n').map((line) => line.trim()).filter(Boolean);

/** A field of a calendar as text: `9`, `mon-fri`, or ranges as `9-17/2,20`. */
export function fieldText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return text(value);
  return (value as {start: number; end?: number; step?: number}[])
    .map(({start, end, step}) => `${start}${end !== undefined && end !== start ? `-${end}` : ''}${step !== undefined && step > 1 ? `/${step}` : ''}`)
    .join(',');
}

export function ruleOf(source: unknown): Rule {
  const given = record(source);
  const fields = Object.fromEntries(ruleFields.map((name) => [name, fieldText(given[name])])) as Record<RuleField, string>;
  return {...fields, comment: text(given.comment), source: given};
}
export function emptyRule(fields: Partial<Record<RuleField, string>> = {}): Rule {
  return {...ruleOf({}), ...fields};
}
function ruleDocument(rule: Rule): Document {
  const document: Document = {};
  for (const name of ruleFields) {
    const typed = rule[name].trim();
    if (typed === fieldText(rule.source[name])) {
      if (name in rule.source) document[name] = rule.source[name];
    } else if (typed) document[name] = typed;
  }
  if (rule.comment || 'comment' in rule.source) document.comment = rule.comment;
  return document;
}
function intervalDocument({every, offset, anchor, source}: Interval): Document {
  const document: Document = {...source, every};
  if (offset !== text(source.offset)) document.offset = offset || '0s';
  if (anchor !== (text(source.anchor) || 'creation')) document.anchor = anchor;
  return document;
}

export function emptyWhen(): When {
  return {
    tab: 'simple', simple: emptySimple(), cron: cronOf(emptySimple()), intervals: [{every: '15m', offset: '', anchor: 'creation', source: {}}],
    calendars: [emptyRule({minute: '0', hour: '9', dayOfWeek: 'mon-fri'})], exclude: [], times: '', timezone: 'UTC', jitter: '', startAt: '', endAt: '', dst: 'cron',
  };
}

/** The narrowest tab that shows everything. */
export function tabOf(spec: Document): Tab {
  const crons = list(spec.cron);
  const intervals = list(spec.intervals).length;
  const rules = list(spec.calendars).length + list(spec.times).length;
  const kinds = [crons.length, intervals, rules].filter(Boolean).length;
  const excluded = list(spec.exclude).length;
  if (kinds === 0) return excluded ? 'several' : 'manual';
  if (kinds > 1 || intervals > 1) return 'several';
  if (rules) return 'calendar';
  if (excluded) return 'several';
  if (intervals) return 'interval';
  return crons.length === 1 && simpleOf(String(crons[0])) ? 'simple' : 'cron';
}

export function whenOf(spec: Document): When {
  const empty = emptyWhen();
  const crons = list(spec.cron).map(String);
  const intervals = list(spec.intervals).map(record);
  const calendars = list(spec.calendars);
  const tab = tabOf(spec);
  // Where several kinds are shown, none is there that the spec does not have.
  if (tab === 'several') [empty.cron, empty.intervals, empty.calendars] = ['', [], []];
  return {
    tab,
    simple: simpleOf(crons[0] ?? '') ?? empty.simple,
    cron: crons.length ? crons.join('\n') : empty.cron,
    intervals: intervals.length ? intervals.map((one) => ({every: text(one.every), offset: text(one.offset), anchor: text(one.anchor) || 'creation', source: one})) : empty.intervals,
    calendars: calendars.length || list(spec.times).length ? calendars.map(ruleOf) : empty.calendars,
    exclude: list(spec.exclude).map(ruleOf),
    times: list(spec.times).join('\n'),
    timezone: text(spec.timezone) || 'UTC',
    jitter: text(spec.jitter),
    startAt: text(spec.startAt),
    endAt: text(spec.endAt),
    dst: text(spec.dst) || 'cron',
  };
}

/** Why a tab cannot show what is there; empty where it can. */
export function whyNot(tab: Tab, when: When): string {
  if (tab === 'simple' && (when.tab === 'cron' || when.tab === 'several')) {
    const crons = lines(when.cron);
    if (crons.length > 1) return 'more than one expression';
    if (crons[0] && !simpleOf(crons[0])) return 'a custom expression: it stays text, so that nothing of it is changed';
  }
  return '';
}

/** Another tab, which takes over what it can show. */
export function withTab(when: When, tab: Tab): When {
  if (whyNot(tab, when)) return when;
  const next = {...when, tab};
  if (when.tab === 'simple' && tab !== 'simple') next.cron = cronOf(when.simple);
  const [first, ...others] = lines(when.cron);
  if (tab === 'simple') next.simple = (first && !others.length && simpleOf(first)) || when.simple;
  // What a narrower tab counted is all that there is.
  if (tab === 'several') {
    if (!['simple', 'cron', 'several'].includes(when.tab)) next.cron = '';
    if (!['interval', 'several'].includes(when.tab)) next.intervals = [];
    if (!['calendar', 'several'].includes(when.tab)) [next.calendars, next.times, next.exclude] = [[], '', []];
  } else {
    if (tab === 'cron' && !lines(next.cron).length) next.cron = emptyWhen().cron;
    if (tab === 'interval' && !next.intervals.length) next.intervals = emptyWhen().intervals;
    if (tab === 'calendar' && !next.calendars.length && !lines(next.times).length) next.calendars = emptyWhen().calendars;
  }
  return next;
}

/** The spec with what the open tab shows; members that no tab shows stay as they are. */
export function specOf(spec: Document, when: When): Document {
  const {tab} = when;
  const isSeveral = tab === 'several';
  const hasRules = tab === 'calendar' || isSeveral;
  const cron = tab === 'simple' ? [cronOf(when.simple)] : tab === 'cron' || isSeveral ? lines(when.cron) : [];
  const intervals = tab === 'interval' ? when.intervals.slice(0, 1) : isSeveral ? when.intervals : [];
  const optional = (name: string, typed: string): Document => (typed || spec[name] ? {[name]: typed || null} : {});
  return {
    ...spec,
    cron,
    intervals: intervals.map(intervalDocument),
    calendars: hasRules ? when.calendars.map(ruleDocument) : [],
    times: hasRules ? lines(when.times) : [],
    exclude: hasRules ? when.exclude.map(ruleDocument) : [],
    timezone: when.timezone || 'UTC',
    ...(when.jitter ? {jitter: when.jitter} : {}),
    ...optional('startAt', when.startAt.trim()),
    ...optional('endAt', when.endAt.trim()),
    ...(when.dst === (text(spec.dst) || 'cron') ? {} : {dst: when.dst}),
  };
}
