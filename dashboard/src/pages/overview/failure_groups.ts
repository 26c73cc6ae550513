import type {Run} from '../../api/types';

export type FailureGroup = {key: string; schedule: string; error: string; count: number; newest: Run};

/** Failures of one schedule with one first line of error, newest first. */
export function failureGroups(runs: Run[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const run of runs) {
    const error = (run.error ?? run.why ?? run.state).split('\n', 1)[0] ?? '';
    const key = `${run.namespace}/${run.schedule ?? ''}/${error}`;
    const group = groups.get(key);
    if (group) group.count += 1;
    else groups.set(key, {key, schedule: run.schedule ?? run.name, error, count: 1, newest: run});
  }
  return [...groups.values()];
}
