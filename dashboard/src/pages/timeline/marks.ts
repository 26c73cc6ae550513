import type {Run, Upcoming} from '../../api/types';
import {lookOf} from '../../lib/states';
import {durationText} from '../../lib/times';

export type Mark = {state: string; due: number; from: number; to: number; run: string | null; text: string; count?: number};
export type Row = {key: string; name: string; path: string[]; marks: Mark[]};
type Window = {from: number; to: number; now: number};

/** What is to be drawn: a row for each schedule that has something in the window, in the order of names. */
export function marksOf(runs: Run[], upcoming: Upcoming[], window: Window): Row[] {
  const rows = new Map<string, Row>();
  const rowOf = (namespace: string, id: string, name: string): Row => {
    const key = `${namespace}/${id}`;
    const row = rows.get(key) ?? {key, name, path: id ? ['schedules', namespace, id] : ['runs'], marks: []};
    rows.set(key, row);
    return row;
  };
  for (const run of runs) {
    const mark = markOf(run, window.now);
    if (mark.to < window.from || Math.min(mark.due, mark.from) > window.to) continue;
    rowOf(run.namespace ?? 'default', run.schedule ?? '', run.schedule ?? 'jobs').marks.push(mark);
  }
  for (const item of upcoming) {
    const at = Date.parse(item.due);
    if (at < window.now || at > window.to) continue;
    rowOf(item.namespace, item.schedule, item.schedule).marks.push({state: 'planned', due: at, from: at, to: at, run: null, text: `planned ${item.local}`});
  }
  return [...rows.values()].sort((a, b) => a.key.localeCompare(b.key));
}

function markOf(run: Run, now: number): Mark {
  // What a backfill or a person starts was not waiting since its nominal time.
  const isOwn = run.source === undefined || run.source === 'schedule';
  const due = Date.parse((isOwn ? (run.due ?? run.nominal) : run.queuedAt) ?? run.queuedAt ?? run.due ?? run.nominal ?? '');
  const from = run.startedAt ? Date.parse(run.startedAt) : due;
  const isStarted = Boolean(run.startedAt);
  const to = run.endedAt ? Date.parse(run.endedAt) : isStarted ? Math.max(now, from) : from;
  const took = isStarted ? `, ${durationText(to - from)}` : '';
  return {state: run.state, due, from, to, run: run.id, text: `${lookOf(run.state).word}${took} · due ${run.due ?? run.nominal ?? ''}${run.why ? ` · ${run.why}` : ''}`};
}

/** Marks of one kind that would touch become one that says how many they are. `msPerPixel` is how much time a pixel is. */
export function collapsed(marks: Mark[], msPerPixel: number): Mark[] {
  const shown: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.from - b.from)) {
    const isDot = mark.state === 'planned' || mark.state === 'skipped';
    const previous = shown.findLast((one) => one.state === mark.state);
    const isSmall = mark.to - mark.from < 3 * msPerPixel;
    const room = (isDot ? 10 : 3) * msPerPixel;
    const isNear = previous !== undefined && mark.from - previous.to < room && isSmall && (previous.count !== undefined || previous.to - previous.from < 3 * msPerPixel);
    if (!previous || !isNear) {
      shown.push({...mark});
      continue;
    }
    previous.count = (previous.count ?? 1) + 1;
    previous.to = Math.max(previous.to, mark.to);
    previous.run = null;
    previous.text = `${previous.count} ${lookOf(mark.state).word}`;
  }
  return shown;
}

/** Round times, at most a dozen. */
export function ticksOf(from: number, to: number): number[] {
  const steps = [1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].map((s) => s * 1000);
  const step = steps.find((s) => (to - from) / s <= 10) ?? 86_400_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) ticks.push(at);
  return ticks;
}
