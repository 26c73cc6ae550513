/** A day as one line for each schedule: a frequent one would fill the page. */
import type {Run, Upcoming} from '../../api/types';
import {kindOf} from '../../lib/month_counts';

export type AgendaRow = {
  key: string; name: string; path: string[]; first: string; last: string; times: string[];
  count: number; succeeded: number; failed: number; skipped: number; open: number; planned: number;
};

export function agendaOf(runs: Run[], planned: Upcoming[]): AgendaRow[] {
  const rows = new Map<string, AgendaRow>();
  const add = (namespace: string, id: string, name: string, at: string, kind: 'succeeded' | 'failed' | 'skipped' | 'open' | 'planned'): void => {
    const key = `${namespace}/${id}`;
    const row = rows.get(key) ?? {key, name, path: id ? ['schedules', namespace, id] : ['runs'], first: at, last: at, times: [], count: 0, succeeded: 0, failed: 0, skipped: 0, open: 0, planned: 0};
    if (at < row.first) row.first = at;
    if (at > row.last) row.last = at;
    row.times.push(at);
    row.count += 1;
    row[kind] += 1;
    rows.set(key, row);
  };
  for (const run of runs) {
    const at = run.due ?? run.nominal ?? run.queuedAt;
    const outcome = (run.state as string) === 'skipped' ? 'skipped' : 'started';
    if (at) add(run.namespace, run.schedule ?? '', run.schedule ?? 'jobs', at, kindOf({outcome, state: run.state}));
  }
  for (const one of planned) add(one.namespace, one.schedule, one.schedule, one.due, 'planned');
  for (const row of rows.values()) row.times.sort();
  return [...rows.values()].sort((a, b) => a.first.localeCompare(b.first) || a.key.localeCompare(b.key));
}
