/** How long runs took and how late they started, over time. */
import type {Run} from '../../api/types';
import {failedStates} from '../../lib/states';

export type Trend = {
  /** Seconds since 1970, ascending: when each run started. */
  at: number[];
  /** Seconds; null where the run did not end so. */
  took: (number | null)[];
  failed: (number | null)[];
  late: (number | null)[];
  tookHalf: (number | null)[];
  tookMost: (number | null)[];
  lateMost: (number | null)[];
  ids: string[];
};

/** The value that a share of the values does not exceed; the nearest rank, as the server's own measures do it. */
export function percentile(values: number[], share: number): number | null {
  if (!values.length) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** Percentiles at a run are those of it and the runs before it, at most `reach` together. */
export function trendOf(runs: Run[], reach = 20): Trend {
  const ended = runs
    .filter((run) => run.startedAt && run.durationMs != null)
    .sort((a, b) => Date.parse(a.startedAt ?? '') - Date.parse(b.startedAt ?? ''));
  const trend: Trend = {at: [], took: [], failed: [], late: [], tookHalf: [], tookMost: [], lateMost: [], ids: []};
  const took: number[] = [];
  const late: number[] = [];
  for (const run of ended) {
    const seconds = (run.durationMs ?? 0) / 1000;
    const isFailed = failedStates.includes(run.state);
    took.push(seconds);
    // What a person or a backfill started was never due at its nominal time.
    const lateness = run.source === 'schedule' && run.lateMs != null ? run.lateMs / 1000 : null;
    if (lateness !== null) late.push(lateness);
    trend.at.push(Date.parse(run.startedAt ?? '') / 1000);
    trend.took.push(isFailed ? null : seconds);
    trend.failed.push(isFailed ? seconds : null);
    trend.late.push(lateness);
    trend.tookHalf.push(percentile(took.slice(-reach), 0.5));
    trend.tookMost.push(percentile(took.slice(-reach), 0.95));
    trend.lateMost.push(percentile(late.slice(-reach), 0.95));
    trend.ids.push(run.id);
  }
  return trend;
}
