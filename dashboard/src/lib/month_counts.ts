/** Counts of a schedule's occurrences for each day of a zone. */
import type {Occurrence} from '../api/types';
import type {Counts} from '../parts/MonthGrid.svelte';
import {dayKey} from './days';

const failed = ['failed', 'timed_out', 'lost', 'expired'];

/** What an occurrence counts as. */
export function kindOf(one: Pick<Occurrence, 'outcome' | 'state'>): keyof Counts {
  if (one.outcome === 'planned') return 'planned';
  if (one.outcome === 'skipped' || one.state === 'cancelled') return 'skipped';
  if (one.state === 'succeeded') return 'succeeded';
  return one.state && failed.includes(one.state) ? 'failed' : 'open';
}

export function monthCounts(occurrences: Occurrence[], zone: string): Map<string, Counts> {
  const days = new Map<string, Counts>();
  for (const one of occurrences) {
    const key = dayKey(Date.parse(one.nominal), zone);
    const counts = days.get(key) ?? {succeeded: 0, failed: 0, skipped: 0, open: 0, planned: 0};
    counts[kindOf(one)] += one.count ?? 1;
    days.set(key, counts);
  }
  return days;
}
