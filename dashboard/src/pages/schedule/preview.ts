import {api, ask} from '../../api/client';
import type {Preview} from '../../api/types';
import {anchoredSpec} from './anchored_spec';

type Document = {spec?: unknown};

/** What a rule means. Of a schedule that is there already, intervals are counted from when it was created, not from now. */
export async function previewOf(document: Document, count: number, createdAt: string | null, after?: string): Promise<Preview> {
  const asked = (spec: unknown): Promise<Preview> => ask(api.POST('/api/v1/schedules/preview', {params: {query: {count, ...(after ? {after} : {})}}, body: spec as never}));
  const spec = (document.spec ?? {}) as Record<string, unknown>;
  const anchored = createdAt ? anchoredSpec(spec, createdAt) : null;
  if (!anchored) return asked(spec);
  // The sentence is that of the rule as it is written.
  const [said, counted] = await Promise.all([asked(spec), asked(anchored)]);
  return {...said, occurrences: counted.occurrences};
}
