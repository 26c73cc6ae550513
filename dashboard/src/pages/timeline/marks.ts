import type {TimelineRow} from '../../api/types';
import {lookOf} from '../../lib/states';
import {durationText} from '../../lib/times';

/** `due` lies before `from` where a start was late; `run` is there where a mark stands for one. */
export type Mark = {state: string; due: number; from: number; to: number; run: string | null; text: string; count: number};
export type Row = {key: string; name: string; path: string[] | null; marks: Mark[]};

/** What is to be drawn of the server's rows; what runs grows up to now. */
export function rowsOf(rows: TimelineRow[], now: number): Row[] {
  return rows.map((row) => ({
    key: `${row.namespace ?? ''}/${row.schedule ?? row.name}`,
    name: row.name || (row.schedule ?? ''),
    path: row.schedule ? ['schedules', row.namespace ?? 'default', row.schedule] : null,
    marks: row.marks.map((mark) => markOf(mark, now)),
  }));
}

function markOf(mark: TimelineRow['marks'][number], now: number): Mark {
  const from = Date.parse(mark.from);
  const to = mark.kind === 'running' || mark.kind === 'waiting' ? Math.max(Date.parse(mark.to), now) : Date.parse(mark.to);
  const due = mark.due ? Date.parse(mark.due) : from;
  return {state: mark.kind, due, from, to, run: mark.run ?? null, count: mark.count, text: textOf(mark.kind, mark.count, due, from, to)};
}

function textOf(kind: string, count: number, due: number, from: number, to: number): string {
  const {word} = lookOf(kind);
  if (count > 1) return `${count} ${word}`;
  const took = kind === 'planned' || kind === 'skipped' ? '' : `, ${durationText(to - from)}`;
  return `${word}${took} · due ${new Date(due).toISOString().replace('.000', '')}${due < from ? `, ${durationText(from - due)} late` : ''}`;
}

/** Marks of one kind that would touch become one that says how many they are. `msPerPixel` is how much time a pixel is. */
export function collapsed(marks: Mark[], msPerPixel: number): Mark[] {
  const shown: Mark[] = [];
  const newest = new Map<string, Mark>();
  for (const mark of [...marks].sort((a, b) => a.from - b.from)) {
    const isDot = mark.state === 'planned' || mark.state === 'skipped';
    const previous = newest.get(mark.state);
    const room = (isDot ? 10 : 3) * msPerPixel;
    const isSmall = (one: Mark): boolean => one.count > 1 || one.to - one.from < 3 * msPerPixel;
    if (!previous || mark.from - previous.to >= room || !isSmall(mark) || !isSmall(previous)) {
      const copy = {...mark};
      shown.push(copy);
      newest.set(mark.state, copy);
      continue;
    }
    previous.count += mark.count;
    previous.to = Math.max(previous.to, mark.to);
    previous.run = null;
    previous.due = previous.from;
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
