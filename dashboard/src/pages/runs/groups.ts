/** Runs under a heading: by schedule, by the first line of their error, or by state. */
import type {Run} from '../../api/types';
import {lookOf} from '../../lib/states';

export type Grouping = '' | 'schedule' | 'error' | 'state';
export type RunGroup = {name: string; runs: Run[]};

export function groupsOf(runs: Run[], by: Grouping): RunGroup[] {
  if (!by) return [{name: '', runs}];
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const name = nameOf(run, by);
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  return [...groups].map(([name, members]) => ({name, runs: members})).sort((a, b) => b.runs.length - a.runs.length || a.name.localeCompare(b.name));
}

function nameOf(run: Run, by: Grouping): string {
  if (by === 'schedule') return run.schedule ?? 'jobs without a schedule';
  if (by === 'state') return lookOf(run.state).word;
  return run.error?.split('\n', 1)[0] || (run.reason ? `skipped: ${run.reason}` : 'no error');
}
